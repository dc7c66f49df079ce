import { Reading } from '../../src/lib/transcript/reading.ts'
import type { SessionKey } from '../../src/index.ts'

/** The contents of the bytes of a transcript. */
export function readTranscript(bytes: Buffer, key?: SessionKey): ReturnType<Reading['end']> {
  const reading = new Reading(key)
  reading.add(bytes)
  return reading.end()
}

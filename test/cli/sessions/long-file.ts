/** Transcripts of any length, as Claude Code and as we would write them. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { seal } from '../../../src/lib/transcript/seal.ts'
import type { TranscriptEntry } from '../../../src/index.ts'
import { answerLine, readUse, resultOf, user } from '../../transcript/claude/claude-kit.ts'

const id = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

/** A turn of four lines, of about five thousand bytes. */
function turn(index: number): readonly TranscriptEntry[] {
  const [u, a, r, b] = [0, 1, 2, 3].map(each => id(4 * index + each)) as [string, string, string, string]
  return [
    user(u, index === 0 ? null : id(4 * index - 1), `prompt ${index} ${'x'.repeat(400)}`),
    answerLine(a, u, readUse(`t${index}`)),
    user(r, a, [resultOf(`t${index}`, `output ${index}\n`.repeat(150))], {
      toolUseResult: { stdout: 'y'.repeat(1000) }
    }),
    answerLine(b, r, `answer ${index}`)
  ]
}

/** Writes at least this number of bytes; returns the number of turns. */
export function writeLong(path: string, bytes: number, isOurs: boolean): number {
  const file = openSync(path, 'w')
  let seq = 0
  let index = 0
  for (let written = 0; written < bytes; index++)
    for (const entry of turn(index)) {
      const line = isOurs
        ? seal({ ...entry, sessionId: 'long', promptId: 'p' }, ++seq)
        : Buffer.from(`${JSON.stringify(entry)}\n`)
      written += writeSync(file, line)
    }
  closeSync(file)
  return index
}

import { asText } from '../util/plain.ts'
import { realDisk, type Disk } from './disk.ts'
import { messageBlocks, type Rec } from './entry.ts'
import { bytesIn, withOpenFile } from './file.ts'
import { Reading } from './reading.ts'
import { isClaudeLine } from './seal.ts'
import type { SessionKey } from './store.ts'

const LITTLE = 1 << 15
const MUCH = 1 << 22

export interface Glance {
  readonly bytes: number
  readonly head: readonly Rec[]
  readonly tail: readonly Rec[]
  readonly isWhole: boolean
  readonly isForeign: boolean
  readonly problem: string | undefined
  readonly isTorn: boolean
  readonly isDamaged: boolean
}

/** Reads both ends of a file of any length. Undefined if there is no such file. */
export function glance(path: string, key?: SessionKey, disk: Disk = realDisk): Glance | undefined {
  return withOpenFile(path, disk, file => {
    const bytes = disk.size(file)
    const end = part(file, disk, key, false)
    const { isWhole } = end
    const head = isWhole ? end : part(file, disk, key, true)
    const gaps = isWhole ? end.gaps : [...head.gaps, ...end.gaps]
    return {
      bytes,
      head: head.entries,
      tail: end.entries,
      isWhole,
      isForeign: head.isForeign && end.isForeign,
      problem: bytes === 0 ? EMPTY_FILE : [...head.entries, ...end.entries].some(isLine) ? undefined : STRANGE_FILE,
      isTorn: gaps.some(({ why }) => why === 'torn'),
      isDamaged: gaps.some(({ why }) => why !== 'torn')
    }
  })
}

export const EMPTY_FILE = 'it is empty'
export const STRANGE_FILE = 'another program wrote it, or nothing in it can be read'

const isLine = (entry: Rec): boolean => entry['crc'] !== undefined || isClaudeLine(entry)

type Part = ReturnType<Reading['end']> & { readonly isWhole: boolean }

/** Whole lines from the start or the end: as few as it takes to find a prompt. */
function part(file: number, disk: Disk, key: SessionKey | undefined, isHead: boolean): Part {
  const size = disk.size(file)
  for (let length = LITTLE; ; length *= 8) {
    const isWhole = length >= size
    const at = isHead || isWhole ? 0 : size - length
    const bytes = bytesIn(file, disk, at, Math.min(length, size))
    // A line that continues beyond what was read is skipped.
    const from = at === 0 ? 0 : bytes.indexOf(10) + 1
    const to = isHead && !isWhole ? bytes.lastIndexOf(10) + 1 : bytes.length
    const reading = new Reading(key, { at: at + from, isPart: at > 0 })
    reading.add(bytes.subarray(from, Math.max(from, to)))
    const found = { ...reading.end(), isWhole }
    if (isWhole || length >= MUCH || found.entries.some(isPrompt)) return found
  }
}

export function promptIn(line: Rec): string | undefined {
  const { type, isMeta, isCompactSummary } = line
  const blocks = messageBlocks(line)
  if (type !== 'user' || isMeta === true || isCompactSummary === true || blocks.length === 0) return undefined
  if (blocks.some(block => block['type'] === 'tool_result')) return undefined
  return blocks.flatMap(({ type: kind, text }) => (kind === 'text' ? [asText(text)] : [])).join('\n')
}

const isPrompt = (entry: Rec): boolean => promptIn(entry) !== undefined

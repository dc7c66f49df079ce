import { fault } from '../faults.ts'
import { ClaudeWalk } from './claude/claude-walk.ts'
import { realDisk, type Disk } from './disk.ts'
import { messageBlocks, type Rec } from './entry.ts'
import { readPieces, withOpenFile } from './file.ts'
import { EMPTY_FILE, STRANGE_FILE } from './glance.ts'
import { isKnown } from './load.ts'
import { Reading } from './reading.ts'
import { isClaudeLine } from './seal.ts'
import type { Gap, GapKind, SessionKey } from './store.ts'

interface Unanswered {
  readonly toolUseId: string
  readonly toolName: string
  /** `started`: its effects are unknown · `ended`: only its hooks have not run · `waiting`: for a decision. */
  readonly state: 'not started' | 'waiting' | 'started' | 'ended'
}

export interface Verified {
  readonly bytes: number
  readonly entries: number
  readonly isForeign: boolean
  readonly gaps: readonly Gap[]
  readonly unanswered: readonly Unanswered[]
  readonly strays: number
  /** Calls that were running at an interruption and got a result saying so later. */
  readonly unknownOutcomes: number
  readonly unknownTypes: Readonly<Record<string, number>>
}

/** Reads a whole file of any length without keeping it in memory. Undefined if there is no such file. */
export function verifyFile(path: string, key?: SessionKey, disk: Disk = realDisk): Verified | undefined {
  return withOpenFile(path, disk, file => {
    const [ours, theirs] = [new Tally(), new Tally()]
    const walk = new ClaudeWalk(false)
    const lost: Gap[] = []
    let isClaude = false
    const each = (entry: Rec, at: number): void => {
      ;(isSealed(entry) ? ours : theirs).take(entry)
      const { missing } = isSealed(entry) ? {} : walk.take(entry)
      if (missing !== undefined) lost.push({ at, length: 0, why: 'missing', uuid: missing })
      isClaude ||= isClaudeLine(entry)
    }
    const reading = new Reading(key, { keep: false, each })
    const bytes = readPieces(reading, file, disk)
    const { gaps: found, isForeign } = reading.end()
    // A damaged file among our own sessions is still a session.
    if (bytes === 0 || (key === undefined && (isForeign ? !isClaude : reading.count === 0)))
      throw fault('E_NOT_TRANSCRIPT', path, bytes === 0 ? EMPTY_FILE : STRANGE_FILE)
    const gaps = isForeign ? [...found, ...lost].toSorted((a, b) => a.at - b.at) : found
    // Lines of other programs among our entries are ignored.
    const { unanswered, strays, unknownOutcomes, unknownTypes } = isForeign ? theirs : ours
    return { bytes, entries: reading.count, isForeign, gaps, unanswered, strays, unknownOutcomes, unknownTypes }
  })
}

const isSealed = ({ crc }: Rec): boolean => crc !== undefined

class Tally {
  readonly #open = new Map<string, Unanswered>()
  strays = 0
  unknownOutcomes = 0
  readonly unknownTypes: Record<string, number> = {}

  get unanswered(): readonly Unanswered[] {
    return [...this.#open.values()]
  }

  take(entry: Rec): void {
    const { type, subtype } = entry
    if (!isKnown(entry)) this.unknownTypes[type] = (this.unknownTypes[type] ?? 0) + 1
    if (type === 'tool-intent') this.#step(entry, 'started')
    else if (type === 'tool-outcome') this.#step(entry, 'ended')
    else if (type === 'tool-pending') this.#step(entry, 'waiting')
    // Everything before is no longer part of the conversation.
    else if (type === 'system' && (subtype === 'rewound' || subtype === 'clear')) this.#open.clear()
    else for (const block of messageBlocks(entry)) this.#block(block)
  }

  #block({ type, id, name, tool_use_id }: Readonly<Record<string, unknown>>): void {
    if (type === 'tool_use') {
      const call = { toolUseId: String(id), toolName: String(name), state: 'not started' } as const
      this.#open.set(call.toolUseId, call)
    }
    if (type !== 'tool_result') return
    const call = this.#open.get(String(tool_use_id))
    if (call === undefined) this.strays++
    if (call?.state === 'started') this.unknownOutcomes++
    this.#open.delete(String(tool_use_id))
  }

  #step({ toolUseId }: Rec, state: Unanswered['state']): void {
    const call = this.#open.get(String(toolUseId))
    if (call !== undefined) this.#open.set(call.toolUseId, { ...call, state })
  }
}

const MEANINGS: Readonly<Record<GapKind, { readonly matters: boolean; readonly words: string }>> = {
  torn: { matters: false, words: 'cut off while it was written, as a crash leaves it; it was not acknowledged yet' },
  damaged: { matters: false, words: 'these bytes are not an entry; if one was lost, its number is missing' },
  missing: { matters: true, words: 'these entries are missing' },
  duplicate: { matters: false, words: 'the same entry again; it counts once' },
  moved: { matters: false, words: 'this entry is out of order; its number shows where it belongs' },
  conflict: { matters: true, words: 'another entry has the same number; the first one counts' },
  foreign: { matters: true, words: 'an entry of another transcript; it does not count' },
  unsealed: { matters: true, words: 'not written by Carabiner; it is ignored' }
}

export const gapMeaning = ({ why }: Gap): { readonly matters: boolean; readonly words: string } => MEANINGS[why]

import type { Rec } from '../../transcript/entry.ts'
import { isObject } from '../../util/plain.ts'

export interface Rewound {
  readonly left: readonly Rec[]
  /** What tools did after the point of a rewind: it is not undone. */
  readonly done: ReadonlySet<Rec>
  /** Every rewind goes back to a line that is among the entries. Others are ignored. */
  readonly isWhole: boolean
}

export function rewind(entries: readonly Rec[], until?: string): Rewound {
  const done = new Set<Rec>()
  if (until === undefined && !entries.some(isRewind)) return { left: entries, done, isWhole: true }
  const left: Rec[] = []
  const goBack = (to: unknown): boolean => {
    const at = left.findLastIndex(({ uuid }) => uuid === to)
    if (at < 0) return false
    for (const entry of left.splice(endOf(left, at)).filter(isDone)) {
      left.push(entry)
      done.add(entry)
    }
    return true
  }
  let isWhole = true
  for (const entry of entries) {
    left.push(entry)
    if (isRewind(entry) && !goBack(entry['to'])) isWhole = false
  }
  if (until !== undefined) goBack(until)
  return { left, done, isWhole }
}

/** The end of the message in this line: an answer may have several lines. */
export function endOf(entries: readonly Rec[], at: number): number {
  const next = entries.findIndex((entry, index) => index > at && !isMore(entry, entries[index - 1]))
  return next < 0 ? entries.length : next
}

function isMore({ type, message, part }: Rec, before: Rec | undefined): boolean {
  const isSame = type === 'assistant' && before?.type === 'assistant' && idIn(message) === idIn(before['message'])
  return isSame && (!Array.isArray(part) || part[0] !== 0)
}

const idIn = (message: unknown): unknown => (isObject(message) ? message['id'] : undefined)

export const isDone = ({ type }: Rec): boolean => type === 'tool-intent' || type === 'tool-outcome'

const isRewind = ({ type, subtype }: Rec): boolean => type === 'system' && subtype === 'rewound'

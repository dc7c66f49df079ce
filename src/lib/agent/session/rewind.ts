import type { Rec } from '../../transcript/entry.ts'
import { isObject } from '../../util/plain.ts'

/**
 * Without what somebody went back behind; what tools have done stays done, and stands where somebody went back to.
 * Nothing where that is not among these; with `isAll`, who went back to a line that is nowhere did not.
 */
export function unwound(
  entries: readonly Rec[],
  until: string | undefined,
  isAll = false
): { readonly left: readonly Rec[]; readonly done: ReadonlySet<Rec> } | undefined {
  const done = new Set<Rec>()
  if (until === undefined && !entries.some(isRewind)) return { left: entries, done }
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
  for (const entry of entries) {
    left.push(entry)
    if (isRewind(entry) && !goBack(entry['to']) && !isAll) return undefined
  }
  if (until !== undefined) goBack(until)
  return { left, done }
}

/** Where the message ends that stands in this line: an answer may have several. */
export function endOf(entries: readonly Rec[], at: number): number {
  let end = at + 1
  while (entries[end] !== undefined && isMore(entries[end]!, entries[end - 1]!)) end++
  return end
}

/** Whether this line goes on with the answer of the one before. */
function isMore({ type, message, part }: Rec, before: Rec): boolean {
  const isSame = type === 'assistant' && before.type === 'assistant' && idIn(message) === idIn(before['message'])
  return isSame && (!Array.isArray(part) || part[0] !== 0)
}

const idIn = (message: unknown): unknown => (isObject(message) ? message['id'] : undefined)

/** What a tool has begun, or done. */
export const isDone = ({ type }: Rec): boolean => type === 'tool-intent' || type === 'tool-outcome'

/** Somebody went back to an earlier line. */
const isRewind = ({ type, subtype }: Rec): boolean => type === 'system' && subtype === 'rewound'

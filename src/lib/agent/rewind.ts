import type { Rec } from '../transcript/entry.ts'

/** Without what somebody went back behind; what tools have done stays done. */
export function unwound(
  entries: readonly Rec[],
  until: string | undefined
): { readonly left: readonly Rec[]; readonly done: readonly Rec[] } | undefined {
  const done: Rec[] = []
  if (until === undefined && !entries.some(isRewind)) return { left: entries, done }
  const left: Rec[] = []
  const goBack = (to: unknown): boolean => {
    const at = left.findLastIndex(({ uuid }) => uuid === to)
    if (at >= 0) done.push(...left.splice(at + 1).filter(isDone))
    return at >= 0
  }
  for (const entry of entries) {
    left.push(entry)
    if (isRewind(entry) && !goBack(entry['to'])) return undefined
  }
  if (until !== undefined) goBack(until)
  return { left, done }
}

/** What a tool has begun, or done. */
export const isDone = ({ type }: Rec): boolean => type === 'tool-intent' || type === 'tool-outcome'

/** Somebody went back to an earlier line. */
export const isRewind = ({ type, subtype }: Rec): boolean => type === 'system' && subtype === 'rewound'

import type { Outcome } from '../../hooks/dispatch/outcome.ts'

/** The reason of each hook that refused, in declared order: the model gets all of them. */
export const objectionsIn = (outcome: Outcome): readonly { readonly by: string; readonly reason: string }[] =>
  outcome.reasons.flatMap(({ by, decision, reason }) =>
    decision === 'deny' ? [{ by, reason: reasonForModel(outcome, by, reason) }] : []
  )

export const objectionLines = (outcome: Outcome): readonly string[] =>
  objectionsIn(outcome).map(({ by, reason }) => `${reason} [${by}]`)

/** Of a failed hook, the model learns only that it failed: the error is for people and the transcript. */
export function reasonForModel(outcome: Outcome, by = outcome.by ?? '', reason = outcome.reason): string {
  const failure = outcome.failures.find(each => each.by === by && reason?.startsWith(`gate_failed:${each.kind}`))
  return failure === undefined ? (reason ?? `refused by ${by}`) : `gate_failed:${failure.kind}: the hook ${by} failed`
}

import type { Outcome } from '../hooks/outcome.ts'

/** What each hook that refused said, in declared order: the model hears of all of them. */
export const objectionsIn = ({ reasons }: Outcome): readonly { readonly by: string; readonly reason: string }[] =>
  reasons.flatMap(({ by, decision, reason = `refused by ${by}` }) => (decision === 'deny' ? [{ by, reason }] : []))

/** The same, a line each. */
export const objectionLines = (outcome: Outcome): readonly string[] =>
  objectionsIn(outcome).map(({ by, reason }) => `${reason} [${by}]`)

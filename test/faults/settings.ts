/** In what the rows of the table are tried: both profiles, on a gate and elsewhere. */
import type { Effect, Fault } from './row.ts'
import { PROFILES } from '../support/hook-inputs.ts'

export const FAULT_SETTINGS = (['PreToolUse', 'PostToolUse'] as const).flatMap(event =>
  PROFILES.map(profile => ({ event, profile }))
)
export type Setting = (typeof FAULT_SETTINGS)[number]

/** What a row says for that. */
export function effectIn(fault: Fault, { event, profile }: Setting): Effect {
  if (event === 'PreToolUse') return fault[profile]
  return profile === 'compat' ? (fault.elsewhereInCompat ?? fault.elsewhere) : fault.elsewhere
}

import { nearest } from '../errors.ts'
import { NO_BYPASS } from '../faults.ts'

/** How freely an agent works: from `plan`, which changes nothing, to `bypassPermissions`, which never asks. */
export type Mode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'

export const MODES: readonly Mode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']

/** Modes of other agents, and why they do not exist here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['auto', 'a model would have to judge each call'],
  ['delegate', 'it is for agents that lead teams']
])

export interface NoMode {
  readonly problem: string
  readonly isElsewhere?: true
}

/** `bypassPermissions` is available only with `mayBypass`. */
export function parseMode(text: string, mayBypass: boolean): Mode | NoMode {
  const mode = MODES.find(each => each === text)
  if (mode === 'bypassPermissions' && !mayBypass) return { problem: NO_BYPASS }
  if (mode !== undefined) return mode
  const why = ELSEWHERE.get(text)
  if (why !== undefined)
    return { problem: `there is no mode ${text} here: ${why}; use ${MODES.join(', ')}`, isElsewhere: true }
  const near = nearest(text, MODES)
  return {
    problem: `there is no mode ${JSON.stringify(text)}; ${near === undefined ? `use ${MODES.join(', ')}` : `did you mean ${near}?`}`
  }
}

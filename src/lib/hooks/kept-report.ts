import { attempt } from '../util/attempt.ts'
import type { PlainObject } from '../util/plain.ts'
import type { Outcome } from './dispatch/outcome.ts'
import type { HookReport } from './hook-messages.ts'
import type { Reported } from './registry-internals.ts'

/** A report as it is kept in a transcript: what is not there has its usual value. */
export type KeptReport = Pick<Reported, 'event' | 'precedence' | 'profile'> &
  Partial<Pick<Reported, (typeof WORDS)[number] | (typeof FACTS)[number]>> & {
    readonly hooks: readonly (Pick<HookReport, 'name' | 'source' | 'why'> & Partial<HookReport>)[]
  }

const FACTS = [
  'event',
  'decision',
  'by',
  'reason',
  'blocked',
  'failedOpen',
  'updatedInput',
  'precedence',
  'profile'
] as const
/** Left out if a hook asks not to be logged. */
const WORDS = ['additionalContext', 'systemMessages', 'stopReason'] as const
const OF_HOOK = ['name', 'source', 'why', 'status', 'failure', 'notes', 'rewrote', 'rejudged'] as const

/** Undefined if the event was fired without a report. */
export function keptReport(outcome: Outcome & Partial<Reported>): KeptReport | undefined {
  const { event, report, suppressLogging } = outcome
  if (report === undefined) return undefined
  const hooks = report.filter(each => each.event === event)
  return {
    ...unusual(outcome, suppressLogging ? FACTS : [...FACTS, ...WORDS]),
    ...(outcome.continue === false && { continue: false }),
    hooks: hooks.map(each => keptHook(each, !suppressLogging))
  } as unknown as KeptReport
}

function keptHook(hook: HookReport, isLogged: boolean): PlainObject {
  const { name, source, why, ran, ms, reply, raw } = hook
  if (!ran) return { name, source, why }
  return {
    ...unusual(hook, OF_HOOK),
    ...(ms !== undefined && { ms: Math.round(ms * 1000) / 1000 }),
    // A reply may be anything, and a line must be JSON.
    ...(reply !== undefined && isLogged && { reply: attempt(() => JSON.parse(JSON.stringify(reply)) as unknown) }),
    ...(raw?.exit_code !== undefined && { raw: { exit_code: raw.exit_code } })
  }
}

function unusual<T extends object>(from: T, keys: readonly (keyof T & string)[]): PlainObject {
  const kept: Record<string, unknown> = {}
  for (const key of keys) {
    const value: unknown = from[key]
    if (value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)) kept[key] = value
  }
  return kept
}

/** The same report again, for `formatReport`. */
export function reportIn({ hooks, ...kept }: KeptReport): Reported {
  const report = hooks.map(hook => ({ status: 'skipped', notes: [], ...hook, ran: hook.status !== undefined }))
  return { systemMessages: [], terminalSequences: [], fields: {}, ...kept, report } as unknown as Reported
}

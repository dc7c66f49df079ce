import { fault, nearest, print } from '../errors.ts'
import { systemClock, type Clock } from '../util/clock.ts'
import type { Precedence } from './events/answers.ts'
import type { AgentView } from './hook-context.ts'
import type { Profile } from './dispatch/decode.ts'
import type { LateAnswer } from './background.ts'
import type { CompilePattern } from './dispatch/matcher.ts'
import type { Sink } from './trace.ts'

/** How a registry behaves. Everything has a default; a bare `new HookRegistry()` is ready to use. */
export interface RegistryOptions {
  /**
   * Whether an allow or an ask wins between hooks that are added here. Default `allow-over-ask`; what loads files uses the
   * other. Between hooks of two registries, such as a scope and the one around it, an ask wins over an allow.
   */
  precedence?: Precedence | undefined
  /** `strict` (default) closes gates when a hook fails; `compat` lets pass and marks it. */
  profile?: Profile | undefined
  sessionId?: string | undefined
  transcriptPath?: string | undefined
  cwd?: string | undefined
  permissionMode?: string | undefined
  env?: Readonly<Record<string, string>> | undefined
  agent?: AgentView | undefined
  /** Aborts every fire that is under way. */
  signal?: AbortSignal | undefined
  /** Seconds that all hooks of one fire may take together. No limit by default. */
  budget?: number | undefined
  /** Where messages about hooks go. It is called later and never waited for. */
  sink?: Sink | undefined
  /** Takes what `later(promise)` gives on events that do not wait for it. */
  onLate?: ((answer: LateAnswer) => unknown) | undefined
  clock?: Clock | undefined
  /** The engine for text patterns. Default `RegExp`: hand in one that runs in linear time for patterns you do not trust. */
  compilePattern?: CompilePattern | undefined
}

export interface Settings {
  readonly precedence: Precedence
  /** What was said about all of this, so that a scope can say more. */
  readonly options: RegistryOptions
  readonly profile: Profile
  /** The base fields of every input. */
  readonly base: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  readonly agent: AgentView
  readonly signal: AbortSignal | undefined
  /** In milliseconds. */
  readonly budget: number | undefined
  readonly sink: Sink | undefined
  readonly onLate: ((answer: LateAnswer) => unknown) | undefined
  readonly clock: Clock
  readonly compilePattern: CompilePattern
}

const PRECEDENCES = ['allow-over-ask', 'ask-over-allow'] as const
const PROFILES = ['strict', 'compat'] as const

const KEYS: { [K in keyof Required<RegistryOptions>]: string } = {
  precedence: 'string',
  profile: 'string',
  sessionId: 'string',
  transcriptPath: 'string',
  cwd: 'string',
  permissionMode: 'string',
  env: 'object',
  agent: 'object',
  signal: 'object',
  budget: 'any',
  sink: 'function',
  onLate: 'function',
  clock: 'object',
  compilePattern: 'function'
}

/** An option that is not known is an error, since it would have no effect. */
export function checkOptions(options: unknown, known: readonly string[], of = ''): asserts options is object {
  if (!isOfType(options, 'object')) throw fault('E_OPTION_INVALID', `options${of}`, print(options), 'an object')
  const stray = Object.keys(options as object).find(key => !known.includes(key))
  if (stray !== undefined)
    throw fault('E_OPTION_INVALID', `an option${of}`, print(stray), nearest(stray, known) ?? known.join(', '))
}

/** The same for a table of types. `of` names what takes the options. */
export function checkTypes(options: unknown, types: Readonly<Record<string, string>>, of: string): void {
  checkOptions(options, Object.keys(types), of)
  for (const [key, value] of Object.entries(options))
    if (value !== undefined && !isOfType(value, types[key]!))
      throw fault('E_OPTION_INVALID', key + of, print(value), `${types[key] === 'object' ? 'an' : 'a'} ${types[key]}`)
}

const isOfType = (value: unknown, type: string): boolean =>
  type === 'any' || (typeof value === type && value !== null && !Array.isArray(value))

export function settingsFrom(options: RegistryOptions): Settings {
  checkTypes(options, KEYS, ' of HookRegistry')
  return {
    options,
    precedence: choiceOf('precedence', options.precedence, PRECEDENCES) ?? 'allow-over-ask',
    profile: choiceOf('profile', options.profile, PROFILES) ?? 'strict',
    base: {
      session_id: options.sessionId ?? '',
      transcript_path: options.transcriptPath ?? '',
      cwd: options.cwd ?? '',
      permission_mode: options.permissionMode ?? 'default'
    },
    env: options.env ?? {},
    agent: options.agent ?? {},
    signal: options.signal,
    budget: options.budget === undefined ? undefined : millisecondsOf('budget', options.budget),
    sink: options.sink,
    onLate: options.onLate,
    clock: options.clock ?? systemClock,
    compilePattern: options.compilePattern ?? (source => new RegExp(source))
  }
}

/** A timer with a delay of 2^31 ms or more fires at once. */
export const LONGEST_TIMER = 2 ** 31

/** Seconds as given by people, in milliseconds. */
export function millisecondsOf(what: string, seconds: unknown): number {
  const ms = typeof seconds === 'number' ? seconds * 1000 : Number.NaN
  if (!(ms > 0 && ms < LONGEST_TIMER)) throw fault('E_TIMEOUT_INVALID', what, print(seconds))
  return ms
}

export function choiceOf<T extends string>(what: string, value: unknown, choices: readonly T[]): T | undefined {
  if (value === undefined) return undefined
  const found = choices.find(choice => choice === value)
  if (found === undefined) throw fault('E_OPTION_INVALID', what, print(value), choices.join(' or '))
  return found
}

export function numberOf(what: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw fault('E_OPTION_INVALID', what, print(value), 'a finite number')
}

export function flagOf(what: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw fault('E_OPTION_INVALID', what, print(value), 'true or false')
}

import { systemClock, type Clock } from '../util/clock.ts'
import type { Precedence } from './events/answers.ts'
import type { AgentView } from './hook-context.ts'
import type { HookDescription, HookFunction } from './hook.ts'
import type { CompilePattern } from './dispatch/matcher.ts'
import type { LateAnswer } from './dispatch/outcome.ts'
import type { Sink } from './hook-messages.ts'
import type { Profile } from './dialect.ts'
import { checkOptionTypes, choiceOf, millisecondsOf } from './option-values.ts'

/** How a registry behaves. Everything has a default; a bare `new HookRegistry()` is ready to use. */
export interface RegistryOptions {
  /**
   * Whether an allow or an ask wins between hooks that are added here. Default `allow-over-ask`; what loads files uses the
   * other. Between hooks of two registries, such as a scope and the one around it, an ask wins over an allow.
   */
  precedence?: Precedence | undefined
  /** `strict` (default) closes gates when a hook fails; `compat` allows the call and marks it. */
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
  /** Receives messages about hooks. It is called later and never waited for. */
  sink?: Sink | undefined
  /** Takes what `later(promise)` gives on events that do not wait for it. */
  onLate?: ((answer: LateAnswer) => unknown) | undefined
  clock?: Clock | undefined
  /** What is called in place of a hook outside this process, such as a command or a server. By default the hook itself is. */
  standIn?: ((hook: Pick<HookDescription, 'name' | 'source' | 'observe'>) => HookFunction | undefined) | undefined
  /** The engine for text patterns. Default `RegExp`: pass a linear-time one for patterns you do not trust. */
  compilePattern?: CompilePattern | undefined
}

type Defaulted = 'precedence' | 'profile' | 'env' | 'agent' | 'clock' | 'compilePattern'

export type Settings = { readonly [K in Defaulted]-?: NonNullable<RegistryOptions[K]> } & {
  /** As they were given, so that a scope can add to them. */
  readonly options: RegistryOptions
  readonly base: Readonly<Record<string, string>>
  /** In milliseconds. */
  readonly budget: number | undefined
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
  standIn: 'function',
  compilePattern: 'function'
}

export function settingsFrom(options: RegistryOptions): Settings {
  checkOptionTypes(options, KEYS, ' of HookRegistry')
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
    budget: options.budget === undefined ? undefined : millisecondsOf('budget', options.budget),
    clock: options.clock ?? systemClock,
    compilePattern: options.compilePattern ?? (source => new RegExp(source))
  }
}

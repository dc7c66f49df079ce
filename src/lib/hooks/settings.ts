import { systemClock, type Clock } from '../util/clock.ts'
import type { Precedence } from './answers.ts'
import type { AgentView } from './context.ts'
import type { Profile } from './decode.ts'
import type { CompilePattern } from './matcher.ts'
import type { LateAnswer, Sink } from './messages.ts'
import { choiceOf, millisecondsOf } from './options.ts'

/** How a registry behaves. Everything has a default; a bare `new HookRegistry()` is ready to use. */
export interface RegistryOptions {
  /** Whether an allow or an ask wins between hooks. Default `allow-over-ask`; what loads files uses the other. */
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
  onLate?: ((answer: LateAnswer) => void) | undefined
  clock?: Clock | undefined
  /** The engine for text patterns. Default `RegExp`: hand in one that runs in linear time for patterns you do not trust. */
  compilePattern?: CompilePattern | undefined
}

export interface Settings {
  readonly precedence: Precedence
  readonly profile: Profile
  /** The base fields of every input. */
  readonly base: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  readonly agent: AgentView
  readonly signal: AbortSignal | undefined
  /** In milliseconds. */
  readonly budget: number | undefined
  readonly sink: Sink | undefined
  readonly onLate: ((answer: LateAnswer) => void) | undefined
  readonly clock: Clock
  readonly compilePattern: CompilePattern
}

const PRECEDENCES = ['allow-over-ask', 'ask-over-allow'] as const
const PROFILES = ['strict', 'compat'] as const

export function settingsFrom(options: RegistryOptions): Settings {
  return {
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

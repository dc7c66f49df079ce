import type { Message } from '../message.ts'
import type { EventName, FieldsOf, FireInput, InputOf, ToolEvent } from './events/event-table.ts'
import type { RequestDraft, ResponseDraft } from './events/fields.ts'
import type { Outcome } from './dispatch/outcome.ts'
import type { Matcher, ToolInputFor, ToolNameFor, ToolOutputFor } from './events/tool-inputs.ts'
import type { RawResult } from './hook-messages.ts'
import type { Profile } from './dialect.ts'

/** The agent around a hook. In `query()` everything but `config` is set; a bare registry shows what it was given. */
export interface AgentView {
  readonly id?: string | undefined
  /** `main`, or the type of a subagent. */
  readonly type?: string | undefined
  /** 0 is the main agent. */
  readonly depth?: number | undefined
  readonly model?: string | undefined
  /** The names of the tools that it may call. */
  readonly tools?: readonly string[] | undefined
  /** In `query()`: `{ id, cwd, permissionMode }`. */
  readonly session?: Readonly<Record<string, unknown>> | undefined
  /** Its own transcript; in a subagent that is not the one of the session. */
  readonly transcriptPath?: string | undefined
  /** The call that a subagent works for. */
  readonly toolUseId?: string | undefined
  readonly config?: Readonly<Record<string, unknown>> | undefined
}

/**
 * What a hook gets. It can be read, and changed in place: `toolInput`, `prompt`, `request`, `response`, `messages`,
 * `metadata`. It belongs to this hook and is dead once the hook has settled: later writes are dropped and reported.
 */
export type HookContext<E extends EventName = EventName, M extends Matcher = string> = E extends EventName
  ? CommonContext<E> & ToolPart<E, M> & ResultPart<E, M> & PromptPart<E> & ModelPart<E> & SubagentPart<E>
  : never

interface CommonContext<E extends EventName> {
  readonly event: E
  /** The wire object: what hooks outside the process receive. Frozen. */
  readonly input: Readonly<InputOf<E>>
  /** The same as one line of JSON, made once for all hooks that see the same. */
  readonly wire: string
  readonly profile: Profile
  readonly sessionId: string
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  /** Aborted when the hook times out, the fire is aborted or its budget is used up. */
  readonly signal: AbortSignal
  readonly agent: AgentView
  /** The conversation. Push, filter, splice; the messages themselves are frozen, also those that the caller gave. */
  messages: Message[]
  /** Shared by all hooks of a session, over all its events. Writes stay, even if the hook fails. */
  readonly metadata: Record<string, unknown>
  setMetadata(key: string, value: unknown): void
  /** True if the hook is asked again because the input it judged was changed after it. */
  readonly rejudge: boolean
  /** For hooks marked `observe`: what the others decided. */
  readonly outcome: Outcome | undefined
  /** Fires another event through the same hooks. */
  fire<F extends EventName>(event: F, input: FireInput<F>): Outcome | Promise<Outcome>
  /** Work that continues after the hook has answered; `drain()` waits for it. */
  spawn(work: PromiseLike<unknown>): void
  /** Reports progress; for a process, with its output stream. */
  progress(text: string, stream?: 'stdout' | 'stderr'): void
  /** For hooks outside the process: the raw response, for reports and messages. */
  ran(raw: RawResult): void
  /** Reports something that decides nothing. */
  note(text: string): void
  /** For hooks outside the process: the profile allows what a strict gate refuses. It is marked. */
  letPass(why: string): void
}

type ToolPart<E extends EventName, M extends Matcher> = E extends ToolEvent
  ? {
      readonly toolName: ToolNameFor<M>
      readonly toolUseId: E extends 'PermissionRequest' ? undefined : string
    } & (E extends 'PreToolUse' | 'PermissionRequest'
      ? { toolInput: ToolInputFor<M> }
      : { readonly toolInput: Readonly<ToolInputFor<M>> })
  : { readonly toolName?: undefined; readonly toolInput?: undefined; readonly toolUseId?: undefined }

type ResultPart<E extends EventName, M extends Matcher> = (E extends 'PostToolUse'
  ? { readonly toolResponse: ToolOutputFor<M> }
  : { readonly toolResponse?: undefined }) &
  ('error' extends keyof FieldsOf<E>
    ? { readonly error: FieldsOf<E>['error' & keyof FieldsOf<E>] }
    : { readonly error?: undefined })

type PromptPart<E extends EventName> = E extends 'UserPromptSubmit'
  ? { prompt: string }
  : { readonly prompt?: undefined }

type ModelPart<E extends EventName> = (E extends 'PreModelRequest'
  ? { request: RequestDraft }
  : { readonly request?: undefined }) &
  (E extends 'PostModelResponse' ? { response: ResponseDraft } : { readonly response?: undefined })

type SubagentPart<E extends EventName> = E extends 'SubagentStart' | 'SubagentStop'
  ? { readonly subagentId: string }
  : { readonly subagentId?: undefined }

import type { Ruling } from '../../permissions/policy.ts'
import type { ErrorCode } from '../../errors.ts'
import type { HookMessage } from '../../hooks/hook-messages.ts'
import type { Block, Message, ToolUseBlock } from '../../message.ts'
import type { FailureName, StopReason, StreamEvent, Usage } from '../../model/model.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { PlainObject } from '../../util/plain.ts'

/** The output of an agent, in order: one stream, which everything that displays an agent reads. */
export type AgentMessage<Output = unknown> =
  | InitMessage
  | AssistantMessage
  | UserMessage
  | PartialMessage
  | ToolProgressMessage
  | RetryMessage
  | DeniedMessage
  | InformationMessage
  | NotificationMessage
  | CompactMessage
  | HookEventMessage
  | ResultMessage<Output>

interface Common {
  readonly uuid: string
  readonly session_id: string
}

/** The first message: the agent and its environment. */
export interface InitMessage extends Common {
  readonly type: 'system'
  readonly subtype: 'init'
  readonly cwd: string
  readonly model: string
  readonly permissionMode: Mode
  readonly tools: readonly string[]
  /** `status`: `connected` or `failed`; `source`: where the server was configured. */
  readonly mcp_servers: readonly { readonly name: string; readonly status: string; readonly source: string }[]
  readonly slash_commands: readonly string[]
  readonly agents: readonly string[]
  readonly skills: readonly string[]
  readonly plugins: readonly { readonly name: string; readonly path: string }[]
  readonly apiKeySource: string
  readonly output_style: string
  readonly claude_code_version: string
  readonly carabiner_version: string
  /** Tools that the provider runs on its side: they pass no gate. */
  readonly ungated_tools: readonly string[]
}

/** An answer of the model. */
export interface AssistantMessage extends Common {
  readonly type: 'assistant'
  readonly message: {
    readonly id: string
    readonly type: 'message'
    readonly role: 'assistant'
    readonly model: string
    readonly content: readonly Block[]
    readonly stop_reason: StopReason | null
    readonly stop_sequence: null
    readonly usage: Usage
  }
  readonly parent_tool_use_id: string | null
  readonly error?: FailureName
  /** The text to display instead, from a MessageDisplay hook. */
  readonly display_content?: string
}

/** A message for the model: a prompt, the result of a call, the feedback of a hook. */
export interface UserMessage extends Common {
  readonly type: 'user'
  readonly message: Message
  readonly parent_tool_use_id: string | null
  /** The output of a tool, for programs. */
  readonly tool_use_result?: unknown
  /** Not typed by a person. */
  readonly isSynthetic?: true
}

/** A part of an answer that is still streaming. */
export interface PartialMessage extends Common {
  readonly type: 'stream_event'
  readonly event: StreamEvent
  readonly parent_tool_use_id: string | null
}

/** A tool is running. */
export interface ToolProgressMessage extends Common {
  readonly type: 'tool_progress'
  readonly tool_use_id: string
  readonly tool_name: string
  readonly parent_tool_use_id: string | null
  readonly elapsed_time_seconds: number
  readonly output?: string
}

/** The provider failed, and is asked again. */
export interface RetryMessage extends Common {
  readonly type: 'system'
  readonly subtype: 'api_retry'
  readonly attempt: number
  readonly max_retries: number
  readonly retry_delay_ms: number
  readonly error_status: number | null
  readonly error: FailureName
  readonly error_details: string
}

/** A call was refused. */
export interface DeniedMessage extends Common, Omit<Denial, 'tool_input'> {
  readonly type: 'system'
  readonly subtype: 'permission_denied'
  readonly message: string
}

/** A text for people, from a hook or from Carabiner. */
export interface InformationMessage extends Common {
  readonly type: 'system'
  readonly subtype: 'informational'
  readonly content: string
  readonly level: 'info' | 'notice' | 'warning'
  /** `restriction`: something restricts less than it seems to. */
  readonly tag?: string
  /** In the compat profile: it restricts nothing, and the strict profile would not have started. */
  readonly failedOpen?: true
}

/** Something that a person should look at. */
export interface NotificationMessage extends Common {
  readonly type: 'system'
  readonly subtype: 'notification'
  readonly key: string
  readonly text: string
}

/** Earlier messages were replaced by a summary. */
export interface CompactMessage extends Common {
  readonly type: 'system'
  readonly subtype: 'compact_boundary'
  readonly compact_metadata: { readonly trigger: 'manual' | 'auto'; readonly pre_tokens: number }
}

/** A hook was started, reports progress, or has answered. */
export type HookEventMessage = StreamedHook & { readonly uuid: string }

/** The message of a registry in the format of the contract, and our name of the hook. */
export type StreamedHook = HookMessage & { readonly hook_label: string }

/** Why a run has ended. */
export type TerminalReason =
  | 'completed'
  | 'api_error'
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'hook_stopped'
  | 'stop_hook_prevented'
  | 'stop_hook_overruled'
  | 'tool_deferred'
  | 'max_turns'
  | 'budget_exhausted'
  | 'structured_output_retry_exhausted'
  | 'prompt_blocked'
  | 'start_blocked'
  | 'request_blocked'
  | 'response_blocked'
  | 'turn_setup_failed'

/** The last message of a prompt. An error of the provider is a `success` with `is_error`. */
export type ResultMessage<Output = unknown> = ResultFacts<Output> &
  (
    | { readonly subtype: 'success'; readonly errors?: readonly string[] }
    | { readonly subtype: ErrorSubtype; readonly errors: readonly string[] }
  )

export type ErrorSubtype =
  | 'error_during_execution'
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_max_structured_output_retries'

interface ResultFacts<Output> extends Common {
  readonly type: 'result'
  readonly is_error: boolean
  /** The last text of the agent; for an error, what went wrong. */
  readonly result: string
  /** For programs: why it could not start. */
  readonly error_code?: ErrorCode
  readonly terminal_reason: TerminalReason
  /** For programs: why the provider gave no answer, with `terminal_reason` `api_error`. */
  readonly api_error?: ApiError
  readonly stop_reason: string | null
  readonly num_turns: number
  readonly duration_ms: number
  readonly duration_api_ms: number
  readonly total_cost_usd: number
  readonly usage: Usage
  readonly modelUsage: Readonly<Record<string, ModelUsage>>
  readonly permission_denials: readonly Denial[]
  /** The value that fits the schema of `outputFormat`; `query<T>()` types it. */
  readonly structured_output?: Output
  /** The first of the calls that wait for a decision; if there are more, all of them. */
  readonly deferred_tool_use?: DeferredUse
  readonly deferred_tool_uses?: readonly DeferredUse[]
}

/** How a provider failed, as far as it reported it. */
export interface ApiError {
  readonly error: FailureName
  readonly status?: number
  /** The provider's own name for it: `rate_limit_error`. */
  readonly code?: string
  readonly request_id?: string
  readonly retry_after_ms?: number
}

/** A call that waits for a decision. */
export type DeferredUse = Pick<ToolUseBlock, 'id' | 'name' | 'input'>

export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadInputTokens: number
  readonly cacheCreationInputTokens: number
  readonly costUSD: number
}

/** A call that was refused. */
export interface Denial {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: PlainObject
  /** What kind of party decided; `asked`: the person behind `canUseTool`. */
  readonly decision_reason_type: Ruling['kind']
  readonly decision_reason: string
  /** The name of the hook, the text and source of the rule, the mode, the person, or `default`. */
  readonly decided_by: string
  /** What caused the question that was answered with no. */
  readonly asked_by?: string
}

export type Unsigned<M> = M extends unknown ? Omit<M, 'uuid' | 'session_id'> : never

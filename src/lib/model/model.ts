import type { Block, JsonSchema, Message } from '../message.ts'

/** A language model: a provider behind an adapter, or a script. */
export interface Model {
  readonly name: string
  readonly provider: string
  readonly price?: Price | undefined
  /** Another model of the same server, asked with the same key. Absent where there is no other. */
  sibling?(name: string): Model
  /**
   * Sends one request and never retries; the caller decides that. It rejects with a `ModelFailure`, and resolves only
   * when the answer is whole: no block is ever handed out that was cut off.
   */
  ask(request: ModelRequest, signal: AbortSignal, onEvent?: (event: StreamEvent) => void): Promise<Answer>
}

export interface ModelRequest {
  readonly system: string
  /** The same array as in the previous request if the conversation only grew: adapters then convert only new messages. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSpec[]
  readonly maxTokens?: number | undefined
  /** Token budget for thinking; 0 turns it off; `adaptive` lets the model decide. */
  readonly thinking?: number | 'adaptive' | undefined
  readonly effort?: (typeof EFFORTS)[number] | undefined
  readonly outputSchema?: JsonSchema | undefined
  /** Tools that the provider runs on its side, by their names there. They pass no gate. */
  readonly serverTools?: readonly string[] | undefined
}

/** How hard a model tries, from little to much. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

export interface Answer {
  readonly id: string
  readonly model: string
  readonly content: readonly Block[]
  readonly stop: StopReason
  readonly usage: Usage
  /** Calls that the provider ran itself; they passed no gate. */
  readonly ungated?: readonly { readonly name: string; readonly input: unknown }[] | undefined
  /** Types of parts that have no place in a conversation and were dropped. */
  readonly leftOut?: readonly string[] | undefined
  /** Sentences about parts of the request that were changed or not sent. */
  readonly changed?: readonly string[] | undefined
}

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'refusal' | 'pause_turn'

/** Tokens, by the names of the provider's wire format. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
}

/** Dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheWrite: number
  readonly cacheRead: number
}

/** The pieces of an answer as they arrive, in the shapes of the provider's wire format. */
export type StreamEvent =
  | { readonly type: 'message_start'; readonly message: StartedMessage }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: Block }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta'
      readonly delta: { readonly stop_reason: StopReason; readonly stop_sequence: string | null }
      readonly usage: Usage
    }
  | { readonly type: 'message_stop' }

interface StartedMessage {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly []
  readonly stop_reason: null
  readonly stop_sequence: null
  readonly usage: Usage
}

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

/** Why a provider did not answer, by the names that StopFailure hooks match. */
export type FailureName =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'max_output_tokens'
  | 'unknown'

export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly why: FailureName
  readonly status: number | undefined
  readonly retryable: boolean
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfter: number | undefined
  readonly code: string | undefined
  readonly requestId: string | undefined
  /** Text that arrived before the failure. */
  readonly partial: string
  /** The message without words that are not ours and may quote an answer. */
  readonly unquoted: string | undefined

  readonly #facts: Failure

  constructor(message: string, facts: Failure) {
    super(message, { cause: facts.cause })
    this.#facts = facts
    this.why = facts.why
    this.status = facts.status
    this.retryable = facts.retryable
    this.retryAfter = facts.retryAfter
    this.code = facts.code
    this.requestId = facts.requestId
    this.partial = facts.partial ?? ''
    this.unquoted = facts.unquoted
  }

  /** The same failure with another message or partial text. */
  but(message: string, partial = this.partial): ModelFailure {
    return new ModelFailure(message, { ...this.#facts, partial })
  }
}

interface Failure {
  readonly why: FailureName
  readonly status?: number | undefined
  readonly retryable: boolean
  readonly retryAfter?: number | undefined
  readonly code?: string | undefined
  readonly requestId?: string | undefined
  readonly partial?: string | undefined
  readonly unquoted?: string | undefined
  readonly cause?: unknown
}

import {
  bytesOf,
  inPieces,
  startServer,
  type Answering,
  type Manner,
  type ProviderServer,
  type Scripted
} from './sse-server.ts'

/** A block of an answer, and in how many pieces its content comes (3 by default). */
export type AnthropicBlock = { readonly pieces?: number | undefined } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  /** `json` is sent unchanged, valid or not; without it, `input` as JSON. */
  | {
      readonly type: 'tool_use' | 'server_tool_use'
      readonly id?: string | undefined
      readonly name: string
      readonly input?: unknown
      readonly json?: string | undefined
    }
  /** Any other block, sent whole. */
  | { readonly type: 'other'; readonly block: Fields }
)

/** What the server answers to one request: blocks, a refusal (`fail`), or exact text (`raw`); and what goes wrong. */
export interface AnthropicReply extends Answering {
  readonly blocks?: readonly AnthropicBlock[] | undefined
  /** By default `tool_use` where there are calls, else `end_turn`. */
  readonly stop?: string | undefined
  readonly usage?:
    | {
        readonly input_tokens?: number
        readonly output_tokens?: number
        readonly cache_creation_input_tokens?: number
        readonly cache_read_input_tokens?: number
      }
    | undefined
  readonly id?: string | undefined
  readonly model?: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** The body of a request to the Messages API. */
export interface AnthropicBody {
  readonly model: string
  readonly max_tokens: number
  readonly stream: boolean
  readonly system?: readonly Fields[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Fields[] }[]
  readonly tools?: readonly Fields[]
  readonly thinking?: Fields
  readonly output_config?: Fields
}

/** A server with Anthropic's Messages API. */
export type AnthropicServer = ProviderServer<AnthropicReply, AnthropicBody>

/** An answer, or a function that makes one of the request. */
export type AnthropicScript = Scripted<AnthropicReply, AnthropicBody>

/** Starts a server on loopback that gives these answers, one a request, and then refuses with 500. */
export const anthropicServer = (...replies: readonly AnthropicScript[]): Promise<AnthropicServer> =>
  startServer(MANNER, replies)

/** The bytes of an answer, as they go over the wire. */
export const anthropicBytes = (reply: AnthropicReply): Buffer => bytesOf(MANNER, reply)

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error'
}

const errorBody = (type: string, message: string): object => ({ error: { type, message } })

const MANNER: Manner<AnthropicReply> = {
  events: ({ blocks = [], stop, usage, id = 'msg_01', model = 'claude-test' }) => [
    event('message_start', {
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage?.input_tokens ?? 10,
          cache_creation_input_tokens: usage?.cache_creation_input_tokens ?? 0,
          cache_read_input_tokens: usage?.cache_read_input_tokens ?? 0,
          output_tokens: 1
        }
      }
    }),
    event('ping', {}),
    ...blocks.flatMap(eventsOf),
    event('message_delta', {
      delta: {
        stop_reason: stop ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'),
        stop_sequence: null
      },
      usage: { output_tokens: usage?.output_tokens ?? 20 }
    }),
    event('message_stop', {})
  ],
  error: (type, message) => event('error', errorBody(type, message)),
  refusal: ({ status, type = TYPES[status] ?? 'api_error', message = 'refused' }) =>
    JSON.stringify({ type: 'error', ...errorBody(type, message) }),
  ping: event('ping', {})
}

function eventsOf(block: AnthropicBlock, index: number): readonly string[] {
  const start = (content_block: object): string => event('content_block_start', { index, content_block })
  const deltas = (text: string, type: string, key: string): readonly string[] =>
    inPieces(text, block.pieces ?? 3).map(piece =>
      event('content_block_delta', { index, delta: { type, [key]: piece } })
    )
  const stop = event('content_block_stop', { index })
  switch (block.type) {
    case 'text':
      return [start({ type: 'text', text: '' }), ...deltas(block.text, 'text_delta', 'text'), stop]
    case 'thinking': {
      const signature = event('content_block_delta', {
        index,
        delta: { type: 'signature_delta', signature: block.signature }
      })
      const thoughts = deltas(block.thinking, 'thinking_delta', 'thinking')
      return [start({ type: 'thinking', thinking: '', signature: '' }), ...thoughts, signature, stop]
    }
    case 'redacted_thinking':
      return [start({ type: 'redacted_thinking', data: block.data }), stop]
    case 'other':
      return [start(block.block), stop]
    case 'tool_use':
    case 'server_tool_use': {
      const { type, id = `toolu_0${index}`, name, json = JSON.stringify(block.input ?? {}) } = block
      return [start({ type, id, name, input: {} }), ...deltas(json, 'input_json_delta', 'partial_json'), stop]
    }
  }
}

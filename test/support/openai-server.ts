import {
  bytesOf,
  inPieces,
  startServer,
  type Answering,
  type Manner,
  type ProviderServer,
  type Scripted
} from './sse-server.ts'

/** A call in an answer. `json` is sent as it is; else `input` as JSON; in this many pieces (3). */
interface OpenAICall {
  readonly id?: string | undefined
  readonly name: string
  readonly input?: unknown
  readonly json?: string | undefined
  readonly pieces?: number | undefined
}

/** What the server answers to one request: words and calls, a refusal (`fail`), or exact text (`raw`). */
export interface OpenAIReply extends Answering {
  /** Sent before the text, as `reasoning_content`. */
  readonly reasoning?: string | undefined
  readonly text?: string | undefined
  readonly calls?: readonly OpenAICall[] | undefined
  /** By default `tool_calls` where there are calls, else `stop`. */
  readonly finish?: string | undefined
  readonly usage?:
    | { readonly prompt_tokens: number; readonly completion_tokens: number; readonly cached_tokens?: number }
    | undefined
  readonly id?: string | undefined
  readonly model?: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** The body of a request for chat completions. */
interface OpenAIBody {
  readonly model: string
  readonly stream: boolean
  readonly messages: readonly ({ readonly role: string } & Fields)[]
  readonly tools?: readonly Fields[]
  readonly max_tokens?: number
  readonly reasoning_effort?: string
  readonly response_format?: Fields
  readonly stream_options?: Fields
}

/** A server with OpenAI's chat completions. */
export type OpenAIServer = ProviderServer<OpenAIReply, OpenAIBody>

/** An answer, or a function that makes one of the request. */
export type OpenAIScript = Scripted<OpenAIReply, OpenAIBody>

/** Starts a server on loopback that gives these answers, one a request, and then refuses with 500. */
export const openaiServer = (...replies: readonly OpenAIScript[]): Promise<OpenAIServer> => startServer(MANNER, replies)

/** The bytes of an answer, as they go over the wire. */
export const openaiBytes = (reply: OpenAIReply): Buffer => bytesOf(MANNER, reply)

const line = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

const TYPES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }

const MANNER: Manner<OpenAIReply> = {
  events(reply) {
    const { id = 'chatcmpl-1', model = 'gpt-test', reasoning = '', text = '', calls = [], finish, usage } = reply
    const head = { id, object: 'chat.completion.chunk', created: 1_700_000_000, model }
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      line({ ...head, choices: [{ index: 0, delta, finish_reason }] })
    return [
      chunk({ role: 'assistant', content: '' }),
      ...inPieces(reasoning, 3).map(piece => chunk({ reasoning_content: piece })),
      ...inPieces(text, 3).map(piece => chunk({ content: piece })),
      ...calls.flatMap((call, index) => deltasOf(call, index).map(delta => chunk({ tool_calls: [delta] }))),
      chunk({}, finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
      line({ ...head, choices: [], usage: usageOf(usage) }),
      'data: [DONE]\n\n'
    ]
  },
  error: (type, message) => line({ error: { message, type, param: null, code: type } }),
  refusal: ({ status, type = TYPES[status] ?? 'server_error', message = 'refused' }) =>
    JSON.stringify({ error: { message, type, param: null, code: type } }),
  // Comments are what such servers send to keep a connection.
  ping: ': ping\n\n'
}

function deltasOf({ id, name, input, json, pieces = 3 }: OpenAICall, index: number): readonly object[] {
  return [
    { index, id: id ?? `call_${index}`, type: 'function', function: { name, arguments: '' } },
    ...inPieces(json ?? JSON.stringify(input ?? {}), pieces).map(piece => ({ index, function: { arguments: piece } }))
  ]
}

function usageOf(usage: OpenAIReply['usage']): object {
  const { prompt_tokens, completion_tokens, cached_tokens = 0 } = usage ?? { prompt_tokens: 10, completion_tokens: 20 }
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens }
  }
}

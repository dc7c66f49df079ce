/** The formats in which agents talk to their models, as far as a scripted model needs them: one row for each. */
import { isObject, type PlainObject } from '../../util/plain.ts'

/** A tool call that the model asks for. Codex has tools in namespaces; Codex and Copilot have some that take a text. */
export interface ModelCall {
  readonly namespace?: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>> | string
}

/** What the model says: tool calls, or a text that ends the turn. */
export type ModelStep = { readonly calls: readonly ModelCall[] } | { readonly text: string }

/** What a request of an agent contains, whatever its format. */
export interface ModelRequest {
  /** The names of the tools on offer. */
  readonly tools: readonly string[]
  /** How often the model has spoken before. */
  readonly turns: number
  /** What the tools answered so far. */
  readonly results: readonly string[]
  readonly body: PlainObject
}

/** A format: which requests use it, where their parts are, and how an answer looks. */
export interface Wire {
  readonly path: RegExp
  read(body: PlainObject): Omit<ModelRequest, 'body'>
  /** The answer in one piece. */
  whole(step: ModelStep, id: string): object
  /** The answer as events of a stream. */
  stream(step: ModelStep, id: string): readonly object[]
}

const objects = (value: unknown): readonly PlainObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))
const names = (tools: readonly PlainObject[]): string[] => tools.map(tool => textOf(tool['name']))
const callsOf = (step: ModelStep): readonly ModelCall[] => ('calls' in step ? step.calls : [])
const sayingOf = (step: ModelStep): string => ('text' in step ? step.text : '')

const messages: Wire = {
  path: /\/messages$/,
  read(body) {
    const all = objects(body['messages'])
    const results = all.flatMap(({ content }) => objects(content)).filter(({ type }) => type === 'tool_result')
    return {
      tools: names(objects(body['tools'])),
      turns: all.filter(({ role }) => role === 'assistant').length,
      results: results.map(({ content }) => textOf(content))
    }
  },
  whole: (step, id) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [
      ...('text' in step ? [{ type: 'text', text: step.text }] : []),
      ...callsOf(step).map((call, at) => ({ type: 'tool_use', id: `${id}_${at}`, ...call }))
    ],
    stop_reason: 'calls' in step ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  }),
  stream(step, id) {
    const { content, stop_reason, ...message } = messages.whole(step, id) as PlainObject
    const blocks = objects(content).flatMap((block, index) => {
      const [start, delta] =
        block['type'] === 'text'
          ? [
              { ...block, text: '' },
              { type: 'text_delta', text: block['text'] }
            ]
          : [
              { ...block, input: {} },
              { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }
            ]
      return [
        { type: 'content_block_start', index, content_block: start },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index }
      ]
    })
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' }
    ]
  }
}

const responses: Wire = {
  path: /\/responses$/,
  read(body) {
    const input = objects(body['input'])
    const outputs = input.filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
    return {
      tools: names(objects(body['tools'])),
      turns: input.filter(({ type, role }) => role === 'assistant' || textOf(type).endsWith('_call')).length,
      results: outputs.map(({ output }) => textOf(output))
    }
  },
  whole: (step, id) => ({
    id,
    object: 'response',
    status: 'completed',
    output: [
      ...('text' in step
        ? [{ type: 'message', id: `${id}_m`, role: 'assistant', content: [{ type: 'output_text', text: step.text }] }]
        : []),
      ...callsOf(step).map(({ input, ...call }, at) => ({
        ...call,
        call_id: `${id}_${at}`,
        ...(typeof input === 'string'
          ? { type: 'custom_tool_call', input }
          : { type: 'function_call', arguments: JSON.stringify(input) })
      }))
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  }),
  stream(step, id) {
    const response = responses.whole(step, id) as PlainObject
    const items = objects(response['output'])
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ...items.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item },
        { type: 'response.output_item.done', output_index, item }
      ]),
      { type: 'response.completed', response }
    ]
  }
}

const completions: Wire = {
  path: /\/chat\/completions$/,
  read(body) {
    const all = objects(body['messages'])
    return {
      tools: names(objects(body['tools']).flatMap(tool => [tool['function'], tool['custom']].filter(isObject))),
      turns: all.filter(({ role }) => role === 'assistant').length,
      results: all.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))
    }
  },
  whole: (step, id) => completion(step, id, 'message'),
  stream: (step, id) => [completion(step, id, 'delta')]
}

function completion(step: ModelStep, id: string, key: 'message' | 'delta'): object {
  const tool_calls = callsOf(step).map(({ name, input }, index) => ({
    index,
    id: `${id}_${index}`,
    ...(typeof input === 'string'
      ? { type: 'custom', custom: { name, input } }
      : { type: 'function', function: { name, arguments: JSON.stringify(input) } })
  }))
  const said = { role: 'assistant', content: sayingOf(step), ...(tool_calls.length === 0 ? {} : { tool_calls }) }
  return {
    id,
    object: key === 'delta' ? 'chat.completion.chunk' : 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, [key]: said, finish_reason: tool_calls.length === 0 ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  }
}

const gemini: Wire = {
  path: /:(?:stream)?generateContent$/i,
  read(body) {
    const contents = objects(body['contents'])
    const parts = contents.flatMap(content => objects(content['parts']))
    const answers = parts.map(part => part['functionResponse']).filter(isObject)
    return {
      tools: objects(body['tools']).flatMap(tool => names(objects(tool['functionDeclarations']))),
      turns: contents.filter(({ role }) => role === 'model').length,
      results: answers.map(({ response }) => textOf(response))
    }
  },
  whole: step => ({
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts:
            'text' in step
              ? [{ text: step.text }]
              : step.calls.map(call => ({ functionCall: { name: call.name, args: call.input } }))
        },
        finishReason: 'STOP'
      }
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  }),
  stream: (step, id) => [gemini.whole(step, id)]
}

export const WIRES: readonly Wire[] = [messages, responses, completions, gemini]

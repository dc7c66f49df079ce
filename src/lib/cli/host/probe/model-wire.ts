/** The formats in which agents talk to their models, as far as a scripted model needs them. */
import { isObject, type PlainObject } from '../../../util/plain.ts'

/** A tool call that the model asks for. Codex has tools in namespaces; Codex and Copilot have some that take a text. */
export interface ModelCall {
  readonly namespace?: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>> | string
}

/** What the model says: tool calls, or a text that ends the turn. */
export type ScriptStep = { readonly calls: readonly ModelCall[] } | { readonly text: string }

/** What a request of an agent contains, whatever its format. */
export interface HostRequest {
  /** The names of the tools on offer. */
  readonly tools: readonly string[]
  /** How often the model has spoken before. */
  readonly turns: number
  /** What the tools answered so far. */
  readonly results: readonly string[]
  readonly body: PlainObject
}

const objects = (value: unknown): readonly PlainObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

export function readRequest(body: PlainObject): HostRequest {
  const said = [body['messages'], body['input'], body['contents']].flatMap(objects)
  const parts = said.flatMap(part => [part, ...objects(part['content']), ...objects(part['parts'])])
  const tools = objects(body['tools'])
    .flatMap(tool => [tool, tool['function'], tool['custom'], ...objects(tool['functionDeclarations'])])
    .flatMap(tool => (isObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : []))
  const isModel = ({ role, type }: PlainObject): boolean =>
    role === 'assistant' || role === 'model' || textOf(type).endsWith('_call')
  return { tools, turns: said.filter(isModel).length, results: parts.flatMap(resultIn), body }
}

function resultIn({ type, role, content, output, functionResponse: answer }: PlainObject): readonly string[] {
  if (type === 'tool_result' || role === 'tool') return [textOf(content)]
  if (textOf(type).endsWith('_call_output')) return [textOf(output)]
  return isObject(answer) ? [textOf(answer['response'])] : []
}

/** A format: which requests use it, and how an answer looks. */
export interface Wire {
  readonly path: RegExp
  /** The answer in one piece. */
  whole(step: ScriptStep, id: string): PlainObject
  /** The answer as events of a stream. */
  stream(step: ScriptStep, id: string): readonly object[]
}

const messages: Wire = {
  path: /\/messages$/,
  whole: (step, id) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content:
      'text' in step
        ? [{ type: 'text', text: step.text }]
        : step.calls.map((call, at) => ({ type: 'tool_use', id: `${id}_${at}`, ...call })),
    stop_reason: 'calls' in step ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  }),
  stream(step, id) {
    const { content, stop_reason, ...message } = messages.whole(step, id)
    const blocks = objects(content).flatMap((block, index) => {
      const [content_block, delta] =
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
        { type: 'content_block_start', index, content_block },
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
  whole: (step, id) => ({
    id,
    output:
      'text' in step
        ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: step.text }] }]
        : step.calls.map(({ input, ...call }, at) => ({
            ...call,
            call_id: `${id}_${at}`,
            ...(typeof input === 'string'
              ? { type: 'custom_tool_call', input }
              : { type: 'function_call', arguments: JSON.stringify(input) })
          })),
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  }),
  stream(step, id) {
    const response = responses.whole(step, id)
    const items = objects(response['output']).map(item => ({ type: 'response.output_item.done', item }))
    return [{ type: 'response.created', response: { id } }, ...items, { type: 'response.completed', response }]
  }
}

const completions: Wire = {
  path: /\/chat\/completions$/,
  whole: (step, id) => completion(step, id, 'message'),
  stream: (step, id) => [completion(step, id, 'delta')]
}

function completion(step: ScriptStep, id: string, key: 'message' | 'delta'): PlainObject {
  const said =
    'text' in step
      ? { content: step.text }
      : {
          tool_calls: step.calls.map(({ name, input }, index) => ({
            index,
            id: `${id}_${index}`,
            ...(typeof input === 'string'
              ? { type: 'custom', custom: { name, input } }
              : { type: 'function', function: { name, arguments: JSON.stringify(input) } })
          }))
        }
  const finish_reason = 'text' in step ? 'stop' : 'tool_calls'
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, [key]: { role: 'assistant', ...said }, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  }
}

const gemini: Wire = {
  path: /:(?:stream)?generateContent$/i,
  whole(step) {
    const parts =
      'text' in step
        ? [{ text: step.text }]
        : step.calls.map(({ name, input }) => ({ functionCall: { name, args: input } }))
    return { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] }
  },
  stream: (step, id) => [gemini.whole(step, id)]
}

export const WIRES: readonly Wire[] = [messages, responses, completions, gemini]

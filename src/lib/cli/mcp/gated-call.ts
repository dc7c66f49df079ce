import { errorMessage } from '../../errors.ts'
import { guard, type GuardQuestion } from '../../hooks/guard.ts'
import { isResult, toolResultOf } from '../../tools/content.ts'
import type { KnownTool } from '../../tools/mcp/mcp-approvals.ts'
import { nameInServer } from '../../util/names.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { judgeOf, type CallGate } from './call-judge.ts'
import type { OfferedTools } from './offered-tools.ts'
import { ownId, type Questions } from './questions.ts'
import { failedResponse, misspelledKey, type Relay } from './relay.ts'

export interface CallPorts {
  readonly gate: CallGate
  readonly relay: Relay
  readonly tools: OfferedTools
  readonly questions: Questions
  /** Passes on a response that is not the result yet, and waits for the one that is. */
  hold(response: PlainObject): Promise<PlainObject>
}

/** In milliseconds. */
const LIST_TIMEOUT = 30_000
const UNKNOWN = 'whether the call had an effect is unknown, and it was not repeated'
const UNUSABLE = '[The output was hidden: a hook put something in its place that cannot be shown.]'

/** One `tools/call`: judged by the gate, run by the server, and its result judged again. */
export class GatedCall {
  readonly #request: PlainObject
  readonly #call: ReturnType<Questions['recall']>
  readonly #input: object
  readonly #ports: CallPorts
  readonly #signal: AbortSignal
  readonly #name: string
  readonly #envelope: PlainObject
  readonly #contexts: string[] = []
  /** Why it did not run; or the result that asks a person. */
  #refusal: string | PlainObject | undefined
  /** What the server answered; empty while it works. */
  #response: PlainObject | undefined
  #error: string | undefined

  constructor(request: PlainObject, ports: CallPorts, signal: AbortSignal) {
    const { params } = request
    this.#request = request
    this.#call = ports.questions.recall(isObject(params) ? params : {})
    this.#input = this.#call.params['arguments'] ?? {}
    this.#envelope = envelopeIn(this.#call.params)
    this.#ports = ports
    this.#signal = signal
    this.#name = nameInServer(ports.gate.server.name, String(this.#call.params['name']))
  }

  /** Never rejects. The call runs only if the gate has judged it. */
  async response(): Promise<PlainObject> {
    try {
      return await this.#respond()
    } catch (error) {
      // The server's own error is passed on.
      if (this.#response?.['error'] !== undefined) return this.#response
      const why = this.#response === undefined ? 'the call was not sent' : UNKNOWN
      return this.#failed(`${this.#name}: ${errorMessage(error)}; ${why}`)
    }
  }

  async #respond(): Promise<PlainObject> {
    const { gate, tools } = this.#ports
    if (gate.problem !== undefined) throw new Error(`no call can be judged: ${gate.problem}`)
    const tool = await tools.find(String(this.#call.params['name']), page => this.#listTools(page))
    const misspelled =
      misspelledKey(this.#call.params, ['name', 'arguments']) ??
      misspelledArgument(this.#input, tool?.definition.inputSchema)
    if (misspelled !== undefined)
      throw new Error(`there is no ${misspelled}, but a name that differs only in case; use that`)
    let output: unknown
    const run = async (input: object): Promise<unknown> => (output = await this.#run(input))
    const shown = await guard(judgeOf(gate, tool), this.#name, run, {
      signal: this.#signal,
      onAsk: question => this.#ask(question, tool),
      onDeny: ({ message }) => void (this.#refusal ??= message),
      onContext: text => void this.#contexts.push(text),
      onStop: (why = '') => void this.#contexts.push(`A hook asks you to stop here. ${why}`),
      errorIn: () => this.#error
    })(this.#input)
    if (isObject(this.#refusal)) return this.#withResult(this.#refusal)
    if (this.#refusal !== undefined) return this.#failed(this.#refusal)
    if (shown !== output) return this.#withResult(replacement(shown, tool))
    return this.#withResult(this.#response?.['result'] as PlainObject)
  }

  async #run(input: object): Promise<unknown> {
    const { relay, hold } = this.#ports
    const { params } = this.#call
    const judged = input === this.#input ? params : { ...params, arguments: input }
    this.#response = {}
    const response = await relay.request('server', { ...this.#request, params: judged }, this.#signal)
    const interim = this.#interimIn(response)
    this.#response = interim === undefined ? response : await hold(interim)
    const { result, error } = this.#response
    if (isObject(error)) throw new Error(String(error['message']))
    const read = toolResultOf(result)
    this.#error = read.error
    return read.output
  }

  async #ask(question: GuardQuestion, tool: KnownTool | undefined): Promise<boolean> {
    const { gate, questions, relay } = this.#ports
    const { reason = 'a hook asks', input } = question
    const event = { tool_name: this.#name, tool_input: input as PlainObject }
    const hooks = await judgeOf(gate, tool).fire('PermissionRequest', event, { signal: this.#signal })
    const isRefused = hooks.decision === 'deny'
    const answer = isRefused ? hooks.reason : await questions.ask(question, this.#call, this.#signal)
    if (isObject(answer)) this.#refusal = answer
    else if (answer !== true) this.#refusal = `${this.#name} needs permission (${reason}): ${answer}`
    else if (tool?.change !== undefined) {
      tool.approve()
      relay.pass('client', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    }
    return answer === true
  }

  async #listTools(page: PlainObject): Promise<PlainObject> {
    const request = { jsonrpc: '2.0', id: ownId(), method: 'tools/list', params: { ...page, ...this.#envelope } }
    const { result } = await this.#ports.relay.request('server', request, AbortSignal.timeout(LIST_TIMEOUT))
    if (!isObject(result)) throw new Error('it answered with an error')
    return result
  }

  /** The server requires input first, or works on a task. Nothing else of such a result is passed on. */
  #interimIn({ result, ...response }: PlainObject): PlainObject | undefined {
    const { resultType, inputRequests, requestState, task, _meta } = isObject(result) ? result : {}
    if (resultType === 'input_required' && '_meta' in this.#envelope)
      return { ...response, result: { resultType, inputRequests, requestState, _meta } }
    const isTask = isObject(task) && this.#call.params['task'] !== undefined
    return isTask ? { ...response, result: { task, _meta } } : undefined
  }

  #failed(text: string): PlainObject {
    this.#ports.gate.notice(text)
    // There is no task that could have a result.
    if (this.#call.params['task'] !== undefined) return failedResponse(undefined, text)
    return this.#withResult({ content: [{ type: 'text', text }], isError: true })
  }

  #withResult(result: PlainObject): PlainObject {
    const contexts = this.#contexts.map(text => ({ type: 'text', text }))
    const all = contexts.length > 0 && { content: [...((result['content'] ?? []) as readonly unknown[]), ...contexts] }
    const type = '_meta' in this.#envelope && { resultType: 'complete' }
    return { jsonrpc: '2.0', ...this.#response, result: { ...type, ...result, ...all } }
  }
}

/** From 2026-07-28 on, each request says which protocol it follows and what the client can do. */
function envelopeIn({ _meta: meta }: PlainObject): PlainObject {
  const own = Object.entries(isObject(meta) ? meta : {}).filter(([key]) => key.startsWith('io.modelcontextprotocol/'))
  return own.length === 0 ? {} : { _meta: Object.fromEntries(own) }
}

/** A name in the input that is none of the schema, and that some servers read as one of it. Hooks do not. */
function misspelledArgument(input: unknown, schema: unknown): string | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(input) || !isObject(properties)) return undefined
  const names = Object.keys(properties)
  const below = names.map(name => misspelledArgument(input[name], properties[name]))
  return misspelledKey(input, names) ?? below.find(each => each !== undefined)
}

/** The result that a hook put in place of another: a text, a list of content, or a whole result. */
function replacement(output: unknown, tool: KnownTool | undefined): PlainObject {
  const content = typeof output === 'string' ? [{ type: 'text', text: output }] : output
  const result = Array.isArray(content) ? { content } : content
  const shown = isResult(result) ? { ...result } : { content: [{ type: 'text', text: UNUSABLE }] }
  // Clients accept a result without the structure that the tool promises only as an error.
  const isBare = tool?.definition.outputSchema !== undefined && !('structuredContent' in shown)
  return isBare ? { ...shown, isError: true } : shown
}

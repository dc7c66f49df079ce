import { errorMessage } from '../../errors.ts'
import { guard, type GuardQuestion } from '../../hooks/guard.ts'
import { isResult, toolResultOf, UNUSABLE } from '../../tools/content.ts'
import type { KnownTool } from '../../tools/mcp/mcp-approvals.ts'
import { nameInServer } from '../../util/names.ts'
import { isObject, same, type PlainObject } from '../../util/plain.ts'
import { judgeOf, type CallGate } from './call-judge.ts'
import type { OfferedTools } from './offered-tools.ts'
import { ownId, type Questions } from './questions.ts'
import { misspelledArgument, misspelledKey } from './misspelled.ts'
import type { Relay } from './relay.ts'
import { isTask, NO_TASKS } from './tasks.ts'

export interface CallPorts {
  readonly gate: CallGate
  readonly relay: Relay
  readonly tools: OfferedTools
  readonly questions: Questions
}

/** In milliseconds. */
const LIST_TIMEOUT = 30_000
const PARAMS = ['name', 'arguments', '_meta', 'requestState', 'inputResponses']
const UNKNOWN = 'whether the call had an effect is unknown, and it was not repeated'

/** One `tools/call`: judged by the gate, run by the server, and its result judged again. */
export class GatedCall {
  readonly #request: PlainObject
  readonly #call: ReturnType<Questions['recall']>
  readonly #ports: CallPorts
  readonly #signal: AbortSignal
  readonly #name: string
  readonly #envelope: PlainObject
  readonly #contexts: string[] = []
  /** A result that asks someone, and not that of the call. */
  readonly #interim = Promise.withResolvers<PlainObject>()
  /** What the server answered; empty while it works. */
  #response: PlainObject | undefined

  constructor(request: PlainObject, ports: CallPorts, signal: AbortSignal) {
    const { params } = request
    this.#request = request
    this.#call = ports.questions.recall(isObject(params) ? params : {})
    this.#ports = ports
    this.#signal = signal
    this.#name = nameInServer(ports.gate.server.name, String(this.#call.params['name']))
    this.#envelope = envelopeIn(this.#call.params)
  }

  /** Never rejects. The call runs only if the gate has judged it. */
  async response(): Promise<PlainObject> {
    try {
      return this.#withResult(await Promise.race([this.#result(), this.#interim.promise]))
    } catch (error) {
      const { error: own } = this.#response ?? {}
      // The server's own error is passed on.
      if (isObject(own))
        return { jsonrpc: '2.0', error: { ...own, message: [own['message'], ...this.#contexts].join('\n\n') } }
      const why = this.#response === undefined ? 'the call was not sent' : UNKNOWN
      return this.#withResult(this.#failed(`${this.#name}: ${errorMessage(error)}; ${why}`))
    }
  }

  async #result(): Promise<PlainObject> {
    const { gate } = this.#ports
    const { params } = this.#call
    const tool = await this.#tool()
    const own = params['arguments'] ?? {}
    const misspelled = misspelledKey(params, PARAMS) ?? misspelledArgument(own, tool.definition.inputSchema)
    if (misspelled !== undefined) throw new Error(misspelled)
    let read: ReturnType<typeof toolResultOf> | undefined
    let refusal: string | undefined
    const run = async (input: object): Promise<unknown> => {
      if ((await this.#tool()).change !== tool.change)
        throw new Error('the tool has changed since it was judged; call it again')
      read = await this.#run(same(input, own) ? params : { ...params, arguments: input })
      return read.output
    }
    const shown = await guard(judgeOf(gate, tool), this.#name, run, {
      signal: this.#signal,
      onAsk: async question => {
        refusal = await this.#refusalBy(question, tool)
        return refusal === undefined
      },
      onDeny: ({ message }) => void (refusal ??= message),
      onContext: text => void this.#contexts.push(text),
      onStop: (why = '') => void this.#contexts.push(`A hook asks you to stop here. ${why}`),
      onFailure: () => undefined,
      errorIn: () => read?.error
    })(own)
    if (refusal !== undefined) return this.#failed(refusal)
    return shown === read?.output ? (this.#response?.['result'] as PlainObject) : replacement(shown, tool)
  }

  async #tool(): Promise<KnownTool> {
    const { gate, tools } = this.#ports
    const tool = await tools.find(this.#call.params['name'], page => this.#listTools(page))
    if (gate.problem !== undefined) throw new Error(`no call can be judged: ${gate.problem}`)
    return tool
  }

  async #run(params: PlainObject): Promise<ReturnType<typeof toolResultOf>> {
    this.#response = {}
    const response = await this.#ports.relay.request('server', { ...this.#request, params }, this.#signal)
    const { result, error } = response
    const { resultType, inputRequests, requestState, _meta } = isObject(result) ? result : {}
    // The server requires input first: the client will send the call again. Nothing else of such a result is passed on.
    if (resultType === 'input_required' && '_meta' in this.#envelope)
      return this.#pause({ resultType, inputRequests, requestState, _meta })
    this.#response = response
    if (isObject(error)) throw new Error(String(error['message']))
    if (isTask(result)) throw new Error(`the server answered with a task, and ${NO_TASKS}`)
    return toolResultOf(result)
  }

  /** Answers with a result that asks. Nothing follows it. */
  #pause(result: PlainObject): Promise<never> {
    this.#interim.resolve(result)
    return new Promise(() => undefined)
  }

  /** Why the answer to the question is no, if it is. */
  async #refusalBy(question: GuardQuestion, tool: KnownTool): Promise<string | undefined> {
    const { gate, questions, relay } = this.#ports
    const { reason = 'a hook asks', input } = question
    const event = { tool_name: this.#name, tool_input: input as PlainObject }
    const hooks = await judgeOf(gate, tool).fire('PermissionRequest', event, { signal: this.#signal })
    const isRefused = hooks.decision === 'deny'
    const answer = isRefused
      ? hooks.reason
      : await questions.ask({ ...question, change: tool.change }, this.#call, this.#signal)
    if (isObject(answer)) return this.#pause(answer)
    if (answer !== true) return `${this.#name} needs permission (${reason}): ${answer}`
    if (tool.change !== undefined) {
      tool.approve()
      relay.pass('client', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    }
    return undefined
  }

  async #listTools(page: PlainObject): Promise<PlainObject> {
    const request = { jsonrpc: '2.0', id: ownId(), method: 'tools/list', params: { ...page, ...this.#envelope } }
    const { result } = await this.#ports.relay.request('server', request, AbortSignal.timeout(LIST_TIMEOUT))
    if (!isObject(result)) throw new Error('it answered with an error')
    return result
  }

  #failed(text: string): PlainObject {
    this.#ports.gate.notice(text)
    return { content: [{ type: 'text', text }], isError: true }
  }

  #withResult(result: PlainObject): PlainObject {
    const contexts = this.#contexts.map(text => ({ type: 'text', text }))
    const all = contexts.length > 0 && { content: [...((result['content'] ?? []) as readonly unknown[]), ...contexts] }
    const type = '_meta' in this.#envelope && { resultType: 'complete' }
    return { jsonrpc: '2.0', result: { ...type, ...result, ...all } }
  }
}
/** From 2026-07-28 on, each request says which protocol it follows and what the client can do. */
function envelopeIn({ _meta: meta }: PlainObject): PlainObject {
  const own = Object.entries(isObject(meta) ? meta : {}).filter(([key]) => key.startsWith('io.modelcontextprotocol/'))
  return own.length === 0 ? {} : { _meta: Object.fromEntries(own) }
}

/** The result that a hook put in place of another: a text, a list of content, or a whole result. */
function replacement(output: unknown, tool: KnownTool): PlainObject {
  const content = typeof output === 'string' ? [{ type: 'text', text: output }] : output
  const result = Array.isArray(content) ? { content } : content
  const shown = isResult(result) ? { ...result } : { content: [{ type: 'text', text: UNUSABLE }] }
  // Clients accept a result without the structure that the tool promises only as an error.
  const isBare = tool.definition.outputSchema !== undefined && !('structuredContent' in shown)
  return isBare ? { ...shown, isError: true } : shown
}

import { randomUUID } from 'node:crypto'
import type { GuardQuestion } from '../../hooks/guard.ts'
import { keepRecent } from '../../util/bounded.ts'
import { escapedLines } from '../../util/escape.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Relay } from './relay.ts'

export const ownId = (): string => `carabiner-${randomUUID()}`

/** The parameters of a call, and the answer that came with them. */
interface RecalledCall {
  readonly params: PlainObject
  readonly answer?: { readonly about: string; readonly given: unknown }
}

const SCHEMA = {
  type: 'object',
  properties: { allow: { type: 'boolean', title: 'Allow', description: 'true runs the call, false refuses it' } },
  required: ['allow']
}

/** A question may never be answered: of more than these, the oldest is forgotten, and asked again if an answer comes. */
const MOST_OPEN = 1000

const CANNOT_ASK = 'this client cannot ask you, because it does not support elicitation. Use a client that does, or '
const DECIDE = 'decide it in advance: let the hook answer allow or deny, or remove the rule that asks'
const FORGET = 'delete ~/.carabiner/mcp-tools, so that all tools are approved as they are now'

/** `change`: of the tool, which no hook or rule can approve. */
type Question = GuardQuestion & { readonly change: string | undefined }

/**
 * Asks the person at the client whether a call may run. Until 2025-11-25 that is a request to the client. From 2026-07-28
 * on it is a result that requires input: the client sends the call again, with the answer.
 */
export class Questions {
  /** What the client can do, as it said at the start. */
  capabilities: unknown
  readonly #relay: Relay
  /** By the state that comes back with the answer: what was asked, and the parameters of the call. */
  readonly #asked = new Map<unknown, { readonly about: string; readonly params: PlainObject }>()

  constructor(relay: Relay) {
    this.#relay = relay
  }

  /** A call that was sent again with an answer counts as it was sent first. */
  recall(params: PlainObject): RecalledCall {
    const { requestState, inputResponses } = params
    const asked = this.#asked.get(requestState)
    if (asked === undefined) return { params }
    this.#asked.delete(requestState)
    const given = isObject(inputResponses) ? inputResponses['carabiner'] : undefined
    return { params: asked.params, answer: { about: asked.about, given } }
  }

  /** True for a yes, a text for why not, or the result that asks. */
  async ask(question: Question, call: RecalledCall, signal: AbortSignal): Promise<true | string | PlainObject> {
    const { params, answer } = call
    const about = JSON.stringify([question.toolName, question.input, question.change])
    if (answer?.about === about) return answerIn(answer.given)
    const meta = params['_meta']
    const modern = isObject(meta) ? meta['io.modelcontextprotocol/clientCapabilities'] : undefined
    if (!takesForms(modern ?? this.capabilities)) return CANNOT_ASK + (question.change === undefined ? DECIDE : FORGET)
    const form = { mode: 'form', message: questionText(question), requestedSchema: SCHEMA }
    const id = ownId()
    const elicitation = { method: 'elicitation/create', params: form }
    if (modern === undefined) {
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
      signal.addEventListener('abort', () => this.#relay.pass('client', cancelled))
      return answerIn((await this.#relay.request('client', { jsonrpc: '2.0', id, ...elicitation }, signal))['result'])
    }
    keepRecent(this.#asked, id, { about, params }, MOST_OPEN)
    return { resultType: 'input_required', inputRequests: { carabiner: elicitation }, requestState: id }
  }
}

function takesForms(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation))
}

/** Only a clear yes counts. */
function answerIn(answer: unknown): true | string {
  const { action, content } = isObject(answer) ? answer : {}
  if (action === 'accept' && isObject(content) && content['allow'] === true) return true
  return action === 'cancel' ? 'the question was dismissed' : 'the answer was no'
}

const LONGEST_INPUT = 4000

function questionText({ toolName, input, reason = 'a hook asks' }: GuardQuestion): string {
  const text = JSON.stringify(input, undefined, 2)
  const rest = text.length - LONGEST_INPUT
  const more = rest > 0 ? `\n… ${rest} further characters` : ''
  return escapedLines(`Allow ${toolName}?\n${reason}\n${text.slice(0, LONGEST_INPUT)}${more}`)
}

import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { errorMessage } from '../../errors.ts'
import type { QueryOptions } from '../../query/options/options.ts'
import type { PromptMessage } from '../../query/prompts.ts'
import { query } from '../../query/query.ts'
import type { Query } from '../../query/query-interface.ts'
import type { Mode } from '../../permissions/modes.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { printError, escapeLine } from '../print.ts'
import { jsonIn } from '../../util/attempt.ts'

export function queryFromStream(input: Readable, options: QueryOptions, respond: (message: object) => void): Query {
  const orders: { running?: Query } = {}
  const running = query({ prompt: prompts(input, order => void runControl(order, orders.running, respond)), options })
  orders.running = running
  return running
}

async function* prompts(input: Readable, onOrder: (order: PlainObject) => void): AsyncGenerator<PromptMessage> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const value = jsonIn(line)
    const message: PlainObject = isObject(value) ? value : {}
    if (message['type'] === 'user') yield message as unknown as PromptMessage
    else if (message['type'] === 'control_request') onOrder(message)
    else {
      const begins = escapeLine(line.slice(0, 200))
      printError(`skipped a line of input that is neither a prompt nor a control request: ${begins}`)
    }
  }
}

async function runControl(
  order: PlainObject,
  running: Query | undefined,
  respond: (message: object) => void
): Promise<void> {
  const { request_id, request } = order
  const answer = (response: object): void =>
    respond({ type: 'control_response', response: { request_id, ...response } })
  try {
    const given = isObject(request) ? request : {}
    if (running === undefined) throw new Error('the session has not started yet')
    const name = String(given['subtype'])
    const control = Object.hasOwn(CONTROLS, name) ? CONTROLS[name] : undefined
    if (control === undefined)
      throw new Error(
        `there is no control request ${JSON.stringify(name)}; use one of ${Object.keys(CONTROLS).join(', ')}`
      )
    await control(running, given)
    answer({ subtype: 'success', response: {} })
  } catch (error) {
    answer({ subtype: 'error', error: errorMessage(error) })
  }
}

const CONTROLS: Readonly<Record<string, (running: Query, request: PlainObject) => Promise<void>>> = {
  initialize: async (_, request) => {
    const lost = CALLED_BACK.find(key => Object.keys(request[key] ?? {}).length > 0)
    if (lost !== undefined) throw new Error(`initialize.${lost} ${NO_CALLBACKS}`)
  },
  interrupt: running => running.interrupt(),
  set_model: (running, { model }) => running.setModel(typeof model === 'string' ? model : undefined),
  set_permission_mode: (running, { mode }) => running.setPermissionMode(mode as Mode)
}

const CALLED_BACK = ['hooks', 'agents', 'sdkMcpServers']
const NO_CALLBACKS =
  'is not supported on this stream and was ignored. ' +
  'Declare hooks with --settings, subagents with --agents and servers with --mcp-config, or use query() in a program'

import { errorMessage } from '../errors.ts'
import type { Block, Message } from '../message.ts'
import { cutOff, abandoned, isRetryable, nameOfStatus, withPartial } from './failure.ts'
import { checkObject, invalidOption } from '../schema/check.ts'
import { own, type FieldTable, type Infer } from '../schema/table.ts'
import { NO_TOKENS } from './usage.ts'
import {
  ModelFailure,
  type Answer,
  type FailureName,
  type Model,
  type ModelRequest,
  type Price,
  type StreamEvent,
  type Usage
} from './model.ts'
import { eventsOf } from './stream-events.ts'

/** `Array.isArray` does not narrow readonly arrays. */
const isList = (value: unknown): value is readonly TurnOrMaker[] => Array.isArray(value)

const STOPS = ['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'pause_turn'] as const

const CALL = { name: 'string', 'input?': 'unknown', 'id?': 'string' } as const satisfies FieldTable

const FAILURE = {
  'status?': 'number',
  'why?': own<FailureName>('a string', value => typeof value === 'string'),
  'retryAfter?': { type: 'number', words: 'in milliseconds' },
  'retryable?': 'boolean',
  'message?': 'string'
} as const satisfies FieldTable

const TOKENS = {
  'input_tokens?': 'number',
  'output_tokens?': 'number',
  'cache_creation_input_tokens?': 'number',
  'cache_read_input_tokens?': 'number'
} as const satisfies Record<`${keyof Usage}?`, 'number'>

export const SCRIPTED_TURN = {
  'thinking?': 'string',
  'text?': 'string',
  'calls?': { list: { object: CALL } },
  'stop?': { type: STOPS, words: 'by default tool_use after calls, else end_turn' },
  'usage?': { object: TOKENS },
  'fail?': {
    type: { object: FAILURE },
    words: 'instead of an answer; whether a retry may help follows from why or status'
  },
  'cutAfter?': { type: 'number', words: 'the answer is cut off after this many stream events' }
} as const satisfies FieldTable

/** One turn of a scripted model. */
export type Turn = string | ScriptedTurn
/** An answer of a scripted model: text, calls, or a failure instead. */
export type ScriptedTurn = Infer<typeof SCRIPTED_TURN, undefined>
/** A tool call. Without an `id` it gets one. */
export type ScriptedCall = Infer<typeof CALL, undefined>
/** A failure instead of an answer. */
export type ScriptedFailure = Infer<typeof FAILURE, undefined>

/** A turn, or a function that makes one from the request. */
export type TurnOrMaker = Turn | TurnMaker

type TurnMaker = (request: ModelRequest, signal: AbortSignal) => Turn | Promise<Turn>

/** Options of a scripted model. */
export interface ScriptOptions {
  readonly name?: string | undefined
  readonly price?: Price | undefined
  /** Repeats the last turn when the script is over. */
  readonly repeatLast?: boolean | undefined
}

/** Turns and options in one object, as a script file has them. */
export interface Script extends ScriptOptions {
  readonly turns: readonly TurnOrMaker[]
}

/** A request to a scripted model. `request.messages` may have grown since; `messages` is what was sent. */
export interface ScriptedRequest {
  readonly request: ModelRequest
  readonly messages: readonly Message[]
}

/** A model that follows a script and records its requests. */
export interface ScriptedModel extends Model {
  readonly requests: readonly ScriptedRequest[]
}

/** Makes a model that answers with the turns of a script, in order. */
export function scriptedModel(script: readonly TurnOrMaker[] | Script, more?: ScriptOptions): ScriptedModel {
  const { turns, ...options }: Script = isList(script) ? { ...more, turns: script } : { ...script, ...more }
  if (!isList(turns))
    throw invalidOption(
      'the argument of scriptedModel()',
      script,
      'a list of turns, or { turns, name, price, repeatLast }'
    )
  for (const [place, turn] of turns.entries()) {
    if (typeof turn === 'object') checkObject(SCRIPTED_TURN, turn, `turns[${place}]`)
  }
  const requests: ScriptedRequest[] = []
  let calls = 0

  const answerOf = (turn: ScriptedTurn, number: number, model: string): Answer => {
    const content: Block[] = []
    if (turn.thinking !== undefined) content.push({ type: 'thinking', thinking: turn.thinking, signature: 'scripted' })
    if (turn.text !== undefined) content.push({ type: 'text', text: turn.text })
    for (const { id, name: tool, input } of turn.calls ?? [])
      content.push({ type: 'tool_use', id: id ?? `toolu_${++calls}`, name: tool, input })
    const stop = turn.stop ?? ((turn.calls?.length ?? 0) > 0 ? 'tool_use' : 'end_turn')
    const usage = turn.usage === undefined ? NO_TOKENS : { ...NO_TOKENS, ...(turn.usage as Partial<Usage>) }
    return { id: `msg_${number}`, model, content, stop, usage }
  }

  const named = (name: string): ScriptedModel => ({
    name,
    provider: 'script',
    price: options.price,
    requests,
    sibling: named,
    async ask(request, signal, onEvent) {
      if (signal.aborted) throw abandoned(signal.reason)
      const number = requests.push(scriptedRequest(request))
      const said = turns[number - 1] ?? (options.repeatLast === true ? turns.at(-1) : undefined)
      if (said === undefined) throw scriptIsOver(turns.length, number)
      const turn = typeof said === 'function' ? await makeTurn(said, request, signal, number) : said
      const whole: ScriptedTurn = typeof turn === 'string' ? { text: turn } : turn
      if (whole.fail !== undefined) throw scriptedFailure(whole.fail)
      const answer = answerOf(whole, number, name)
      if (whole.cutAfter !== undefined || onEvent !== undefined) tell(answer, whole.cutAfter, onEvent)
      return answer
    }
  })
  return named(options.name ?? 'scripted')
}

/** The conversation only grows, so messages are copied only when they are read. */
function scriptedRequest(request: ModelRequest): ScriptedRequest {
  const { messages } = request
  const { length } = messages
  return {
    request,
    get messages() {
      return messages.slice(0, length)
    }
  }
}

/** An error in the function, such as a failed assertion, is not retried. */
async function makeTurn(maker: TurnMaker, request: ModelRequest, signal: AbortSignal, number: number): Promise<Turn> {
  try {
    const made = maker(request, signal)
    return made instanceof Promise ? await orGivenUp(made, signal) : made
  } catch (error) {
    if (error instanceof ModelFailure) throw error
    if (signal.aborted) throw abandoned(signal.reason)
    const message = `turn ${number} of the script threw: ${errorMessage(error)}`
    throw new ModelFailure(message, { why: 'unknown', retryable: false, cause: error })
  }
}

function tell(answer: Answer, cutAfter: number | undefined, onEvent: ((event: StreamEvent) => void) | undefined): void {
  const events = eventsOf(answer)
  const sent = events.slice(0, cutAfter)
  for (const event of sent) onEvent?.(event)
  if (sent.length === events.length) return
  const partial = sent.flatMap(event =>
    event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : []
  )
  throw withPartial(cutOff(`the script cuts it off after ${cutAfter} events`), partial.join(''))
}

function scriptIsOver(turns: number, asked: number): ModelFailure {
  const has = turns === 1 ? 'one turn' : `${turns} turns`
  const why = `the script is over: it has ${has}, and the model was asked for turn ${asked}`
  return new ModelFailure(`${why}; add a turn, or say repeatLast`, { why: 'invalid_request', retryable: false })
}

function scriptedFailure({ status, why, retryAfter, retryable, message }: ScriptedFailure): ModelFailure {
  const name = why ?? nameOfStatus(status)
  const words = message ?? `the script fails here${status === undefined ? '' : ` with status ${status}`}`
  return new ModelFailure(words, { why: name, status, retryable: retryable ?? isRetryable(name), retryAfter })
}

function orGivenUp<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abandoned(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

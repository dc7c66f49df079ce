import { CarabinerError, errorMessage } from '../../errors.ts'
import { neutralOutcome, type Outcome } from '../../hooks/dispatch/outcome.ts'
import { isGate } from '../../hooks/events/event-table.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { HostDialect, HostEvent } from './dialect.ts'
import { safeOutput } from '../print.ts'
import { dialectOf, HOSTS, isHost } from './hosts.ts'
import { fitOutcome, textsOf } from './fit.ts'
import { judgeEvent, readHostPayload } from './judge.ts'

/** One event of another agent, as its hook receives it. */
export interface HookRequest {
  readonly host: string
  /** The host's name of the event. */
  readonly event: string
  /** What the host wrote to standard input. */
  readonly payload: string
  /** The folder in which the host started its hook. */
  readonly cwd: string
  /** Milliseconds until the answer must be there. */
  readonly deadline: number
}

/** What the hook prints, and how it ends. */
export interface HostAnswer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Never rejects: what cannot be judged is refused where the event is a gate, in the words of the host. */
export async function answerHook({ host, event: name, payload, cwd, deadline }: HookRequest): Promise<HostAnswer> {
  if (!isHost(host)) return refusedPlainly(`${host} is not an agent that it knows (${Object.keys(HOSTS).join(', ')})`)
  const dialect = dialectOf(host)
  const { title, events } = dialect
  const event = Object.hasOwn(events, name) ? events[name] : undefined
  if (event === undefined)
    return refusedPlainly(`${name} is not an event of ${title} that it knows (${Object.keys(events).join(', ')})`)
  const time = new Deadline(deadline)
  const judged = await time
    .within(async () => {
      const read = readHostPayload(dialect, name, payload)
      const outcome = read && (await judgeEvent(dialect, { ...read, start: cwd }, time.signal))
      return answerOf(dialect, name, outcome ?? neutralOutcome({ event: event.as, decides: true }), read?.input)
    })
    .catch((error: unknown) => error)
  const isAnswer = isObject(judged) && 'code' in judged && 'stdout' in judged
  return isAnswer ? (judged as unknown as HostAnswer) : answerOf(dialect, name, unjudged(event, title, judged))
}

function answerOf(dialect: HostDialect, name: string, outcome: Outcome, input: PlainObject = {}): HostAnswer {
  const answer = dialect.answer(outcome, name, input)
  const said = dialect.events[name]?.takes.includes('notice') === true ? undefined : textsOf(outcome).user
  // Where nothing is decided this is {}: only what cannot answer says nothing.
  return { code: 0, stdout: `${JSON.stringify(answer)}\n`, stderr: said === undefined ? '' : safeOutput(`${said}\n`) }
}

function unjudged(event: HostEvent, title: string, error: unknown): Outcome {
  const message = error instanceof CarabinerError ? (error.forCommandLine ?? error.message) : errorMessage(error)
  const reason = `Carabiner cannot judge this: ${message}`
  const effect = isGate(event.as)
    ? ({ decision: 'deny', blocked: true, reason } as const)
    : { systemMessages: [{ by: 'carabiner', text: reason, to: 'user' as const }] }
  const outcome = { ...neutralOutcome({ event: event.as, decides: true }), ...effect }
  return fitOutcome(outcome, event, { title, tool: '', input: {}, advice: '' })
}

/** Every host takes this for a refusal. */
const refusedPlainly = (why: string): HostAnswer => ({
  code: 2,
  stdout: '',
  stderr: safeOutput(`carabiner hook cannot judge this, and refuses it: ${why}\n`)
})

/** Time that ends also for what does not listen to a signal. */
class Deadline {
  readonly #controller = new AbortController()
  readonly #ms: number

  constructor(ms: number) {
    this.#ms = ms
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    const over = Promise.withResolvers<never>()
    let timer = setTimeout(() => {
      this.#controller.abort()
      // What listens to the signal answers first, and says which hook was late.
      timer = setTimeout(() => over.reject(new Error(`there was no answer within ${this.#ms / 1000} seconds`)), GRACE)
    }, this.#ms - GRACE)
    try {
      return await Promise.race([work(), over.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** In milliseconds. */
const GRACE = 500

/** Whether no answer at all is a refusal of what the event is about. */
export const isClosed = (host: keyof typeof HOSTS, name: string): boolean => {
  const event = HOSTS[host].events[name]
  return event !== undefined && isGate(event.as) && event.takes.includes('deny')
}

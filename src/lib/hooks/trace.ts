import type { Clock } from '../util/clock.ts'
import type { Decision } from './events/answers.ts'
import type { Entry } from './dispatch/entry.ts'
import type { EventName } from './events/event-table.ts'
import type { RawResult } from './hook-context.ts'
import type { RegistryInternals } from './registry-internals.ts'
import { EVERYTHING } from './dispatch/matcher.ts'
import type { Failure } from './dispatch/outcome.ts'

/** What a registry tells about its hooks while they run. */
export type HookMessage = HookStarted | HookProgress | HookResponse | HookNotice

interface Common {
  readonly type: 'system'
  /** One for each run of a hook. */
  readonly hook_id: string
  readonly hook_name: string
  readonly hook_event: EventName
  /** What matchers of the event test: the name of a tool, how a session began. */
  readonly hook_target?: string
  readonly session_id: string
}

/** A hook begins to run. */
export interface HookStarted extends Common {
  readonly subtype: 'hook_started'
  readonly status_message?: string | undefined
}

/** A hook says how far it is. */
export interface HookProgress extends Common {
  readonly subtype: 'hook_progress'
  readonly output: string
  /** A piece of what a process printed. */
  readonly stdout?: string
  readonly stderr?: string
}

/** A hook has answered or failed. */
export interface HookResponse extends Common {
  readonly subtype: 'hook_response'
  readonly outcome: 'success' | 'error' | 'cancelled'
  /** What the hook answered, as JSON, or why it failed. */
  readonly output: string
  readonly duration_ms: number
  /** What a hook outside this process gave back. */
  readonly stdout?: string
  readonly stderr?: string
  readonly exit_code?: number
}

/** Something that is worth knowing and decides nothing: a late answer, a write that was dropped. */
export interface HookNotice extends Common {
  readonly subtype: 'hook_notice'
  readonly output: string
}

/** Takes messages. What it gives back is ignored. */
export type Sink = (message: HookMessage) => unknown

/** Hands messages on in order, after the caller has gone on. A sink that throws or hangs harms nobody. */
export class Outbox {
  readonly #sink: Sink
  #waiting: HookMessage[] = []

  constructor(sink: Sink) {
    this.#sink = sink
  }

  post(message: HookMessage): void {
    this.#waiting.push(message)
    if (this.#waiting.length === 1) queueMicrotask(() => this.#deliver())
  }

  #deliver(): void {
    const messages = this.#waiting
    this.#waiting = []
    for (const message of messages) {
      try {
        const result = this.#sink(message)
        if (result instanceof Promise) result.catch(() => undefined)
      } catch {
        // A sink only watches.
      }
    }
  }
}

/** What became of one hook in one fire. */
export interface HookReport {
  readonly name: string
  readonly source: string
  readonly event: string
  readonly matched: boolean
  readonly ran: boolean
  /** Why it matched or not, ran or not. */
  readonly why: string
  readonly status: 'answered' | 'silent' | 'failed' | 'late' | 'skipped'
  readonly reply: unknown
  readonly failure: Failure | undefined
  /** What was not used of its answer, and other things worth knowing. */
  readonly notes: readonly string[]
  readonly ms: number | undefined
  /** It changed the input, the prompt or the conversation. */
  readonly rewrote: boolean
  /** It was asked once more, about the final input. */
  readonly rejudged: boolean
  /** For hooks outside this process. */
  readonly raw: RawResult | undefined
}

interface Line {
  id: string
  begun: number
  ms: number | undefined
  status: HookReport['status']
  why: string
  ran: boolean
  rewrote: boolean
  rejudged: boolean
  reply: unknown
  failure: Failure | undefined
  raw: RawResult | undefined
  notes: string[]
}

/** Of a hook that had no part. */
const ABSENT: Line = {
  id: '',
  begun: 0,
  ms: undefined,
  status: 'skipped',
  why: '',
  ran: false,
  rewrote: false,
  rejudged: false,
  reply: undefined,
  failure: undefined,
  raw: undefined,
  notes: []
}

let lastId = 0
const nextId = (): string => `hook-${++lastId}`

/** Follows one fire, for a report or a sink. Where neither is wanted there is none, and nothing is timed. */
export class Trace {
  readonly #lines = new Map<Entry, Line>()
  readonly #outbox: Outbox | undefined
  readonly #session: string
  readonly #target: { readonly hook_target: string } | undefined
  /** Who was there when the event was fired. */
  readonly #registered: readonly Entry[]
  readonly #clock: Clock

  constructor(hub: RegistryInternals, session: string, report: boolean, target: unknown) {
    if (typeof target === 'string') this.#target = { hook_target: target }
    this.#outbox = hub.outbox
    this.#session = session
    this.#clock = hub.settings.clock
    this.#registered = report ? hub.entries() : []
  }

  start(entry: Entry, rejudge: boolean): void {
    const line = this.#line(entry)
    if (line.ran) {
      line.id = nextId()
      line.begun = this.#clock.now()
      line.reply = undefined
      line.raw = undefined
      line.ms = undefined
    }
    line.ran = true
    line.rejudged ||= rejudge
    const { statusMessage: status_message } = entry
    this.#post(
      entry,
      status_message === undefined ? { subtype: 'hook_started' } : { subtype: 'hook_started', status_message }
    )
  }

  progress(entry: Entry, output: string, stream?: 'stdout' | 'stderr'): void {
    this.#post(entry, { subtype: 'hook_progress', output, ...(stream && { [stream]: output }) })
  }

  /** It is over for this hook, though those beside it may still be waited for. */
  arrived(entry: Entry): void {
    const line = this.#line(entry)
    line.ms = this.#clock.now() - line.begun
  }

  ran(entry: Entry, raw: RawResult): void {
    this.#line(entry).raw = raw
  }

  end(entry: Entry, status: Line['status'], reply: unknown, failure: Failure | undefined): void {
    const line = this.#line(entry)
    line.ms ??= this.#clock.now() - line.begun
    line.status = status
    if (reply !== undefined) line.reply = reply
    line.failure = failure
    if (!line.ran) return
    const cancelled = failure?.kind === 'aborted' || failure?.kind === 'timeout' || failure?.kind === 'budget'
    this.#post(entry, {
      subtype: 'hook_response',
      outcome: failure === undefined ? 'success' : cancelled ? 'cancelled' : 'error',
      output: failure?.message ?? print(reply),
      duration_ms: line.ms,
      ...line.raw
    })
  }

  /** A hook on every tool that has allowed whatever it was asked may have meant no more than "no objection". */
  judged(entry: Entry, decision: Decision | undefined): void {
    const { state, row, matching, condition } = entry
    if (row.answer !== 'gate' || matching !== EVERYTHING || condition !== undefined) return
    state.judged++
    if (decision === 'allow') state.allowed++
    if (state.allowed === state.judged)
      this.#line(entry).notes.push(`has allowed every call so far (${state.judged}); permission is not asked for`)
  }

  /** The answer comes later, and with it the response. */
  handOver(entry: Entry): void {
    const line = this.#line(entry)
    line.status = 'late'
    line.ms = undefined
  }

  rewrote(entry: Entry): void {
    this.#line(entry).rewrote = true
  }

  skip(entry: Entry, why: string): void {
    const line = this.#line(entry)
    line.status = 'skipped'
    line.why = why
  }

  note(entry: Entry, text: string): void {
    this.#line(entry).notes.push(text)
    this.#post(entry, { subtype: 'hook_notice', output: text })
  }

  /** One report for every registered hook, the ones that had no part included. */
  report(absent: (entry: Entry) => string): readonly HookReport[] {
    return this.#registered.map(entry => {
      const { name, source, event } = entry
      const line = this.#lines.get(entry)
      const { id: _, begun: __, ...rest } = line ?? ABSENT
      const why = line?.why ?? absent(entry)
      return { name, source, event, matched: line !== undefined, ...rest, why, notes: [...rest.notes] }
    })
  }

  #line(entry: Entry): Line {
    let line = this.#lines.get(entry)
    if (line === undefined) {
      const why = entry.row.target === undefined ? `listens to ${entry.event}` : `matcher ${entry.matching.words} fits`
      line = { ...ABSENT, id: nextId(), begun: this.#clock.now(), status: 'silent', why, notes: [] }
      this.#lines.set(entry, line)
    }
    return line
  }

  #post(entry: Entry, part: Partial<HookMessage>): void {
    if (this.#outbox === undefined) return
    const common = {
      type: 'system',
      hook_id: this.#line(entry).id,
      hook_name: entry.name,
      hook_event: entry.event,
      session_id: this.#session,
      ...this.#target
    }
    this.#outbox.post({ ...common, ...part } as HookMessage)
  }
}

function print(reply: unknown): string {
  try {
    return reply === undefined ? '' : JSON.stringify(reply)
  } catch {
    return '(a reply that cannot be printed)'
  }
}

import type { Clock } from '../util/clock.ts'
import type { Decision } from './events/answers.ts'
import type { HookEntry } from './dispatch/entry.ts'
import type { RegistryInternals } from './registry-internals.ts'
import { EVERYTHING } from './dispatch/matcher.ts'
import type { Failure } from './dispatch/hook-failure.ts'

import type { HookMessage, HookReport, RawResult } from './hook-messages.ts'

type Line = {
  -readonly [K in Exclude<keyof HookReport, 'name' | 'source' | 'event' | 'matched' | 'notes'>]: HookReport[K]
} & {
  id: string
  begun: number
  notes: string[]
}

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

/** Follows one fire, for a report or a sink. Without either there is no trace, and nothing is timed. */
export class Trace {
  readonly #lines = new Map<HookEntry, Line>()
  readonly #outbox: RegistryInternals['outbox']
  readonly #session: string
  readonly #target: { readonly hook_target: string } | undefined
  readonly #registered: readonly HookEntry[]
  readonly #clock: Clock

  constructor(registry: RegistryInternals, session: string, report: boolean, target: unknown) {
    if (typeof target === 'string') this.#target = { hook_target: target }
    this.#outbox = registry.outbox
    this.#session = session
    this.#clock = registry.settings.clock
    this.#registered = report ? registry.roster.entries() : []
  }

  start(entry: HookEntry, rejudge: boolean): void {
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
    this.#post(entry, { subtype: 'hook_started', ...(status_message !== undefined && { status_message }) })
  }

  progress(entry: HookEntry, output: string, stream?: 'stdout' | 'stderr'): void {
    this.#post(entry, { subtype: 'hook_progress', output, ...(stream && { [stream]: output }) })
  }

  /** It is over for this hook, though its neighbours may still be waited for. */
  arrived(entry: HookEntry): void {
    const line = this.#line(entry)
    line.ms = this.#clock.now() - line.begun
  }

  ran(entry: HookEntry, raw: RawResult): void {
    this.#line(entry).raw = raw
  }

  end(entry: HookEntry, status: Line['status'], reply: unknown, failure: Failure | undefined): void {
    const line = this.#line(entry)
    line.ms ??= this.#clock.now() - line.begun
    line.status = status
    if (reply !== undefined) line.reply = reply
    line.failure = failure
    if (!line.ran) return
    const cancelled = failure !== undefined && ['aborted', 'timeout', 'budget'].includes(failure.kind)
    this.#post(entry, {
      subtype: 'hook_response',
      outcome: failure === undefined ? 'success' : cancelled ? 'cancelled' : 'error',
      output: failure?.message ?? print(reply),
      duration_ms: line.ms,
      ...line.raw
    })
  }

  /** A hook on every tool that has allowed everything may have meant no more than "no objection". */
  judged(entry: HookEntry, decision: Decision | undefined): void {
    const { state, row, matching, condition } = entry
    if (row.answer !== 'gate' || matching !== EVERYTHING || condition !== undefined) return
    state.judged++
    if (decision === 'allow') state.allowed++
    if (state.allowed === state.judged)
      this.#line(entry).notes.push(`has allowed every call so far (${state.judged}); permission is not asked for`)
  }

  /** The answer comes later, and with it the response. */
  handOver(entry: HookEntry): void {
    const line = this.#line(entry)
    line.status = 'late'
    line.ms = undefined
  }

  rewrote(entry: HookEntry): void {
    this.#line(entry).rewrote = true
  }

  skip(entry: HookEntry, why: string): void {
    const line = this.#line(entry)
    line.status = 'skipped'
    line.why = why
  }

  note(entry: HookEntry, text: string): void {
    this.#line(entry).notes.push(text)
    this.#post(entry, { subtype: 'hook_notice', output: text })
  }

  report(absent: (entry: HookEntry) => string): readonly HookReport[] {
    return this.#registered.map(entry => {
      const { name, source, event } = entry
      const line = this.#lines.get(entry)
      const { id: _, begun: __, ...rest } = line ?? ABSENT
      const why = line?.why ?? absent(entry)
      return { name, source, event, matched: line !== undefined, ...rest, why, notes: [...rest.notes] }
    })
  }

  #line(entry: HookEntry): Line {
    let line = this.#lines.get(entry)
    if (line === undefined) {
      const why = entry.row.target === undefined ? `listens to ${entry.event}` : `matcher ${entry.matching.words} fits`
      line = { ...ABSENT, id: nextId(), begun: this.#clock.now(), status: 'silent', why, notes: [] }
      this.#lines.set(entry, line)
    }
    return line
  }

  #post(entry: HookEntry, part: Partial<HookMessage>): void {
    if (this.#outbox === undefined) return
    const common = {
      type: 'system',
      hook_id: this.#line(entry).id,
      hook_name: entry.name,
      hook_event: entry.event,
      session_id: this.#session,
      ...this.#target
    }
    // What hooks say about an answer may quote it, and no one else may see it.
    const isSecret = entry.row.answer === 'response' && 'output' in part
    const hidden = isSecret ? { output: '', stdout: '', stderr: '' } : undefined
    this.#outbox({ ...common, ...part, ...hidden } as HookMessage)
  }
}

function print(reply: unknown): string {
  try {
    return reply === undefined ? '' : JSON.stringify(reply)
  } catch {
    return '(a reply that cannot be printed)'
  }
}

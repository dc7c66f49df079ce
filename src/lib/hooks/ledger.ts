import type { HookResponse, Sink } from './hook-messages.ts'

/** The statistics of one hook. */
export interface HookRecord {
  readonly name: string
  readonly runs: number
  readonly success: number
  readonly error: number
  /** Cut off: by a timeout, an abort, or the time for all hooks together. */
  readonly cancelled: number
  /** Milliseconds, of the latest 1,000 runs. */
  readonly p50: number
  readonly p95: number
  readonly slowest: number
}

const KEPT = 1_000

/** `durations` is a ring of the latest ones. */
const newRecord = () => ({
  runs: 0,
  slowest: 0,
  outcomes: { success: 0, error: 0, cancelled: 0 },
  durations: [] as number[]
})

/**
 * Records how long each hook took and how it ended. It is fed by the messages of a registry: pass its `sink` to one, or
 * to several that share a ledger. Hooks of one name are one hook here.
 */
export class LatencyLedger {
  readonly #records = new Map<string, ReturnType<typeof newRecord>>()
  readonly #next: Sink | undefined

  /** `next` receives every message, too. */
  constructor(next?: Sink) {
    this.#next = next
  }

  readonly sink: Sink = message => {
    if (message.subtype === 'hook_response') this.#count(message)
    return this.#next?.(message)
  }

  #count(message: HookResponse): void {
    const record = this.#records.get(message.hook_name) ?? newRecord()
    this.#records.set(message.hook_name, record)
    record.durations[record.runs % KEPT] = message.duration_ms
    record.runs++
    record.slowest = Math.max(record.slowest, message.duration_ms)
    record.outcomes[message.outcome]++
  }

  of(name: string): HookRecord | undefined {
    const record = this.#records.get(name)
    if (record === undefined) return undefined
    const sorted = record.durations.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
    const { runs, slowest, outcomes } = record
    return { name, runs, ...outcomes, p50: at(0.5), p95: at(0.95), slowest }
  }

  /** All hooks, slowest first. */
  list(): readonly HookRecord[] {
    return [...this.#records.keys()].flatMap(name => this.of(name) ?? []).toSorted((a, b) => b.p95 - a.p95)
  }
}

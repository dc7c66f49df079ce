import type { PlainObject } from '../../util/plain.ts'
import { rowOf, type AnyRow, type EventName } from '../events/event-table.ts'
import type { HookEntry } from './entry.ts'
import { neutralOutcome, type DecodedReply, type Outcome } from './outcome.ts'

export interface SelectedHooks {
  readonly hooks: EventHooks
  readonly deciders: readonly HookEntry[]
  /** What a plain `allow()` of each is, where the event is a gate. */
  readonly allows: readonly DecodedReply[]
  /** For each place, how many hooks from there on run side by side. Absent when none do. */
  readonly stages: readonly number[] | undefined
  readonly observers: readonly HookEntry[]
  readonly empty: boolean
  /** All deciders are. */
  readonly simple: boolean
}

const MOST_TARGETS = 1_000

const NEUTRAL = new Map<EventName, Outcome>()

/** The hooks of one event, and which of them match each target: looked up once per target, until hooks change. */
export class EventHooks {
  readonly event: EventName
  readonly row: AnyRow
  readonly neutral: Outcome
  /** No event of the session comes after this one. */
  readonly last: boolean
  /** The answers decide something. Otherwise it has already happened. */
  readonly decides: boolean
  readonly #entries: readonly HookEntry[]
  readonly #target: string | undefined
  readonly #everything: SelectedHooks
  readonly #byTarget = new Map<string, SelectedHooks>()
  #lastTarget: unknown
  #lastSelected: SelectedHooks

  constructor(event: EventName, entries: readonly HookEntry[]) {
    this.event = event
    this.row = rowOf(event)
    this.last = event === 'SessionEnd'
    this.decides = this.row.takes.blocks
    let neutral = NEUTRAL.get(event)
    if (neutral === undefined) NEUTRAL.set(event, (neutral = neutralOutcome(this)))
    this.neutral = neutral
    this.#entries = entries
    this.#target = this.row.target
    this.#everything = this.#lastSelected = this.#select(() => true)
  }

  /** An input without a target matches every hook. */
  select(input: PlainObject): SelectedHooks {
    if (this.#target === undefined || this.#entries.length === 0) return this.#everything
    const target = this.#target === 'tool_name' ? input['tool_name'] : input[this.#target]
    if (target === this.#lastTarget) return this.#lastSelected
    if (typeof target !== 'string') return this.#everything
    const selected = this.#byTarget.get(target) ?? this.#match(target)
    this.#lastTarget = target
    return (this.#lastSelected = selected)
  }

  hears(mustDecide: boolean): boolean {
    const { deciders, empty } = this.#everything
    return mustDecide ? deciders.length > 0 : !empty
  }

  draftOf(input: PlainObject): unknown {
    if (this.row.draft === 'tool_input') return input['tool_input']
    return this.row.draft === undefined ? undefined : input[this.row.draft]
  }

  #match(target: string): SelectedHooks {
    const selected = this.#select(entry => entry.matching.matches(target))
    if (this.#byTarget.size >= MOST_TARGETS) this.#byTarget.clear()
    this.#byTarget.set(target, selected)
    return selected
  }

  #select(matches: (entry: HookEntry) => boolean): SelectedHooks {
    const matching = withoutTwins(this.#entries.filter(entry => entry.state.enabled && matches(entry)))
    const deciders = matching.filter(entry => !entry.observe)
    // The lists are not frozen: V8 reads elements of frozen arrays through a call.
    return Object.freeze({
      hooks: this,
      deciders,
      allows: this.row.answer === 'gate' ? deciders.map(allowBy) : [],
      stages: stagesOf(deciders),
      observers: matching.filter(entry => entry.observe),
      empty: matching.length === 0,
      simple: deciders.every(entry => entry.simple)
    })
  }

  absence(entry: HookEntry, input: PlainObject): string {
    if (entry.event !== this.event) return `listens to ${entry.event}, not ${this.event}`
    if (!entry.state.enabled) return 'is disabled'
    const target = input[this.#target ?? '']
    if (typeof target === 'string' && !entry.matching.matches(target))
      return `matcher ${entry.matching.words} does not fit ${JSON.stringify(target)}`
    return `is the same as ${twinIn(this.select(input), entry)?.name}, which runs instead`
  }
}

const allowBy = ({ name }: HookEntry): DecodedReply => Object.freeze({ by: name, decision: 'allow', reason: undefined })

/** Of identical hooks, only the one with the highest rank runs; of equal ranks, the one that was declared last. */
function withoutTwins(entries: readonly HookEntry[]): readonly HookEntry[] {
  const first = new Map<string, HookEntry>()
  for (const entry of entries) {
    if (entry.identity === undefined) continue
    const twin = first.get(entry.identity)
    if (twin === undefined || outranks(entry, twin)) first.set(entry.identity, entry)
  }
  return first.size === 0
    ? entries
    : entries.filter(({ identity }, place) => identity === undefined || first.get(identity) === entries[place])
}

const outranks = (one: HookEntry, other: HookEntry): boolean =>
  one.rank === other.rank ? one.order > other.order : one.rank > other.rank

const twinIn = ({ deciders, observers }: SelectedHooks, { identity }: HookEntry): HookEntry | undefined =>
  identity === undefined ? undefined : [...deciders, ...observers].find(entry => entry.identity === identity)

export function stagesOf(hooks: readonly HookEntry[]): readonly number[] | undefined {
  return hooks.some(entry => entry.concurrent) ? hooks.map((_, place) => stageLength(hooks, place)) : undefined
}

/** Neighbours run in parallel if each may and they have the same priority. */
function stageLength(hooks: readonly HookEntry[], from: number): number {
  const end = hooks.findIndex((next, place) => place > from && !runsBeside(next, hooks[place - 1]))
  return hooks[from]?.concurrent === true ? (end < 0 ? hooks.length : end) - from : 1
}

const runsBeside = (next: HookEntry, last: HookEntry | undefined): boolean =>
  next.concurrent && next.priority === last?.priority && !(next.group?.sequential === true && next.group === last.group)

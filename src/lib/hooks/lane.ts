import type { PlainObject } from '../util/plain.ts'
import type { Chosen, Entry } from './entry.ts'
import { rowOf, type AnyRow, type EventName } from './events.ts'
import { neutralOutcome, type Outcome } from './outcome.ts'

const MOST_TARGETS = 1_000

const NEUTRAL = new Map<EventName, Outcome>()

/** The hooks of one event, and which of them match what: looked up once a target, until hooks change. */
export class Lane {
  readonly event: EventName
  readonly row: AnyRow
  readonly neutral: Outcome
  /** No event of the session comes after this one. */
  readonly last: boolean
  readonly #entries: readonly Entry[]
  readonly #target: string | undefined
  readonly #everything: Chosen
  readonly #byTarget = new Map<string, Chosen>()

  constructor(event: EventName, entries: readonly Entry[]) {
    this.event = event
    this.row = rowOf(event)
    let neutral = NEUTRAL.get(event)
    if (neutral === undefined) NEUTRAL.set(event, (neutral = neutralOutcome(event)))
    this.neutral = neutral
    this.last = event === 'SessionEnd'
    this.#entries = entries
    this.#target = this.row.target
    this.#everything = choose(entries, () => true)
  }

  /** Where an input has no target there is nothing to test, and every hook is meant. */
  choose(input: PlainObject): Chosen {
    if (this.#target === undefined || this.#entries.length === 0) return this.#everything
    const target = this.#target === 'tool_name' ? input['tool_name'] : input[this.#target]
    if (typeof target !== 'string') return this.#everything
    return this.#byTarget.get(target) ?? this.#match(target)
  }

  /** What hooks of this event may rewrite. */
  draftOf(input: PlainObject): unknown {
    if (this.row.draft === 'tool_input') return input['tool_input']
    return this.row.draft === undefined ? undefined : input[this.row.draft]
  }

  #match(target: string): Chosen {
    const chosen = choose(this.#entries, entry => entry.matching.matches(target))
    if (this.#byTarget.size >= MOST_TARGETS) this.#byTarget.clear()
    this.#byTarget.set(target, chosen)
    return chosen
  }

  /** Why a hook had no part in a fire. */
  absence(entry: Entry, input: PlainObject): string {
    if (entry.event !== this.event) return `listens to ${entry.event}, not ${this.event}`
    if (!entry.state.enabled) return 'is disabled'
    return `matcher ${entry.matching.words} does not fit ${JSON.stringify(input[this.#target ?? ''])}`
  }
}

function choose(entries: readonly Entry[], matches: (entry: Entry) => boolean): Chosen {
  const matching = entries.filter(entry => entry.state.enabled && matches(entry))
  const hooks = matching.filter(entry => !entry.observe)
  return Object.freeze({
    hooks: Object.freeze(hooks),
    stages: stagesOf(hooks),
    observers: Object.freeze(matching.filter(entry => entry.observe)),
    empty: matching.length === 0
  })
}

export function stagesOf(hooks: readonly Entry[]): readonly number[] | undefined {
  return hooks.some(entry => entry.concurrent) ? hooks.map((_, place) => stageLength(hooks, place)) : undefined
}

/** Neighbours run side by side when each may, and none outranks another. */
function stageLength(hooks: readonly Entry[], from: number): number {
  const first = hooks[from]!
  if (!first.concurrent) return 1
  let end = from + 1
  for (
    let next = hooks[end];
    next !== undefined && next.concurrent && next.priority === first.priority;
    next = hooks[end]
  ) {
    if (next.group?.sequential === true && next.group === hooks[end - 1]!.group) break
    end++
  }
  return end - from
}

/** Higher priority first, then in the order of declaration. */
export const inOrder = (a: Entry, b: Entry): number => b.priority - a.priority || a.order - b.order

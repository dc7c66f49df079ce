import { fault, nearest } from '../../errors.ts'
import type { PlainObject } from '../../util/plain.ts'
import { describe, type Enrolled } from './enroll.ts'
import type { Chosen, Entry } from './entry.ts'
import { parseEvent, rowOf, type AnyRow, type EventName } from '../events/event-table.ts'
import type { HookDescription } from '../hook.ts'
import { neutralOutcome, type Outcome } from './outcome.ts'

const MOST_TARGETS = 1_000

const NEUTRAL = new Map<EventName, Outcome>()

/** The hooks of one event, and which of them match what: looked up once a target, until hooks change. */
export class EventHooks {
  readonly event: EventName
  readonly row: AnyRow
  readonly neutral: Outcome
  /** No event of the session comes after this one. */
  readonly last: boolean
  /** Something comes of the answers; else it has already happened. */
  readonly decides: boolean
  readonly #entries: readonly Entry[]
  readonly #target: string | undefined
  readonly #everything: Chosen
  readonly #byTarget = new Map<string, Chosen>()

  constructor(event: EventName, entries: readonly Entry[]) {
    this.event = event
    this.row = rowOf(event)
    this.last = event === 'SessionEnd'
    this.decides = this.row.takes.blocks
    let neutral = NEUTRAL.get(event)
    if (neutral === undefined) NEUTRAL.set(event, (neutral = neutralOutcome(this)))
    this.neutral = neutral
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
    const target = input[this.#target ?? '']
    if (typeof target === 'string' && !entry.matching.matches(target))
      return `matcher ${entry.matching.words} does not fit ${JSON.stringify(target)}`
    return `is the same as ${twinIn(this.choose(input), entry)?.name}, which runs instead`
  }
}

function choose(entries: readonly Entry[], matches: (entry: Entry) => boolean): Chosen {
  const matching = withoutTwins(entries.filter(entry => entry.state.enabled && matches(entry)))
  const hooks = matching.filter(entry => !entry.observe)
  return Object.freeze({
    hooks: Object.freeze(hooks),
    stages: stagesOf(hooks),
    observers: Object.freeze(matching.filter(entry => entry.observe)),
    empty: matching.length === 0
  })
}

/** Of hooks that are the same, the one of the highest rank runs, and of those the one that was declared last. */
function withoutTwins(entries: readonly Entry[]): readonly Entry[] {
  const first = new Map<string, Entry>()
  for (const entry of entries) {
    if (entry.identity === undefined) continue
    const twin = first.get(entry.identity)
    if (twin === undefined || outranks(entry, twin)) first.set(entry.identity, entry)
  }
  return first.size === 0
    ? entries
    : entries.filter(({ identity }, place) => identity === undefined || first.get(identity) === entries[place])
}

const outranks = (one: Entry, other: Entry): boolean =>
  one.rank === other.rank ? one.order > other.order : one.rank > other.rank

const twinIn = ({ hooks, observers }: Chosen, { identity }: Entry): Entry | undefined =>
  identity === undefined ? undefined : [...hooks, ...observers].find(entry => entry.identity === identity)

/** For each place, how many hooks from there on run side by side. */
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
const inOrder = (a: Entry, b: Entry): number => b.priority - a.priority || a.order - b.order

const CROWD = 64

/** Who is registered, here and in the registries around, and what follows from it: the lanes of the events. */
export class Roster {
  readonly #parent: Roster | undefined
  readonly #scope: string | undefined
  /** Held weakly: a scope that nobody holds any more need not be told of changes. */
  readonly #children = new Set<WeakRef<Roster>>()
  /** How many children there may be before one looks for those that are gone. */
  #crowded = CROWD
  readonly #hooks = new Map<string, Enrolled>()
  /** How many nameless hooks came from one place. */
  readonly #numbers = new Map<string, number>()
  /** By event, made when first fired, and dropped when hooks change. */
  lanes = new Map<string, EventHooks>()

  constructor(parent?: Roster, scope?: string) {
    this.#parent = parent
    this.#scope = scope
    if (parent !== undefined) parent.#adopt(this)
  }

  #adopt(child: Roster): void {
    if (this.#children.size >= this.#crowded) {
      for (const reference of this.#children) if (reference.deref() === undefined) this.#children.delete(reference)
      this.#crowded = Math.max(CROWD, this.#children.size * 2)
    }
    this.#children.add(new WeakRef(child))
  }

  lane(name: string): EventHooks {
    const event = parseEvent(name)
    let lane = this.lanes.get(event)
    if (lane === undefined) {
      lane = new EventHooks(
        event,
        this.entries().filter(entry => entry.event === event)
      )
      this.lanes.set(event, lane)
    }
    return lane
  }

  /** All or none. A name that was given must be free; one that we made up is told apart by number. */
  add(hooks: readonly { readonly enrolled: Enrolled; readonly named: boolean }[]): readonly Enrolled[] {
    const added = new Map<string, Enrolled>()
    for (const { enrolled, named } of hooks) {
      const taken = (name: string): Enrolled | undefined => this.find(name) ?? added.get(name)
      const holder = taken(enrolled.name)
      if (holder !== undefined && named) throw fault('E_HOOK_DUPLICATE', enrolled.name, holder.entries[0]!.source)
      const own = holder === undefined ? enrolled : this.#numbered(enrolled, taken)
      added.set(own.name, own)
    }
    for (const [name, enrolled] of added) this.#hooks.set(name, enrolled)
    this.#changed()
    return [...added.values()]
  }

  #numbered(enrolled: Enrolled, taken: (name: string) => unknown): Enrolled {
    let number = this.#numbers.get(enrolled.name) ?? 1
    do number++
    while (taken(`${enrolled.name} #${number}`) !== undefined)
    this.#numbers.set(enrolled.name, number)
    const name = `${enrolled.name} #${number}`
    return { ...enrolled, name, entries: enrolled.entries.map(entry => ({ ...entry, name })) }
  }

  /** Takes out the hook of this entry: a `once` hook has done its work. */
  retire(entry: Entry): void {
    const holder = this.#holderOf(entry)
    if (holder !== undefined) this.drop(holder.enrolled)
  }

  /** Takes exactly this hook out, not another that has its name by now. */
  drop(enrolled: Enrolled): void {
    if (this.#hooks.get(enrolled.name) === enrolled) {
      this.#hooks.delete(enrolled.name)
      this.#changed()
    } else if (this.#parent !== undefined) this.#parent.drop(enrolled)
  }

  switch(name: string, enabled: boolean): void {
    const owner = this.#ownerOf(name)
    this.get(name).state.enabled = enabled
    owner.#changed()
  }

  /** Removes what was added here. */
  release(): void {
    this.#hooks.clear()
    this.#changed()
  }

  find(name: string): Enrolled | undefined {
    return this.#hooks.get(name) ?? (this.#parent === undefined ? undefined : this.#parent.find(name))
  }

  get(name: string): Enrolled {
    return this.#ownerOf(name).#hooks.get(name)!
  }

  describe(name: string): HookDescription {
    return describe(this.get(name), this.#ownerOf(name).#scope)
  }

  /** Hooks in the order they run, those of one event or all. */
  list(name: EventName | undefined): readonly HookDescription[] {
    const event = name === undefined ? undefined : parseEvent(name)
    const listed = new Map<Enrolled, HookDescription>()
    for (const entry of this.entries()) {
      if (event !== undefined && entry.event !== event) continue
      const { enrolled, scope } = this.#holderOf(entry)!
      if (!listed.has(enrolled)) listed.set(enrolled, describe(enrolled, scope))
    }
    return [...listed.values()]
  }

  #holderOf(entry: Entry): { enrolled: Enrolled; scope: string | undefined } | undefined {
    const enrolled = this.#hooks.get(entry.name)
    if (enrolled?.entries.includes(entry) === true) return { enrolled, scope: this.#scope }
    return this.#parent === undefined ? undefined : this.#parent.#holderOf(entry)
  }

  entries(): readonly Entry[] {
    const around = this.#parent === undefined ? [] : this.#parent.entries()
    return [...around, ...[...this.#hooks.values()].flatMap(enrolled => enrolled.entries)].toSorted(inOrder)
  }

  #ownerOf(name: string): Roster {
    if (this.#hooks.has(name)) return this
    if (this.#parent !== undefined && this.find(name) !== undefined) return this.#parent.#ownerOf(name)
    const names = this.entries().map(entry => entry.name)
    throw fault('E_HOOK_UNKNOWN', name, nearest(name, names) ?? '')
  }

  #changed(): void {
    this.lanes = new Map()
    for (const reference of this.#children) {
      const child = reference.deref()
      if (child === undefined) this.#children.delete(reference)
      else child.#changed()
    }
  }
}

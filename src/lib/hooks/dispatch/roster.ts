import { engineFault, nearest } from '../../errors.ts'
import { parseEvent, type EventName } from '../events/event-table.ts'
import type { HookDescription } from '../hook.ts'
import type { RegisteredHook } from './enroll.ts'
import type { HookEntry } from './entry.ts'
import { EventHooks } from './event-hooks.ts'

const inOrder = (a: HookEntry, b: HookEntry): number => b.priority - a.priority || a.order - b.order

const CROWD = 64

interface Holder {
  readonly roster: Roster
  readonly hook: RegisteredHook
}

export class Roster {
  readonly scope: string | undefined
  readonly #parent: Roster | undefined
  /** Held weakly: a scope that is no longer referenced need not follow changes. */
  readonly #children = new Set<WeakRef<Roster>>()
  #crowded = CROWD
  readonly #hooks = new Map<string, RegisteredHook>()
  readonly #numbers = new Map<string, number>()
  /** By event, made when first fired, and dropped when hooks change. */
  #byEvent = new Map<string, EventHooks>()
  /** Those of the last event. */
  recent: EventHooks | undefined
  #entries: readonly HookEntry[] | undefined

  constructor(parent?: Roster, scope?: string) {
    this.#parent = parent
    this.scope = scope
    if (parent !== undefined) parent.#adopt(this)
  }

  #adopt(child: Roster): void {
    if (this.#children.size >= this.#crowded) {
      for (const reference of this.#children) if (reference.deref() === undefined) this.#children.delete(reference)
      this.#crowded = Math.max(CROWD, this.#children.size * 2)
    }
    this.#children.add(new WeakRef(child))
  }

  hooksOf(name: string): EventHooks {
    let hooks = this.#byEvent.get(name)
    if (hooks === undefined) {
      const event = parseEvent(name)
      const entries = this.entries().filter(entry => entry.event === event)
      hooks = this.#byEvent.get(event) ?? new EventHooks(event, entries)
      this.#byEvent.set(event, hooks).set(name, hooks)
    }
    return (this.recent = hooks)
  }

  /** Adds all or none. A name from the author must be free; a generated one gets a number. */
  add(hooks: readonly { readonly hook: RegisteredHook; readonly named: boolean }[]): readonly RegisteredHook[] {
    const added = new Map<string, RegisteredHook>()
    for (const { hook, named } of hooks) {
      const taken = (name: string): RegisteredHook | undefined => this.find(name) ?? added.get(name)
      const holder = taken(hook.name)
      if (holder !== undefined && named) throw engineFault('E_HOOK_DUPLICATE', hook.name, holder.description.source)
      const own = holder === undefined ? hook : this.#numbered(hook, taken)
      added.set(own.name, own)
    }
    for (const [name, hook] of added) this.#hooks.set(name, hook)
    this.#changed()
    return [...added.values()]
  }

  #numbered(hook: RegisteredHook, taken: (name: string) => unknown): RegisteredHook {
    let number = this.#numbers.get(hook.name) ?? 1
    do number++
    while (taken(`${hook.name} #${number}`) !== undefined)
    this.#numbers.set(hook.name, number)
    const name = `${hook.name} #${number}`
    return { ...hook, name, entries: hook.entries.map(entry => ({ ...entry, name })) }
  }

  retire(entry: HookEntry): void {
    const holder = this.#holderOf(entry.name, entry)
    if (holder !== undefined) this.drop(holder.hook)
  }

  /** Takes exactly this hook out, not another that has its name by now. */
  drop(hook: RegisteredHook): void {
    if (this.#hooks.get(hook.name) === hook) {
      this.#hooks.delete(hook.name)
      this.#changed()
    } else if (this.#parent !== undefined) this.#parent.drop(hook)
  }

  switch(name: string, enabled: boolean): void {
    const { roster, hook } = this.#get(name)
    hook.state.enabled = enabled
    roster.#changed()
  }

  release(): void {
    this.#hooks.clear()
    this.#changed()
  }

  find(name: string): RegisteredHook | undefined {
    return this.#holderOf(name)?.hook
  }

  remove(name: string): void {
    this.drop(this.#get(name).hook)
  }

  describe(name: string): HookDescription {
    return describe(this.#get(name))
  }

  list(name: EventName | undefined): readonly HookDescription[] {
    const event = name === undefined ? undefined : parseEvent(name)
    const listed = new Map<RegisteredHook, HookDescription>()
    for (const entry of this.entries()) {
      const holder = event === undefined || entry.event === event ? this.#holderOf(entry.name, entry) : undefined
      if (holder !== undefined && !listed.has(holder.hook)) listed.set(holder.hook, describe(holder))
    }
    return [...listed.values()]
  }

  #holderOf(name: string, entry?: HookEntry): Holder | undefined {
    const hook = this.#hooks.get(name)
    if (hook !== undefined && (entry === undefined || hook.entries.includes(entry))) return { roster: this, hook }
    return this.#parent === undefined ? undefined : this.#parent.#holderOf(name, entry)
  }

  #get(name: string): Holder {
    const holder = this.#holderOf(name)
    if (holder !== undefined) return holder
    const names = this.entries().map(entry => entry.name)
    throw engineFault('E_HOOK_UNKNOWN', name, nearest(name, names) ?? '')
  }

  entries(): readonly HookEntry[] {
    return (this.#entries ??= this.#sorted())
  }

  #sorted(): readonly HookEntry[] {
    const around = this.#parent === undefined ? [] : this.#parent.entries()
    return [...around, ...[...this.#hooks.values()].flatMap(hook => hook.entries)].toSorted(inOrder)
  }

  #changed(): void {
    this.#byEvent = new Map()
    this.recent = undefined
    this.#entries = undefined
    for (const reference of this.#children) {
      const child = reference.deref()
      if (child === undefined) this.#children.delete(reference)
      else child.#changed()
    }
  }
}

const describe = ({ hook, roster }: Holder): HookDescription => ({
  ...hook.description,
  name: hook.name,
  enabled: hook.state.enabled,
  scope: roster.scope
})

import { fault } from '../errors.ts'
import type { PlainObject } from '../util/plain.ts'
import { Background } from './background.ts'
import { callSite } from './call-site.ts'
import { callbackHook, type CallbackMatcher, type CallbackRecord } from './callbacks.ts'
import { Deadlines } from './deadlines.ts'
import { enroll, type AnyHook } from './enroll.ts'
import type { Group } from './entry.ts'
import type { EventName, FireInput } from './events.ts'
import type { GroupHook, GroupOptions, Hook, HookDescription, HookFunction, HookOptions } from './hook.ts'
import type { Hub } from './hub.ts'
import { Outbox } from './messages.ts'
import { parseEvent } from './names.ts'
import { flagOf } from './options.ts'
import type { Outcome } from './outcome.ts'
import { Roster } from './roster.ts'
import { Run, type FireOptions, type Reported } from './run.ts'
import { settingsFrom, type RegistryOptions } from './settings.ts'
import { baseField } from './view.ts'
import type { Matcher } from './tool-inputs.ts'

const NO_OPTIONS: FireOptions = Object.freeze({})

/**
 * The engine: hooks are registered here, and events are fired through them. It needs nothing else: no agent,
 * no model, no Node.
 */
export class HookRegistry {
  #roster = new Roster()
  #hub: Hub

  constructor(options: RegistryOptions = {}) {
    const settings = settingsFrom(options)
    this.#hub = this.#owning({
      settings,
      deadlines: new Deadlines(settings.clock),
      background: new Background(),
      outbox: settings.sink === undefined ? undefined : new Outbox(settings.sink),
      sessions: new Map()
    })
  }

  /** What all scopes share, with what is this registry's own. */
  #owning(shared: Pick<Hub, 'settings' | 'deadlines' | 'background' | 'outbox' | 'sessions'>): Hub {
    return {
      ...shared,
      entries: () => this.#roster.entries(),
      retire: ({ name }) => {
        const enrolled = this.#roster.find(name)
        if (enrolled !== undefined) this.#roster.drop(enrolled)
      },
      fire: (event, input, options) => this.fire(event, input as FireInput<EventName>, options)
    }
  }

  /** Adds a hook to one event. Call what comes back to remove it. */
  on<E extends EventName>(event: E, hook: HookFunction<E>, options?: HookOptions): () => void
  on<E extends EventName, const M extends Matcher>(
    event: E,
    matcher: M,
    hook: HookFunction<E, M>,
    options?: HookOptions
  ): () => void
  on(event: EventName, ...rest: readonly unknown[]): () => void {
    const [matcher, run, options] = typeof rest[0] === 'function' ? [undefined, ...rest] : rest
    if (typeof run !== 'function') throw fault('E_HOOK_INVALID', 'on() was given no function')
    const hook = { ...(options as HookOptions), events: event, matcher, run, isFunction: true } as AnyHook
    return this.#add([hook], undefined, callSite(this.on))
  }

  /** Adds a hook object to all its events. */
  register<E extends EventName, const M extends Matcher = string>(hook: Hook<E, M>): this {
    if (typeof hook !== 'object' || hook === null) throw fault('E_HOOK_INVALID', 'register() takes an object')
    this.#add([hook as AnyHook], undefined, callSite(this.register))
    return this
  }

  /**
   * Adds hooks that belong together: they share a matcher and a timeout, and a `continue: false` of one skips
   * the rest. Members that may run side by side come after those that may not.
   */
  group<E extends EventName, const M extends Matcher>(
    event: E,
    matcher: M,
    hooks: readonly GroupHook<E, M>[],
    options: GroupOptions = {}
  ): () => void {
    return this.#addGroup(event, matcher, hooks, options, callSite(this.group))
  }

  /** Adds callbacks written for the Claude Agent SDK's `options.hooks`, with the meaning they have there. */
  callbacks(record: CallbackRecord): () => void {
    const site = callSite(this.callbacks)
    const removals = Object.entries(record).flatMap(([event, matchers]) =>
      (matchers as readonly CallbackMatcher[]).map(({ matcher, hooks, timeout, onFailure }) =>
        this.#addGroup(parseEvent(event), matcher ?? '', hooks.map(callbackHook), { timeout, onFailure }, site)
      )
    )
    return () => removals.forEach(remove => remove())
  }

  #addGroup(
    event: EventName,
    matcher: Matcher,
    hooks: readonly unknown[],
    options: GroupOptions,
    site: string
  ): () => void {
    const { name, sequential, ...shared } = options
    const group: Group = { name, sequential: flagOf('sequential', sequential) }
    const members = hooks.map(member => {
      const own = typeof member === 'function' ? { run: member, isFunction: true } : (member as object)
      return { ...defined(shared), ...defined(own), events: event, matcher } as AnyHook
    })
    const apart = members.filter(member => member.concurrent !== true)
    const beside = members.filter(member => member.concurrent === true)
    return this.#add([...apart, ...beside], group, site)
  }

  #add(hooks: readonly AnyHook[], group: Group | undefined, site: string): () => void {
    const { settings } = this.#hub
    const checked = hooks.map(hook => ({
      enrolled: enroll(hook, group, site, settings),
      named: hook.name !== undefined
    }))
    const added = this.#roster.add(checked)
    return () => added.forEach(enrolled => this.#roster.drop(enrolled))
  }

  /**
   * Fires an event: runs the hooks that match and folds what they say. The outcome comes at once when no hook
   * had to be waited for, else as a promise; `await` takes both.
   */
  fire<E extends EventName>(
    event: E,
    input: FireInput<E>,
    options: FireOptions & { report: true }
  ): Reported | Promise<Reported>
  fire<E extends EventName>(event: E, input: FireInput<E>, options?: FireOptions): Outcome | Promise<Outcome>
  fire(event: EventName, input: PlainObject, options: FireOptions = NO_OPTIONS): Outcome | Promise<Outcome> {
    const lane = this.#roster.lanes.get(event) ?? this.#roster.lane(event)
    if (typeof input !== 'object' || input === null) throw fault('E_INPUT_INVALID', lane.event, 'it is not an object')
    const chosen = lane.choose(input)
    if (chosen.empty && options.report !== true && !lane.last) return lane.neutral
    const run = new Run(this.#hub, lane, chosen, input, options)
    return lane.last ? this.#fireLast(run) : run.start()
  }

  /** With its last event a session is over, and so is what hooks kept for it. */
  #fireLast(run: Run): Outcome | Promise<Outcome> {
    const forget = (): void => void this.#hub.sessions.delete(baseField(run, 'session_id'))
    const outcome = run.start()
    if (outcome instanceof Promise) return outcome.finally(forget)
    forget()
    return outcome
  }

  /**
   * A registry that fires these hooks and, in addition, those added to it: for a subagent, a skill, a request.
   * `release()` ends it.
   */
  scope(name?: string): HookRegistry {
    const child = new HookRegistry()
    child.#roster = new Roster(this.#roster, name)
    child.#hub = child.#owning(this.#hub)
    return child
  }

  /** Removes all hooks that were added here. */
  release(): void {
    this.#roster.release()
  }

  has(name: string): boolean {
    return this.#roster.find(name) !== undefined
  }

  /** The hooks in the order they run, of one event or of all. */
  list(event?: EventName): readonly HookDescription[] {
    const wanted = event === undefined ? undefined : parseEvent(event)
    const entries = this.#roster.entries().filter(entry => wanted === undefined || entry.event === wanted)
    return [...new Set(entries.map(entry => entry.name))].map(name => this.describe(name))
  }

  describe(name: string): HookDescription {
    return this.#roster.describe(name)
  }

  enable(name: string): void {
    this.#roster.switch(name, true)
  }

  disable(name: string): void {
    this.#roster.switch(name, false)
  }

  remove(name: string): void {
    this.#roster.drop(this.#roster.get(name))
  }

  /** Waits for work that hooks have left going: `ctx.spawn`, `later`. */
  drain(): Promise<void> {
    return this.#hub.background.drain()
  }
}

/** Without the keys that were left open, so that they do not hide those of the group. */
function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}

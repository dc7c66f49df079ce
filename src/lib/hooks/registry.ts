import { engineFault } from '../errors.ts'
import type { PlainObject } from '../util/plain.ts'
import { deadlinesOf } from './dispatch/deadlines.ts'
import { callSite, enroll, groupOf, groupsIn, HOOK_OPTIONS, type AnyHook, type GroupMember } from './dispatch/enroll.ts'
import type { EventName, FireInput, ToolEvent } from './events/event-table.ts'
import type {
  GroupHook,
  GroupOptions,
  Hook,
  HookDescription,
  HookFunction,
  HookOptions,
  CallbackRecord,
  ForeignCallbackRecord
} from './hook.ts'
import { NO_OPTIONS, type FireOptions, type RegistryInternals, type Reported } from './registry-internals.ts'
import { SpawnedWork } from './background.ts'
import type { Outcome, ToolOutcome } from './dispatch/outcome.ts'
import { Roster } from './dispatch/roster.ts'
import { Run } from './dispatch/run.ts'
import { settingsFrom, type RegistryOptions } from './registry-options.ts'
import type { Matcher, ToolInputs } from './events/tool-inputs.ts'
import { queueFor } from './hook-messages.ts'
import { checkOptionNames } from './option-values.ts'

/**
 * The engine: hooks are registered here, and events are fired through them. It needs nothing else: no agent, no model,
 * no Node.
 */
export class HookRegistry {
  #roster = new Roster()
  #internals: RegistryInternals

  constructor(options: RegistryOptions = {}) {
    this.#internals = this.#owning(sharedBy(options))
  }

  #owning(shared: Shared): RegistryInternals {
    return {
      ...shared,
      roster: this.#roster,
      metadata: sessionId => this.metadata(sessionId),
      fire: (event, input, options, depth) => this.#fire(event, input, options, depth)
    }
  }

  /** Adds a hook to one event. Call the returned function to remove it. */
  on<E extends EventName>(event: E, hook: HookFunction<E>, options?: HookOptions): () => void
  on<E extends EventName, const M extends Matcher>(
    event: E,
    matcher: M,
    hook: HookFunction<E, M>,
    options?: HookOptions
  ): () => void
  on(event: EventName, ...rest: readonly unknown[]): () => void {
    const [matcher, run, options] = typeof rest[0] === 'function' ? [undefined, ...rest] : rest
    if (typeof run !== 'function') throw engineFault('E_HOOK_INVALID', 'on() was given no function')
    checkOptionNames(options ?? {}, HOOK_OPTIONS)
    const hook = { ...(options as HookOptions), events: event, matcher, run, label: run.name } as AnyHook
    return this.#add([{ hook }], callSite(this.on))
  }

  /** Adds a hook object to all its events. */
  register<E extends EventName, const M extends Matcher = string>(hook: Hook<E, M>): this {
    if (typeof hook !== 'object' || hook === null) throw engineFault('E_HOOK_INVALID', 'register() takes an object')
    this.#add([{ hook: hook as AnyHook }], callSite(this.register))
    return this
  }

  /**
   * Adds hooks that belong together: they share a matcher and a timeout, and a `continue: false` of one skips the rest.
   * Members that may run concurrently come after those that may not.
   */
  group<E extends EventName, const M extends Matcher>(
    event: E,
    matcher: M,
    hooks: readonly GroupHook<E, M>[],
    options: GroupOptions = {}
  ): () => void {
    return this.#add(groupOf(event, matcher, hooks, options), callSite(this.group))
  }

  /**
   * Adds callbacks written for the Claude Agent SDK's `options.hooks`, with the meaning they have there. `source`
   * distinguishes them; by default it is the place of the call.
   */
  callbacks(record: CallbackRecord, source?: string): () => void
  callbacks(record: ForeignCallbackRecord, source?: string): () => void
  callbacks(record: object, source: string = callSite(this.callbacks)): () => void {
    return this.#add(groupsIn(record), source)
  }

  /** Adds all or none: an invalid hook leaves the registry as it was. */
  #add(hooks: readonly GroupMember[], site: string): () => void {
    const checked = hooks.map(({ hook, group }) => ({
      hook: enroll(hook, group, site, this.#internals.settings),
      named: hook.name !== undefined
    }))
    const added = this.#roster.add(checked)
    return () => added.forEach(each => this.#roster.drop(each))
  }

  /**
   * Fires an event: runs the hooks that match and folds their answers. The outcome is returned directly if no hook had
   * to be waited for, else as a promise; `await` accepts both.
   */
  fire<E extends EventName>(
    event: E,
    input: FireInput<E>,
    options: FireOptions & { report: true }
  ): Reported | Promise<Reported>
  fire<E extends ToolEvent, N extends keyof ToolInputs>(
    event: E,
    input: FireInput<E> & { readonly tool_name: N },
    options?: FireOptions & { report?: false }
  ): ToolOutcome<N> | Promise<ToolOutcome<N>>
  fire<E extends EventName>(event: E, input: FireInput<E>, options?: FireOptions): Outcome | Promise<Outcome>
  fire(event: EventName, input: PlainObject, options: FireOptions = NO_OPTIONS): Outcome | Promise<Outcome> {
    return this.#fire(event, input, options, 0)
  }

  #fire(event: EventName, input: PlainObject, options: FireOptions, depth: number): Outcome | Promise<Outcome> {
    const { recent } = this.#roster
    const hooks = recent !== undefined && recent.event === event ? recent : this.#roster.hooksOf(event)
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw engineFault('E_INPUT_INVALID', hooks.event, 'it is not an object')
    const selected = hooks.select(input)
    if (selected.empty && options.report !== true && !hooks.last) return hooks.neutral
    const whole = options.common === undefined ? input : { ...options.common(), ...input }
    const run = new Run(this.#internals, selected, whole, options)
    run.depth = depth
    return hooks.last ? this.#fireLast(run) : run.start()
  }

  /** With its last event a session is over, and so is what hooks stored for it. */
  #fireLast(run: Run): Outcome | Promise<Outcome> {
    const forget = (): void => void this.#internals.sessions.delete(run.sessionId)
    const outcome = run.start()
    if (outcome instanceof Promise) return outcome.finally(forget)
    forget()
    return outcome
  }

  /**
   * A registry that fires these hooks and, in addition, those added to it: for a subagent, a skill, a request.
   * `release()` ends it. Options that are not set are inherited.
   */
  scope(name?: string, options?: RegistryOptions): HookRegistry {
    const child = new HookRegistry()
    child.#roster = new Roster(this.#roster, name)
    const own = options === undefined ? this.#internals : sharedBy({ ...this.#internals.settings.options, ...options })
    child.#internals = child.#owning({ ...own, sessions: this.#internals.sessions })
    return child
  }

  /** What `ctx.metadata` shows in this session, until its SessionEnd: to save it, and to restore it. */
  metadata(sessionId: string): Record<string, unknown> {
    const { sessions } = this.#internals
    let metadata = sessions.get(sessionId)
    if (metadata === undefined) sessions.set(sessionId, (metadata = {}))
    return metadata
  }

  get options(): Readonly<RegistryOptions> {
    return this.#internals.settings.options
  }

  /** Removes all hooks that were added here. */
  release(): void {
    this.#roster.release()
  }

  has(name: string): boolean {
    return this.#roster.find(name) !== undefined
  }

  /** Whether there is a hook for this event, or one that decides. */
  hears(event: EventName, mustDecide = false): boolean {
    return this.#roster.hooksOf(event).hears(mustDecide)
  }

  /** Another object whenever hooks were added, removed or switched. */
  get revision(): object {
    return this.#roster.entries()
  }

  /** The hooks in the order they run, of one event or of all. */
  list(event?: EventName): readonly HookDescription[] {
    return this.#roster.list(event)
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
    this.#roster.remove(name)
  }

  /** Settles with the answers that hooks announced for a limited time (`asyncTimeout`); strict profile only. */
  announced(): Promise<unknown> | undefined {
    return this.#internals.background.announced()
  }

  /** Waits for background work of hooks: `ctx.spawn`, `later`. */
  drain(): Promise<void> {
    return this.#internals.background.drain()
  }
}

type Shared = Omit<RegistryInternals, 'roster' | 'metadata' | 'fire'>

function sharedBy(options: RegistryOptions): Shared {
  const settings = settingsFrom(options)
  const deadlines = deadlinesOf(settings.clock)
  return {
    settings,
    deadlines,
    session: options.signal === undefined ? undefined : deadlines.watch(options.signal),
    background: new SpawnedWork(),
    outbox: options.sink === undefined ? undefined : queueFor(options.sink),
    sessions: new Map()
  }
}

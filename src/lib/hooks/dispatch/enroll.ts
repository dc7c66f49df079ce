import { engineFault, nearest } from '../../errors.ts'
import { isObject, isPlain, type PlainObject } from '../../util/plain.ts'
import type { HookContext } from '../hook-context.ts'
import type { HookEntry, EntryState, Group } from './entry.ts'
import { parseEvent, rowOf, type EventName, type InputOf } from '../events/event-table.ts'
import type { GroupHook, GroupOptions, Hook, HookDescription, Callback, CallbackMatcher } from '../hook.ts'
import { placeIn } from '../../util/stack.ts'
import { compileMatcher } from './matcher.ts'
import { type Settings } from '../registry-options.ts'
import type { Matcher } from '../events/tool-inputs.ts'
import { checkOptionNames, choiceOf, flagOf, millisecondsOf, finiteNumber } from '../option-values.ts'

export type AnyHook = Omit<Hook, 'run' | 'matcher'> & {
  matcher?: Matcher
  run: (ctx: never) => unknown
  /** `run` was given on its own under this name, so that it needs no `this`. */
  label?: string | undefined
  /** It starts a process, connects or asks a model. */
  outside?: boolean | undefined
}

export interface RegisteredHook {
  readonly name: string
  readonly entries: readonly HookEntry[]
  readonly state: EntryState
  readonly description: Omit<HookDescription, 'enabled' | 'scope'>
}

/** Default timeouts, in seconds. */
const LIBRARY_TIMEOUT = 60
const FILE_TIMEOUT = 600

const FAILURES = ['block', 'continue'] as const
const DIALECTS = ['library', 'contract'] as const

let declared = 0

/** Checks a hook and prepares its entries. Throws what is wrong with it; then nothing has been registered. */
export function enroll(hook: AnyHook, group: Group | undefined, site: string, settings: Settings): RegisteredHook {
  const { name, dialect = 'library', source = site } = hook
  checkSpelling(hook)
  if (typeof hook.run !== 'function') throw engineFault('E_HOOK_INVALID', `${name ?? 'it'} has no function run(ctx)`)
  if (name !== undefined && (typeof name !== 'string' || name.trim() === ''))
    throw engineFault('E_HOOK_INVALID', 'its name is empty')
  const events = eventsOf(hook.events)
  const state: EntryState = { enabled: true, once: 'ready', judged: 0, allowed: 0 }
  const own = {
    name: name ?? `${hook.label || events[0]} (${shortPlace(source)})`,
    source,
    observe: flagOf('observe', hook.observe)
  }
  const standIn = hook.outside && settings.options.standIn?.(own)
  const common: Common = {
    ...own,
    precedence: settings.precedence,
    profile: settings.profile,
    dialect: choiceOf('dialect', dialect, DIALECTS) ?? 'library',
    call: (standIn as HookEntry['call'] | undefined) ?? callOf(hook),
    matching: compileMatcher(hook.matcher, settings.compilePattern, dialect === 'library'),
    priority: finiteNumber('priority', hook.priority ?? 0),
    onFailure: choiceOf('onFailure', hook.onFailure, FAILURES),
    concurrent: flagOf('concurrent', hook.concurrent),
    once: flagOf('once', hook.once),
    group,
    identity: hook.identity,
    rank: finiteNumber('rank', hook.rank ?? 0),
    condition: hook.condition,
    statusMessage: hook.statusMessage,
    simple: hook.once !== true && group === undefined && hook.condition === undefined,
    state
  }
  const entries = events.map((event): HookEntry => {
    const row = rowOf(event)
    const seconds = hook.timeout ?? (dialect === 'library' ? LIBRARY_TIMEOUT : (row.fileTimeout ?? FILE_TIMEOUT))
    return { ...common, event, row, patience: millisecondsOf(`timeout of ${common.name}`, seconds), order: ++declared }
  })
  return { name: common.name, entries, state, description: describe(common, entries) }
}

type Common = Omit<HookEntry, 'event' | 'row' | 'patience' | 'order'>

function describe(common: Common, entries: readonly HookEntry[]): RegisteredHook['description'] {
  const { name, matching, priority, onFailure, once, observe, concurrent, dialect, source, group, profile } = common
  const blocks = ({ row }: HookEntry): boolean => {
    if (observe || row.answer === 'stop') return false
    return onFailure === undefined ? row.failure === 'closed' && profile === 'strict' : onFailure === 'block'
  }
  return {
    name,
    events: entries.map(entry => entry.event),
    matcher: matching.words,
    condition: common.condition?.words,
    priority,
    timeout: (entries[0]?.patience ?? 0) / 1000,
    onFailure: entries.some(blocks) ? 'block' : 'continue',
    once,
    observe,
    concurrent,
    dialect,
    source,
    group: group?.name
  }
}

function eventsOf(events: EventName | readonly EventName[]): readonly EventName[] {
  const list = typeof events === 'string' ? [events] : events
  if (!Array.isArray(list) || list.length === 0)
    throw engineFault('E_HOOK_INVALID', 'its events are neither a name nor a list of names')
  return [...new Set(list.map(parseEvent))]
}

/** The one place where the class behind a context meets the types that its event gives it. */
const callOf = (hook: AnyHook): HookEntry['call'] => {
  const run = hook.run as unknown as HookEntry['call']
  return hook.label === undefined ? run.bind(hook) : run
}

export interface GroupMember {
  readonly hook: AnyHook
  readonly group?: Group
}

export function groupOf(
  event: EventName,
  matcher: Matcher,
  members: unknown,
  options: GroupOptions
): readonly GroupMember[] {
  checkOptionNames(options, GROUP_OPTIONS)
  const group: Group = { name: options.name, sequential: flagOf('sequential', options.sequential) }
  if (!Array.isArray(members)) throw engineFault('E_HOOK_INVALID', 'a group needs a list of hooks')
  const hooks = members.map((member: unknown) => {
    const own = (typeof member === 'function' ? { run: member, label: member.name } : (member ?? {})) as AnyHook
    if (typeof own.run !== 'function')
      throw engineFault('E_HOOK_INVALID', 'a member of a group has no function run(ctx)')
    checkSpelling(own)
    const run = own.label === undefined ? own.run.bind(own) : own.run
    const { priority = options.priority, timeout = options.timeout, onFailure = options.onFailure, label = '' } = own
    const shared = { events: event, matcher, run, label, priority, timeout, onFailure }
    // By name: a member may be an instance of a class.
    const known = Object.fromEntries(
      HOOK_KEYS.map(key => [key, (own as unknown as PlainObject)[key]])
    ) as Partial<AnyHook>
    return { ...known, ...shared }
  })
  const apart = hooks.filter(hook => hook.concurrent !== true)
  const beside = hooks.filter(hook => hook.concurrent === true)
  return [...apart, ...beside].map(hook => ({ hook, group }))
}

const GROUP_OPTIONS = ['name', 'priority', 'timeout', 'onFailure', 'sequential']
export const HOOK_OPTIONS = ['name', 'priority', 'timeout', 'onFailure', 'once', 'observe', 'concurrent']
const PARTS = ['dialect', 'source', 'identity', 'rank', 'condition', 'statusMessage', 'run', 'label', 'outside']
const HOOK_KEYS = [...HOOK_OPTIONS, ...PARTS, 'events', 'matcher']

/** Objects may carry more than we read; what is spelt almost like an option is a mistake all the same. */
function checkSpelling(hook: object): void {
  for (const key of Object.keys(hook)) {
    const meant = HOOK_KEYS.includes(key) ? undefined : nearest(key, HOOK_KEYS)
    if (meant !== undefined && Math.abs(meant.length - key.length) < 2 && key.length > 4) {
      throw engineFault('E_OPTION_INVALID', 'an option', JSON.stringify(key), meant)
    }
  }
}

export function groupsIn(record: object): readonly GroupMember[] {
  if (!isObject(record)) throw notMatchers('callbacks()')
  // A registry of another copy of this package would look like a record without hooks.
  if (!isPlain(record))
    throw engineFault(
      'E_HOOK_INVALID',
      'hooks must be a HookRegistry of this installation of carabiner, or an object of matchers keyed by event'
    )
  return Object.entries(record).flatMap(([name, matchers]) => {
    const event = parseEvent(name)
    return listOf(matchers === undefined ? [] : matchers, name).flatMap(group => {
      if (!isObject(group)) throw notMatchers(name)
      checkOptionNames(group, ['matcher', 'hooks', ...GROUP_OPTIONS])
      const { matcher = '', hooks, ...options } = group as unknown as CallbackMatcher
      return groupOf(event, matcher, (listOf(hooks, name) as readonly Callback[]).map(callbackHook), options)
    })
  })
}

const notMatchers = (event: string): Error =>
  engineFault('E_HOOK_INVALID', `${event} needs a list of { matcher, hooks: [callback] }`)

function listOf(value: unknown, event: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw notMatchers(event)
}

/** A callback as one of our hooks. All callbacks of an event may run side by side, as their authors expect. */
function callbackHook<E extends EventName>(callback: Callback<E>): GroupHook<E> & { label: string } {
  if (typeof callback !== 'function') throw engineFault('E_HOOK_INVALID', 'a callback is not a function')
  const run = (ctx: HookContext<E>): ReturnType<Callback<E>> => {
    const { input, toolUseId, signal } = ctx as unknown as CallbackView<E>
    return callback(input, toolUseId, { signal })
  }
  return { run, label: callback.name, dialect: 'contract', concurrent: true }
}

type CallbackView<E extends EventName> = { input: InputOf<E>; toolUseId: string | undefined; signal: AbortSignal }

/** Where in the source `below` was called: `path/file.ts:12:3`, or `unknown` where the engine does not tell. */
export function callSite(below: (...args: never[]) => unknown): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace?.(trace, below)
  return placeIn(trace.stack ?? new Error().stack?.replace(/(.*\n){3}/, '')) ?? 'unknown'
}

function shortPlace(place: string): string {
  return place.split('/').slice(-2).join('/').replace(/:\d+$/, '')
}

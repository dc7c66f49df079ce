import { fault } from '../errors.ts'
import { shortPlace } from './call-site.ts'
import type { Entry, EntryState, Group } from './entry.ts'
import { rowOf, type EventName } from './events.ts'
import type { GroupOptions, Hook, HookDescription } from './hook.ts'
import { compileMatcher } from './matcher.ts'
import type { Matcher } from './tool-inputs.ts'
import { parseEvent } from './names.ts'
import { choiceOf, flagOf, millisecondsOf, numberOf } from './options.ts'
import type { Settings } from './settings.ts'

/** A hook whose event and matcher are not known to the compiler any more. */
export type AnyHook = Omit<Hook, 'run' | 'matcher'> & {
  matcher?: Matcher
  run: (ctx: never) => unknown
  /** `run` was given on its own, so that it needs no `this`. */
  isFunction?: boolean
}

/** A hook that was found in order: one entry for each of its events. */
export interface Enrolled {
  readonly name: string
  readonly entries: readonly Entry[]
  readonly state: EntryState
}

/** How long a hook may take where nothing is said, in seconds. */
const LIBRARY_TIMEOUT = 60
const FILE_TIMEOUT = 600

const FAILURES = ['block', 'continue'] as const
const DIALECTS = ['library', 'contract'] as const

let declared = 0

/** Checks a hook and makes it ready. Throws what is wrong with it; then nothing has been registered. */
export function enroll(hook: AnyHook, group: Group | undefined, site: string, settings: Settings): Enrolled {
  const { name, dialect = 'library', source = site } = hook
  if (typeof hook.run !== 'function') throw fault('E_HOOK_INVALID', `${name ?? 'it'} has no function run(ctx)`)
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) throw fault('E_HOOK_INVALID', 'its name is empty')
  const events = eventsOf(hook.events)
  const state: EntryState = { enabled: true, spent: false, manner: 'unknown' }
  const common = {
    name: name ?? `${hook.run.name || events[0]} (${shortPlace(source)})`,
    source,
    profile: settings.profile,
    dialect: choiceOf('dialect', dialect, DIALECTS) ?? 'library',
    call: callOf(hook),
    matching: compileMatcher(hook.matcher, settings.compilePattern),
    priority: numberOf('priority', hook.priority ?? 0),
    onFailure: choiceOf('onFailure', hook.onFailure, FAILURES),
    observe: flagOf('observe', hook.observe),
    concurrent: flagOf('concurrent', hook.concurrent),
    once: flagOf('once', hook.once),
    group,
    simple: hook.once !== true && group === undefined,
    state
  }
  const entries = events.map((event): Entry => {
    const row = rowOf(event)
    const seconds = hook.timeout ?? (dialect === 'library' ? LIBRARY_TIMEOUT : (row.fileTimeout ?? FILE_TIMEOUT))
    return { ...common, event, row, patience: millisecondsOf(`timeout of ${common.name}`, seconds), order: ++declared }
  })
  return { name: common.name, entries, state }
}

function eventsOf(events: EventName | readonly EventName[]): readonly EventName[] {
  const list = typeof events === 'string' ? [events] : events
  if (!Array.isArray(list) || list.length === 0) throw fault('E_HOOK_INVALID', 'its events are neither a name nor a list of names')
  return [...new Set(list.map(parseEvent))]
}

/** The one place where the class behind a context meets the types that its event gives it. */
const callOf = (hook: AnyHook): Entry['call'] => {
  const run = hook.run as unknown as Entry['call']
  return hook.isFunction === true ? run : run.bind(hook)
}

/** A hook, and the group it belongs to. */
export interface Grouped {
  readonly hook: AnyHook
  readonly group?: Group
}

/** The members of a group, each with what the group says for all. */
export function groupOf(event: EventName, matcher: Matcher, members: readonly unknown[], options: GroupOptions): readonly Grouped[] {
  const group: Group = { name: options.name, sequential: flagOf('sequential', options.sequential) }
  const hooks = members.map(member => {
    const own = (typeof member === 'function' ? { run: member, isFunction: true } : (member ?? {})) as AnyHook
    if (typeof own.run !== 'function') throw fault('E_HOOK_INVALID', 'a member of a group has no function run(ctx)')
    const { name, once, observe, concurrent, dialect, source } = own
    const run = own.isFunction === true ? own.run : own.run.bind(own)
    const priority = own.priority ?? options.priority
    const timeout = own.timeout ?? options.timeout
    const onFailure = own.onFailure ?? options.onFailure
    const shared = { events: event, matcher, run, isFunction: true, priority, timeout, onFailure }
    return { name, once, observe, concurrent, dialect, source, ...shared } as AnyHook
  })
  const apart = hooks.filter(hook => hook.concurrent !== true)
  const beside = hooks.filter(hook => hook.concurrent === true)
  return [...apart, ...beside].map(hook => ({ hook, group }))
}

export function describe({ name, entries, state }: Enrolled, scope: string | undefined): HookDescription {
  const { matching, priority, patience, onFailure, once, observe, concurrent, dialect, source, group, row, profile } = entries[0]!
  const closes = row.failure === 'closed' && profile === 'strict'
  return {
    name,
    events: entries.map(entry => entry.event),
    matcher: matching.words,
    priority,
    timeout: patience / 1000,
    onFailure: onFailure ?? (closes ? 'block' : 'continue'),
    once,
    observe,
    concurrent,
    dialect,
    enabled: state.enabled,
    source,
    group: group?.name,
    scope
  }
}

import { errorMessage } from '../../errors.ts'
import type { HookEnvironment } from '../../hooks/kinds/hook-environment.ts'
import type { OutsideHook } from '../../hooks/kinds/spec.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import { envNumber } from '../files/env-number.ts'
import { gateError, sourceOf, type Finding } from '../files/finding.ts'
import type { HookStatus } from './active-hooks.ts'
import { makerOf } from '../files/handler-kinds.ts'
import type { LoadedHook } from '../files/loaded-hooks.ts'
import { makeDataFolder } from '../files/plugins.ts'
import type { Scope } from '../files/sources.ts'
import { vouchFor } from '../trust/trust.ts'

export interface ActiveHooks {
  readonly findings: readonly Finding[]
  disarm(): void
}

/** Of equal hooks, the one of the highest rank runs: repeating a hook at a lower rank does not weaken it. */
export function activateHooks(
  statuses: readonly HookStatus[],
  hooks: HookRegistry,
  place: HookEnvironment,
  root: string
): ActiveHooks {
  const inForce = statuses.filter(({ off }) => off === undefined).map(({ hook }) => hook)
  for (const { plugin } of inForce) if (plugin !== undefined) makeDataFolder(plugin)
  const removals: (() => void)[] = []
  const findings: Finding[] = []
  const attempt = <T>(hook: LoadedHook, make: () => T): readonly T[] => {
    try {
      return [make()]
    } catch (error) {
      findings.push(gateError(hook.place, 'not-armed', errorMessage(error)))
      return []
    }
  }
  const rules = Map.groupBy(inForce.toSorted(byRank), hook => `${hook.place.file}\0${hook.rule}`)
  for (const rule of rules.values()) {
    const names = new Set<string>()
    const free = (wanted: readonly string[]): string | undefined => {
      const found = wanted.find(each => !names.has(each) && !hooks.has(each))
      if (found !== undefined) names.add(found)
      return found
    }
    const members = rule.flatMap(hook => attempt(hook, () => outsideHook(hook, free, place, root)))
    const [first] = rule
    if (first !== undefined) removals.push(...attempt(first, () => activateRule(first, members, hooks)))
  }
  return { findings, disarm: () => removals.forEach(remove => remove()) }
}

/** Below 0, the rank of hooks that a program has registered, are those that yield to them. */
const RANKS: Readonly<Record<Scope, number>> = {
  project: -5,
  local: -5,
  flag: -4,
  skill: -3,
  agent: -2,
  plugin: -1,
  user: 1,
  managed: 2
}

function rankOf({ scope, ofProject, plugin }: LoadedHook): number {
  if (ofProject) return RANKS.project
  return plugin?.managed === true ? RANKS.managed : RANKS[scope]
}

/** Hooks of the project run first: where two rewrite the same key, the last one is one that the project cannot overrule. */
export const byRank = (a: LoadedHook, b: LoadedHook): number => rankOf(a) - rankOf(b)

function activateRule(
  { event, matcher = '' }: LoadedHook,
  members: readonly OutsideHook[],
  hooks: HookRegistry
): () => void {
  const remove = hooks.group(event, matcher, members)
  return () => {
    remove()
    for (const member of members) member.close()
  }
}

/**
 * Where a name is taken, both run: the name of the second includes its source. Without a name, hooks are named after
 * their file; if it is in the home directory, `~` is added, since projects have files of the same name.
 */
function namesFor({ name, place, ofProject }: LoadedHook, label: string, home = '\0'): readonly string[] {
  const { file, line, column } = place
  if (name !== undefined) return [name, `${name} (${file}:${line})`, `${name} (${file}:${line}:${column})`]
  if (ofProject || !file.startsWith(`${home}/`)) return []
  const short = `~${file.slice(home.length)}:${line}`
  return [`${label} (${short})`, `${label} (${short}:${column})`]
}

const END_TIMEOUT = 'CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS'

/** In seconds. At the end of a session a variable of the contract sets the maximum. */
function timeoutOf({ event, spec, defaultTimeout }: LoadedHook, place: HookEnvironment): number | undefined {
  const own = (spec['timeout'] as number | undefined) ?? defaultTimeout
  if (event !== 'SessionEnd') return own
  const most = envNumber(END_TIMEOUT, { [END_TIMEOUT]: place.variable(END_TIMEOUT) }, text => place.notice(text))
  return most === undefined || most === 0 ? own : Math.min(own ?? Number.POSITIVE_INFINITY, most / 1000)
}

function outsideHook(
  hook: LoadedHook,
  free: (wanted: readonly string[]) => string | undefined,
  place: HookEnvironment,
  root: string
): OutsideHook {
  const { type: _, ...own } = hook.spec
  const spec = {
    ...own,
    name: hook.name,
    events: hook.event,
    timeout: timeoutOf(hook, place),
    source: sourceOf(hook.place),
    plugin: hook.plugin,
    ofProject: hook.ofProject,
    verify: hook.ofProject ? vouchFor(hook, root) : undefined
  }
  const built = makerOf(hook.type)(spec, place)
  // In each plugin ${CLAUDE_PLUGIN_ROOT} is another folder, so that the same words are another program.
  const isProgram = hook.plugin !== undefined && hook.type !== 'http'
  const identity = isProgram ? `${built.identity}\0${hook.plugin.root}` : built.identity
  const name = free(namesFor(hook, built.label ?? '', place.variable('HOME')))
  return { ...built, name, identity, rank: rankOf(hook) }
}

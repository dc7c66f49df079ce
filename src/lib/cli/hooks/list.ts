import { pathFrom } from '../../world/files/paths.ts'
import { inOrder } from '../../settings/active/arm.ts'
import { hookStatuses, type HookStatus } from '../../settings/active/active-hooks.ts'
import type { Loaded } from '../../settings/files/loaded-hooks.ts'
import { observesOnly } from '../../settings/permissions/restrictions.ts'
import type { Profile } from '../../hooks/dialect.ts'
import { isGate, rowOf } from '../../hooks/events/event-table.ts'
import { OLDER } from '../../settings/trust/trust.ts'
import { EXIT, look, profileOf, projectIsTrusted, type CommonFlags, type Scene } from '../common.ts'
import { complain, inOneLine, printFinding, safeJson, say, styled, table } from '../print.ts'

/** `carabiner hooks list`: every hook that was found, and whether it is in force. Starts nothing, needs no trust. */
export function list(flags: CommonFlags): number {
  const scene = look(flags)
  const projectTrusted = projectIsTrusted(scene.trust, flags)
  const statuses = hookStatuses(scene.loaded, { projectTrusted }).toSorted((a, b) => inOrder(a.hook, b.hook))
  const profile = profileOf(scene.loaded, flags)
  if (flags.json === true) say(safeJson(asJson(scene, statuses, profile), 2))
  else print(scene, statuses, profile)
  return EXIT.done
}

function asJson({ loaded, trust }: Scene, statuses: readonly HookStatus[], profile: Profile): object {
  return {
    root: loaded.root,
    profile,
    trust,
    hooks: statuses.map(({ hook, off }) => ({
      event: hook.event,
      matcher: hook.matcher ?? '',
      kind: hook.type,
      name: hook.name,
      runs: hook.runs,
      scope: hook.scope,
      source: `${hook.place.file}:${hook.place.line}`,
      key: hook.place.key,
      trust: hook.ofProject ? trust.state : 'not needed',
      inForce: off === undefined,
      observesOnly: observesOnly(hook),
      off,
      timeout: timeoutOf(hook),
      onFailure: policyOf(hook, profile)
    })),
    modules: loaded.modules,
    findings: loaded.findings
  }
}

function print({ loaded, trust }: Scene, statuses: readonly HookStatus[], profile: Profile): void {
  if (statuses.length === 0 && loaded.modules.length === 0) say(`no hooks found for ${loaded.root}`)
  printHooks(statuses, loaded, profile)
  for (const { file, ofProject } of loaded.modules)
    say(`module ${inOneLine(file)}${ofProject && trust.state !== 'trusted' ? '  off: the project is not trusted' : ''}`)
  if (trust.by === 'folder')
    say(styled('yellow', 'the project is trusted including all later changes (trusted by folder)'))
  if (trust.state === 'untrusted' || trust.state === 'changed') {
    const isOlder = trust.changes[0] === OLDER
    const what = isOlder ? OLDER : trust.state === 'changed' ? 'not what was trusted' : 'not trusted'
    complain(`The project is ${what}: carabiner hooks trust`)
  }
  for (const finding of loaded.findings) if (finding.level === 'error') complain(printFinding(finding))
}

const HEAD = ['EVENT', 'MATCHER', 'KIND', 'RUNS', 'SOURCE', 'TIMEOUT', 'IF IT FAILS', 'STATE']

/** A table; on a terminal that is too narrow for it, a few lines a hook. */
function printHooks(statuses: readonly HookStatus[], loaded: Loaded, profile: Profile): void {
  if (statuses.length === 0) return
  const rows = statuses.map(each => rowOfHook(each, loaded, profile).map(inOneLine))
  const [head, ...lines] = table([HEAD, ...rows])
  const { isTTY, columns } = process.stdout
  const fits = !isTTY || Math.max(...[head!, ...lines].map(line => line.length)) <= columns
  if (fits) say(styled('bold', head!))
  statuses.forEach(({ off }, place) => {
    for (const line of fits ? [lines[place]!] : stacked(rows[place]!))
      say(off === undefined ? line : styled('dim', line))
  })
}

function stacked([event, matcher, kind, runs, source, timeout, policy, state]: readonly string[]): readonly string[] {
  return [`${event}  ${matcher}  ${state}`, `  ${kind} ${runs}`, `  ${source}, ${timeout}, if it fails: ${policy}`]
}

function rowOfHook({ hook, off }: HookStatus, { root }: Loaded, profile: Profile): readonly string[] {
  const { event, matcher, type, runs, place } = hook
  return [
    event,
    matcher === undefined || matcher === '' ? '*' : matcher,
    type,
    shortened(runs),
    `${pathFrom(root, place.file) ?? place.file}:${place.line}`,
    `${timeoutOf(hook)} s`,
    policyOf(hook, profile),
    off !== undefined ? `off: ${off}` : observesOnly(hook) ? 'observes only' : 'in force'
  ]
}

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 48 ? `${line.slice(0, 47)}…` : line
}

/** Seconds: its own, or what the contract gives its kind and event. */
function timeoutOf({ spec, event, type, defaultTimeout }: HookStatus['hook']): number {
  const own = spec['timeout']
  const asking = event === 'SessionEnd' ? undefined : type === 'prompt' ? 30 : type === 'agent' ? 60 : undefined
  const usual = asking ?? rowOf(event).fileTimeout ?? 600
  return typeof own === 'number' ? own : (defaultTimeout ?? usual)
}

function policyOf({ spec, event }: HookStatus['hook'], profile: Profile): string {
  const own = spec['onFailure']
  if (typeof own === 'string') return own
  return isGate(event) && profile !== 'compat' ? 'block' : 'continue'
}

import type { ProjectFlags } from '../flags.ts'
import { pathFrom } from '../../world/files/paths.ts'
import { byRank } from '../../settings/active/activate-hooks.ts'
import { hookStatuses, type HookStatus } from '../../settings/active/active-hooks.ts'
import type { Loaded } from '../../settings/files/loaded-hooks.ts'
import { observesOnly } from '../../settings/permissions/restrictions.ts'
import type { Profile } from '../../hooks/dialect.ts'
import { isGate, rowOf } from '../../hooks/events/event-table.ts'
import { OLDER } from '../../settings/trust/trust.ts'
import { EXIT, loadProjectState, activeProfile, projectIsTrusted, type ProjectState } from '../common.ts'
import { printError, escapeLine, findingText, safeJson, printLine, withStyle, alignColumns } from '../print.ts'

/** `carabiner hooks list`: every hook that was found, and whether it is active. Starts nothing, needs no trust. */
export function listHooks(flags: ProjectFlags): number {
  const scene = loadProjectState(flags)
  const projectTrusted = projectIsTrusted(scene.trust, flags)
  const statuses = hookStatuses(scene.loaded, { projectTrusted }).toSorted((a, b) => byRank(a.hook, b.hook))
  const profile = activeProfile(scene.loaded, flags)
  if (flags.json === true) printLine(safeJson(asJson(scene, statuses, profile), 2))
  else print(scene, statuses, profile)
  return EXIT.done
}

function asJson({ loaded, trust }: ProjectState, statuses: readonly HookStatus[], profile: Profile): object {
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
      timeout: hookTimeout(hook),
      onFailure: failurePolicy(hook, profile)
    })),
    modules: loaded.modules,
    findings: loaded.findings
  }
}

function print({ loaded, trust }: ProjectState, statuses: readonly HookStatus[], profile: Profile): void {
  if (statuses.length === 0 && loaded.modules.length === 0) printLine(`no hooks found for ${loaded.root}`)
  printHooks(statuses, loaded, profile)
  for (const { file, ofProject } of loaded.modules)
    printLine(
      `module ${escapeLine(file)}${ofProject && trust.state !== 'trusted' ? '  off: the project is not trusted' : ''}`
    )
  if (trust.by === 'folder')
    printLine(withStyle('yellow', 'the project is trusted including all later changes (trusted by folder)'))
  if (trust.state === 'untrusted' || trust.state === 'changed') {
    const isOlder = trust.changes[0] === OLDER
    const what = isOlder ? OLDER : trust.state === 'changed' ? 'not what was trusted' : 'not trusted'
    printError(`The project is ${what}: carabiner hooks trust`)
  }
  for (const finding of loaded.findings) if (finding.level === 'error') printError(findingText(finding))
}

const HEAD = ['EVENT', 'MATCHER', 'KIND', 'RUNS', 'SOURCE', 'TIMEOUT', 'IF IT FAILS', 'STATE']

function printHooks(statuses: readonly HookStatus[], loaded: Loaded, profile: Profile): void {
  if (statuses.length === 0) return
  const rows = statuses.map(each => hookRow(each, loaded, profile).map(escapeLine))
  const lines = alignColumns([HEAD, ...rows])
  const { isTTY, columns } = process.stdout
  const fits = !isTTY || Math.max(...lines.map(line => line.length)) <= columns
  if (fits) printLine(withStyle('bold', lines[0] ?? ''))
  for (const [place, { off }] of statuses.entries()) {
    const [event, matcher, kind, runs, source, timeout, policy, state] = rows[place] ?? []
    const stacked = [
      `${event}  ${matcher}  ${state}`,
      `  ${kind} ${runs}`,
      `  ${source}, ${timeout}, if it fails: ${policy}`
    ]
    for (const line of fits ? lines.slice(place + 1, place + 2) : stacked)
      printLine(off === undefined ? line : withStyle('dim', line))
  }
}

function hookRow({ hook, off }: HookStatus, { root }: Loaded, profile: Profile): readonly string[] {
  const { event, matcher, type, runs, place } = hook
  return [
    event,
    matcher === undefined || matcher === '' ? '*' : matcher,
    type,
    shortened(runs),
    `${pathFrom(root, place.file) ?? place.file}:${place.line}`,
    `${hookTimeout(hook)} s`,
    failurePolicy(hook, profile),
    off !== undefined ? `off: ${off}` : observesOnly(hook) ? 'observes only' : 'in force'
  ]
}

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 48 ? `${line.slice(0, 47)}…` : line
}

function hookTimeout({ spec, event, type, defaultTimeout }: HookStatus['hook']): number {
  const own = spec['timeout']
  const asking = event === 'SessionEnd' ? undefined : type === 'prompt' ? 30 : type === 'agent' ? 60 : undefined
  const usual = asking ?? rowOf(event).fileTimeout ?? 600
  return typeof own === 'number' ? own : (defaultTimeout ?? usual)
}

function failurePolicy({ spec, event }: HookStatus['hook'], profile: Profile): string {
  const own = spec['onFailure']
  if (typeof own === 'string') return own
  return isGate(event) && profile !== 'compat' ? 'block' : 'continue'
}

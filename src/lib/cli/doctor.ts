import type { ProjectFlags } from './flags.ts'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { answerRules } from '../hooks/events/answers.ts'
import { rowOf } from '../hooks/events/event-table.ts'
import { byRank } from '../settings/active/activate-hooks.ts'
import { findingLine, stopsRun } from '../settings/files/finding.ts'
import { reasonBarred, hookStatuses, type HookStatus } from '../settings/active/active-hooks.ts'
import { lint } from '../settings/lint/lint.ts'
import { OF_PROJECT } from '../settings/files/sources.ts'
import { observesOnly } from '../settings/permissions/restrictions.ts'
import { programPath } from '../tools/search/ripgrep.ts'
import { CREDENTIALS } from '../util/credentials.ts'
import { sandboxProblem } from '../world/process/sandbox.ts'
import { shellWords } from '../world/process/shell.ts'
import { EXIT, loadProjectState, projectIsTrusted, activeProfile } from './common.ts'
import { escapeLine, safeJson, printLine, withStyle } from './print.ts'
import { printProse } from './terminal/width.ts'

export function doctor(flags: ProjectFlags): number {
  const report = examine(flags)
  if (flags.json === true) printLine(safeJson(report, 2))
  else for (const line of page(report)) printProse(line)
  return report.isWhole ? EXIT.done : EXIT.badSettings
}

type Report = ReturnType<typeof examine>

function examine(flags: ProjectFlags) {
  const { loaded, trust } = loadProjectState(flags)
  const projectTrusted = projectIsTrusted(trust, flags)
  const counts = ({ ofProject }: { readonly ofProject?: boolean }): boolean => projectTrusted || ofProject !== true
  const situation = { loaded, projectTrusted, hasAgent: true }
  const statuses = hookStatuses(loaded, situation).toSorted((a, b) => byRank(a.hook, b.hook))
  const isIdle = ({ hook }: HookStatus): boolean => hook.owner !== undefined
  const findings = [...loaded.findings, ...lint(loaded)].filter(({ gate, level }) => gate && level !== 'info')
  const stopping = findings.filter(stopsRun)
  const off = statuses.filter(each => each.off !== undefined && !isIdle(each) && !each.hook.isOwnLine)
  const modules = loaded.modules.map(module => ({ file: module.file, barred: reasonBarred(module, situation) }))
  const barred = modules.filter(module => module.barred !== undefined)
  const noSandbox = loaded.sandbox.enabled ? sandboxProblem() : undefined
  return {
    root: loaded.root,
    profile: activeProfile(loaded, flags),
    mode: loaded.mode ?? 'default',
    sandbox: loaded.sandbox.enabled,
    trust: trust.state,
    inForce: {
      hooks: statuses.filter(each => each.off === undefined).map(hookLine),
      hooksOfSkillsAndSubagents: statuses.filter(isIdle).map(hookLine),
      rules: loaded.rules
        .filter(({ behaviour, scope }) => behaviour !== 'allow' || projectTrusted || !OF_PROJECT.includes(scope))
        .filter(({ place: { file, key } }) => !stopping.some(({ place }) => place.file === file && place.key === key))
        .map(({ behaviour, rule, place }) => `${behaviour} ${rule}  (${place.file}:${place.line})`),
      modules: modules.filter(module => module.barred === undefined).map(({ file }) => file),
      plugins: loaded.plugins.filter(counts).map(({ id, root }) => `${id}  (${root})`),
      subagents: loaded.owners.filter(({ kind }) => kind === 'agent').map(({ name, file }) => `${name}  (${file})`)
    },
    notInForce: [
      ...off.map(each => `${hookLine(each)}: ${each.off}`),
      ...barred.map(module => `module ${module.file}: ${module.barred}`),
      ...stopping.map(findingLine),
      ...(noSandbox === undefined ? [] : [`sandbox: ${noSandbox}`])
    ],
    notices: findings.filter(each => !stopsRun(each)).map(findingLine),
    isWhole:
      barred.length === 0 &&
      noSandbox === undefined &&
      !off.some(({ hook }) => answerRules(rowOf(hook.event).answer).blocks) &&
      stopping.length === 0,
    machine: machine()
  }
}

const hookLine = ({ hook }: HookStatus): string =>
  `${hook.event} ${hook.matcher || '*'}  ${hook.runs}  (${hook.place.file}:${hook.place.line})${observesOnly(hook) ? ' observes only' : ''}`

const runs = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0

const machine = () => ({
  bash: basename(shellWords('').file) === 'bash',
  ripgrep: runs(programPath(), '--version'),
  proc: existsSync('/proc/self/stat'),
  userNamespaces: runs('unshare', '--user', '--map-root-user', 'true'),
  sandbox: sandboxProblem() === undefined,
  credentials: CREDENTIALS.filter(name => (process.env[name] ?? '') !== '')
})

const NEEDED: Readonly<Record<keyof ReturnType<typeof machine>, string>> = {
  bash: 'bash, for the Bash tool and command hooks',
  ripgrep: 'ripgrep, for Glob and Grep',
  proc: '/proc, to find and end what hooks leave running',
  userNamespaces: 'user namespaces, for pidNamespace of a hook',
  sandbox: 'bubblewrap, for the sandbox',
  credentials: 'credentials for models, by the names of their variables'
}

function* page(report: Report): Generator<string> {
  const { root, profile, mode, sandbox, trust, inForce, notInForce, notices } = report
  yield `${root}: profile ${profile}, mode ${mode}, sandbox ${sandbox ? 'on' : 'off'}, project ${trust === 'nothing' ? 'brings nothing to trust' : trust}`
  for (const [part, lines] of Object.entries(inForce))
    if (lines.length > 0) yield* section('green', `In force: ${part.replaceAll(/[A-Z]/g, ' $&').toLowerCase()}`, lines)
  yield* section(notInForce.length === 0 ? 'green' : 'red', 'Not in force', notInForce)
  if (notices.length > 0) yield* section('yellow', 'Restricts less than it seems to', notices)
  const states = Object.entries(report.machine).map(([name, state]) => {
    const words = typeof state === 'boolean' ? (state ? 'yes' : 'no') : state.join(', ') || 'none'
    return `${NEEDED[name as keyof typeof NEEDED]}: ${words}`
  })
  yield* section('bold', 'This machine', states)
}

function* section(style: Parameters<typeof withStyle>[0], title: string, lines: readonly string[]): Generator<string> {
  yield withStyle(style, `${title}${lines.length === 0 ? ': nothing' : ''}`)
  for (const line of lines) yield `  ${escapeLine(line)}`
}

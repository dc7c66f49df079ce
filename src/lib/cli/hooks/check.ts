import type { FlagValues, CHECK_FLAGS } from '../flags.ts'
import { firedAlone } from '../../agent/model-drafts.ts'
import { HARMLESS_WORDS, unsentSequences } from '../../agent/output/terminal-sequence.ts'
import { fault } from '../../faults.ts'
import { EVENTS, isGate, type EventName, type FireInput } from '../../hooks/events/event-table.ts'
import { findingOf, type Finding } from '../../settings/files/finding.ts'
import type { Loaded, LoadedHook } from '../../settings/files/loaded-hooks.ts'
import { pluginFolders } from '../../settings/files/plugins.ts'
import { rootOf } from '../../settings/files/sources.ts'
import { lint } from '../../settings/lint/lint.ts'
import { printGithub, printGitlab, usualAnnotations } from './annotations.ts'
import { hooksHere } from './hooks-here.ts'
import {
  EXIT,
  settingsPlaces,
  trustInstructions,
  loadProjectState,
  decideProjectHooks,
  type ProjectState
} from '../common.ts'
import { counted, printError, escapeText, findingText, safeJson, printLine, withStyle } from '../print.ts'
import { printProse } from '../terminal/width.ts'

type CheckFlags = FlagValues<typeof CHECK_FLAGS>

/** `carabiner hooks check`: reports problems of the hooks here. Without `--run` it starts nothing, needs no trust. */
export async function checkHooks(flags: CheckFlags): Promise<number> {
  const annotations = flags.annotations ?? (flags.json === true ? 'none' : usualAnnotations())
  if (flags.json === true && annotations !== 'none')
    throw fault('E_USAGE', '--json and --annotations both decide what is printed: give one of them')
  const scene = loadProjectState(flags.run === true ? flags : { ...flags, pluginDir: pluginDirs(flags) })
  const { loaded } = scene
  const findings = [...loaded.findings, ...lint(loaded)].toSorted(byPlace)
  if (flags.run === true) {
    const counts = decideProjectHooks(scene, flags)
    if (counts === undefined) {
      for (const line of trustInstructions(scene)) printError(line)
      return EXIT.untrusted
    }
    findings.push(...(await tryOut(scene, counts, flags.json !== true)))
  }
  if (flags.json === true) printLine(safeJson({ root: loaded.root, files: loaded.files, findings }, 2))
  else if (annotations === 'gitlab') printGitlab(findings, loaded.root)
  else {
    if (annotations === 'github') printGithub(findings, loaded.root)
    else for (const finding of findings) printProse(`${findingText(finding)}\n`)
    printSummary(scene, findings)
  }
  return findings.some(({ level }) => level === 'error') ? EXIT.badSettings : EXIT.done
}

/** The folder may be a plugin itself. Its hooks are only read: with `--run` they would count as named by the user. */
const pluginDirs = ({ pluginDir, cwd }: CheckFlags): string[] => [
  ...new Set([...(pluginDir ?? []), ...pluginFolders(rootOf(settingsPlaces(cwd)))])
]

const byPlace = (a: Finding, b: Finding): number =>
  a.place.file.localeCompare(b.place.file) || a.place.line - b.place.line || a.place.column - b.place.column

function printSummary({ loaded }: ProjectState, findings: readonly Finding[]): void {
  const count = (level: Finding['level']): number => findings.filter(finding => finding.level === level).length
  // Hooks of skills and subagents are in files that are not settings.
  const sources = new Set([...loaded.files, ...loaded.hooks.map(({ place }) => place)].map(({ file }) => file))
  if (sources.size + loaded.modules.length + findings.length === 0) {
    printLine(`No hooks and no settings found for ${escapeText(loaded.root)}: there is nothing to check.`)
    return printLine('To begin with a starter policy: carabiner hooks init')
  }
  const [hooks, files] = [counted(loaded.hooks.length, 'hook'), counted(sources.size, 'file')]
  const summary = `${hooks} in ${files}: ${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}, ${counted(count('info'), 'note')}`
  printLine(withStyle(count('error') > 0 ? 'red' : 'green', summary))
}

async function tryOut({ loaded }: ProjectState, projectTrusted: boolean, tell: boolean): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const [place, hook] of loaded.hooks.entries()) {
    if (tell && process.stderr.isTTY) process.stderr.write(`\r${place + 1} of ${loaded.hooks.length}`)
    const [strict, compat] = [
      await runAlone(hook, loaded, projectTrusted, 'strict'),
      await runAlone(hook, loaded, projectTrusted, 'compat')
    ]
    if (strict === undefined || compat === undefined) continue
    findings.push(...differences(hook, strict, compat))
  }
  // Loading the modules runs their code.
  const armed = await hooksHere({ loaded: { ...loaded, hooks: [] }, projectTrusted })
  findings.push(...armed.findings.filter(({ code }) => code === 'module'))
  await armed.close()
  if (tell && process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  return findings
}

type Tried = { readonly blocked: boolean; readonly failure: string | undefined; readonly unsent: string | undefined }

async function runAlone(
  hook: LoadedHook,
  loaded: Loaded,
  projectTrusted: boolean,
  profile: 'strict' | 'compat'
): Promise<Tried | undefined> {
  const alone: Loaded = {
    ...loaded,
    hooks: [{ ...hook, matcher: undefined }],
    modules: [],
    profile,
    locks: { ...loaded.locks, profile }
  }
  const owners = hook.owner === undefined ? [] : [hook.owner]
  const armed = await hooksHere({ loaded: alone, projectTrusted, owners })
  try {
    if (armed.statuses().some(({ off }) => off !== undefined)) return undefined
    const { input, rules } = firedAlone(hook.event, sampleFor(hook), armed)
    const outcome = await armed.hooks.fire(hook.event, input as FireInput<EventName>, rules)
    return {
      blocked: outcome.blocked,
      unsent: unsentSequences(outcome)[0]?.why,
      failure: outcome.failures[0] && `${outcome.failures[0].kind}: ${outcome.failures[0].message}`
    }
  } finally {
    await armed.close()
  }
}

function sampleFor({ event, matcher }: LoadedHook): Record<string, unknown> {
  const sample: Record<string, unknown> = structuredClone({ ...EVENTS[event].sample })
  const first = matcher?.split(/[|,]/)[0]?.trim()
  if (sample['tool_name'] !== undefined && first !== undefined && /^[A-Za-z]\w*$/.test(first))
    sample['tool_name'] = first
  return sample
}

const END_WELL = 'make it end with exit code 0 or 2'

function differences(hook: LoadedHook, strict: Tried, compat: Tried): readonly Finding[] {
  const finding = (level: Finding['level'], code: string, what: string, fix: string): readonly Finding[] => {
    const words = [code, `with the sample of ${hook.event} it ${what}`, fix] as const
    return [findingOf(level, hook.place, isGate(hook.event), words)]
  }
  if (strict.failure !== undefined) {
    const why = `(${escapeText(strict.failure)})`
    return strict.blocked && !compat.blocked
      ? finding('error', 'run-differs', `fails: the strict profile blocks, Claude Code would continue ${why}`, END_WELL)
      : finding('warning', 'run-failed', `fails ${why}`, END_WELL)
  }
  if (strict.unsent !== undefined)
    return finding('warning', 'run-terminal', `answers, but ${escapeText(strict.unsent)}`, `send ${HARMLESS_WORDS}`)
  if (strict.blocked === compat.blocked) return []
  const [one, other] = [strict, compat].map(({ blocked }) => (blocked ? 'blocks' : 'passes'))
  const fix = 'answer with exit code 2 or with JSON, which mean the same under both'
  return finding('warning', 'run-differs', `${one} under strict and ${other} under compat`, fix)
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fault } from '../../faults.ts'
import { definedFields } from '../../sdks/agent-sdk.ts'
import { ownLine } from '../../settings/files/own-line.ts'
import { foreignHand, type Where } from '../../settings/files/sources.ts'
import { isWithin, realPath, repositoryTop } from '../../world/files/paths.ts'
import { findProgram } from '../../world/process/shell.ts'
import { EXIT, settingsPlaces } from '../common.ts'
import type { FlagValues, INSTALL_FLAGS } from '../flags.ts'
import { alignColumns, escapeLine, printLine, safeJson } from '../print.ts'
import { printProse } from '../terminal/width.ts'
import { isClosed } from './answer.ts'
import type { HostDialect } from './dialect.ts'
import { dialectOf, HOST_NAMES, isHost, type HostName } from './hosts.ts'
import { changeFile, jsonFormat, scriptFormat, type Format, type HostFile } from './installed-file.ts'
import type { Probed } from './probe/probe.ts'
import { unenforced } from './unenforced.ts'

type InstallFlags = FlagValues<typeof INSTALL_FLAGS>

/** Agents end a hook that takes too long and go on, so they are given longer than the deadline. In seconds. */
const GRACE = 15

/** The variable by which people move the folder of each agent, and that folder. */
const HOMES: Readonly<Record<HostName, readonly [string, string]>> = {
  claude: ['CLAUDE_CONFIG_DIR', '.claude'],
  codex: ['CODEX_HOME', '.codex'],
  gemini: ['GEMINI_CLI_HOME', '.'],
  qwen: ['QWEN_HOME', '.qwen'],
  copilot: ['COPILOT_HOME', '.copilot'],
  pi: ['PI_CODING_AGENT_DIR', '.pi/agent']
}

/** `carabiner hooks install`: puts the gate in front of the tools of another agent, or takes it away. */
export async function installHooks(flags: InstallFlags): Promise<number> {
  const host = flags.for ?? ''
  if (!isHost(host)) {
    const unknown = host === '' ? '' : `${host} is not an agent that it knows; `
    throw fault('E_USAGE', `${unknown}name the agent: --for ${HOST_NAMES.join(', --for ')}`)
  }
  const dialect = dialectOf(host)
  const [isPrinted, isRemoved] = [flags.print === true, flags.remove === true]
  const events = eventsOf(host, dialect, deadlineIn(flags))
  const file = placeOf(host, dialect, settingsPlaces(flags.cwd), flags)
  const format = formatOf(dialect, file, events, deadlineIn(flags) + GRACE)
  const { state, content } = await changeFile(file, format, { isRemoved, isPrinted })
  const { title, verifiedWith, limits } = dialect
  const cannotBeEnforced = isRemoved ? [] : unenforced(dialect, flags.cwd)
  const next = isRemoved ? [] : nextSteps(host, title, flags)
  const sections = [
    [`Events of ${title}:`, isRemoved ? [] : alignColumns(events.map(eventRow))],
    [`What is in force here and cannot be enforced in ${title}:`, cannotBeEnforced],
    [`What else to know about ${title}:`, isRemoved ? [] : limits],
    ['Next:', next]
  ] as const
  if (flags.json !== true) {
    printProse(`${isPrinted ? 'would be ' : ''}${state}: ${escapeLine(file.path)}`)
    if (isPrinted && content !== undefined) printProse(`\n${content.trimEnd()}`)
    for (const [head, lines] of sections)
      if (lines.length > 0) printProse([`\n${head}`, ...lines.map(line => `  ${escapeLine(line)}`)].join('\n'))
  }
  const probe = isPrinted || isRemoved || flags.probe === false ? null : await probed(host, flags)
  const facts = { host, verifiedWith, file: file.path, state, ...(isPrinted && { content: content ?? null }) }
  if (flags.json === true) printLine(safeJson({ ...facts, events, cannotBeEnforced, limits, next, probe }, 2))
  else if (probe !== null) printProse(`\n${escapeLine(probeWords(probe, title))}`)
  return probe?.crossed === false ? EXIT.failed : EXIT.done
}

function deadlineIn({ deadline = '50' }: InstallFlags): number {
  const seconds = /^\d{1,4}$/.test(deadline) ? Number(deadline) : 0
  if (seconds < 1 || seconds > 3600) throw fault('E_USAGE', `--deadline takes 1 to 3600 seconds, not ${deadline}`)
  return seconds
}

function eventsOf(host: HostName, { events }: HostDialect, deadline: number) {
  const client = join(packageFolder(), 'hosts/client.sh')
  const programs = { bash: findProgram('bash') ?? '/bin/bash', node: process.execPath }
  return Object.entries(events).map(([event, { as }]) => {
    const facts = { event, isClosed: isClosed(host, event) }
    return {
      ...facts,
      as,
      line: ownLine({ ...facts, ...programs, client, host, deadline, env: keptVariables() })
    }
  })
}

/** Where the policy and its programs are found. A project's .env or settings may say otherwise to the agent. */
function keptVariables(): Readonly<Record<string, string>> {
  const { PATH = '', CARABINER_HOME, CARABINER_MANAGED_DIR } = process.env
  const given = { HOME: settingsPlaces(undefined).home, PATH, CARABINER_HOME, CARABINER_MANAGED_DIR }
  return definedFields(given) as Readonly<Record<string, string>>
}

type InstalledEvent = ReturnType<typeof eventsOf>[number]

const eventRow = ({ event, as, isClosed: isGate }: InstalledEvent): readonly string[] => [
  event,
  event === as ? '' : `as ${as}`,
  isGate ? 'refused if it cannot be judged' : ''
]

const packageFolder = (): string => dirname(createRequire(import.meta.url).resolve('carabiner/package.json'))

function placeOf(host: HostName, { title, config }: HostDialect, where: Where, { project }: InstallFlags): HostFile {
  const isProject = project === true
  const path = isProject ? config.project : config.user
  if (path === undefined) throw fault('E_USAGE', `${title} has hooks ${isProject ? 'of users' : 'of projects'} only`)
  const [variable, folder] = HOMES[host]
  const moved = isProject ? undefined : process.env[variable]
  const base = isProject ? (repositoryTop(where.cwd) ?? where.cwd) : where.home
  if (isProject && base === where.home)
    throw fault('E_USAGE', 'your home directory is not a project: change to a project, or name one with --cwd')
  const file = moved ? resolve(moved, relative(folder, path)) : join(base, path)
  const real = realPath(file)
  if (isProject && !isWithin(real, realPath(base)))
    throw fault('E_INSTALL', file, `it leads out of the project, to ${real}`, 'put a file of its own there')
  const strange = isProject ? undefined : foreignHand(real)
  if (strange !== undefined) throw fault('E_INSTALL', file, strange, 'correct who owns it and who may write to it')
  return { path: file, real, ownHome: where.ownHome }
}

const nextSteps = (host: HostName, title: string, { project }: InstallFlags): readonly string[] => [
  ...(host === 'codex'
    ? [
        'start codex and trust the hooks with /hooks: it leaves out others without a word. Until then the gate is not crossed; afterwards, repeat this command to see that it is'
      ]
    : []),
  ...(project === true ? [`trust this folder in ${title}, if it knows trust`] : [])
]

function formatOf(
  { config }: HostDialect,
  { path }: HostFile,
  events: readonly InstalledEvent[],
  seconds: number
): Format {
  if (!path.endsWith('.js'))
    return jsonFormat(
      config.fresh ?? {},
      events.map(({ event, line, isClosed: closed }) => ({
        path: config.at(event),
        value: config.entry(line, seconds, { event, isClosed: closed })
      }))
    )
  const lines = Object.fromEntries(events.map(({ event, line }) => [event, line]))
  const program = readFileSync(join(packageFolder(), 'hosts/pi-extension.js'), 'utf8')
  return scriptFormat(program.replace(/(?<=^const INSTALLED = ).*/m, () => JSON.stringify({ lines, seconds }, null, 2)))
}

async function probed(host: HostName, { project }: InstallFlags): Promise<Probed> {
  if (project === true) return { why: 'it is tried in a folder of its own, where the hooks of this project do not run' }
  return (await import('./probe/probe.ts')).probeHost(host)
}

const probeWords = ({ crossed, why }: Probed, title: string): string =>
  crossed === undefined
    ? `The gate was not tried: ${why}`
    : `${title} was started, with a scripted model. The gate was crossed: ${crossed ? 'yes, its calls pass Carabiner' : 'no, its calls do not pass Carabiner'}, because ${why}`

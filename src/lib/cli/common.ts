import type { ProjectFlags } from './flags.ts'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import type { ResultMessage } from '../agent/output/agent-messages.ts'
import type { Profile } from '../hooks/dialect.ts'
import type { Finding } from '../settings/files/finding.ts'
import { loadSettings } from '../settings/files/load.ts'
import type { Loaded } from '../settings/files/loaded-hooks.ts'
import { usualPlaces, type Where } from '../settings/files/sources.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { needsTrust } from '../settings/trust/digest.ts'
import { giveTrust, OLDER, trustOf, type Trust, type TrustOptions } from '../settings/trust/trust.ts'
import { isFolder } from '../world/files/paths.ts'
import { printError, escapeLine } from './print.ts'
import { interruptible } from './signals.ts'
import { attempt } from '../util/attempt.ts'

export const EXIT = { done: 0, failed: 1, blocked: 2, untrusted: 3, badSettings: 4, usage: 64 } as const

export function exitCode(result: ResultMessage | undefined): number {
  if (result?.error_code === 'E_UNTRUSTED') return EXIT.untrusted
  if (result?.terminal_reason === 'turn_setup_failed') return EXIT.badSettings
  return result?.is_error === true ? EXIT.failed : EXIT.done
}

/** The settings of a folder and their trust, before anything runs. */
export interface ProjectState {
  readonly where: Where
  readonly loaded: Loaded
  readonly trust: Trust
  readonly digest: string | undefined
}

const SOURCES = ['user', 'project', 'local'] as const

export function loadProjectState(flags: ProjectFlags): ProjectState {
  const where = settingsPlaces(flags.cwd)
  const loaded = loadSettings(where, {
    settings: flags.settings,
    pluginDirs: flags.pluginDir,
    modules: flags.hooks,
    sources: sourcesIn(flags)
  })
  const options = trustOptions(flags)
  return { where, loaded, trust: trustOf(loaded, where, options), digest: options.digest }
}

export const trustOptions = ({ trust, trustProjectHooks }: ProjectFlags): TrustOptions => ({
  digest: trust ?? process.env['CARABINER_TRUST'],
  thisRun: trustProjectHooks === true || process.env['CARABINER_TRUST_PROJECT_HOOKS'] === '1'
})

export function settingsPlaces(cwd: string | undefined): Where {
  if (cwd !== undefined && !isFolder(cwd)) throw fault('E_USAGE', `there is no folder ${cwd}`)
  return usualPlaces(cwd, process.env)
}

function sourcesIn({ settingSources }: ProjectFlags): readonly (typeof SOURCES)[number][] | undefined {
  const named = settingSources?.split(',').map(name => name.trim())
  const stray = named?.find(name => name !== '' && !SOURCES.some(source => source === name))
  if (stray !== undefined) throw fault('E_USAGE', `--setting-sources takes ${SOURCES.join(', ')}, not ${stray}`)
  return named && SOURCES.filter(source => named.includes(source))
}

/** What the command line names must be usable: without it, another configuration would be tested. */
export function unusableFindings(
  { where }: ProjectState,
  flags: ProjectFlags,
  findings: readonly Finding[]
): readonly Finding[] {
  const paths = [...(flags.settings === undefined ? [] : [flags.settings]), ...(flags.pluginDir ?? [])]
  const named = new Set(['--settings', '--hooks', ...paths.map(path => resolve(where.cwd, path))])
  return findings.filter(({ level, place }) => level === 'error' && place.key === '' && named.has(place.file))
}

export const projectIsTrusted = ({ state }: Trust, { projectHooks }: ProjectFlags): boolean =>
  projectHooks !== false && (state === 'nothing' || state === 'trusted')

export const activeProfile = ({ locks, profile }: Loaded, flags: ProjectFlags): Profile =>
  locks.profile ?? flags.profile ?? profile ?? 'strict'

/** Whether the project's own hooks apply in this run; `undefined` if that must be decided first, and was not. */
export function decideProjectHooks(scene: ProjectState, flags: ProjectFlags): boolean | undefined {
  const { state } = scene.trust
  if (flags.projectHooks === false) return false
  if (state === 'nothing' || state === 'trusted') return true
  if (scene.loaded.locks.trustByDigest || isCI()) return undefined
  return askOnTerminal(scene) === true ? true : undefined
}

export const isCI = (): boolean => (process.env['CI'] ?? '') !== ''

export function saveTrust({ loaded, where }: Pick<ProjectState, 'loaded' | 'where'>, folder = false): Trust {
  try {
    return giveTrust(loaded, where, folder)
  } catch (error) {
    throw fault('E_TRUST_STORE', where.ownHome, errorMessage(error))
  }
}

/** Standard input may hold the payload: the question is asked on the terminal itself, if there is one. */
function askOnTerminal({ where, loaded, trust }: ProjectState): boolean | undefined {
  if (!process.stderr.isTTY) return undefined
  const terminal = attempt(() => openSync('/dev/tty', 'r+'))
  if (terminal === undefined) return undefined
  try {
    const question = [...describeUntrusted(loaded, trust), 'Trust all of this, as it is now? [y/N] ']
    const answer = Buffer.alloc(1024)
    // Set before the question is shown: Ctrl-C may follow immediately.
    const length = interruptible(() => {
      writeSync(terminal, question.join('\n'))
      return readSync(terminal, answer)
    })
    if (!/^y(es)?$/i.test(answer.toString('utf8', 0, length).trim())) return false
    saveTrust({ loaded, where })
    return true
  } finally {
    closeSync(terminal)
  }
}

const DESCRIBED = {
  nothing: 'brings nothing',
  trusted: 'is trusted',
  untrusted: 'is not trusted',
  changed: 'has changed since it was trusted'
}

export function describeUntrusted(loaded: Loaded, trust: Trust): readonly string[] {
  const { root, hooks, modules, owners, rules, grants, servers } = loaded
  const state = trust.changes[0] === OLDER ? 'was trusted by an older version only' : DESCRIBED[trust.state]
  const of = ({ place }: { place: Finding['place'] }): string => `(${place.file}:${place.line})`
  return [
    `The project ${root} ${state}. It brings:`,
    ...hooks
      .filter(({ ofProject }) => ofProject)
      .map(hook => `  ${hook.event}  ${hook.runs}${variablesLabel(hook)}  ${of(hook)}`),
    ...modules.filter(({ ofProject }) => ofProject).map(module => `  module  ${module.file}  ${of(module)}`),
    ...rules.filter(needsTrust).map(each => `  allow  ${each.rule}  ${of(each)}`),
    ...grants
      .filter(({ ofProject }) => ofProject)
      .map(each => `  allow  ${each.rule}  while ${each.owner} is active  ${of(each)}`),
    ...owners.filter(({ ofProject }) => ofProject).map(({ kind, name, file }) => `  ${kind}  ${name}  (${file})`),
    ...servers.map(
      server => `  server  ${server.name}  ${serverLabel(server)}${variablesLabel(server)}  ${of(server)}`
    ),
    ...trust.changes.map(change => `  ${change}`)
  ].map(escapeLine)
}

const serverLabel = ({ spec: { command, args, url } }: Loaded['servers'][number]): string =>
  [command ?? url, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])].map(String).join(' ')

/** They may decide what is run: `NODE_OPTIONS`, `PATH`. */
const variablesLabel = ({ spec: { env } }: { readonly spec: PlainObject }): string =>
  isObject(env)
    ? Object.entries(env)
        .map(([name, value]) => `  with ${name}=${String(value)}`)
        .join('')
    : ''

export function reportUntrusted(scene: ProjectState): number {
  for (const line of [...describeUntrusted(scene.loaded, scene.trust), ...trustInstructions(scene)]) printError(line)
  return EXIT.untrusted
}

export function trustInstructions({
  loaded: { locks },
  trust: { digest },
  digest: given
}: ProjectState): readonly string[] {
  return [
    ...(given === undefined ? [] : [`The given digest does not match what the project brings: ${escapeLine(given)}`]),
    'Nothing was run. To continue:',
    '  carabiner hooks trust             show them and trust them as they are now',
    `  --trust ${digest}`,
    '                                    trust exactly these, for CI (or CARABINER_TRUST)',
    locks.trustByDigest
      ? '  (--trust-project-hooks            is not allowed here, by managed policy)'
      : '  --trust-project-hooks             trust them for this run, whatever they are',
    '  --no-project-hooks                ignore them'
  ]
}

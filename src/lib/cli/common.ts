import { createInterface } from 'node:readline/promises'
import { closeSync, createReadStream, createWriteStream, openSync } from 'node:fs'
import type { Profile } from '../hooks/decode.ts'
import { loadSettings, type Loaded } from '../settings/load.ts'
import { usualPlaces, type Where } from '../settings/sources.ts'
import { giveTrust, trustOf, type Trust } from '../settings/trust.ts'

/** What a command ends with; see `carabiner --help`. */
export const EXIT = { done: 0, failed: 1, blocked: 2, untrusted: 3, badSettings: 4, usage: 64 } as const

/** The flags that all commands about hooks share. */
export interface CommonFlags {
  cwd?: string
  settings?: string
  settingSources?: string
  pluginDir?: string[]
  hooks?: string[]
  profile?: Profile
  trust?: string
  trustProjectHooks?: boolean
  /** `--no-project-hooks` makes it false. */
  projectHooks?: boolean
}

/** What is there, before anything is run. */
export interface Scene {
  readonly where: Where
  readonly loaded: Loaded
  readonly trust: Trust
}

const SOURCES = ['user', 'project', 'local'] as const

export function look(flags: CommonFlags): Scene {
  const { env } = process
  const where = usualPlaces(flags.cwd ?? process.cwd(), env)
  const named = flags.settingSources?.split(',').map(name => name.trim())
  const sources = named === undefined ? undefined : SOURCES.filter(source => named.includes(source))
  const loaded = loadSettings(where, {
    settings: flags.settings,
    pluginDirs: flags.pluginDir,
    modules: flags.hooks,
    sources
  })
  const thisRun = flags.trustProjectHooks === true || env['CARABINER_TRUST_PROJECT_HOOKS'] === '1'
  return { where, loaded, trust: trustOf(loaded, where, { digest: flags.trust ?? env['CARABINER_TRUST'], thisRun }) }
}

/** Whether the project's own hooks count in this run; `undefined` when that must be decided first, and was not. */
export async function projectCounts(scene: Scene, flags: CommonFlags): Promise<boolean | undefined> {
  const { state } = scene.trust
  if (flags.projectHooks === false) return false
  if (state === 'nothing' || state === 'trusted') return true
  if (scene.loaded.locks.trustByDigest || process.env['CI'] !== undefined) return undefined
  return (await askOnTerminal(scene)) === true ? true : undefined
}

/** Standard input may hold the payload: the terminal itself is asked, where there is one. */
async function askOnTerminal({ where, loaded, trust }: Scene): Promise<boolean | undefined> {
  if (!process.stderr.isTTY) return undefined
  let terminal: number
  try {
    terminal = openSync('/dev/tty', 'r+')
  } catch {
    return undefined
  }
  const output = createWriteStream('', { fd: terminal, autoClose: false })
  const lines = createInterface({ input: createReadStream('', { fd: terminal, autoClose: false }), output })
  try {
    output.write(`${describeUntrusted(loaded, trust).join('\n')}\n`)
    const answer = await lines.question('Trust these hooks, as they are now? [y/N] ')
    if (!/^y(es)?$/i.test(answer.trim())) return false
    giveTrust(loaded, where)
    return true
  } finally {
    lines.close()
    closeSync(terminal)
  }
}

/** What the project brings that does not count yet, for people. */
export function describeUntrusted(loaded: Loaded, trust: Trust): readonly string[] {
  const hooks = loaded.hooks.filter(({ ofProject }) => ofProject)
  const what = trust.state === 'changed' ? 'has changed since it was trusted' : 'is not trusted'
  return [
    `The project ${loaded.root} ${what}. It would run:`,
    ...hooks.map(({ event, runs, place }) => `  ${event}  ${runs}  (${place.file}:${place.line})`),
    ...loaded.modules.filter(({ ofProject }) => ofProject).map(({ file }) => `  module  ${file}`),
    ...trust.changes.map(change => `  ${change}`)
  ]
}

/** How to go on without a person at the terminal. */
export function howToTrust({ digest }: Trust): readonly string[] {
  return [
    'Nothing was run. To go on:',
    '  carabiner hooks trust             look at them and trust them as they are',
    `  --trust ${digest}`,
    '                                    trust exactly these, for CI (or CARABINER_TRUST)',
    '  --trust-project-hooks             trust whatever is there, for this run',
    '  --no-project-hooks                go without them'
  ]
}

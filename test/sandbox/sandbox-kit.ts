/** A project with neighbours that it must not touch, outside of `/tmp`, which is private in the sandbox. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  lstatSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ask, projectIn, resultsIn, type Asked, type Asking, type Project } from '../support/agent-kit.ts'
import { attempt } from '../../src/lib/util/attempt.ts'
import type { TurnOrMaker } from '../../src/testing.ts'

export interface Neighbourhood extends Project {
  readonly base: string
  readonly outside: string
  /** Everything outside the project: each file with its content. */
  neighbours(): Readonly<Record<string, string>>
}

/** Written in files that no confined process may read. */
export const SECRET = 'THE-SECRET-4711'

export function neighbourhood(): Neighbourhood {
  const base = realpathSync(mkdtempSync('/var/tmp/carabiner-sandbox-test-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const place = projectIn(base)
  const outside = join(base, 'outside')
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  put(join(outside, 'canary'), 'untouched\n')
  for (const name of [
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.config/gh/hosts.yml',
    '.netrc',
    '.npmrc',
    '.carabiner/own'
  ])
    put(join(place.home, name), `${SECRET}\n`)
  put(join(place.home, 'notes.txt'), 'plain\n')
  return { ...place, base, outside, neighbours: () => ({ ...filesIn(outside), ...filesIn(place.home) }) }
}

/** Folders end in a slash. What the runtime itself keeps in its home is left out. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (/\.carabiner\/(?!own)/.test(path)) continue
    const stat = lstatSync(path)
    if (stat.isDirectory()) Object.assign(files, { [`${path}/`]: '' }, filesIn(path))
    else files[path] = stat.isFile() ? `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}` : 'no file'
  }
  return files
}

/** Everything is allowed, by rules and by a person: only the sandbox is left. */
const anything = {
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
  canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input })
} as const satisfies Asking

export const askConfined = (turns: readonly TurnOrMaker[], place: Project, more: Asking = {}): Promise<Asked> =>
  ask(turns, { in: place, sandbox: true, ...anything, ...more })

/** Runs these commands, one after the other, and returns their results. */
export async function confined(
  place: Project,
  commands: readonly string[],
  more: Asking = {}
): Promise<readonly { readonly text: string; readonly isError: boolean }[]> {
  const turns = commands.map(command => ({ calls: [{ name: 'Bash', input: { command } }] }))
  const { sent } = await askConfined([...turns, 'done'], place, more)
  return resultsIn(sent.at(-1) ?? [])
}

/** Processes whose name starts with this. */
export const processesNamed = (name: string): readonly number[] =>
  readdirSync('/proc')
    .filter(pid => /^\d+$/.test(pid) && attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.startsWith(name))
    .map(Number)

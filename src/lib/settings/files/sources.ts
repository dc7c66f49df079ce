import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { kindOf, realPath } from '../../world/files/paths.ts'
import { wordsOf } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { gateError, startOf, type Finding } from './finding.ts'
import { attempt } from '../../util/attempt.ts'

/** Whose words they are. What comes with a project counts only when the project is trusted. */
export type Scope = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'plugin' | 'skill' | 'agent'

export const OF_PROJECT: readonly Scope[] = ['project', 'local']

/** A file that may hold settings. */
export interface Source {
  readonly scope: Scope
  readonly file: string
}

/** The folders from which settings are found. */
export interface Where {
  readonly cwd: string
  readonly home: string
  /** Our own folder: `CARABINER_HOME`, or `~/.carabiner`. */
  readonly ownHome: string
  /** Folders of managed policy, of which nobody else can lift anything. */
  readonly managed: readonly string[]
}

/** Folders of managed policy that need not be there. */
export const USUAL_MANAGED: readonly string[] = ['/etc/claude-code', '/etc/carabiner']

/** Where an ordinary process on this machine looks. */
export function usualPlaces(cwd: string | undefined, env: Readonly<Record<string, string | undefined>>): Where {
  const home = realPath(folderIn(env, 'HOME') ?? usualHome())
  const further = folderIn(env, 'CARABINER_MANAGED_DIR')
  return {
    cwd: cwd !== undefined && isAbsolute(cwd) ? realPath(cwd) : realPath(cwd ?? '.', ownFolder()),
    home,
    ownHome: folderIn(env, 'CARABINER_HOME') ?? join(home, '.carabiner'),
    managed: [...USUAL_MANAGED, ...(further === undefined ? [] : [further])]
  }
}

/** Somebody may have removed the folder in which we were started. */
function ownFolder(): string {
  const folder = attempt(() => process.cwd())
  if (folder !== undefined) return folder
  throw fault('E_USAGE', 'the folder in which this was started is gone: go to one that is there')
}

function usualHome(): string {
  const home = attempt(() => userInfo().homedir)
  // In a container the user may have no entry anywhere.
  if (home === undefined) throw fault('E_USAGE', 'nobody knows where your home is: set HOME to an absolute path')
  return home
}

/** A folder of the user's must be the same wherever one stands: else a project could pass for it. */
function folderIn(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const folder = env[name]
  if (folder === undefined || folder === '') return undefined
  if (!isAbsolute(folder)) throw fault('E_USAGE', `${name} should be an absolute path, not ${folder}`)
  return resolve(folder)
}

/** The project's root: the nearest folder from here up that has settings, within the same repository; else here. */
export function rootOf({ cwd, home }: Where): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder !== home && mayBeThere(join(folder, '.claude'))) return folder
    if (existsSync(join(folder, '.git')) || folder === dirname(folder) || folder === home) return cwd
  }
}

/** The settings files, in the order in which they add up. */
export function sourcesOf(where: Where, root: string): readonly Source[] {
  const own = [join(where.home, '.claude/settings.json'), join(where.ownHome, 'settings.json')]
  const project = root === where.home ? [] : projectSources(root)
  return [
    ...where.managed.flatMap(managedFiles).map(file => ({ scope: 'managed', file }) as const),
    ...own.map(file => ({ scope: 'user', file }) as const),
    ...project
  ]
}

const projectSources = (root: string): readonly Source[] => [
  { scope: 'project', file: join(root, '.claude/settings.json') },
  { scope: 'local', file: join(root, '.claude/settings.local.json') }
]

/** The files that may say something, and the folders in which more of them may appear. */
export function watchedBy(where: Where, root: string): readonly string[] {
  const folders = [where.home, root].flatMap(base =>
    ['skills', 'commands', 'agents'].map(name => join(base, '.claude', name))
  )
  const managed = where.managed.map(folder => join(folder, 'managed-settings.d'))
  return [...sourcesOf(where, root).map(({ file }) => file), ...managed, ...folders]
}

function managedFiles(folder: string): readonly string[] {
  const more = join(folder, 'managed-settings.d')
  return [join(folder, 'managed-settings.json'), ...namesIn(more, '.json').map(name => join(more, name))]
}

/** Whether something has this name: also a link that leads nowhere, and what may not be looked at. */
export function mayBeThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}

/** What is said of a folder that is there and cannot be looked through: what is in it may restrict. */
export function closedFolder(folder: string): readonly Finding[] {
  if (!mayBeThere(folder)) return []
  try {
    readdirSync(folder)
    return []
  } catch (error) {
    return [closed(folder, wordsOf(error))]
  }
}

/** A folder in which something that restricts may be, and that cannot be looked through. */
export const closed = (folder: string, why: string): Finding =>
  gateError(
    startOf(folder),
    'not-read',
    `${folder} cannot be looked through (${why})`,
    'check who may read it and where it leads, or delete it'
  )

/** The names in a folder that end so, sorted; none where there is no such folder. */
export function namesIn(folder: string, ending: string): readonly string[] {
  const names = attempt(() => readdirSync(folder)) ?? []
  return names.filter(name => name.endsWith(ending)).toSorted()
}

/** The files below a folder, links to folders not followed; `undefined` where there are more than so many. */
export function filesBelow(folder: string, most: number): readonly string[] | undefined {
  const files: string[] = []
  const folders = [folder]
  for (const each of folders) {
    for (const name of namesIn(each, '')) {
      const path = join(each, name)
      const kind = lstatSync(path, { throwIfNoEntry: false })
      if (kind?.isDirectory() === true) folders.push(path)
      else if (kindOf(path)?.isFile() === true) files.push(path)
      if (files.length + folders.length > most) return undefined
    }
  }
  return files
}

/** Why the user's own settings cannot be the user's own: others could have written them. */
export function foreignHand(file: string): string | undefined {
  const stat = kindOf(file)
  if (stat === undefined || process.getuid === undefined) return undefined
  if ((stat.mode & 0o002) !== 0) return 'anybody on this machine may write to it'
  return stat.uid === process.getuid() || stat.uid === 0 ? undefined : 'it belongs to another user'
}

/** Whether a file of a project, followed through all links, is in the project. */
export const staysInProject = (file: string, root: string): boolean =>
  attempt(() => relative(realpathSync(root), realpathSync(file)))?.startsWith('..') !== true

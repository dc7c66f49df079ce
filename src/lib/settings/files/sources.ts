import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { kindOf, realPath } from '../../world/files/paths.ts'
import { errorMessage } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { gateError, startOf, type Finding } from './finding.ts'
import { attempt } from '../../util/attempt.ts'

/** Where settings come from. What comes with a project applies only when the project is trusted. */
export type Scope = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'plugin' | 'skill' | 'agent'

export const OF_PROJECT: readonly Scope[] = ['project', 'local']

/** A file that may hold settings. */
export interface Source {
  readonly scope: Scope
  readonly file: string
}

/** The folders in which settings are looked for. */
export interface Where {
  readonly cwd: string
  readonly home: string
  /** `CARABINER_HOME`, or `~/.carabiner`. */
  readonly ownHome: string
  /** Folders of managed policy, which no other settings can override. */
  readonly managed: readonly string[]
}

/** These need not exist. */
export const USUAL_MANAGED: readonly string[] = ['/etc/claude-code', '/etc/carabiner']

/** The folders that an ordinary process on this machine uses. */
export function usualPlaces(cwd: string | undefined, env: Readonly<Record<string, string | undefined>>): Where {
  const userHome = folderIn(env, 'HOME') ?? attempt(() => userInfo().homedir)
  // In a container the user may have no entry anywhere.
  if (userHome === undefined) throw fault('E_USAGE', 'your home folder is unknown: set HOME to an absolute path')
  const home = realPath(userHome)
  const further = folderIn(env, 'CARABINER_MANAGED_DIR')
  // The working directory may have been removed since the process started.
  const base = cwd !== undefined && isAbsolute(cwd) ? cwd : attempt(() => process.cwd())
  if (base === undefined) throw fault('E_USAGE', 'the working directory no longer exists: change to one that does')
  return {
    cwd: realPath(cwd ?? '.', base),
    home,
    ownHome: folderIn(env, 'CARABINER_HOME') ?? join(home, '.carabiner'),
    managed: [...USUAL_MANAGED, ...(further === undefined ? [] : [further])]
  }
}

/** Must be absolute: a relative path could lead into a project, which would then pass for the user. */
function folderIn(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const folder = env[name]
  if (folder === undefined || folder === '') return undefined
  if (!isAbsolute(folder)) throw fault('E_USAGE', `${name} should be an absolute path, not ${folder}`)
  return resolve(folder)
}

/** The nearest folder upwards that has settings, within the same repository; else the working directory. */
export function rootOf({ cwd, home }: Where): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder !== home && mayBeThere(join(folder, '.claude'))) return folder
    if (existsSync(join(folder, '.git')) || folder === dirname(folder) || folder === home) return cwd
  }
}

/** In the order in which they apply. */
export function sourcesOf({ home, ownHome, managed }: Where, root: string): readonly Source[] {
  const sources: Source[] = managed.flatMap(managedFiles).map(file => ({ scope: 'managed', file }))
  sources.push({ scope: 'user', file: join(home, '.claude/settings.json') })
  sources.push({ scope: 'user', file: join(ownHome, 'settings.json') })
  if (root === home) return sources
  sources.push({ scope: 'project', file: join(root, '.claude/settings.json') })
  return [...sources, { scope: 'local', file: join(root, '.claude/settings.local.json') }]
}

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

/** True also for a link that leads nowhere, and for a path that may not be accessed. */
export function mayBeThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}

export function closedFolder(folder: string): readonly Finding[] {
  if (!mayBeThere(folder)) return []
  try {
    readdirSync(folder)
    return []
  } catch (error) {
    return [closed(folder, errorMessage(error))]
  }
}

export const closed = (folder: string, why: string): Finding =>
  gateError(
    startOf(folder),
    'not-read',
    `${folder} cannot be looked through (${why})`,
    'check who may read it and where it leads, or delete it'
  )

/** Sorted; empty if the folder does not exist. */
export function namesIn(folder: string, ending: string): readonly string[] {
  // To ask first costs a tenth of an error, and most of these folders are missing.
  const names = existsSync(folder) ? (attempt(() => readdirSync(folder)) ?? []) : []
  return names.filter(name => name.endsWith(ending)).toSorted()
}

/** Links to folders are not followed. `undefined`: more than `most` files. */
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

/** Why a settings file of the user cannot be trusted: others could have written it. */
export function foreignHand(file: string): string | undefined {
  const stat = kindOf(file)
  if (stat === undefined || process.getuid === undefined) return undefined
  if ((stat.mode & 0o002) !== 0) return 'any user of this machine can write to it'
  return stat.uid === process.getuid() || stat.uid === 0 ? undefined : 'it belongs to another user'
}

/** After following all links. */
export const staysInProject = (file: string, root: string): boolean =>
  attempt(() => relative(realpathSync(root), realpathSync(file)))?.startsWith('..') !== true

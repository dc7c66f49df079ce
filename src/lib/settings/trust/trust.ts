import { readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { isProgram } from '../../world/files/paths.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { fileChange, ownerFiles, recordOnce, ownerWords } from './trusted-files.ts'
import { coverageOf, type Coverage } from './digest.ts'
import type { Loaded, LoadedHook } from '../files/loaded-hooks.ts'
import { foreignHand, staysInProject, type Where } from '../files/sources.ts'
import { isRun } from './word-roles.ts'
import { changeOwnFile } from '../../world/lock/lock.ts'
import { attempt, jsonIn } from '../../util/attempt.ts'

/** Whether what came with a project applies. */
export interface Trust {
  /** `nothing`: the project brings nothing that could act. `changed`: it was trusted, and has changed since. */
  readonly state: 'nothing' | 'trusted' | 'changed' | 'untrusted'
  readonly digest: string | undefined
  readonly by: 'digest' | 'store' | 'folder' | 'this run' | undefined
  readonly changes: readonly string[]
}

/** Trust that is not from the store. */
export interface TrustOptions {
  /** `sha256:…`, from the command line or `CARABINER_TRUST`. */
  readonly digest?: string | undefined
  readonly thisRun?: boolean | undefined
}

interface Entry {
  readonly digest: string
  readonly device: number
  readonly inode: number
  readonly folder: boolean
  readonly parts: Readonly<Record<string, string>>
}

/** Reads and hashes the project's files; starts nothing. */
export function trustOf(loaded: Loaded, where: Where, options: TrustOptions = {}): Trust {
  const coverage = coverageOf(loaded)
  if (coverage === undefined) return { state: 'nothing', digest: undefined, by: undefined, changes: [] }
  const { digest } = coverage
  const trusted = (by: Trust['by']): Trust => ({ state: 'trusted', digest, by, changes: [] })
  if (options.digest === digest) return trusted('digest')
  if (options.thisRun === true && !loaded.locks.trustByDigest) return trusted('this run')
  const entry = entryOf(loaded.root, where)
  if (entry === undefined) return { state: 'untrusted', digest, by: undefined, changes: [] }
  if (entry.isOlder) return { state: 'changed', digest, by: undefined, changes: newlyCovered(entry.parts, coverage) }
  if (entry.folder && !loaded.locks.trustByDigest) return trusted('folder')
  if (!entry.folder && entry.digest === digest) return trusted('store')
  return { state: 'changed', digest, by: undefined, changes: changesBetween(entry.parts, coverage) }
}

/** Saves that the project is trusted as it is now; with `folder`, including all later changes. */
export function giveTrust(loaded: Loaded, where: Where, folder = false): Trust {
  const coverage = coverageOf(loaded)
  if (coverage === undefined) return trustOf(loaded, where)
  const { dev: device, ino: inode } = statSync(loaded.root)
  const entry: Entry = { digest: coverage.digest, device, inode, folder, parts: Object.fromEntries(coverage.parts) }
  changeOwnFile(storeFile(where), () => {
    const root = realpathSync(loaded.root)
    const { projects, older } = readStore(where)
    const { [root]: _, ...rest } = older
    return `${JSON.stringify({ version: VERSION, projects: { ...projects, [root]: entry }, ...rest }, null, 2)}\n`
  })
  return trustOf(loaded, where)
}

/** A folder that was moved or replaced is another folder, even at the same path. */
function entryOf(root: string, where: Where): (Entry & { readonly isOlder: boolean }) | undefined {
  const { projects, older } = readStore(where)
  const path = realpathSync(root)
  const found = [projects, older].find(each => Object.hasOwn(each, path))
  const entry = found?.[path]
  if (!isObject(entry)) return undefined
  const { dev, ino } = statSync(root)
  const isSame = entry['device'] === dev && entry['inode'] === ino
  return isSame ? { ...(entry as unknown as Entry), isOlder: found === older } : undefined
}

function changesBetween(before: Readonly<Record<string, string>>, { parts }: Coverage): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...parts.keys()])].toSorted()
  return names.flatMap(name => {
    const [then, now] = [Object.hasOwn(before, name) ? before[name] : undefined, parts.get(name)]
    if (then === now) return []
    return [`${then === undefined ? 'added' : now === undefined ? 'removed' : 'changed'}: ${name}`]
  })
}

export const OLDER = 'trusted by an older version, which covered less'

/** Compares with what 0.1.0 trusted: a covered file that is only data does not count. */
const newlyCovered = (before: Readonly<Record<string, string>>, coverage: Coverage): readonly string[] => [
  OLDER,
  ...changesBetween(before, coverage)
    .filter(change => !change.startsWith('removed: file '))
    .map(change => change.replace(/^added:/, 'newly covered:'))
]

const storeFile = ({ ownHome }: Where): string => join(ownHome, 'trust.json')

/** Raised when trust covers more: projects that an older version trusted must be trusted again. */
const VERSION = 2

/** Ignored if others may write to it, if invalid, or from a later version. `older`: entries of 0.1.0. */
function readStore(where: Where): Record<'projects' | 'older', PlainObject> {
  const file = storeFile(where)
  const store = foreignHand(file) === undefined && jsonIn(attempt(() => readFileSync(file, 'utf8')) ?? '')
  const { version, projects, ...older } = isObject(store) ? store : {}
  return { projects: version === VERSION && isObject(projects) ? projects : {}, older }
}

/** Called before each start: why not to start, where a file of the hook differs from what was trusted. */
export function vouchFor(hook: LoadedHook, root: string): () => string | undefined {
  const stray = programWithin(hook, root)
  if (stray !== undefined)
    return () => `${stray} would be found in the project itself, by its bare name; name it by a path`
  if (ownerFiles(hook, root) === undefined)
    return () => 'which files its command runs cannot be determined; name each by its path, or put it into a script'
  recordOnce(hook, root)
  return () => {
    const change = fileChange(hook, root)
    return change && `${change} since it was trusted; see carabiner hooks trust`
  }
}

function programWithin(hook: LoadedHook, root: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).map(folder => resolve(root, folder))
  const run = ownerWords(hook, root)?.filter(({ text, role }) => isRun(role) && !/^-|\//.test(text)) ?? []
  return run.find(({ text }) => {
    const program = folders.map(folder => join(folder, text)).find(isProgram)
    return program !== undefined && staysInProject(dirname(program), root)
  })?.text
}

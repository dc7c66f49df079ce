import { createHash } from 'node:crypto'
import { lstatSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isObject } from '../../util/plain.ts'
import { isFile } from '../../world/files/paths.ts'
import type { LoadedHook, LoadedModule, LoadedOwner, LoadedServer } from '../files/loaded-hooks.ts'
import { isCode, isEntry, referencedFiles, type ReferencedFiles } from './referenced-files.ts'
import { scriptText } from './script-text.ts'
import { filesBelow, namesIn } from '../files/sources.ts'
import { wordRoles, type CommandWord } from './word-roles.ts'
import { withFile } from '../files/text.ts'

type Owner = LoadedHook | LoadedModule | LoadedOwner | LoadedServer

/** In a larger folder, the first files by name are covered, and all that are referenced. */
const MOST_FILES = 2_000

/** Includes the code beside the referenced files: a script may run its neighbors. Data there may change. */
function filesOf(all: readonly ReferencedFiles[], root: string): ReadonlySet<string> {
  const files = new Set<string>()
  const folders = new Set<string>()
  for (const named of all) {
    for (const file of named.files) {
      files.add(file)
      folders.add(dirname(file))
    }
    for (const folder of named.folders) {
      for (const name of namesIn(folder, '')) if (isEntry(name)) files.add(join(folder, name))
      if (folder !== root) for (const file of filesBelow(folder, MOST_FILES) ?? filesIn(folder)) files.add(file)
    }
  }
  // The root of a project holds much that its scripts do not use; there only the script itself is covered.
  folders.delete(root)
  for (const folder of folders) for (const file of filesIn(folder).filter(isCode)) files.add(file)
  return files
}

const filesIn = (folder: string): readonly string[] =>
  namesIn(folder, '')
    .slice(0, MOST_FILES)
    .map(name => join(folder, name))
    .filter(isFile)

const MOST_SCRIPTS = 200

function followScripts(named: ReferencedFiles, root: string, plugin: string | undefined): ReferencedFiles {
  const [files, scripts] = [new Set(named.files), new Set(named.scripts)]
  for (const script of scripts) {
    if (scripts.size > MOST_SCRIPTS) break
    const { words, runsMore } = scriptText(script)
    if (words.length === 0) continue
    for (const file of referencedFiles(words, [], root, { plugin, from: dirname(script) })?.scripts ?? []) {
      if (!runsMore && !isCode(file)) continue
      files.add(file)
      scripts.add(file)
    }
  }
  return { files, scripts, folders: named.folders }
}

/** `undefined` where that cannot be known. */
export function ownerFiles(owner: Owner, root: string): ReferencedFiles | undefined {
  if (!('spec' in owner)) {
    const files = new Set([owner.file].filter(isFile))
    return followScripts({ files, scripts: files, folders: new Set() }, root, undefined)
  }
  const words = ownerWords(owner, root)
  if (words === undefined) return undefined
  const pieces = [...textsOf(owner), ...variablesOf(owner)].flatMap(text => [text, ...piecesIn(text)])
  const plugin = pluginOf(owner)
  const named = referencedFiles(words, pieces, root, { plugin })
  return named && followScripts(named, root, plugin)
}

const LONGEST = 10_000

export function ownerWords(owner: LoadedHook | LoadedServer, root: string): readonly CommandWord[] | undefined {
  const [command = '', ...args] = textsOf(owner)
  const variables = variablesOf(owner)
  if ([command, ...args, ...variables].join('').length > LONGEST) return undefined
  const plugin = pluginOf(owner)
  const known = new Map([
    ['CLAUDE_PROJECT_DIR', root],
    ['PWD', root],
    ['0_FOLDER', root]
  ])
  if (plugin !== undefined) known.set('CLAUDE_PLUGIN_ROOT', plugin)
  if (!Array.isArray(owner.spec['args']))
    return wordRoles([...variables.map(exported), command].join(''), undefined, known)
  return variables.length === 0
    ? wordRoles(command, args, known)
    : wordRoles('env', [...variables, command, ...args], known)
}

/** Variables that it sets count as part of its command. */
const variablesOf = ({ spec: { env } }: LoadedHook | LoadedServer): readonly string[] =>
  isObject(env) ? Object.entries(env).map(([name, value]) => `${name}=${String(value)}`) : []

const exported = (variable: string): string => `export "${variable.replaceAll(/["\\`]/g, '\\$&')}"; `

const textsOf = ({ spec: { command, args } }: LoadedHook | LoadedServer): readonly string[] =>
  [command, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])].filter(text => typeof text === 'string')

const pluginOf = (owner: LoadedHook | LoadedServer): string | undefined =>
  'plugin' in owner ? owner.plugin?.root : undefined

/**
 * Texts between blanks, quotes and signs, since a quoted text may be a program. Files that output is written to do not
 * run, unless they are named again: a log may grow.
 */
const piecesIn = (text: string): readonly string[] =>
  text.replaceAll(/>[>&|]?\s*(?:"[^"]*"|'[^']*'|[^\s'"`;&|<>()])+/g, ' ').split(/[\s'"`;&|<>()]+/)

interface Seen {
  stamp: string
  readonly hash: string
}

/** Files as they were when trust was asked for: what is shown, trusted and run must be the same. */
const lookedAt = new WeakMap<object, ReadonlyMap<string, Seen>>()

/** A copy of a hook keeps its `spec`. */
const keyOf = (owner: Owner): object => ('spec' in owner ? owner.spec : owner)

export function recordFiles(owners: readonly Owner[], root: string): ReadonlyMap<string, string> {
  const files = new Map<string, Seen>()
  const named = owners.flatMap(owner => ownerFiles(owner, root) ?? [])
  for (const file of filesOf(named, root)) files.set(file, { stamp: stampOf(file), hash: hashOfFile(file) })
  for (const owner of owners) lookedAt.set(keyOf(owner), files)
  return new Map([...files].map(([file, { hash }]) => [file, hash]))
}

export function recordOnce(owner: Owner, root: string): void {
  if (!lookedAt.has(keyOf(owner))) recordFiles([owner], root)
}

/** Reads only files whose stamp has changed. */
export function fileChange(owner: Owner, root: string): string | undefined {
  recordOnce(owner, root)
  const named = ownerFiles(owner, root)
  if (named === undefined) return 'it now names more files than can be checked'
  const files = lookedAt.get(keyOf(owner))!
  for (const file of filesOf([named], root)) {
    const seen = files.get(file)
    if (seen === undefined) return `${file} is new`
    const stamp = stampOf(file)
    if (stamp === seen.stamp) continue
    if (hashOfFile(file) !== seen.hash) return `${file} has changed`
    seen.stamp = stamp
  }
  return undefined
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`
}

export const hashOf = (data: string): string => createHash('sha256').update(data).digest('hex')

/** A link is hashed as its target and the target's path. In pieces: a file beside a script may be of any size. */
function hashOfFile(file: string): string {
  try {
    const hash = createHash('sha256')
    if (lstatSync(file).isSymbolicLink()) hash.update(`${relative(realpathSync(dirname(file)), realpathSync(file))}\0`)
    withFile(file, descriptor => {
      for (let length = readSync(descriptor, PIECE); length > 0; length = readSync(descriptor, PIECE))
        hash.update(PIECE.subarray(0, length))
    })
    return hash.digest('hex')
  } catch {
    return 'unreadable'
  }
}

const PIECE = Buffer.alloc(65_536)

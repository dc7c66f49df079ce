import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { wordsIn } from '../hooks/kinds/paths.ts'
import type { LoadedHook, LoadedModule } from './load.ts'
import { namesIn } from './sources.ts'

/** What came with a project and names files of it. */
export type Owner = LoadedHook | LoadedModule

/** Of a folder with more files than this, those count that come first by name, and whatever is named itself. */
const MOST_FILES = 2_000

/** The files that a hook or module of the project names, with those beside them: a script may read its neighbours. */
export function filesOf(owner: Owner, root: string): readonly string[] {
  if (!('spec' in owner)) return withNeighbours(owner.file, root)
  const { command, args } = owner.spec
  const texts = [command, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])]
  const folders = [root, ...(owner.plugin === undefined ? [] : [owner.plugin.root])]
  const paths = new Set(texts.flatMap(text => (typeof text === 'string' ? pathsIn(text, root, folders[1]) : [])))
  const named = [...paths].filter(path => folders.some(folder => isWithinFolder(path, folder)))
  return [...new Set(named.flatMap(path => withNeighbours(path, root)))]
}

/**
 * Whatever a command may mean by its words, from the root and from the folders that it goes to. Where a path begins with
 * something that only a shell can tell, such as `$(git rev-parse --show-toplevel)`, the root is taken for it.
 */
function pathsIn(text: string, root: string, plugin: string | undefined): readonly string[] {
  const readings = [wordsIn(text), piecesIn(text)].map(words => words.map(word => expanded(word, root, plugin)))
  const folders = readings.flatMap(words => words.filter((_, place) => words[place - 1] === 'cd'))
  const bases = [root, ...folders.map(folder => resolve(root, folder))]
  return [text, ...readings.flat()]
    .flatMap(word => [word, ...word.split('=').slice(1)])
    .flatMap(word => [...bases.map(base => resolve(base, word)), join(root, word.replace(/^[$})\]][^/]*/, ''))])
}

/** What stands between blanks, quotes and signs: what is quoted may be a program of its own. */
const piecesIn = (text: string): readonly string[] => text.split(/[\s'"`;&|<>()]+/)

const expanded = (word: string, root: string, plugin: string | undefined): string =>
  word.replaceAll(/\$\{?(\w+)(?::?-[^}]*)?\}?/g, (whole, name: string) =>
    name === 'CLAUDE_PROJECT_DIR' ? root : name === 'CLAUDE_PLUGIN_ROOT' ? (plugin ?? whole) : whole
  )

const isWithinFolder = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** In the root of a project lies much that has nothing to do with its scripts; there a script stands alone. */
function withNeighbours(file: string, root: string): readonly string[] {
  if (!isFile(file)) return []
  const folder = dirname(file)
  if (folder === root) return [file]
  const names = namesIn(folder, '').slice(0, MOST_FILES)
  return [...new Set([file, ...names.map(name => join(folder, name)).filter(isFile)])]
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

/** What a file was when it was looked at. */
interface Seen {
  stamp: string
  readonly hash: string
}

/** Files as they were when somebody was asked about them: what is shown, what is trusted and what may run are the same. */
const lookedAt = new WeakMap<object, ReadonlyMap<string, Seen>>()

/** A copy of a hook keeps its `spec`. */
const keyOf = (owner: Owner): object => ('spec' in owner ? owner.spec : owner)

/** Looks at all files that these name, and remembers them. */
export function lookAt(owners: readonly Owner[], root: string): ReadonlyMap<string, string> {
  const files = new Map<string, Seen>()
  for (const owner of owners) {
    for (const file of filesOf(owner, root)) if (!files.has(file)) files.set(file, see(file))
    lookedAt.set(keyOf(owner), files)
  }
  return new Map([...files].map(([file, { hash }]) => [file, hash]))
}

const see = (file: string): Seen => ({ stamp: stampOf(file), hash: hashOfFile(file) })

/** The same for one that nobody was asked about. */
export function lookOnce(owner: Owner, root: string): void {
  if (!lookedAt.has(keyOf(owner))) lookAt([owner], root)
}

/** How the files of a hook or module differ from what they were when they were looked at. Reads those that look different. */
export function changeIn(owner: Owner, root: string): string | undefined {
  lookOnce(owner, root)
  const files = lookedAt.get(keyOf(owner))!
  for (const file of filesOf(owner, root)) {
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

/** A link counts as what it leads to, and where that is. */
function hashOfFile(file: string): string {
  try {
    const hash = createHash('sha256')
    const link = relative(realpathSync(dirname(file)), realpathSync(file))
    if (link !== basename(file)) hash.update(`${link}\0`)
    readPieces(file, piece => hash.update(piece))
    return hash.digest('hex')
  } catch {
    return 'unreadable'
  }
}

/** Piece by piece: what lies beside a script may be of any size. */
function readPieces(file: string, take: (piece: Uint8Array) => unknown): void {
  const descriptor = openSync(file, 'r')
  try {
    const piece = Buffer.alloc(65_536)
    for (let length = readSync(descriptor, piece); length > 0; length = readSync(descriptor, piece))
      take(piece.subarray(0, length))
  } finally {
    closeSync(descriptor)
  }
}

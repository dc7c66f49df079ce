import { createHash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { wordsIn } from '../hooks/kinds/paths.ts'
import { wordsOf } from '../hooks/kinds/words.ts'
import type { LoadedHook, LoadedModule, LoadedServer } from './loaded.ts'
import { namesIn } from './sources.ts'

/** What came with a project and names files of it. */
type Owner = LoadedHook | LoadedModule | LoadedServer

/** Of a folder with more files than this, those count that come first by name, and whatever is named itself. */
const MOST_FILES = 2_000

/** The files that hooks and modules of the project name, with those beside them: a script may read its neighbours. */
function filesOf(owners: readonly Owner[], root: string): ReadonlySet<string> {
  const files = new Set<string>()
  const folders = new Set<string>()
  for (const script of owners.flatMap(owner => scriptsOf(owner, root))) {
    files.add(script)
    const folder = dirname(script)
    // In the root of a project lies much that has nothing to do with its scripts; there a script stands alone.
    if (folder === root || folders.has(folder)) continue
    folders.add(folder)
    for (const file of filesIn(folder)) files.add(file)
  }
  return files
}

const filesIn = (folder: string): readonly string[] =>
  namesIn(folder, '')
    .slice(0, MOST_FILES)
    .map(name => join(folder, name))
    .filter(isFile)

/** The files of the project, or of its plugin, that one names itself. */
function scriptsOf(owner: Owner, root: string): readonly string[] {
  if (!('spec' in owner)) return [owner.file].filter(isFile)
  if (isBeyondTelling(owner)) return []
  const plugin = 'plugin' in owner ? owner.plugin?.root : undefined
  const folders = [root, ...(plugin === undefined ? [] : [plugin])]
  const paths = new Set(textsOf(owner).flatMap(text => pathsIn(text, root, plugin)))
  return [...paths].filter(path => folders.some(folder => isWithinFolder(path, folder)) && isFile(path))
}

const textsOf = ({ spec: { command, args } }: LoadedHook | LoadedServer): readonly string[] =>
  [command, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])].filter(text => typeof text === 'string')

const LONGEST = 10_000
const MOST_FOLDERS = 8

/** Whether a command is so long that it would take us too long to tell which files it names. */
export function isBeyondTelling(hook: LoadedHook | LoadedServer): boolean {
  const text = textsOf(hook).join(' ')
  return text.length > LONGEST || text.split(/\bcd\b/).length > MOST_FOLDERS
}

/**
 * Whatever a command may mean by its words, from the root and from the folders that it goes to. Where a path begins with
 * something that only a shell can tell, such as `$(git rev-parse --show-toplevel)`, the root is taken for it.
 */
function pathsIn(text: string, root: string, plugin: string | undefined): readonly string[] {
  const told = withoutTargets(text)
  const readings = [wordsIn(told), piecesIn(told)].map(words => words.map(word => expanded(word, root, plugin)))
  const folders = readings.flatMap(words => words.filter((_, place) => words[place - 1] === 'cd'))
  const bases = [root, ...folders.map(folder => resolve(root, folder))]
  const words = [text, ...readings.flat()].flatMap(word => [word, ...word.split('=').slice(1)])
  return [...new Set(words)].flatMap(word => [
    ...bases.map(base => resolve(base, word)),
    ...(/^[/$})\]]/.test(word) ? [join(root, word.replace(/^[^/]*/, ''))] : [])
  ])
}

/** A command without what it writes its output to. That does not run, unless it is named once more: a log may grow. */
function withoutTargets(text: string): string {
  let rest = text
  for (const { isTarget, from, to } of wordsOf(text).toReversed())
    if (isTarget) rest = `${rest.slice(0, from)} ${rest.slice(to)}`
  return rest
}

/** What stands between blanks, quotes and signs: what is quoted may be a program of its own. */
const piecesIn = (text: string): readonly string[] => text.split(/[\s'"`;&|<>()]+/)

const expanded = (word: string, root: string, plugin: string | undefined): string =>
  word.replaceAll(/\$\{?(\w+)(?::?-[^}]*)?\}?/g, (whole, name: string) =>
    name === 'CLAUDE_PROJECT_DIR' ? root : name === 'CLAUDE_PLUGIN_ROOT' ? (plugin ?? whole) : whole
  )

const isWithinFolder = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

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
  for (const file of filesOf(owners, root)) files.set(file, see(file))
  for (const owner of owners) lookedAt.set(keyOf(owner), files)
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
  for (const file of filesOf([owner], root)) {
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
    if (lstatSync(file).isSymbolicLink()) hash.update(`${relative(realpathSync(dirname(file)), realpathSync(file))}\0`)
    readPieces(file, piece => hash.update(piece))
    return hash.digest('hex')
  } catch {
    return 'unreadable'
  }
}

const PIECE = Buffer.alloc(65_536)

/** Piece by piece: what lies beside a script may be of any size. */
function readPieces(file: string, take: (piece: Uint8Array) => unknown): void {
  const descriptor = openSync(file, 'r')
  try {
    for (let length = readSync(descriptor, PIECE); length > 0; length = readSync(descriptor, PIECE))
      take(PIECE.subarray(0, length))
  } finally {
    closeSync(descriptor)
  }
}

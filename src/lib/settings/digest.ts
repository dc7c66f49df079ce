import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { wordsIn } from '../hooks/kinds/paths.ts'
import { isObject } from '../util/plain.ts'
import type { Loaded, LoadedHook } from './load.ts'

/** What of a project has to be trusted before it counts: what it declares, and the files that would run. */
export interface Coverage {
  /** One text for everything together, `sha256:…`. */
  readonly digest: string
  /** The parts, by name, each with a hash of its own: for saying what has changed. */
  readonly parts: ReadonlyMap<string, string>
}

const MOST_FILES = 2_000

/** The project's own declarations and scripts. `undefined` when the project brings nothing that could act. */
export function coverageOf(loaded: Loaded): Coverage | undefined {
  const parts = new Map<string, string>()
  for (const [name, text] of declarations(loaded)) parts.set(name, hashOf(text))
  for (const file of filesOf(loaded)) parts.set(relative(loaded.root, file).split(sep).join('/'), hashOfFile(file))
  if (parts.size === 0) return undefined
  const lines = [...parts].map(([name, hash]) => `${name}\0${hash}\n`).toSorted()
  return { digest: `sha256:${hashOf(lines.join(''))}`, parts }
}

function* declarations({ hooks, rules, modules, root }: Loaded): Generator<readonly [string, string]> {
  const seen = new Map<string, number>()
  const number = (name: string): string => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} #${count}`
  }
  for (const hook of hooks.filter(each => each.ofProject)) {
    const { event, matcher = '', spec, owner = '', plugin } = hook
    yield [
      number(`hook ${event} ${matcher} ${hook.runs}`),
      canonical([event, matcher, spec, owner, plugin?.name ?? ''])
    ]
  }
  for (const { rule, behaviour, scope } of rules)
    if ((scope === 'project' || scope === 'local') && behaviour === 'allow') yield [number(`rule allow ${rule}`), rule]
  for (const { file, ofProject } of modules)
    if (ofProject) yield [number(`module ${relative(root, file)}`), relative(root, file)]
}

/** The files that the project's hooks name, with those beside them: a script may read its neighbours. */
export function filesOf(loaded: Loaded): ReadonlySet<string> {
  const files = new Set<string>()
  for (const hook of loaded.hooks)
    if (hook.ofProject) for (const file of filesOfHook(hook, loaded.root)) files.add(file)
  for (const { file, ofProject } of loaded.modules)
    if (ofProject) for (const each of withNeighbours(file, loaded.root)) files.add(each)
  return files
}

/** The files that one hook names, with those beside them. */
export function filesOfHook({ spec, plugin }: LoadedHook, root: string): readonly string[] {
  const { command, args } = spec
  const words = [
    ...(typeof command === 'string' ? wordsIn(command) : []),
    ...(Array.isArray(args) ? args.flatMap(arg => wordsIn(String(arg))) : [])
  ]
  return words.flatMap(word => {
    const path = resolve(root, expanded(word, root, plugin?.root))
    return isWithinFolder(path, root) || (plugin !== undefined && isWithinFolder(path, plugin.root))
      ? withNeighbours(path, root)
      : []
  })
}

const expanded = (word: string, root: string, plugin: string | undefined): string =>
  word.replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) =>
    name === 'CLAUDE_PROJECT_DIR' ? root : name === 'CLAUDE_PLUGIN_ROOT' ? (plugin ?? whole) : whole
  )

const isWithinFolder = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** In the root of a project lies much that has nothing to do with its scripts; there a script stands alone. */
function withNeighbours(file: string, root: string): readonly string[] {
  if (!isFile(file)) return []
  const folder = dirname(file)
  if (folder === root) return [file]
  const names = readdirSync(folder).slice(0, MOST_FILES)
  return names.map(name => join(folder, name)).filter(isFile)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

export const hashOf = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** A link counts as what it leads to, and where that is. */
export function hashOfFile(file: string): string {
  try {
    const real = realpathSync(file)
    return hashOf(Buffer.concat([Buffer.from(real === file ? '' : `${real}\0`), readFileSync(file)]))
  } catch {
    return 'unreadable'
  }
}

/** JSON with the keys in order, so that the same says the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1))) : item
  )
}

/** Imports in src/ go one way. Reads the import statements of every file and says where one does not. */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { posix } from 'node:path'

/**
 * The modules of src/lib, lowest first. A module may import itself and what stands on a lower line. What
 * shares a line stays apart, except on the lowest. src/*.ts stands on top of all.
 */
const LAYERS = [
  ['util', 'errors', 'faults', 'world', 'version', 'schema', 'tool-table'],
  ['message', 'shell'],
  ['hooks', 'permissions', 'tools', 'model', 'transcript'],
  ['agent', 'sdks'],
  ['settings', 'testing'],
  ['query'],
  ['cli']
]

/** Whatever this file reaches must run anywhere: nothing of Node, no packages. */
const STANDALONE = 'src/hooks.ts'

export interface Import {
  readonly from: string
  readonly to: string
  /** It is gone at run time. */
  readonly typeOnly: boolean
}

const STATEMENT = /^(?:import|export)\s+(type\s+(?!from\b))?(?:[\w$*{},\s]+?\s+from\s+)?['"]([^'"]+)['"]/gm
const DYNAMIC = /^(?!\s*(?:\*|\/\/|\/\*)).*\bimport\(\s*['"]([^'"]+)['"]/gm

/** What a file imports, as types or otherwise. */
export function importsOf(from: string, text: string): readonly Import[] {
  const found = (to: string, typeOnly: boolean): Import => ({ from, to: resolve(from, to), typeOnly })
  return [
    ...Array.from(text.matchAll(STATEMENT), ([, type, to]) => found(to!, type !== undefined)),
    ...Array.from(text.matchAll(DYNAMIC), ([, to]) => found(to!, false))
  ]
}

/** Relative imports become paths from the root, which begin with `./` when they leave src/; packages keep their name. */
function resolve(from: string, to: string): string {
  if (!to.startsWith('.')) return to
  const path = posix.join(posix.dirname(from), to)
  return path.startsWith('src/') ? path : `./${path}`
}

const isPackage = (to: string): boolean => !to.startsWith('src/') && !to.startsWith('./')

/** What is wrong with the imports of these files (path → text), one sentence each. */
export function problemsIn(files: ReadonlyMap<string, string>): readonly string[] {
  const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]))
  const all = [...imports.values()].flat()
  return [
    ...new Set([
      ...[...files.keys()].flatMap(problemOfPlace),
      ...all.flatMap(one => problemOf(one, files)),
      ...cyclesIn(imports),
      ...problemsOfClosure(imports)
    ])
  ]
}

/** `src/lib/hooks/dispatch/run.ts` → `hooks`; `src/lib/errors.ts` → `errors`; `src/hooks.ts` → undefined. */
export const moduleOf = (path: string): string | undefined => /^src\/lib\/([^/]+?)(?:\.ts|\/)/.exec(path)?.[1]

const layerOf = (module: string | undefined): number =>
  module === undefined ? LAYERS.length : LAYERS.findIndex(layer => layer.includes(module))

function problemOfPlace(path: string): readonly string[] {
  if (layerOf(moduleOf(path)) !== -1) return []
  return [`${path}: module "${moduleOf(path)}" has no place yet; add it to LAYERS in scripts/check-imports.ts`]
}

function problemOf({ from, to }: Import, files: ReadonlyMap<string, string>): readonly string[] {
  if (isPackage(to)) return []
  if (!files.has(to)) return [`${from} imports ${to}, which is not a file of src/`]
  const [own, other] = [moduleOf(from), moduleOf(to)]
  const [high, low] = [layerOf(own), layerOf(other)]
  if (own === other || low < high || (low === 0 && high === 0)) return []
  if (low > high) return [`${from} imports ${to}: ${nameOf(own)} is below ${nameOf(other)} and must not know it`]
  return [`${from} imports ${to}: ${nameOf(own)} and ${nameOf(other)} stand side by side and must not know each other`]
}

const nameOf = (module: string | undefined): string => module ?? 'src/*.ts'

function cyclesIn(imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  const done = new Set<string>()
  const problems: string[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) {
      problems.push(`${[...trail.slice(start), path].join(' → ')}: a cycle; only \`import type\` may go in circles`)
      return
    }
    if (done.has(path)) return
    for (const { to, typeOnly } of imports.get(path) ?? []) if (!typeOnly) walk(to, [...trail, path])
    done.add(path)
  }
  for (const path of imports.keys()) walk(path, [])
  return problems
}

function problemsOfClosure(imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  const reached = new Set([STANDALONE])
  // A set also yields what is added while it is walked.
  for (const path of reached) for (const { to } of imports.get(path) ?? []) if (imports.has(to)) reached.add(to)
  return [...reached]
    .flatMap(path => imports.get(path) ?? [])
    .filter(({ to }) => isPackage(to))
    .map(({ from, to }) => `${from} imports ${to}: ${STANDALONE} reaches it, and that needs no Node and no packages`)
}

/** The files of src/, without tests. */
export async function sourceFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for await (const path of glob('src/**/*.ts', { cwd: root })) {
    if (!path.endsWith('.test.ts')) files.set(path.replaceAll('\\', '/'), readFileSync(`${root}/${path}`, 'utf8'))
  }
  return files
}

if (import.meta.main) {
  const files = await sourceFiles('.')
  const problems = problemsIn(files)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`imports of ${files.size} files go one way`)
}

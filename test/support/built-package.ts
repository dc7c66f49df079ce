import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/** The built command line. It is built before the tests if a source is newer. */
export const CLI = join(REPOSITORY, 'dist/cli.js')

/** Runs the compiler. What it complains about is in the error. */
export function tsc(...args: readonly string[]): void {
  try {
    execFileSync(process.execPath, [join(REPOSITORY, 'node_modules/typescript/bin/tsc'), ...args], { encoding: 'utf8' })
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout || String(error), { cause: error })
  }
}

/** What users get as dist: the scripts, which were built before the tests, and the types. */
export function copyDist(to: string, { types = true } = {}): void {
  // Types that lie there may be older.
  cpSync(dirname(CLI), to, { recursive: true, filter: path => !path.endsWith('.d.ts') })
  if (types) cpSync(typesFolder(), to, { recursive: true })
}

/** The types of the sources as they are now: compiled by the first test that needs them, and kept until a source changes. */
function typesFolder(): string {
  const cache = join(REPOSITORY, 'node_modules/.cache/carabiner-types')
  const hash = createHash('sha256')
  for (const file of globSync(['*.json', 'src/**/*.ts'], { cwd: REPOSITORY }).toSorted())
    hash.update(`\0${file}\0`).update(readFileSync(join(REPOSITORY, file)))
  const name = hash.digest('hex')
  if (!existsSync(join(cache, name))) {
    mkdirSync(cache, { recursive: true })
    const fresh = mkdtempSync(join(cache, `${name}-`))
    tsc('-p', join(REPOSITORY, 'tsconfig.build.json'), '--outDir', fresh)
    // Another process may have done the same meanwhile.
    if (!existsSync(join(cache, name))) renameSync(fresh, join(cache, name))
    const isOld = (other: string): boolean => !other.startsWith(name) || join(cache, other) === fresh
    for (const other of readdirSync(cache).filter(isOld)) rmSync(join(cache, other), { recursive: true, force: true })
  }
  return join(cache, name)
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * A folder with the package and its dependencies as users get it, from the sources as they are now. It is not below any node_modules,
 * so that Node also runs TypeScript in it.
 */
export function buildPackage(options?: { readonly types: boolean }): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  copyDist(join(folder, 'dist'), options)
  copyFileSync(join(REPOSITORY, 'package.json'), join(folder, 'package.json'))
  const { dependencies } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as Manifest
  for (const name of Object.keys(dependencies ?? {})) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

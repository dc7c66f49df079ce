import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
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

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * A folder with the package and its dependencies as users get it, built from the sources as they are now: what lies in dist may be older.
 * It is not below any node_modules, so that Node also runs TypeScript in it.
 */
export function buildPackage(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  execFileSync(process.execPath, [join(REPOSITORY, 'scripts/build.ts'), '--out', join(folder, 'dist')])
  copyFileSync(join(REPOSITORY, 'package.json'), join(folder, 'package.json'))
  const { dependencies } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as Manifest
  for (const name of Object.keys(dependencies ?? {})) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

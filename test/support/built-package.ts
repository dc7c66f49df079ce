import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the compiler. What it complains about is in the error. */
export function tsc(...args: readonly string[]): void {
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...args], { encoding: 'utf8' })
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout || String(error), { cause: error })
  }
}

/**
 * A folder with the package as users get it, built from the sources as they are now: what lies in dist may be older.
 * It is not below any node_modules, so that Node also runs TypeScript in it.
 */
export function buildPackage(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  tsc('-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(folder, 'dist'))
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Installs the SDKs of test/sdks/installed, unless they are there, and links them to examples/sdks. They are large
 * and have peers that contradict each other, so they are not dependencies of the main package.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../test/sdks/installed/', import.meta.url))
const MODULES = join(FOLDER, 'node_modules')
const LINKS = fileURLToPath(new URL('../examples/sdks/node_modules/', import.meta.url))

interface Manifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestIn = (folder: string): Manifest | undefined => {
  const file = join(folder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : undefined
}

const dependencies = Object.entries(manifestIn(FOLDER)?.dependencies ?? {})

const areInstalled = (): boolean =>
  dependencies.every(([name, version]) => manifestIn(join(MODULES, name))?.version === version)

/** Says why they cannot be installed. Test files may call it at the same time: the first to finish provides them. */
export function installSdks(): string | undefined {
  const problem = areInstalled() ? undefined : install()
  if (problem === undefined) for (const [name] of dependencies) link(join(MODULES, name), join(LINKS, name))
  return problem
}

function link(target: string, path: string): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  try {
    symlinkSync(target, path, 'junction')
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

function install(): string | undefined {
  const place = mkdtempSync(join(FOLDER, '.install-'))
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(FOLDER, file), join(place, file))
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error']
    const { status, stderr, error } = spawnSync('npm', args, { cwd: place, encoding: 'utf8', timeout: 600_000 })
    if (status !== 0) return `npm ci failed in test/sdks/installed: ${error?.message ?? stderr.trim()}`
    if (areInstalled()) return undefined
    rmSync(MODULES, { recursive: true, force: true })
    renameSync(join(place, 'node_modules'), MODULES)
    return undefined
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const problem = installSdks()
  console.log(problem ?? 'the SDKs of test/sdks/installed are installed')
  if (problem !== undefined) process.exitCode = 1
}

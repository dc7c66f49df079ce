/** Runs every check, one line each, even when one fails. `npm run check -- lint format` runs only those. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-check-'))
const node = process.execPath

/** Each check is a list of commands, all of which must succeed. `*.tgz` is the packed package. */
const CHECKS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  types: [['tsc', '-p', '.']],
  lint: [['oxlint']],
  format: [['oxfmt', '--check']],
  imports: [[node, 'scripts/check-imports.ts']],
  door: [[node, 'scripts/check-door.ts']],
  house: [[node, 'scripts/house.ts', '--check']],
  edges: [[node, 'scripts/check-edges.ts']],
  docs: [
    [node, 'scripts/print-docs.ts', '--check'],
    [node, 'scripts/print-features.ts', '--check'],
    [node, 'scripts/print-schemas.ts', '--check'],
    [node, 'scripts/print-conformance.ts', '--check'],
    [node, 'scripts/print-failures.ts', '--check'],
    [node, 'scripts/print-walk.ts', '--check'],
    [node, 'scripts/print-demo.ts', '--check']
  ],
  unused: [['knip', '--no-progress']],
  build: [
    ['npm', 'run', 'build', '--silent'],
    ['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  ],
  publint: [['publint', 'run', '*.tgz', '--strict']],
  attw: [['attw', '*.tgz', '--profile', 'esm-only', '--no-definitely-typed', '--no-color']],
  size: [[node, 'scripts/check-size.ts']]
}

/** These say something worth reading when all is well, too. */
const TALKATIVE = new Set(['size'])
/** These need what `build` makes. */
const AFTER_BUILD = new Set(['publint', 'attw', 'size'])

function run(command: readonly string[]): { ok: boolean; output: string } {
  const [program, ...args] = command.map(word => (word === '*.tgz' ? tarball() : word))
  const path = [resolve('node_modules/.bin'), process.env['PATH']].join(delimiter)
  const result = spawnSync(program!, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
    maxBuffer: 64 * 1024 * 1024
  })
  const said = [result.stdout, result.stderr, result.error?.message]
  return { ok: result.status === 0, output: said.filter(text => typeof text === 'string').join('') }
}

function tarball(): string {
  const name = readdirSync(folder).find(file => file.endsWith('.tgz'))
  return name === undefined ? 'there is no package, since the build failed' : join(folder, name)
}

function check(name: string): boolean {
  const start = performance.now()
  const results = CHECKS[name]!.map(run)
  const ok = results.every(result => result.ok)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${ok ? '✓' : '✗'} ${name.padEnd(8)} ${seconds} s`)
  const output = results.map(result => result.output).join('')
  if (!ok || TALKATIVE.has(name)) console.log(output.trim().replaceAll(/^(?=.)/gm, '    '))
  return ok
}

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !Object.hasOwn(CHECKS, name))
if (unknown.length > 0) {
  console.error(`there is no check ${unknown.join(', ')}; there are ${Object.keys(CHECKS).join(', ')}`)
  process.exitCode = 64
} else {
  const needsBuild = asked.some(name => AFTER_BUILD.has(name))
  const names = Object.keys(CHECKS).filter(
    name => asked.length === 0 || asked.includes(name) || (name === 'build' && needsBuild)
  )
  const failed = names.filter(name => !check(name))
  if (failed.length > 0) process.exitCode = 1
  console.log(failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`)
}
rmSync(folder, { recursive: true })

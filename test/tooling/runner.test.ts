import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import config from '../../vitest.config.ts'

/** The last line that is printed when these files are run as tests of their own. */
const lastLineOf = (files: Readonly<Record<string, string>>): string | undefined => linesOf(files).at(-1)

/** What is printed when these files are run, with the project's own settings where they are asked for. */
function linesOf(
  files: Readonly<Record<string, string>>,
  more: readonly string[] = [],
  seed?: string
): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-runner-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const reporters = ['--reporter=default', `--reporter=${resolve('scripts/closing-line.ts')}`]
  const args = ['run', '--root', folder, '--globals', ...reporters, ...more]
  const env = { ...process.env, CARABINER_SEED: seed, NO_COLOR: '1', FORCE_COLOR: undefined }
  const { stdout } = spawnSync('node_modules/.bin/vitest', args, { encoding: 'utf8', env })
  return stdout.trimEnd().split('\n')
}

const FINE = `test('one', () => {}); test('two', () => {}); test.skip('three', () => {})`

test('a run ends with one line that counts its tests', () => {
  expect(lastLineOf({ 'a.test.js': FINE, 'b.test.js': `test('no', () => { throw new Error('no') })` })).toBe(
    'tests: 2 passed, 1 failed, 1 skipped'
  )
})

test('a file that cannot be loaded, and an error outside of any test, count as failed', () => {
  const broken = `throw new Error('no'); test('never', () => {})`
  expect(lastLineOf({ 'a.test.js': FINE, 'b.test.js': broken })).toBe('tests: 2 passed, 1 failed, 1 skipped')
  const late = `test('well', () => { void Promise.reject(new Error('late')) })`
  expect(lastLineOf({ 'a.test.js': late })).toBe('tests: 1 passed, 1 failed, 0 skipped')
})

const OURS = ['--config', resolve('vitest.config.ts'), 'draw.test.ts']
const drawing = `
import * as fc from '${resolve('test/support/fast-check.ts')}'
import { SEED } from '${resolve('test/support/seed.ts')}'
test('draws', () => console.log('drawn: ' + SEED + ' ' + fc.sample(fc.nat(), 5).join(' ')))
`
const drawn = (seed?: string): readonly string[] => {
  const lines = linesOf({ 'test/draw.test.ts': drawing }, OURS, seed)
  return lines.filter(line => /^(?:drawn|seed): /.test(line))
}

test('G2: a run prints its seed, and everything that is drawn comes from it', () => {
  const [first, ...rest] = drawn()
  const seed = /^seed: (\d+)$/.exec(first ?? '')?.[1]
  expect(rest).toEqual([expect.stringMatching(new RegExp(`^drawn: ${seed} (?:\\d+ ?){5}$`))])
  expect(drawn(seed)).toEqual([first, ...rest])
})

test('G2: another seed draws something else', () => {
  expect(drawn('7')).not.toEqual(drawn('8').map(line => line.replace('8', '7')))
})

test('G2: a test that waits longer than five seconds is only slow', () => {
  const { test: limits } = config as { test: Record<string, unknown> }
  expect(limits).toMatchObject({ testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 300_000 } } })
})

test('G2: tests draw from the seed of the run only, and set no shorter limits', () => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.test.ts') && !name.includes('node_modules')
  )
  const texts = files.map(name => [name, readFileSync(join('test', name), 'utf8')] as const)
  const library = ['from', "'fast-check'"].join(' ')
  expect(texts.filter(([, text]) => text.includes(library)).map(([name]) => name)).toEqual([])
  const short = /^(?:test|it|describe)[^\n]*, \{ timeout: \d?\d?\d_000 \}, |^\}, \d?\d?\d_000\)$/m
  expect(texts.filter(([, text]) => short.test(text)).map(([name]) => name)).toEqual([])
})

test('what is repeated less often in npm test is repeated in full in the exhaustive suites', () => {
  const print =
    'import("./vitest.config.ts").then(({ default: { test } }) => console.log(JSON.stringify(test.include)))'
  const env = { ...process.env, CARABINER_TESTS: 'exhaustive' }
  const { stdout } = spawnSync(process.execPath, ['-e', print], { encoding: 'utf8', env })
  const included = JSON.parse(stdout) as readonly string[]
  expect(included).toEqual(
    expect.arrayContaining(['test/hooks/dispatch/laws.test.ts', 'test/world/files/own-file.test.ts'])
  )
  expect(included).toContain('test/**/*.exhaustive.test.ts')
})

test('checks can be asked for by name, and an unknown name is an error that lists them', () => {
  const check = (name: string) => spawnSync(process.execPath, ['scripts/check.ts', name], { encoding: 'utf8' })
  expect(check('imports').stdout).toMatch(/^✓ imports +\d+\.\d s\nall checks passed\n$/)
  const unknown = check('typos')
  expect(unknown.status).toBe(64)
  expect(unknown.stderr).toMatch(/^there is no check typos; there are types, lint, format, /)
})

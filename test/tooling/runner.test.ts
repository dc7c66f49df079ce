import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** Runs these files as tests of their own, and gives back the last line that is printed. */
function lastLineOf(files: Readonly<Record<string, string>>): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-runner-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const reporters = ['--reporter=default', `--reporter=${resolve('scripts/closing-line.ts')}`]
  const args = ['run', '--root', folder, '--globals', ...reporters]
  const { stdout } = spawnSync('node_modules/.bin/vitest', args, { encoding: 'utf8' })
  return stdout.trimEnd().split('\n').at(-1)
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

test('checks can be asked for by name, and an unknown name is an error that lists them', () => {
  const check = (name: string) => spawnSync(process.execPath, ['scripts/check.ts', name], { encoding: 'utf8' })
  expect(check('imports').stdout).toMatch(/^✓ imports +\d+\.\d s\nall checks passed\n$/)
  const unknown = check('typos')
  expect(unknown.status).toBe(64)
  expect(unknown.stderr).toMatch(/^there is no check typos; there are types, lint, format, /)
})

import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const files = globSync('test/types/**/*.ts')

// F28: the cases themselves are in test/types; a line marked @ts-expect-error that is no error is one.
test('types narrow as test/types says', () => {
  const { stdout, status } = spawnSync('node_modules/.bin/tsc', ['-p', 'test/types'], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})

test('the type tests need no cast, and are there', () => {
  expect(files.length).toBeGreaterThanOrEqual(7)
  for (const file of files) {
    const code = readFileSync(file, 'utf8').replaceAll(/\/\/.*$|^\/\*\*.*$|^import [^']*/gm, '')
    expect(code, file).not.toMatch(/\bas (?!const\b)|\bany\b/)
  }
})

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolders } from '../../../src/lib/world/files/own-file.ts'

test('a folder and those above it, for the user alone; once more is no fault', () => {
  const base = mkdtempSync(join(tmpdir(), 'carabiner-folders-'))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const folder = join(base, 'a/b/c')
  makeFolders(folder)
  makeFolders(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(base, 'a')).mode & 0o777).toBe(0o700)
})

// FM49
test.skipIf(process.platform !== 'linux')('where nothing can be made it says so, and ends', () => {
  expect(() => makeFolders('/proc/nowhere/a/b')).toThrow(/ENOENT|EACCES/)
  expect(() => makeFolders('/dev/null/a')).toThrow('ENOTDIR')
})

/** Who has a lock can be asked without taking it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holderByFile, lockByFile } from '../../src/lib/transcript/lock-file.ts'
import { holderBySocket, lockBySocket } from '../../src/lib/transcript/lock-socket.ts'

const isLinux = process.platform === 'linux'

test.each([
  ...(isLinux ? [['a socket', lockBySocket, holderBySocket] as const] : []),
  ['a file', lockByFile, holderByFile] as const
])('by %s', async (_, lock, holder) => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-holder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 's.jsonl')
  expect(await holder(file)).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
  const locked = await lock(file, () => 'resting')
  expect(await Promise.all([holder(file), holder(file)])).toMatchObject([{ pid: process.pid }, { pid: process.pid }])
  if ('release' in locked) await locked.release()
  expect(await holder(file)).toBeUndefined()
  // Nobody was kept from it by the question.
  const again = await lock(file, () => 'resting')
  expect('release' in again).toBe(true)
  if ('release' in again) await again.release()
})

/** Who has a lock can be asked without taking it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holderOf, lock } from '../../../src/lib/world/lock/lock.ts'

test('who has it is told without keeping anyone from it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-holder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 's.jsonl')
  expect(await holderOf(file)).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
  const locked = await lock(file, () => 'resting')
  expect(await Promise.all([holderOf(file), holderOf(file)])).toMatchObject([
    { pid: process.pid, doing: 'resting' },
    { pid: process.pid, doing: 'resting' }
  ])
  if ('release' in locked) await locked.release()
  expect(await holderOf(file)).toBeUndefined()
  // No one was kept from it by the question.
  const again = await lock(file, () => 'resting')
  expect('release' in again).toBe(true)
  if ('release' in again) await again.release()
})

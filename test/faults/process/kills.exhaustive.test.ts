import { expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { canUnshare } from '../../support/host.ts'
import { gone } from '../../support/waiting.ts'

// FM9, FM7
test('a thousand commands that ignore SIGTERM are ended, and no one is left', async () => {
  const { hear, ended, running } = startDriver('kills', [1000, 250])
  expect(await hear('closed timeout')).toBe(1000)
  await gone(running)
  expect(await ended).toEqual({ end: 0, stderr: '' })
})

const reason = canUnshare ? '' : ' (unshare may not make process namespaces here)'

// FM11
test.skipIf(!canUnshare)(`the same for 500 in namespaces of their own${reason}`, async () => {
  const { hear, ended, running } = startDriver('kills', [500, 250, 'namespaced'])
  expect(await hear('closed timeout')).toBe(500)
  await gone(running)
  expect(await ended).toEqual({ end: 0, stderr: '' })
})

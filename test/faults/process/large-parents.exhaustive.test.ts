import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { gone, there } from '../../support/waiting.ts'

// FM6, FM9
test('a process of a gigabyte asks through its helper, and does without it when someone kills it', async () => {
  const { told, hear, ended, running, folder } = startDriver('large', [1024])
  await hear('up')
  expect(told[0]).toMatchObject({
    answers: [
      'open silent',
      'closed deny',
      'closed exit',
      'closed signal',
      'open allow',
      'closed spawn',
      'closed deny'
    ],
    helpers: 1
  })
  expect(told[0]!['rss']).toBeGreaterThan(1024)
  await there(running)
  writeFileSync(join(folder, 'go'), '')
  await hear('killed')
  await gone(running)
  expect(await ended).toEqual({ end: 0, stderr: '' })
  expect(told.slice(2)).toMatchObject([
    { killed: 'closed spawn', reason: expect.stringMatching(/helper/), next: 'closed deny' },
    { without: 'closed deny' }
  ])
})

import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { bashTool } from '../../../src/lib/tools/bash/bash.ts'
import { startDriver } from '../../faults/process/drive.ts'
import { hasProgram } from '../../support/host.ts'
import { inTurn } from '../../faults/scene.ts'
import { shellScene } from './shell-scene.ts'
import { gone, POLL } from '../../support/waiting.ts'

/** Descendants that do not listen, in the group, out of it, and out of the tree; all hold the pipes. */
const STUBBORN = `
(trap '' TERM; echo ready; while :; do sleep 1; done) &
setsid sh -c "trap '' TERM; sleep 300" &
(setsid sh -c "trap '' TERM; sleep 300" &)
sleep 300
`

// FM47
test('of a hundred that are given up or take too long no one is left', async () => {
  const { call, running, root } = shellScene()
  vi.stubEnv('TMPDIR', root)
  onTestFinished(() => void vi.unstubAllEnvs())
  const runs = Array.from({ length: 100 }, (_, at) => at)
  const ends = await inTurn(runs, 10, async at => {
    if (at % 2 === 0) return (await call(bashTool, { command: STUBBORN, timeout: 200 })).error
    const stop = new AbortController()
    const calling = { signal: stop.signal, progress: () => stop.abort() }
    return (await call(bashTool, { command: STUBBORN }, calling)).error
  })
  for (const [at, end] of ends.entries()) expect(end).toMatch(at % 2 === 0 ? /took longer/ : /interrupted/)
  await gone(running)
  // Commands write their folder into a file, also when they are made to end.
  await expect.poll(() => readdirSync(root), POLL).toEqual([])
})

// FM47
test('nor when the session ends meanwhile', async () => {
  const { call, close, running, progress } = shellScene()
  const calls = Array.from({ length: 10 }, () => call(bashTool, { command: STUBBORN }))
  const behind = await call(bashTool, { command: STUBBORN, run_in_background: true })
  await expect.poll(() => progress.length, POLL).toBeGreaterThanOrEqual(10)
  await close()
  for (const { error } of await Promise.all(calls)) expect(error).toContain('Exit code')
  expect(behind.error).toBeUndefined()
  await gone(running)
})

// FM47
test('nor when our process is killed', async () => {
  const { child, ended, hear, running } = startDriver('../../../tools/bash/drivers/death', [STUBBORN])
  expect(await hear('ready')).toBe(true)
  child.kill('SIGKILL')
  expect(await ended).toEqual({ end: 'SIGKILL', stderr: '' })
  await gone(running)
})

// FM48
test.skipIf(!hasProgram('prlimit'))('without descriptors to spare the tools say so, and recover', async () => {
  const free = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24]
  const { ended, told, running } = startDriver('../../../tools/bash/drivers/descriptors', [free.join()], {
    within: ['prlimit', '--nofile=64:64']
  })
  expect(await ended).toEqual({ end: 0, stderr: '' })
  const RIGHT = ['here', 'a.txt', 'a.txt:1:here']
  const said = (right: string): unknown => expect.stringMatching(new RegExp(`^${right}$|EMFILE|[Tt]oo many`))
  expect(told).toEqual([
    ...free.map(count => ({ free: count, scarce: RIGHT.map(said), freed: RIGHT })),
    { uncaught: [] }
  ])
  expect(told[0]).toMatchObject({ scarce: RIGHT.map(() => expect.stringMatching(/EMFILE|too many/)) })
  await gone(running)
})

/** Workers that are there and say nothing, or not in time. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { after, unhandledDuring } from '../../../support/hook-kit.ts'
import { allowStep, denyStep, failed, hang, silent, workerStage, workerFolder } from './worker-kit.ts'
import { POLL } from '../../../support/waiting.ts'
import { PROFILES } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: POLL.timeout })

const SILENT = 'was silent for 7 s and was ended; if one answer takes that long, raise heartbeat'

describe.each(PROFILES)('a worker that is silent (%s)', profile => {
  // FM25
  test('because it was stopped is replaced within 7 s', async () => {
    const { ask, hook, clock } = workerStage({ profile })
    await ask([silent])
    const { pid } = hook.status()
    process.kill(pid!, 'SIGSTOP')
    const fired = ask([allowStep])
    await clock.advance(6.999)
    expect(hook.status()).toEqual({ state: 'running', restarts: 0, strays: 0, pid })
    await clock.advance(0.001)
    expect(await fired).toMatchObject(failed('worker', profile, SILENT))
    expect(hook.status()).toEqual({ state: 'waiting', restarts: 0, strays: 0 })
    await clock.advance(0.1)
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
    expect(hook.status()).toMatchObject({ state: 'running', restarts: 1 })
    expect(hook.status().pid).not.toBe(pid)
  })

  // FM25
  test('is replaced also when no one waits for it as long as that', async () => {
    const { ask, hook, clock } = workerStage({ profile, timeout: 1 })
    await ask([silent])
    process.kill(hook.status().pid!, 'SIGSTOP')
    expect(await after(clock, 1, () => ask([allowStep]))).toMatchObject(failed('timeout', profile))
    await clock.advance(6.1)
    expect(hook.status()).toMatchObject({ state: 'starting', restarts: 1 })
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
  })

  // FM25
  test('has as long as its heartbeat says', async () => {
    const { ask, hook, clock, heard } = workerStage({ profile, heartbeat: 60 })
    const fired = ask([{ deaf: true }, { stderr: 'deaf' }])
    await heard('deaf')
    await clock.advance(61.999)
    expect(hook.status().state).not.toBe('waiting')
    await clock.advance(0.001)
    expect(await fired).toMatchObject(failed('worker', profile, 'for 62 s'))
    expect(hook.status().state).toBe('waiting')
  })

  // FM26
  test('closes at the deadline, and what it was asked is not asked again', async () => {
    const log = join(workerFolder(), 'log')
    const { ask, clock } = workerStage({ profile, timeout: 3, env: { PUPPET_LOG: log } })
    await ask([{ deaf: true }, silent], 'deaf')
    const calls = Array.from({ length: 100 }, (_, index) => `call ${index}`)
    const fired = calls.map(call => ask([], call))
    const told = (): readonly string[] => readFileSync(log, 'utf8').trim().split('\n')
    await expect.poll(told, POLL).toEqual(['deaf', ...calls])
    await clock.advance(3)
    for (const outcome of await Promise.all(fired)) expect(outcome).toMatchObject(failed('timeout', profile))
    await clock.advance(10)
    expect(await ask([denyStep('by another')], 'last')).toMatchObject({ reason: 'by another' })
    expect(told().filter(word => word !== 'ping')).toEqual(['deaf', ...calls, 'last'])
  })

  // FM2, FM7
  test('is waited for until the timeout and no longer; late answers are dropped and counted', async () => {
    const { ask, hook, clock, heard, notices } = workerStage({ profile, timeout: 3 })
    const fired = Array.from({ length: 1000 }, () => ask([{ hold: '{"id":#id,"reply":{"decision":"allow"}}' }]))
    void ask(hang('all there'))
    await heard('all there')
    let settled = 0
    for (const each of fired) void each.then(() => settled++)
    await clock.advance(2.999)
    expect(settled).toBe(0)
    await clock.advance(0.001)
    for (const outcome of await Promise.all(fired)) expect(outcome).toMatchObject(failed('timeout', profile))
    const { pid } = hook.status()
    expect(await ask([{ release: true }, denyStep('in time')])).toMatchObject({ reason: 'in time' })
    expect(hook.status()).toEqual({ state: 'running', restarts: 0, strays: 1000, pid })
    expect(notices).toHaveLength(101)
  })

  // FM13
  test('but for a byte now and then is not waited for any longer', async () => {
    const { ask, clock, hook } = workerStage({ profile, timeout: 4 })
    await ask([silent])
    const fired = ask([{ drip: true }])
    await clock.advance(3.999)
    expect(hook.status().state).toBe('running')
    await clock.advance(0.001)
    expect(await fired).toMatchObject(failed('timeout', profile))
    // This is no sign of life either: it never completes a line.
    await clock.advance(3)
    expect(hook.status().state).toBe('waiting')
  })

  // FM17, F112
  test('and never reads 64 MB closes at the deadline, and harms no one', async () => {
    const rejected = await unhandledDuring(async () => {
      const { hooks, clock, hook, running } = workerStage({ profile, timeout: 3, command: 'sleep', args: ['1000'] })
      const command = 'x'.repeat(64 * 1024 * 1024)
      const fire = () => hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call' })
      expect(await after(clock, 3, fire)).toMatchObject(failed('timeout', profile))
      await clock.advance(4)
      expect(hook.status().state).toBe('waiting')
      await expect.poll(running, POLL).toEqual([])
    })
    expect(rejected).toEqual([])
  })

  // FM17
  test.each([
    ['reads nothing', 'sleep 1000'],
    ['closes its standard input', 'exec <&-; sleep 1000']
  ])('and %s: what it says counts all the same', async (_, rest) => {
    const script = `echo '{"id":1,"reply":{"decision":"deny","reason":"always"}}'; ${rest}`
    const { ask, clock } = workerStage({ profile, timeout: 3, command: script, args: undefined })
    expect(await ask([{ say: 'x'.repeat(1024 * 1024) }])).toMatchObject({ decision: 'deny', reason: 'always' })
    expect(await after(clock, 3, () => ask([]))).toMatchObject(failed('timeout', profile))
  })
})

test('standard error is a sign of life', async () => {
  const { ask, hook, clock, heard } = workerStage()
  const fired = ask([{ deaf: true }, { stderr: 'begun' }])
  await heard('begun')
  await clock.advance(6)
  void ask(hang('still at it'))
  await heard('still at it')
  await clock.advance(6)
  expect(hook.status()).toMatchObject({ restarts: 0, state: 'starting' })
  await clock.advance(1)
  expect(await fired).toMatchObject(failed('worker', 'strict', SILENT))
})

test('no one is pinged while no one waits', async () => {
  const log = join(workerFolder(), 'log')
  const { ask, clock } = workerStage({ env: { PUPPET_LOG: log } })
  await ask([silent], 'first')
  await clock.advance(1000)
  await ask([silent], 'second')
  expect(existsSync(log) && readFileSync(log, 'utf8')).toBe('first\nsecond\n')
})

test('a worker is not blamed for our being busy', async () => {
  const { ask, hook } = workerStage({ heartbeat: 0.1, place: { clock: undefined }, registry: { clock: undefined } })
  await ask([silent])
  const fired = ask([denyStep('long ago')])
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
  expect(await fired).toMatchObject({ reason: 'long ago' })
  expect(hook.status()).toMatchObject({ state: 'running', restarts: 0 })
})

/** Workers that end when they should not, and workers that cannot even begin. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { allowStep, denyStep, failed, hang, silent, workerStage, type WorkerStage, workerFolder } from './worker-kit.ts'
import { POLL } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { PROFILES } from '../../../support/hook-inputs.ts'
import { fixture } from '../../../support/fixture.ts'

vi.setConfig({ testTimeout: POLL.timeout })

/** What a worker waits for before it is started again, in seconds. */
const PAUSES = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30]

const mortal = (profile: (typeof PROFILES)[number]): WorkerStage =>
  workerStage({ profile, command: '/bin/sh', args: [fixture('workers/mortal.sh')] })

const fire = ({ hooks }: WorkerStage, command: string) =>
  Promise.resolve(hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call' }))

/** One life: it answers, and then dies of a question while others wait. */
async function live(setting: WorkerStage, profile: (typeof PROFILES)[number], life: number): Promise<void> {
  const { hook, clock } = setting
  const n = life * 10
  const outcomes = await Promise.all([
    fire(setting, `n=${n}`),
    fire(setting, 'die'),
    fire(setting, `n=${n + 1}`),
    fire(setting, `n=${n + 2}`)
  ])
  expect(outcomes[0]).toMatchObject({ reason: String(n), failures: [] })
  for (const outcome of outcomes.slice(1))
    expect(outcome).toMatchObject(failed('worker', profile, 'was ended by SIGKILL'))
  expect(hook.status()).toEqual({ state: 'waiting', restarts: life, strays: 0 })
  const meanwhile = [fire(setting, `n=${n + 3}`), fire(setting, `n=${n + 4}`)]
  await clock.advance(0.099)
  expect(hook.status()).toEqual({ state: 'waiting', restarts: life, strays: 0 })
  await clock.advance(0.001)
  expect((await Promise.all(meanwhile)).map(outcome => outcome.reason)).toEqual([String(n + 3), String(n + 4)])
  expect(hook.status()).toMatchObject({ restarts: life + 1, strays: 0 })
}

describe.each(PROFILES)('a worker that dies (%s)', profile => {
  // FM23: 1,000 deaths in both profiles together, and no answer to the wrong number.
  test('while it is asked closes what waits for it, each time', async () => {
    const settings = Array.from({ length: 10 }, () => mortal(profile))
    await Promise.all(
      settings.map(async setting => {
        for (let life = 0; life < 50; life++) await live(setting, profile, life)
      })
    )
  })

  // FM23
  test('over and over is started once after each pause, and then not any more', async () => {
    const setting = mortal(profile)
    const { hook, clock, notices } = setting
    await fire(setting, 'n=1')
    for (const [step, pause] of PAUSES.entries()) {
      expect(await fire(setting, 'die')).toMatchObject(failed('worker', profile))
      await clock.advance(pause - 0.001)
      expect(hook.status()).toEqual({ state: 'waiting', restarts: step, strays: 0 })
      await clock.advance(0.001)
      expect(hook.status()).toMatchObject({ state: 'starting', restarts: step + 1 })
      expect(notices.at(-1)).toContain(`was ended by SIGKILL (nothing on stderr); it restarts in ${pause} s`)
    }
    expect(await fire(setting, 'die')).toMatchObject(failed('worker', profile))
    expect(hook.status()).toEqual({ state: 'quarantined', restarts: 10, strays: 0 })
    expect(notices).toHaveLength(11)
    expect(notices.at(-1)).toContain('failed 11 times in a row without an answer')
    await clock.advance(1000)
    expect(await fire(setting, 'n=2')).toMatchObject(failed('worker', profile, 'until restart() is called on the hook'))
    expect(hook.status()).toMatchObject({ state: 'quarantined', restarts: 10 })
    hook.restart()
    expect(await fire(setting, 'n=3')).toMatchObject({ reason: '3' })
  })

  test.each([
    [{ exit: 0 }, 'its worker ended with exit code 0'],
    [{ exit: 7 }, 'its worker ended with exit code 7'],
    [{ kill: 'SIGSEGV' }, 'its worker was ended by SIGSEGV']
  ])('says how: %o', async (step, words) => {
    const { ask } = workerStage({ profile })
    const steps = [{ stderr: 'first\n\u001B[31mout of luck\u001B[0m\n' }, step]
    expect(await ask(steps)).toMatchObject(failed('worker', profile, `${words}: out of luck`))
  })
})

describe('the pause before a worker is started again', () => {
  test('is short again after an answer', async () => {
    const { ask, clock, notices } = workerStage()
    for (const pause of [0.1, 0.2, 0.4]) {
      await ask([{ exit: 1 }])
      await clock.advance(pause)
    }
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
    await ask([{ exit: 1 }])
    expect(notices.map(notice => /in ([\d.]+) s$/.exec(notice)?.[1])).toEqual(['0.1', '0.2', '0.4', '0.1'])
  })

  test('is not cut short by a request', async () => {
    const { ask, clock, hook } = workerStage()
    await ask([{ exit: 1 }])
    const waiting = Array.from({ length: 20 }, () => ask([allowStep]))
    await clock.advance(0.05)
    expect(hook.status()).toEqual({ state: 'waiting', restarts: 0, strays: 0 })
    await clock.advance(0.05)
    for (const outcome of await Promise.all(waiting)) expect(outcome.decision).toBe('allow')
    expect(hook.status().restarts).toBe(1)
  })

  test('counts towards the timeout of whoever waits', async () => {
    const { ask, clock, hook } = workerStage({ timeout: 0.05 })
    await ask([{ exit: 1 }])
    const waiting = ask([allowStep])
    await clock.advance(0.05)
    expect(await waiting).toMatchObject(failed('timeout', 'strict'))
    await clock.advance(0.05)
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
    expect(hook.status()).toMatchObject({ restarts: 1, strays: 0 })
  })

  test('is cut short by restart(), and who waited is answered', async () => {
    const { ask, hook } = workerStage()
    await ask([{ exit: 1 }])
    const waiting = ask([denyStep('by the next one')])
    hook.restart()
    expect(await waiting).toMatchObject({ reason: 'by the next one' })
    expect(hook.status()).toMatchObject({ restarts: 1 })
  })
})

// FM26
test('an event is given to one process only, whatever becomes of it', async () => {
  const log = join(workerFolder(), 'log')
  const { ask, clock, heard } = workerStage({ env: { PUPPET_LOG: log } })
  const waiting = [ask(hang('one'), 'first'), ask(hang('two'), 'second')]
  await heard('one')
  await Promise.all([...waiting, ask([{ exit: 1 }], 'third')])
  const meanwhile = ask([silent], 'fourth')
  await clock.advance(0.1)
  await meanwhile
  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(['first', 'second', 'third', 'fourth'])
})

describe('a worker that ends while no one waits', () => {
  test('is started again with the next event, not before', async () => {
    const { ask, clock, hook, notices } = workerStage()
    await ask([silent, { exit: 0 }])
    await expect.poll(() => hook.status(), POLL).toEqual({ state: 'stopped', restarts: 0, strays: 0 })
    expect(notices).toEqual([expect.stringContaining('it restarts with the next event')])
    await clock.advance(1000)
    expect(hook.status()).toEqual({ state: 'stopped', restarts: 0, strays: 0 })
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
    expect(hook.status()).toMatchObject({ state: 'running', restarts: 1 })
  })

  test('is not started in quick succession', async () => {
    const { ask, clock, hook } = workerStage()
    await ask([silent, { exit: 0 }])
    await expect.poll(() => hook.status().state, POLL).toBe('stopped')
    const waiting = ask([allowStep])
    expect(hook.status().state).toBe('waiting')
    await clock.advance(0.1)
    expect(await waiting).toMatchObject({ decision: 'allow' })
  })

  test('may do so as often as it likes', async () => {
    const { ask, clock, hook } = workerStage()
    for (let time = 0; time < 15; time++) {
      expect(await ask([allowStep, { exit: 0 }])).toMatchObject({ decision: 'allow' })
      await expect.poll(() => hook.status().state, POLL).toBe('stopped')
      await clock.advance(1)
    }
    expect(hook.status()).toEqual({ state: 'stopped', restarts: 14, strays: 0 })
  })
})

test('a worker that leaves others running is reported, and they stay', async () => {
  const command = 'sleep 1000 >&- 2>&- & echo $! >&2; read -r line; exit 3'
  const { ask, notices, heard } = workerStage({ command, args: undefined })
  const outcome = await ask([])
  expect(outcome).toMatchObject(failed('worker', 'strict', 'exit code 3'))
  expect(notices).toEqual([expect.stringContaining('it left others running')])
  await heard('\n')
  const pid = Number(/exit code 3: (\d+)/.exec(outcome.reason ?? '')?.[1])
  process.kill(pid)
  await expect.poll(() => isAlive(pid), POLL).toBe(false)
})

describe.each(PROFILES)('a worker that cannot be started (%s)', profile => {
  // FM6
  test.each([
    ['a missing program', { command: '/no/such/program', args: [] }, /could not be started: the program was not found/],
    ['a folder', { command: '/', args: [] }, /could not be started: the program may not be executed/],
    ['a word with NUL', { command: 'a\0b', args: [] }, /could not be started/],
    ['a program that is too long', { command: 'sh', args: ['-c', 'x'.repeat(200_000)] }, /is too long/],
    ['a missing program, for a shell', { command: 'no-such-program', args: undefined }, /not found/],
    ['a folder, for a shell', { command: '/tmp', args: undefined }, /could not be started: .*directory/i]
  ])('fails as such: %s', async (_, spec, words) => {
    const { ask, hook } = workerStage({ profile, ...spec })
    expect(await ask([])).toMatchObject(failed('spawn', profile, words))
    expect(hook.status()).toEqual({ state: 'waiting', restarts: 0, strays: 0 })
  })

  // FM6
  test('is tried again like one that died, and answers once it can', async () => {
    const program = join(workerFolder(), 'program')
    const setting = workerStage({ profile, command: program, args: [] })
    const { hook, clock } = setting
    expect(await fire(setting, 'n=1')).toMatchObject(failed('spawn', profile, 'not found'))
    writeFileSync(program, `#!/bin/sh\n${readFileSync(fixture('workers/mortal.sh'), 'utf8')}`)
    await clock.advance(0.1)
    expect(await fire(setting, 'n=2')).toMatchObject(failed('spawn', profile, 'may not be executed'))
    chmodSync(program, 0o755)
    const waiting = fire(setting, 'n=3')
    await clock.advance(0.2)
    expect(await waiting).toMatchObject({ reason: '3' })
    expect(hook.status()).toMatchObject({ state: 'running', restarts: 2 })
  })
})

import { describe, expect, test, vi } from 'vitest'
import { allow, deny, HookRegistry, type Outcome } from '../../../src/hooks.ts'
import { harness } from '../../../src/testing.ts'
import { after, fireSample, GATES, watchedClock } from '../../support/hook-kit.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

const never = (): Promise<never> => new Promise(() => undefined)

const registry = () => {
  const clock = watchedClock()
  return { clock, hooks: new HookRegistry({ clock }) }
}

describe('a timeout', () => {
  // F92
  test('is 60 seconds where nothing is said', async () => {
    const { clock, hooks } = registry()
    hooks.on('PreToolUse', never)
    const fired = hooks.fire('PreToolUse', bash())
    expect(await after(clock, 59.9, () => fired)).toBe('waiting')
    expect(await after(clock, 0.1, () => fired)).toMatchObject({
      decision: 'deny',
      failures: [{ kind: 'timeout', message: 'gave no answer within 60 s' }]
    })
  })

  // F92
  test.each([0.001, 0.05, 1, 59, 61, 600])('of %d seconds is honoured', async timeout => {
    const { clock, hooks } = registry()
    hooks.on('PreToolUse', never, { timeout })
    const fired = hooks.fire('PreToolUse', bash())
    expect(await after(clock, timeout - 0.0005, () => fired)).toBe('waiting')
    expect(await after(clock, 0.0005, () => fired)).toMatchObject({ decision: 'deny' })
  })

  // F93
  test('of a group or a matcher holds for its hooks', async () => {
    for (const kind of ['group', 'callbacks'] as const) {
      const { clock, hooks } = registry()
      if (kind === 'group') hooks.group('PreToolUse', 'Bash', [never], { timeout: 2 })
      else hooks.callbacks({ PreToolUse: [{ matcher: 'Bash', hooks: [never], timeout: 2 }] })
      const fired = hooks.fire('PreToolUse', bash())
      expect(await after(clock, 1.9, () => fired)).toBe('waiting')
      expect(await after(clock, 0.1, () => fired)).toMatchObject({ decision: 'deny', failures: [{ kind: 'timeout' }] })
    }
  })

  // F94
  test.each(GATES)('closes %s', async event => {
    const { clock, hooks } = registry()
    hooks.register({ name: 'slow', events: event, timeout: 1, run: never })
    expect(await after<Outcome>(clock, 1, () => fireSample(hooks, event))).toMatchObject({
      blocked: true,
      reason: expect.stringMatching(/^gate_failed:timeout: hook slow .*within 1 s$/)
    })
  })

  // F94
  test.each(['SessionEnd', 'PostToolUse', 'SessionStart', 'Stop'] as const)(
    'on %s is a warning, and later hooks run',
    async event => {
      const { clock, hooks } = registry()
      const ran: string[] = []
      hooks.register({ name: 'slow', events: event, timeout: 1, run: never })
      hooks.register({ name: 'next', events: event, run: () => void ran.push('next') })
      expect(await after<Outcome>(clock, 1, () => fireSample(hooks, event))).toMatchObject({
        decision: undefined,
        failures: [{ by: 'slow', kind: 'timeout', failedOpen: false }]
      })
      expect(ran).toEqual(['next'])
    }
  )

  test('is each hook’s own: three slow ones in a row each get theirs', async () => {
    const { clock, hooks } = registry()
    for (const timeout of [1, 2, 3]) hooks.on('PreToolUse', never, { timeout })
    const fired = hooks.fire('PreToolUse', bash())
    expect(await after(clock, 5.9, () => fired)).toBe('waiting')
    expect(await after(clock, 0.1, () => fired)).toMatchObject({ failures: { length: 3 } })
  })

  test('of hooks side by side run side by side', async () => {
    const { clock, hooks } = registry()
    for (const timeout of [3, 1, 2]) hooks.register({ events: 'PreToolUse', concurrent: true, timeout, run: never })
    const fired = hooks.fire('PreToolUse', bash())
    expect(await after(clock, 2.9, () => fired)).toBe('waiting')
    expect(await after(clock, 0.1, () => fired)).toMatchObject({ failures: { length: 3 } })
  })

  test('does not touch a hook that answers in time', async () => {
    const { clock, hooks } = registry()
    const work = Promise.withResolvers<ReturnType<typeof allow>>()
    hooks.on('PreToolUse', () => work.promise, { timeout: 5 })
    clock.after(4999, () => work.resolve(allow()))
    expect(await after(clock, 5, () => hooks.fire('PreToolUse', bash()))).toMatchObject({
      decision: 'allow',
      failures: []
    })
  })

  // FM7
  test('is kept in a thousand fires at once, and never early', async () => {
    const { clock, hooks } = registry()
    const ends: [number, number][] = []
    hooks.register({ events: 'PreToolUse', matcher: 'Any', timeout: 0.4, run: never })
    const fires: Promise<unknown>[] = []
    for (let index = 0; index < 1000; index++) {
      const begun = clock.now()
      fires.push(Promise.resolve(hooks.fire('PreToolUse', callOf('Any'))).then(() => ends.push([begun, clock.now()])))
      if (index % 10 === 0) await clock.advance(0.003)
    }
    await clock.advance(1)
    await Promise.all(fires)
    const waits = ends.map(([begun, end]) => end - begun)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(400)
    expect(Math.max(...waits)).toBeLessThanOrEqual(650)
  })
})

describe('a hook that is cut', () => {
  // F93
  test('is told so by its signal, with the reason', async () => {
    const { clock, hooks } = registry()
    let signal: AbortSignal | undefined
    hooks.on('PreToolUse', ctx => ((signal = ctx.signal), never()), { timeout: 1 })
    const fired = hooks.fire('PreToolUse', bash())
    expect(signal?.aborted).toBe(false)
    await after(clock, 1, () => fired)
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ message: expect.stringContaining('within 1 s') })
  })

  test('finds an aborted signal also when it asks later', async () => {
    const { clock, hooks } = registry()
    const aborted: boolean[] = []
    hooks.on(
      'PreToolUse',
      async ctx => {
        await new Promise<void>(resolve => void clock.after(3000, resolve))
        aborted.push(ctx.signal.aborted)
      },
      { timeout: 1 }
    )
    await after(clock, 4, () => hooks.fire('PreToolUse', bash()))
    expect(aborted).toEqual([true])
  })

  // F93
  test('side by side with slower ones is told at once, not when the last has answered', async () => {
    const { clock, hooks } = registry()
    let signal: AbortSignal | undefined
    hooks.register({ events: 'PreToolUse', concurrent: true, timeout: 1, run: ctx => ((signal = ctx.signal), never()) })
    hooks.register({ events: 'PreToolUse', concurrent: true, timeout: 30, run: never })
    const fired = hooks.fire('PreToolUse', bash())
    expect(await after(clock, 2, () => fired)).toBe('waiting')
    expect(signal?.aborted).toBe(true)
    await after(clock, 28, () => fired)
  })

  test('leaves the signal of a hook that answered alone', async () => {
    const { clock, hooks } = registry()
    let signal: AbortSignal | undefined
    hooks.on('PreToolUse', async ctx => void (signal = ctx.signal), { timeout: 1 })
    await after(clock, 5, () => hooks.fire('PreToolUse', bash()))
    expect(signal?.aborted).toBe(false)
  })

  test('loses what it had changed', async () => {
    const { clock, hooks } = registry()
    hooks.on('PreToolUse', ctx => ((ctx.toolInput['command'] = 'rm'), never()), { timeout: 1, onFailure: 'continue' })
    expect(await after(clock, 1, () => hooks.fire('PreToolUse', bash()))).toMatchObject({ updatedInput: undefined })
  })
})

describe('on the real clock', () => {
  // F93
  test('a hook that hangs is left soon after its limit', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', never, { timeout: 0.02 })
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: 'deny', failures: [{ kind: 'timeout' }] })
  })

  // FM42
  test('a jump of the wall clock cuts no one', async () => {
    const hooks = new HookRegistry()
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      hooks.on(
        'PreToolUse',
        async () => {
          vi.setSystemTime(start + 10 * 365 * 86_400_000)
          await new Promise(resolve => setTimeout(resolve, 60))
          vi.setSystemTime(start - 10 * 365 * 86_400_000)
          await new Promise(resolve => setTimeout(resolve, 60))
          return deny('in time')
        },
        { timeout: 20 }
      )
      const outcome = await harness(hooks).fire('PreToolUse')
      expect(outcome).toMatchObject({ reason: 'in time', failures: [] })
      expect(outcome.report[0]!.ms).toBeGreaterThan(0)
      expect(outcome.report[0]!.ms).toBeLessThan(20_000)
    } finally {
      vi.useRealTimers()
    }
  })
})

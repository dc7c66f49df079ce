import { describe, expect, test } from 'vitest'
import { allow, deny, HookRegistry, later, type HookResult } from '../../../src/hooks.ts'
import { harness, manualClock } from '../../../src/testing.ts'
import { after, unhandledDuring } from '../../support/hook-kit.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

describe('an answer that comes too late', () => {
  const LATE: readonly (readonly [string, (wait: Promise<void>) => unknown])[] = [
    ['an answer', wait => wait.then(() => allow())],
    ['a deny', wait => wait.then(() => deny('late'))],
    ['a rejection', wait => wait.then(() => Promise.reject(new Error('late')))],
    [
      'a rejection of a later()',
      wait =>
        later(
          wait.then(() => Promise.reject(new Error('late'))),
          { asyncTimeout: 1 }
        )
    ],
    ['a later() that is rejected', wait => wait.then(() => later(Promise.reject(new Error('late'))))],
    ['nonsense', wait => wait.then(() => 'nonsense')],
    ['a proxy that hides what it is', wait => wait.then(() => new Proxy({}, { getPrototypeOf: () => JSON.parse('{') }))]
  ]

  // F99, FM2
  test.each(LATE)('changes nothing and raises nothing: %s', async (_, run) => {
    for (const event of ['PreToolUse', 'PostToolUse'] as const) {
      for (const concurrent of [false, true]) {
        const unhandled = await unhandledDuring(async () => {
          const clock = manualClock()
          const hooks = new HookRegistry({ clock })
          const wait = new Promise<void>(resolve => void clock.after(5000, resolve))
          hooks.register({ name: 'late', events: event, timeout: 1, concurrent, run: () => run(wait) as never })
          hooks.register({ name: 'beside', events: event, concurrent, run: async () => undefined })
          const outcome = await after(clock, 2, () => harness(hooks).fire(event))
          const before = JSON.stringify(outcome)
          expect(outcome).toMatchObject({ decision: event === 'PreToolUse' ? 'deny' : undefined })
          await clock.advance(10)
          expect(JSON.stringify(outcome)).toBe(before)
        })
        expect(unhandled).toEqual([])
      }
    }
  })

  test('goes to no other fire, whether fires follow each other or overlap', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    const denies = async ({ toolInput }: { toolInput: unknown }): Promise<HookResult> => {
      const { id, ms } = toolInput as { id: number; ms: number }
      if (ms > 0) await new Promise<void>(resolve => void clock.after(ms, resolve))
      return deny(`fire ${id}`)
    }
    hooks.on('PreToolUse', denies, { timeout: 1, name: 'denies' })
    for (const together of [1, 2, 5]) {
      for (let first = 0; first < 60; first += together) {
        const ids = Array.from({ length: together }, (_, place) => first + place)
        // One in three answers at once, one in time, and one while later fires wait.
        const fires = ids.map(id => hooks.fire('PreToolUse', callOf('Bash', { id, ms: [0, 500, 1300][id % 3] })))
        await clock.advance(1)
        const reasons = (await Promise.all(fires)).map(({ reason }) => reason)
        const late = 'gate_failed:timeout: hook denies'
        expect(reasons).toEqual(ids.map(id => (id % 3 === 2 ? expect.stringContaining(late) : `fire ${id}`)))
      }
    }
  })

  // FM2
  test('is ignored in a thousand fires', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    let late = 0
    hooks.on(
      'PreToolUse',
      async ctx => {
        await new Promise<void>(
          resolve => void clock.after(2000 + ((ctx.toolInput as { id: number }).id % 50), resolve)
        )
        late++
        ctx.toolInput = { id: -1 }
        return { decision: 'allow', additionalContext: 'late' }
      },
      { timeout: 1 }
    )
    const fires = Array.from({ length: 1000 }, (_, id) => hooks.fire('PreToolUse', callOf('Any', { id })))
    await clock.advance(5)
    const outcomes = await Promise.all(fires)
    expect(late).toBe(1000)
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        decision: 'deny',
        updatedInput: undefined,
        contexts: [],
        failures: { length: 1 }
      })
    }
  })

  // FM2
  test.each([false, true])('is told to the sink (side by side: %s)', async concurrent => {
    const clock = manualClock()
    const notices: string[] = []
    const hooks = new HookRegistry({
      clock,
      sink: message => message.subtype === 'hook_notice' && notices.push(message.output)
    })
    const run = (): Promise<HookResult> => new Promise(resolve => void clock.after(3000, () => resolve(allow())))
    hooks.register({ name: 'late', events: 'PreToolUse', timeout: 1, concurrent, run })
    hooks.register({ name: 'beside', events: 'PreToolUse', concurrent, run: () => undefined })
    await after(clock, 1, () => hooks.fire('PreToolUse', bash()))
    expect(notices).toEqual([])
    await clock.advance(5)
    expect(notices.join()).toMatch(/after its time|late/)
  })
})

describe('an answer that comes twice', () => {
  type Settle = (value?: unknown) => void
  const TWICE: readonly (readonly [string, (yes: Settle, no: Settle) => void])[] = [
    ['a deny, then an allow', yes => (yes(deny('first')), yes(allow()))],
    ['a deny, then a failure', (yes, no) => (yes(deny('first')), no(new Error('second')))],
    [
      'a deny, then a throw',
      yes => {
        yes(deny('first'))
        throw new Error('second')
      }
    ],
    ['a promised deny, then an allow', yes => (yes(Promise.resolve(deny('first'))), yes(allow()))]
  ]

  test.each(TWICE)('counts once: %s', async (_, then) => {
    for (const concurrent of [false, true]) {
      const clock = manualClock()
      const hooks = new HookRegistry({ clock })
      hooks.register({ events: 'PreToolUse', concurrent, run: () => ({ then }) as never })
      hooks.register({
        name: 'slow',
        events: 'PreToolUse',
        concurrent,
        run: async () => (await null, { additionalContext: 'slow' })
      })
      const outcome = await after(clock, 1, () => hooks.fire('PreToolUse', bash()))
      expect({ concurrent, outcome }).toMatchObject({
        concurrent,
        outcome: { decision: 'deny', reason: 'first', additionalContext: 'slow', failures: [] }
      })
    }
  })
})

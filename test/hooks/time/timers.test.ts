import { describe, expect, test } from 'vitest'
import { allow, HookRegistry, later } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { after, watchedClock } from '../../support/hook-kit.ts'
import { bash } from '../../support/hook-inputs.ts'

const never = (): Promise<never> => new Promise(() => undefined)

const registry = () => {
  const clock = watchedClock()
  return { clock, hooks: new HookRegistry({ clock }) }
}

describe('a budget for all hooks together', () => {
  test('cuts the hook that uses it up, and those behind are not asked', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, budget: 3 })
    const ran: string[] = []
    hooks.on('PreToolUse', () => new Promise(resolve => void clock.after(2000, () => resolve(allow()))), {
      name: 'first'
    })
    hooks.on('PreToolUse', never, { name: 'second' })
    hooks.on('PreToolUse', () => void ran.push('third'), { name: 'third' })
    const outcome = await after(clock, 3, () => hooks.fire('PreToolUse', bash()))
    expect(outcome).toMatchObject({
      decision: 'deny',
      failures: [
        { by: 'second', kind: 'budget', message: expect.stringContaining('all hooks together') },
        { by: 'third', kind: 'budget' }
      ]
    })
    expect(ran).toEqual([])
  })

  test('is off unless it is set, and counts anew for each fire', async () => {
    const clock = manualClock()
    const slow = () => new Promise<void>(resolve => void clock.after(2000, resolve))
    for (const budget of [undefined, 3]) {
      const hooks = new HookRegistry({ clock, budget })
      hooks.on('PreToolUse', slow)
      for (let count = 0; count < 3; count++) {
        expect(await after(clock, 2, () => hooks.fire('PreToolUse', bash()))).toMatchObject({ failures: [] })
      }
    }
  })

  test('does not hide a hook’s own timeout', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, budget: 100 })
    hooks.on('PreToolUse', never, { timeout: 1 })
    expect(await after(clock, 1, () => hooks.fire('PreToolUse', bash()))).toMatchObject({
      failures: [{ kind: 'timeout' }]
    })
  })

  // F97
  test('nor the time that a hook set for its later answer', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, budget: 100 })
    hooks.on('PreToolUse', () => later(never(), { asyncTimeout: 1 }))
    expect(await after(clock, 1, () => hooks.fire('PreToolUse', bash()))).toMatchObject({
      failures: [{ kind: 'timeout' }]
    })
  })

  test('is named when it cuts a later answer that had more time', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, budget: 10 })
    hooks.on('PreToolUse', () => later(never(), { asyncTimeout: 100 }), { timeout: 5 })
    expect(await after(clock, 10, () => hooks.fire('PreToolUse', bash()))).toMatchObject({
      failures: [{ kind: 'budget' }]
    })
  })

  test('holds for hooks side by side', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, budget: 2 })
    for (const name of ['a', 'b']) hooks.register({ name, events: 'PreToolUse', concurrent: true, run: never })
    expect(await after(clock, 2, () => hooks.fire('PreToolUse', bash()))).toMatchObject({
      failures: [
        { by: 'a', kind: 'budget' },
        { by: 'b', kind: 'budget' }
      ]
    })
  })
})

describe('timers', () => {
  test('are none for hooks that do not have to be waited for', async () => {
    const { clock, hooks } = registry()
    hooks.on('PreToolUse', () => allow())
    await hooks.fire('PreToolUse', bash())
    expect(clock.everSet).toBe(0)
  })

  test('are shared by all that wait, and gone when no one does', async () => {
    const { clock, hooks } = registry()
    const wait = () => new Promise<void>(resolve => void setImmediate(resolve))
    hooks.on('PreToolUse', wait, { timeout: 5 })
    hooks.register({ events: 'PreToolUse', concurrent: true, run: wait })
    hooks.register({ events: 'PreToolUse', concurrent: true, run: wait })
    const fires = Array.from({ length: 200 }, () => hooks.fire('PreToolUse', bash()))
    expect(clock.timers).toBe(1)
    await Promise.all(fires)
    expect(clock.everSet).toBeLessThan(5)
    await clock.advance(0.1)
    expect(clock.timers).toBe(0)
  })

  test('that were set for long do not outlive the hooks', async () => {
    const { clock, hooks } = registry()
    const work = Promise.withResolvers<void>()
    hooks.on('PreToolUse', () => work.promise)
    const fired = hooks.fire('PreToolUse', bash())
    await clock.advance(30)
    work.resolve()
    await fired
    expect(clock.timers).toBe(0)
  })

  test('are gone after a timeout too', async () => {
    const { clock, hooks } = registry()
    hooks.on('PreToolUse', never, { timeout: 1 })
    await after(clock, 2, () => hooks.fire('PreToolUse', bash()))
    expect(clock.timers).toBe(0)
  })
})

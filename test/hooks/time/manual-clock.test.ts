import { describe, expect, test } from 'vitest'
import { allow, HookRegistry, later } from '../../../src/hooks.ts'
import { harness, manualClock } from '../../../src/testing.ts'
import { after } from '../../support/hook-kit.ts'

describe('the clock that is turned by hand', () => {
  test('stands still until it is turned, and runs what falls due in order', async () => {
    const clock = manualClock()
    const log: string[] = []
    clock.after(2000, () => log.push(`b ${clock.now()}`))
    clock.after(1000, () => {
      log.push(`a ${clock.now()}`)
      clock.after(500, () => log.push(`c ${clock.now()}`))
    })
    expect(clock.now()).toBe(0)
    await clock.advance(0.999)
    expect(log).toEqual([])
    await clock.advance(1.001)
    expect(log).toEqual(['a 1000', 'c 1500', 'b 2000'])
    expect(clock.now()).toBe(2000)
  })

  test('forgets what was cancelled', async () => {
    const clock = manualClock()
    const log: string[] = []
    const cancel = clock.after(1000, () => log.push('never'))
    cancel()
    cancel()
    await clock.advance(5)
    expect(log).toEqual([])
  })

  test('lets what follows from a timer happen before the next one', async () => {
    const clock = manualClock()
    const log: string[] = []
    clock.after(
      1000,
      () =>
        void Promise.resolve()
          .then(() => Promise.resolve())
          .then(() => log.push('follows'))
    )
    clock.after(1001, () => log.push('next'))
    await clock.advance(2)
    expect(log).toEqual(['follows', 'next'])
  })

  test('two clocks do not know of one another', async () => {
    const [one, two] = [manualClock(), manualClock()]
    await one.advance(7)
    expect([one.now(), two.now()]).toEqual([7000, 0])
  })

  test('turns timeouts and later answers of a registry', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PreToolUse', () =>
      later(new Promise(resolve => void clock.after(5000, () => resolve(allow()))), { asyncTimeout: 9 })
    )
    hooks.on('PreToolUse', () => new Promise<never>(() => undefined), { timeout: 2, onFailure: 'continue' })
    const judged = harness(hooks).expect('PreToolUse').toAllow()
    expect(await after(clock, 6.9, () => judged)).toBe('waiting')
    expect(await after(clock, 0.1, () => judged)).toMatchObject({ decision: 'allow', failures: [{ kind: 'timeout' }] })
  })
})

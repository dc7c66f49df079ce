import { describe, expect, test } from 'vitest'
import { allow, HookRegistry, type HookResult } from '../../../src/hooks.ts'
import { harness, manualClock } from '../../../src/testing.ts'
import { after } from '../../support/hook-kit.ts'
import { bash } from '../../support/hook-inputs.ts'

const never = (): Promise<never> => new Promise(() => undefined)

describe('an abort', () => {
  // F43
  test('ends a running hook at once, and closes the gate', async () => {
    const { signal, abort } = abortable()
    const hooks = new HookRegistry({ clock: manualClock() })
    let seen: AbortSignal | undefined
    const ran: string[] = []
    hooks.on('PreToolUse', ctx => ((seen = ctx.signal), never()), { name: 'slow' })
    hooks.on('PreToolUse', () => void ran.push('next'), { name: 'next' })
    const fired = hooks.fire('PreToolUse', bash(), { signal })
    abort()
    expect(await fired).toMatchObject({
      decision: 'deny',
      failures: [
        { by: 'slow', kind: 'aborted' },
        { by: 'next', kind: 'aborted' }
      ]
    })
    expect(seen?.aborted).toBe(true)
    expect(ran).toEqual([])
  })

  // F43
  test('ends hooks that run side by side, and keeps what others have answered', async () => {
    const { signal, abort } = abortable()
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    const signals: AbortSignal[] = []
    const slow = (ctx: { signal: AbortSignal }): Promise<never> => (signals.push(ctx.signal), never())
    hooks.register({ name: 'slow', events: 'PostToolUse', concurrent: true, run: slow })
    const run = async (): Promise<HookResult> => ({ additionalContext: 'done' })
    hooks.register({ name: 'quick', events: 'PostToolUse', concurrent: true, run })
    hooks.register({ name: 'slow too', events: 'PostToolUse', concurrent: true, run: slow })
    const fired = harness(hooks).fire('PostToolUse', {}, { signal })
    await clock.advance(1)
    abort()
    expect(await fired).toMatchObject({
      additionalContext: 'done',
      failures: [
        { by: 'slow', kind: 'aborted' },
        { by: 'slow too', kind: 'aborted' }
      ]
    })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  test('before the fire means that no gate is asked, which is a failure; what has happened is still looked at', async () => {
    const hooks = new HookRegistry()
    const ran: string[] = []
    hooks.on('PreToolUse', () => void ran.push('gate'), { name: 'gate' })
    hooks.on('PostToolUse', () => void ran.push('post'), { name: 'post' })
    const { fire } = harness(hooks)
    const signal = AbortSignal.abort()
    expect(await fire('PreToolUse', {}, { signal })).toMatchObject({
      decision: 'deny',
      failures: [{ kind: 'aborted' }]
    })
    expect(await fire('PostToolUse', {}, { signal })).toMatchObject({ decision: undefined, failures: [] })
    expect(ran).toEqual(['post'])
  })

  test('of the registry before the fire means the same', async () => {
    const hooks = new HookRegistry({ signal: AbortSignal.abort() })
    const ran: string[] = []
    hooks.on('PreToolUse', () => void ran.push('gate'))
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: 'deny', failures: [{ kind: 'aborted' }] })
    expect(ran).toEqual([])
  })

  test('of one fire leaves another alone', async () => {
    const { signal, abort } = abortable()
    const hooks = new HookRegistry({ clock: manualClock() })
    const work = Promise.withResolvers<HookResult>()
    hooks.on('PreToolUse', () => work.promise)
    const cut = hooks.fire('PreToolUse', bash(), { signal })
    const other = hooks.fire('PreToolUse', bash(), { signal: new AbortController().signal })
    abort()
    expect(await cut).toMatchObject({ failures: [{ kind: 'aborted' }] })
    work.resolve(allow())
    expect(await other).toMatchObject({ decision: 'allow', failures: [] })
  })

  test('of the registry ends every fire that is under way', async () => {
    const { signal, abort } = abortable()
    const hooks = new HookRegistry({ clock: manualClock(), signal })
    hooks.on('PreToolUse', never)
    const fires = [hooks.fire('PreToolUse', bash()), hooks.scope().fire('PreToolUse', bash())]
    abort()
    for (const outcome of await Promise.all(fires)) expect(outcome).toMatchObject({ failures: [{ kind: 'aborted' }] })
  })

  test('of the registry ends also fires that have a signal of their own', async () => {
    const { signal, abort } = abortable()
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, signal })
    hooks.on('PreToolUse', never)
    const fired = hooks.fire('PreToolUse', bash(), { signal: new AbortController().signal })
    abort()
    expect(await after(clock, 1, () => fired)).toMatchObject({ failures: [{ kind: 'aborted' }] })
  })

  test.each([false, true])('by the hook itself, which then hangs, ends it too (side by side: %s)', async concurrent => {
    const { signal, abort } = abortable()
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.register({ events: 'PreToolUse', concurrent, run: () => (abort(), never()) })
    hooks.register({ events: 'PreToolUse', concurrent, run: never })
    expect(await after(clock, 1, () => hooks.fire('PreToolUse', bash(), { signal }))).toMatchObject({
      decision: 'deny',
      failures: [{ kind: 'aborted' }, { kind: 'aborted' }]
    })
  })

  test('by a hook behind one that was waited for, which then hangs, ends it too', async () => {
    const { signal, abort } = abortable()
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PreToolUse', async () => undefined)
    hooks.on('PreToolUse', () => (abort(), never()))
    expect(await after(clock, 1, () => hooks.fire('PreToolUse', bash(), { signal }))).toMatchObject({
      decision: 'deny',
      failures: [{ kind: 'aborted' }]
    })
  })

  test('by a hook behind one that was waited for counts each failure once', async () => {
    const { signal, abort } = abortable()
    const hooks = new HookRegistry({ clock: manualClock() })
    hooks.on('PreToolUse', async () => undefined, { name: 'first' })
    hooks.on(
      'PreToolUse',
      () => {
        abort()
        throw new Error('too')
      },
      { name: 'second' }
    )
    hooks.on('PreToolUse', () => undefined, { name: 'third' })
    const outcome = await hooks.fire('PreToolUse', bash(), { signal })
    expect(outcome.decision).toBe('deny')
    expect(outcome.failures.map(failure => failure.by)).toEqual(['second', 'third'])
  })

  test('listens once to a signal, however many fires and hooks wait for it', async () => {
    const { signal, listeners } = abortable()
    const hooks = new HookRegistry({ clock: manualClock() })
    const { signal: other } = abortable()
    hooks.on('PreToolUse', async () => undefined)
    hooks.register({ events: 'PreToolUse', concurrent: true, run: async () => undefined })
    hooks.register({ events: 'PreToolUse', concurrent: true, run: async () => undefined })
    for (let count = 0; count < 50; count++) {
      await Promise.all([
        hooks.fire('PreToolUse', bash(), { signal }),
        hooks.fire('PreToolUse', bash(), { signal: other })
      ])
    }
    expect(listeners()).toBe(1)
  })

  test('does not listen for hooks that need no waiting', async () => {
    const { signal, listeners } = abortable()
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => allow())
    await hooks.fire('PreToolUse', bash(), { signal })
    expect(listeners()).toBe(0)
  })
})

/** A controller whose listeners are counted. */
function abortable() {
  const controller = new AbortController()
  let count = 0
  const { signal } = controller
  const add = signal.addEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    count++
    add(...args)
  }
  return { signal, abort: () => controller.abort(), listeners: () => count }
}

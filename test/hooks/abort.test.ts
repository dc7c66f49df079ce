import { describe, expect, test } from 'vitest'
import { allow, deny, HookRegistry, later, type HookResult } from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { after, bash, call, unhandledDuring } from './support.ts'

const never = (): Promise<never> => new Promise(() => undefined)

describe('an abort', () => {
  // F43
  test.each([false, true])('ends a running hook at once, and closes the gate (side by side: %s)', async concurrent => {
    const { signal, abort } = abortable()
    const hooks = new HookRegistry({ clock: manualClock() })
    let seen: AbortSignal | undefined
    const ran: string[] = []
    hooks.register({ name: 'slow', events: 'PreToolUse', concurrent, run: ctx => ((seen = ctx.signal), never()) })
    hooks.register({ name: 'next', events: 'PreToolUse', run: () => void ran.push('next') })
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

  test('before the fire means that no hook is asked, which is a failure', async () => {
    const hooks = new HookRegistry()
    const ran: string[] = []
    hooks.on('PreToolUse', () => void ran.push('gate'), { name: 'gate' })
    hooks.on('PostToolUse', () => void ran.push('post'), { name: 'post' })
    const { fire } = harness(hooks)
    const signal = AbortSignal.abort()
    expect(await fire('PreToolUse', {}, { signal })).toMatchObject({ decision: 'deny', failures: [{ kind: 'aborted' }] })
    expect(await fire('PostToolUse', {}, { signal })).toMatchObject({ decision: undefined, failures: [{ kind: 'aborted' }] })
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

  test('by the hook itself, which then hangs, ends it too', async () => {
    const { signal, abort } = abortable()
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
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
    hooks.on('PreToolUse', () => {
      abort()
      throw new Error('too')
    }, { name: 'second' })
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
      await Promise.all([hooks.fire('PreToolUse', bash(), { signal }), hooks.fire('PreToolUse', bash(), { signal: other })])
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

describe('an answer that comes too late', () => {
  const LATE: readonly (readonly [string, (wait: Promise<void>) => unknown])[] = [
    ['an answer', wait => wait.then(() => allow())],
    ['a deny', wait => wait.then(() => deny('late'))],
    ['a rejection', wait => wait.then(() => Promise.reject(new Error('late')))],
    ['a rejection of a later()', wait => later(wait.then(() => Promise.reject(new Error('late'))), { asyncTimeout: 1 })],
    ['a later() that is rejected', wait => wait.then(() => later(Promise.reject(new Error('late'))))],
    ['nonsense', wait => wait.then(() => 'nonsense')]
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

  // FM2
  test('is ignored in a thousand fires', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    let late = 0
    hooks.on('PreToolUse', async ctx => {
      await new Promise<void>(resolve => void clock.after(2000 + ((ctx.toolInput as { id: number }).id % 50), resolve))
      late++
      ctx.toolInput = { id: -1 }
      return { decision: 'allow', additionalContext: 'late' }
    }, { timeout: 1 })
    const fires = Array.from({ length: 1000 }, (_, id) => hooks.fire('PreToolUse', call('Any', { id })))
    await clock.advance(5)
    const outcomes = await Promise.all(fires)
    expect(late).toBe(1000)
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ decision: 'deny', updatedInput: undefined, contexts: [], failures: { length: 1 } })
    }
  })

  // FM2
  test.each([false, true])('is told to the sink (side by side: %s)', async concurrent => {
    const clock = manualClock()
    const notices: string[] = []
    const hooks = new HookRegistry({ clock, sink: message => message.subtype === 'hook_notice' && notices.push(message.output) })
    const run = (): Promise<HookResult> => new Promise(resolve => void clock.after(3000, () => resolve(allow())))
    hooks.register({ name: 'late', events: 'PreToolUse', timeout: 1, concurrent, run })
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
    ['a deny, then a throw', yes => {
      yes(deny('first'))
      throw new Error('second')
    }],
    ['a promised deny, then an allow', yes => (yes(Promise.resolve(deny('first'))), yes(allow()))]
  ]

  test.each(TWICE)('counts once: %s', async (_, then) => {
    for (const concurrent of [false, true]) {
      const clock = manualClock()
      const hooks = new HookRegistry({ clock })
      hooks.register({ events: 'PreToolUse', concurrent, run: () => ({ then }) as never })
      hooks.register({ name: 'slow', events: 'PreToolUse', concurrent, run: async () => (await null, { additionalContext: 'slow' }) })
      const outcome = await after(clock, 1, () => hooks.fire('PreToolUse', bash()))
      expect({ concurrent, outcome }).toMatchObject({
        concurrent,
        outcome: { decision: 'deny', reason: 'first', additionalContext: 'slow', failures: [] }
      })
    }
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

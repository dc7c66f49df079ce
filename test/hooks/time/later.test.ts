import { describe, expect, test } from 'vitest'
import { ANSWERS, deny, EVENTS, EVENT_NAMES, HookRegistry, later, type Outcome } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { after, fireSample, patientRegistry, unhandledDuring } from '../../support/hook-kit.ts'
import { bash, loopTurn } from '../../support/hook-inputs.ts'

const never = (): Promise<never> => new Promise(() => undefined)

const DECIDING = EVENT_NAMES.filter(event => ANSWERS[EVENTS[event].answer].blocks)
const OTHERS = EVENT_NAMES.filter(event => !ANSWERS[EVENTS[event].answer].blocks)

describe('later(), on an event that decides', () => {
  // F97
  test.each(DECIDING)('%s waits for the answer', async event => {
    const { clock, hooks, wait } = patientRegistry()
    let runs = 0
    hooks.register({
      events: event,
      run: () => (runs++, later(wait(3, { decision: 'block', reason: 'late no' } as const), { asyncTimeout: 5 }))
    })
    const fired = fireSample(hooks, event)
    expect(await after<Outcome>(clock, 2.9, () => fired)).toBe('waiting')
    expect(await after<Outcome>(clock, 0.1, () => fired)).toMatchObject({
      decision: 'deny',
      reason: 'late no',
      failures: []
    })
    expect(runs).toBe(1)
  })

  // F97
  test('beyond asyncTimeout is a failure of that hook only', async () => {
    const { clock, hooks, late } = patientRegistry()
    const ran: string[] = []
    hooks.on('PreToolUse', () => later(never(), { asyncTimeout: 2 }), { name: 'slow', timeout: 30 })
    hooks.on('PreToolUse', () => void ran.push('next'))
    expect(await after(clock, 2, () => hooks.fire('PreToolUse', bash()))).toMatchObject({
      decision: 'deny',
      failures: [{ by: 'slow', kind: 'timeout', message: 'gave no answer within 2 s' }]
    })
    expect([ran, late]).toEqual([['next'], []])
  })

  test('may have more time than the hook itself, and without its own has the hook’s', async () => {
    const { clock, hooks } = patientRegistry()
    hooks.on('PreToolUse', () => later(never(), { asyncTimeout: 20 }), { timeout: 1 })
    hooks.on('PreToolUse', () => later(never()), { timeout: 3 })
    const fired = hooks.fire('PreToolUse', bash())
    expect(await after(clock, 22.9, () => fired)).toBe('waiting')
    expect(await after(clock, 0.1, () => fired)).toMatchObject({ failures: { length: 2 } })
  })

  test('may also come from an async hook', async () => {
    const { clock, hooks, wait } = patientRegistry()
    hooks.on('PreToolUse', async () => later(wait(2, deny('found')), { asyncTimeout: 5 }))
    expect(await after(clock, 2, () => hooks.fire('PreToolUse', bash()))).toMatchObject({ reason: 'found' })
  })

  test('counts for hooks side by side as well', async () => {
    const { clock, hooks, wait } = patientRegistry()
    for (const seconds of [3, 1]) {
      const run = () => later(wait(seconds, { additionalContext: `${seconds}` }), { asyncTimeout: 5 })
      hooks.register({ events: 'PreToolUse', concurrent: true, run })
    }
    expect(await after(clock, 3, () => hooks.fire('PreToolUse', bash()))).toMatchObject({ additionalContext: '3\n1' })
  })
})

describe('later(), on an event that does not', () => {
  test.each(OTHERS)('%s continues at once', async event => {
    const { clock, hooks, late, wait } = patientRegistry()
    hooks.register({
      name: 'scan',
      events: event,
      run: () => later(wait(3, { additionalContext: 'found', systemMessage: 'look' }))
    })
    expect(await fireSample(hooks, event)).toMatchObject({ decision: undefined, contexts: [], failures: [] })
    expect(late).toEqual([])
    await clock.advance(3)
    // What an event cannot take at once it does not take later either.
    const takesContext = ANSWERS[EVENTS[event].answer].fields.some(field => field === 'additionalContext')
    expect(late).toEqual([
      {
        by: 'scan',
        event,
        sessionId: 's-1',
        contexts: takesContext ? [{ by: 'scan', text: 'found' }] : [],
        systemMessages: [{ by: 'scan', text: 'look', to: 'model' }],
        failure: undefined
      }
    ])
  })

  test('hands over context only: what it decides has already happened', async () => {
    const { hooks, late, messages } = patientRegistry()
    hooks.on('PostToolUse', () =>
      later(Promise.resolve({ decision: 'deny' as const, reason: 'too late', additionalContext: 'but this' }))
    )
    await fireSample(hooks, 'PostToolUse')
    await hooks.drain()
    await loopTurn()
    expect(late).toMatchObject([{ contexts: [{ text: 'but this' }], failure: undefined }])
    expect(late[0]).not.toHaveProperty('decision')
    expect(messages.some(message => message.subtype === 'hook_notice' && message.output.includes('dropped'))).toBe(true)
  })

  test('in time leaves no timer behind', async () => {
    const { clock, hooks, wait } = patientRegistry()
    hooks.on('PostToolUse', () => later(wait(1, {}), { asyncTimeout: 60 }))
    await fireSample(hooks, 'PostToolUse')
    expect(clock.timers).toBe(2)
    await clock.advance(1)
    expect(clock.timers).toBe(0)
  })

  test('says nothing when there is nothing to say', async () => {
    const { hooks, late } = patientRegistry()
    hooks.on('PostToolUse', () => later(Promise.resolve()))
    await fireSample(hooks, 'PostToolUse')
    await hooks.drain()
    expect(late).toEqual([])
  })

  // F97, F99
  test.each([
    ['is too late', () => later(never(), { asyncTimeout: 2 }), 'timeout'],
    ['is rejected', () => later(Promise.reject(new Error('kaput')), { asyncTimeout: 2 }), 'threw'],
    ['cannot be read', () => later(Promise.resolve('nonsense' as never), { asyncTimeout: 2 }), 'reply']
  ] as const)('fails quietly when the answer %s', async (_, run, kind) => {
    const { clock, hooks, late } = patientRegistry()
    const unhandled = await unhandledDuring(async () => {
      hooks.on('PostToolUse', run, { name: 'scan' })
      expect(await fireSample(hooks, 'PostToolUse')).toMatchObject({ failures: [] })
      await clock.advance(2)
      await hooks.drain()
    })
    expect(late).toMatchObject([{ by: 'scan', failure: { by: 'scan', kind } }])
    expect([unhandled, clock.timers]).toEqual([[], 0])
  })

  test('an onLate that throws or rejects harms no one', async () => {
    const failing = [
      () => {
        throw new Error('broken')
      },
      async () => {
        throw new Error('broken')
      }
    ]
    for (const onLate of failing) {
      const unhandled = await unhandledDuring(async () => {
        const hooks = new HookRegistry({ onLate })
        hooks.on('PostToolUse', () => later(Promise.resolve({ additionalContext: 'found' })))
        await fireSample(hooks, 'PostToolUse')
        await hooks.drain()
      })
      expect(unhandled).toEqual([])
    }
  })

  test('without an onLate the answer is dropped in peace', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PostToolUse', () => later(Promise.resolve({ additionalContext: 'found' })))
    expect(await fireSample(hooks, 'PostToolUse')).toMatchObject({ contexts: [] })
    await hooks.drain()
  })
})

test('a reply of { async: true } has nothing left to wait for, and says so', async () => {
  const { hooks, messages } = patientRegistry()
  hooks.on('PreToolUse', async () => ({ async: true, asyncTimeout: 5 }))
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined, failures: [] })
  await loopTurn()
  expect(messages.some(message => message.subtype === 'hook_notice' && message.output.includes('later(promise)'))).toBe(
    true
  )
})

test('a callback of the contract is never waited for', async () => {
  const { clock, hooks, late, wait } = patientRegistry()
  hooks.register({
    name: 'cb',
    events: 'PreToolUse',
    dialect: 'contract',
    run: () => later(wait(3, { ...deny('no'), systemMessage: 'hi' }))
  })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined })
  await clock.advance(3)
  expect(late).toMatchObject([{ by: 'cb', systemMessages: [{ text: 'hi', to: 'user' }] }])
})

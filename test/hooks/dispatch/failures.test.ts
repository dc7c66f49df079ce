import { describe, expect, test } from 'vitest'
import {
  ANSWERS,
  EVENTS,
  EVENT_NAMES,
  goesOn,
  HookRegistry,
  later,
  transform,
  type EventName,
  type Outcome
} from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { manyKeys, SHAPES } from './broken-hooks.ts'
import { after, fireSample, GATES, unhandledDuring } from '../../support/hook-kit.ts'

// So many runs take their time on a busy machine.
const OTHERS = ['PostToolUse', 'SessionStart', 'SubagentStart', 'Stop', 'SessionEnd', 'Iteration'] as const

interface Setting {
  readonly event: EventName
  readonly profile: 'strict' | 'compat'
  readonly concurrent: boolean
  readonly report: boolean
}

const all = <T>(of: T, ...values: readonly Partial<T>[]): readonly T[] => values.map(value => ({ ...of, ...value }))

const SETTINGS = [...GATES, ...OTHERS].flatMap(event => {
  const plain: Setting = { event, profile: 'strict', concurrent: false, report: false }
  return all(plain, {}, { profile: 'compat' }, { concurrent: true }, { report: true })
})

/** Fires a broken hook between two valid ones, and returns the outcome and the hooks that ran. */
async function fireBroken(run: () => unknown, { event, profile, concurrent, report }: Setting) {
  const clock = manualClock()
  const hooks = new HookRegistry({ clock, profile })
  const ran: string[] = []
  hooks.register({ name: 'before', events: event, concurrent, run: () => void ran.push('before') })
  hooks.register({ name: 'broken', events: event, concurrent, timeout: 1, run: run as () => never })
  hooks.register({ name: 'after', events: event, concurrent, run: async () => void ran.push('after') })
  const outcome = await after<Outcome>(clock, 1, () => fireSample(hooks, event, { report }))
  return { outcome, ran }
}

// FM1, F95, F96
describe('a broken hook closes a gate, is only noted elsewhere, and stops no other hook', () => {
  test('there are at least forty ways to be broken', () => {
    expect(SHAPES.length).toBeGreaterThanOrEqual(40)
  })

  test.each(SHAPES)('%s', async (_, run) => {
    const unhandled = await unhandledDuring(async () => {
      for (const setting of SETTINGS) {
        const { event, profile } = setting
        const gate = GATES.some(name => name === event)
        const { outcome, ran } = await fireBroken(run, setting)
        const closed = gate && profile === 'strict'
        expect({ setting, outcome, ran }).toMatchObject({
          setting,
          outcome: {
            decision: closed ? 'deny' : undefined,
            blocked: closed,
            reason: closed ? expect.stringContaining('broken') : undefined,
            updatedInput: undefined,
            failures: [{ by: 'broken', failedOpen: gate && !closed }]
          },
          ran: ['before', 'after']
        })
      }
    })
    expect(unhandled).toEqual([])
  })
})

test('a million keys are refused, not taken', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => ({ hookSpecificOutput: manyKeys(1_000_000) }))
  expect(await fireSample(hooks, 'PreToolUse')).toMatchObject({
    decision: 'deny',
    reason: expect.stringMatching(/keys/)
  })
})

const broken = (): never => {
  throw new Error('kaput')
}

describe('what a failure means can be said for each hook', () => {
  const canDeny = (event: EventName): boolean => {
    const { decisions }: { decisions: readonly string[] } = ANSWERS[EVENTS[event].answer]
    return decisions.includes('deny')
  }

  test.each(EVENT_NAMES)('onFailure: continue lets %s go on', async event => {
    const hooks = new HookRegistry()
    hooks.register({ name: 'broken', events: event, onFailure: 'continue', run: broken })
    const failedOpen = GATES.some(gate => gate === event)
    expect(await fireSample(hooks, event)).toMatchObject({
      decision: undefined,
      blocked: false,
      failures: [{ by: 'broken', kind: 'threw', message: 'kaput', failedOpen }]
    })
  })

  test.each(EVENT_NAMES.filter(event => canDeny(event) && EVENTS[event].answer !== 'stop'))(
    'onFailure: block refuses %s, in either profile',
    async event => {
      for (const profile of ['strict', 'compat'] as const) {
        const hooks = new HookRegistry({ profile })
        hooks.register({ name: 'broken', events: event, onFailure: 'block', run: broken })
        expect(await fireSample(hooks, event)).toMatchObject({
          decision: 'deny',
          reason: expect.stringMatching(/broken.*kaput/),
          failures: [{ failedOpen: false }]
        })
      }
    }
  )

  test.each(EVENT_NAMES.filter(event => !canDeny(event)))('onFailure: block decides nothing on %s', async event => {
    const hooks = new HookRegistry()
    hooks.register({ events: event, onFailure: 'block', run: broken })
    expect(await fireSample(hooks, event)).toMatchObject({
      decision: undefined,
      blocked: false,
      failures: [{ kind: 'threw' }]
    })
  })

  test.each(EVENT_NAMES.filter(event => EVENTS[event].answer === 'stop'))(
    'a broken hook never keeps %s from stopping, whatever it says',
    async event => {
      for (const profile of ['strict', 'compat'] as const) {
        for (const onFailure of ['block', 'continue', undefined] as const) {
          const hooks = new HookRegistry({ profile })
          hooks.register({ events: event, onFailure, run: broken })
          hooks.register({ events: event, onFailure, run: async () => broken() })
          const outcome = await fireSample(hooks, event)
          expect(goesOn(outcome)).toBe(false)
          expect(outcome).toMatchObject({
            decision: undefined,
            blocked: false,
            continue: undefined,
            contexts: [],
            failures: { length: 2 }
          })
        }
      }
    }
  )
})

// F96
test('the refusal names the hook, where it stands and what went wrong', async () => {
  const hooks = new HookRegistry()
  hooks.register({ name: 'no-root', events: 'PreToolUse', source: 'guards.ts:3:1', run: broken })
  const { reason } = await fireSample(hooks, 'PreToolUse')
  expect(reason).toBe('gate_failed:threw: hook no-root (guards.ts:3:1): kaput')
})

// F95
test('every failure is kept, in order, beside what others said', async () => {
  const hooks = new HookRegistry()
  hooks.on('PostToolUse', broken, { name: 'one' })
  hooks.on('PostToolUse', () => ({ additionalContext: 'kept' }))
  hooks.on('PostToolUse', async () => broken(), { name: 'two' })
  hooks.on('PostToolUse', () => ({ decision: 'perhaps' }) as never, { name: 'three' })
  const outcome = await fireSample(hooks, 'PostToolUse')
  expect(outcome.failures.map(({ by, kind }) => [by, kind])).toEqual([
    ['one', 'threw'],
    ['two', 'threw'],
    ['three', 'reply']
  ])
  expect(outcome.additionalContext).toBe('kept')
})

test('an explicit deny leads over the refusals of broken hooks only by order', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => ({ decision: 'deny', reason: 'first' }), { priority: 1 })
  hooks.on('PreToolUse', broken)
  expect(await fireSample(hooks, 'PreToolUse')).toMatchObject({ reason: 'first', reasons: { length: 2 } })
})

test('an allow does not make up for a broken gate', async () => {
  for (const priority of [-1, 1]) {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', broken)
    hooks.on('PreToolUse', () => ({ decision: 'allow' }), { priority })
    expect(await fireSample(hooks, 'PreToolUse')).toMatchObject({ decision: 'deny' })
  }
})

const TAKE_INPUT = new Set<string>(['PreToolUse', 'PermissionRequest', 'PreModelRequest', 'PostModelResponse'])
const WITHOUT_INPUT = EVENT_NAMES.filter(event => !TAKE_INPUT.has(event))

test.each(WITHOUT_INPUT)('a transform on %s is a failure that names the event', async event => {
  const hooks = new HookRegistry()
  hooks.register({ events: event, run: () => transform({ command: 'ls' }) })
  const outcome = await fireSample(hooks, event)
  expect(outcome.failures).toMatchObject([{ kind: 'reply', message: expect.stringContaining(event) }])
  expect(outcome.updatedInput).toBeUndefined()
})

test('a hook that failed is not asked again about a rewritten input', async () => {
  const hooks = new HookRegistry()
  let asked = 0
  hooks.on('PreToolUse', () => (asked++, broken()), { onFailure: 'continue' })
  hooks.on('PreToolUse', () => ({ updatedInput: { command: 'ls' } }))
  expect(await fireSample(hooks, 'PreToolUse')).toMatchObject({
    updatedInput: { command: 'ls' },
    failures: { length: 1 }
  })
  expect(asked).toBe(1)
})

test('what a failing hook changed does not count', async () => {
  for (const late of [false, true]) {
    for (const profile of ['strict', 'compat'] as const) {
      const hooks = new HookRegistry({ profile })
      const spoil = (ctx: { toolInput: Record<string, unknown> }): never => {
        ctx.toolInput['command'] = 'rm -rf /'
        throw new Error('kaput')
      }
      const seen: unknown[] = []
      hooks.on('PreToolUse', late ? async ctx => spoil(ctx) : spoil)
      hooks.on('PreToolUse', ctx => void seen.push(ctx.toolInput))
      expect((await fireSample(hooks, 'PreToolUse')).updatedInput).toBeUndefined()
      expect(seen).toEqual([{ command: 'git status' }])
    }
  }
})

test('a promise that a gate hands over and that is rejected closes it', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => later(Promise.reject(new Error('kaput'))), { name: 'gate' })
  expect(await fireSample(hooks, 'PreToolUse')).toMatchObject({
    decision: 'deny',
    failures: [{ by: 'gate', message: 'kaput' }]
  })
})

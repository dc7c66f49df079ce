import { describe, expect, test } from 'vitest'
import { allow, ask, deny, HookRegistry, type HookReport } from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { after } from '../support/hook-kit.ts'
import { bash, callOf } from '../support/hook-inputs.ts'

const lines = (report: readonly HookReport[]): Record<string, HookReport> =>
  Object.fromEntries(report.map(line => [line.name, line]))

test('without being asked for there is no report', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => allow())
  expect(await hooks.fire('PreToolUse', bash())).not.toHaveProperty('report')
})

test('a registry without hooks has an empty report, beside a neutral outcome', async () => {
  const outcome = await new HookRegistry().fire('PreToolUse', bash(), { report: true })
  expect(outcome).toMatchObject({ decision: undefined, report: [] })
})

describe('every registered hook is there', () => {
  const everybody = () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', () => undefined, { name: 'silent' })
    hooks.on('PreToolUse', 'Bash|Read', () => deny('no'), { name: 'denies' })
    hooks.on('PreToolUse', 'Read', () => undefined, { name: 'other tool' })
    hooks.on('PostToolUse', () => undefined, { name: 'other event' })
    hooks.on('PreToolUse', () => undefined, { name: 'disabled' })
    hooks.disable('disabled')
    hooks.on('PreToolUse', () => JSON.parse('{'), { name: 'broken' })
    hooks.on('PreToolUse', () => undefined, { name: 'observer', observe: true })
    return hooks
  }

  test('matched or not, and why', async () => {
    const { report } = await everybody().fire('PreToolUse', bash(), { report: true })
    expect(report.map(({ name, matched, why }) => [name, matched, why])).toEqual([
      ['silent', true, 'matcher "Bash" fits'],
      ['denies', true, 'matcher "Bash|Read" fits'],
      ['other tool', false, 'matcher "Read" does not fit "Bash"'],
      ['other event', false, 'listens to PostToolUse, not PreToolUse'],
      ['disabled', false, 'is disabled'],
      ['broken', true, 'matcher everything fits'],
      ['observer', true, 'matcher everything fits']
    ])
  })

  test('run or skipped, with reply and failure', async () => {
    const { report } = await everybody().fire('PreToolUse', bash(), { report: true })
    const by = lines(report)
    expect(by['silent']).toMatchObject({ ran: true, status: 'silent', reply: undefined, failure: undefined })
    expect(by['denies']).toMatchObject({ ran: true, status: 'answered', reply: { decision: 'deny', reason: 'no' } })
    expect(by['broken']).toMatchObject({ ran: true, status: 'failed', failure: { by: 'broken', kind: 'threw' } })
    expect(by['observer']).toMatchObject({ ran: true, status: 'silent' })
    for (const name of ['other tool', 'other event', 'disabled']) {
      expect(by[name]).toMatchObject({ ran: false, status: 'skipped', reply: undefined, ms: undefined })
    }
  })

  test.each([
    ['a hook', {}, () => JSON.parse('{')],
    ['an async hook', {}, async () => JSON.parse('{')],
    ['hooks side by side', { concurrent: true }, async () => JSON.parse('{')]
  ])('where it threw: %s', async (_, options, run) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', run, { ...options, name: 'broken' })
    const outcome = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(outcome.report[0]?.failure).toMatchObject({
      at: expect.stringMatching(/test\/hooks\/report\.test\.ts:\d+:\d+$/)
    })
    expect(outcome.failures).toEqual([expect.not.objectContaining({ at: expect.anything() })])
  })

  test.each([
    'text',
    undefined,
    { stack: 1, message: 2 },
    Object.defineProperty(new Error('no'), 'stack', { get: () => JSON.parse('{') })
  ])('what has no stack was thrown nowhere: %o', async thrown => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => Promise.reject(thrown), { name: 'broken' })
    const { blocked, report } = await hooks.fire('PreToolUse', bash(), { report: true })
    expect([blocked, report[0]?.failure?.kind, report[0]?.failure?.at]).toEqual([true, 'threw', undefined])
  })

  test('with the place where it was registered', async () => {
    const { report } = await everybody().fire('PreToolUse', bash(), { report: true })
    for (const line of report) expect(line.source).toMatch(/report\.test\.ts:\d+:\d+$/)
  })

  // FM36
  test('also when no hook matched at all', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Read', () => undefined, { name: 'gate' })
    const { report } = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(report).toMatchObject([{ name: 'gate', matched: false, ran: false }])
  })

  test('once for each of its events', async () => {
    const hooks = new HookRegistry()
    hooks.register({ name: 'both', events: ['PreToolUse', 'Stop'], run: () => undefined })
    const { report } = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(report.map(({ event, matched }) => [event, matched])).toEqual([
      ['PreToolUse', true],
      ['Stop', false]
    ])
  })

  test('of an event without a target, by the event alone', async () => {
    const hooks = new HookRegistry()
    hooks.on('Stop', 'ignored', () => undefined, { name: 'stop' })
    const { report } = await harness(hooks).fire('Stop')
    expect(report[0]).toMatchObject({ matched: true, why: 'listens to Stop' })
  })
})

// F77
test('the lines stand in the order of running', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', async () => ask('1'), { name: 'last', priority: -1 })
  hooks.on('PreToolUse', () => ask('2'), { name: 'first', priority: 9 })
  hooks.on('PreToolUse', () => ask('3'), { name: 'middle' })
  const { report, reasons } = await hooks.fire('PreToolUse', bash(), { report: true })
  expect(report.map(line => line.name)).toEqual(['first', 'middle', 'last'])
  expect(reasons.map(verdict => verdict.by)).toEqual(['first', 'middle', 'last'])
})

test('durations are those of the clock', async () => {
  const clock = manualClock()
  const hooks = new HookRegistry({ clock })
  const wait = (seconds: number) => () => new Promise<void>(resolve => void clock.after(seconds * 1000, resolve))
  hooks.on('PreToolUse', wait(2), { name: 'two' })
  hooks.on('PreToolUse', () => undefined, { name: 'none' })
  hooks.on('PreToolUse', wait(9), { name: 'cut', timeout: 3 })
  const outcome = await after(clock, 10, () => hooks.fire('PreToolUse', bash(), { report: true }))
  if (outcome === 'waiting') throw new Error('still waiting')
  expect(outcome.report.map(({ name, ms, status }) => [name, ms, status])).toEqual([
    ['two', 2000, 'silent'],
    ['none', 0, 'silent'],
    ['cut', 3000, 'failed']
  ])
})

test('a hook that was asked again shows its last word, and that it was', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => (ctx.rejudge ? deny('not this') : allow()), { name: 'gate' })
  hooks.on('PreToolUse', () => ({ updatedInput: { command: 'rm' } }), { name: 'rewriter' })
  const { report, decision } = await hooks.fire('PreToolUse', bash(), { report: true })
  expect(decision).toBe('deny')
  expect(lines(report)['gate']).toMatchObject({ rejudged: true, reply: { decision: 'deny' } })
  expect(lines(report)['rewriter']).toMatchObject({ rejudged: false })
})

test('a hook that was aborted before it was asked did not run', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => undefined, { name: 'gate' })
  const { report } = await hooks.fire('PreToolUse', bash(), { report: true, signal: AbortSignal.abort() })
  expect(report).toMatchObject([
    { name: 'gate', matched: true, ran: false, status: 'failed', failure: { kind: 'aborted' } }
  ])
})

describe('hooks that come and go while the event is fired', () => {
  test('one that ran and removed itself is still in the report', async () => {
    const hooks = new HookRegistry()
    const off = hooks.on(
      'PreToolUse',
      () => {
        off()
        return deny('last word')
      },
      { name: 'gate' }
    )
    const { report, reason } = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(reason).toBe('last word')
    expect(report).toMatchObject([{ name: 'gate', ran: true, status: 'answered', reply: { decision: 'deny' } }])
  })

  test('one that runs once is still in the report', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ask('sure?'), { name: 'once', once: true })
    const { report } = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(report).toMatchObject([{ name: 'once', ran: true, status: 'answered' }])
  })

  test('one that came meanwhile is not blamed on its matcher', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => void hooks.on('PreToolUse', 'Bash', () => deny(), { name: 'new' }))
    const { report } = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(lines(report)['new']?.why ?? '').not.toMatch(/does not fit/)
  })
})

test('nothing that a caller does to a report reaches the next one', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => undefined, { name: 'gate' })
  const first = await hooks.fire('PreToolUse', callOf('Read'), { report: true })
  ;(first.report[0]!.notes as string[]).push('scribble')
  const second = await hooks.fire('PreToolUse', callOf('Read'), { report: true })
  expect(second.report[0]!.notes).toEqual([])
})

describe('a hook that has allowed every call', () => {
  const notesOf = async (hooks: HookRegistry, command = 'ls'): Promise<string> =>
    (await hooks.fire('PreToolUse', bash(command), { report: true })).report.flatMap(({ notes }) => notes).join()

  test('S11: is named in the report, with the number of calls', async () => {
    const hooks = new HookRegistry()
    hooks.register({ name: 'logging', events: ['PreToolUse', 'PostToolUse'], run: () => allow() })
    expect(await notesOf(hooks)).toContain('has allowed every call so far (1)')
    expect(await notesOf(hooks)).toContain('has allowed every call so far (2)')
  })

  test('S11: is not named once it has said anything else', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => (ctx.toolInput['command'] === 'ls' ? allow() : undefined))
    expect(await notesOf(hooks, 'make')).toBe('')
    expect(await notesOf(hooks)).toBe('')
  })

  test('S11: is not named where a matcher says what it approves', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', () => allow())
    expect(await notesOf(hooks)).toBe('')
  })
})

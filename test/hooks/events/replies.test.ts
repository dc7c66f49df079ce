import { describe, expect, it } from 'vitest'
import { allow, ask, block, defer, deny, HookRegistry, transform } from '../../../src/hooks.ts'
import { outcomeOf, bash, loose, NEUTRAL } from '../../support/hook-inputs.ts'

describe('words', () => {
  // F44, F45
  it.each([undefined, null, {}, { decision: '' as const }, { decision: undefined }])(
    '%j changes nothing',
    async reply => {
      expect(await outcomeOf('PreToolUse', reply)).toMatchObject(NEUTRAL)
    }
  )

  // F45, F46
  it.each([
    [allow(), 'allow', undefined],
    [deny('bad'), 'deny', 'bad'],
    [ask('sure?'), 'ask', 'sure?'],
    [defer(), 'defer', undefined]
  ] as const)('%j is a decision', async (reply, decision, reason) => {
    expect(await outcomeOf('PreToolUse', reply)).toMatchObject({
      decision,
      reason,
      blocked: decision === 'deny',
      continue: undefined,
      failures: []
    })
  })

  // F46
  it.each(['maybe', 'Deny', 'ALLOW', ' deny', 'yes', 'continue'])(
    '%j is no decision, and the gate closes',
    async word => {
      const outcome = await outcomeOf('PreToolUse', loose({ decision: word }))
      expect(outcome).toMatchObject({
        blocked: true,
        failures: [{ kind: 'reply', message: expect.stringContaining(word) }]
      })
    }
  )

  // F44
  it('block(reason) blocks, and the run continues', async () => {
    const outcome = await outcomeOf('PreToolUse', block('not here'))
    expect(outcome).toMatchObject({ decision: 'deny', blocked: true, reason: 'not here', continue: undefined })
  })

  // F44
  it('transform(value) is what the tool gets', async () => {
    const outcome = await outcomeOf('PreToolUse', transform({ command: 'ls' }))
    expect(outcome).toMatchObject({ ...NEUTRAL, updatedInput: { command: 'ls' } })
  })

  // F47
  it('allow() says yes and leaves everything else empty', async () => {
    expect(await outcomeOf('PreToolUse', allow())).toMatchObject({
      ...NEUTRAL,
      decision: 'allow',
      reasons: [{ decision: 'allow', reason: undefined }]
    })
  })

  // F52
  it.each([
    ['approve', 'allow'],
    ['block', 'deny'],
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['', undefined]
  ] as const)('decision %j is read as %s', async (decision, read) => {
    expect(await outcomeOf('PreToolUse', { decision })).toMatchObject({ decision: read, failures: [] })
  })

  it('a refusal without a reason names its author', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => deny(), { name: 'no-force-push' })
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ reason: 'refused by no-force-push' })
  })

  it.each([
    [allow(), deny('mine')],
    [deny('mine'), allow()]
  ])('allow and deny, in either order: deny, with its own reason', async (...replies) => {
    expect(await outcomeOf('PreToolUse', ...replies)).toMatchObject({ decision: 'deny', reason: 'mine' })
  })

  it('of several refusals the first reason leads, and all are kept', async () => {
    const outcome = await outcomeOf('PreToolUse', deny('one'), allow(), deny('two'))
    expect(outcome.reason).toBe('one')
    expect(outcome.reasons.map(({ decision, reason }) => [decision, reason])).toEqual([
      ['deny', 'one'],
      ['allow', undefined],
      ['deny', 'two']
    ])
  })

  it('the reason of the blocker with the highest priority leads', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => deny('low'), { priority: 1 })
    hooks.on('PreToolUse', () => deny('high'), { priority: 100 })
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ reason: 'high' })
  })
})

// F48
describe('options of an answer', () => {
  const options = {
    context: 'c',
    systemMessage: 's',
    updatedInput: { a: 1 },
    suppressOutput: true,
    suppressLogging: true
  }
  const told = {
    additionalContext: 'c',
    systemMessage: 's',
    updatedInput: { a: 1 },
    suppressOutput: true,
    suppressLogging: true
  }

  it.each([
    ['allow', allow(options), { ...told, decision: 'allow' }],
    ['ask', ask('why', options), { ...told, decision: 'ask', reason: 'why' }],
    [
      'transform',
      transform({ b: 2 }, { context: 'c', systemMessage: 's' }),
      { updatedInput: { b: 2 }, additionalContext: 'c', systemMessage: 's' }
    ],
    ['deny', deny('no', options), { ...told, updatedInput: undefined, decision: 'deny', reason: 'no' }],
    ['block', block('no', options), { ...told, updatedInput: undefined, decision: 'deny', reason: 'no' }]
  ])('%s keeps them all', async (_, reply, expected) => {
    expect(await outcomeOf('PreToolUse', reply)).toMatchObject(expected)
  })

  it('do not leak from one answer into the next', () => {
    allow({ context: 'c' })
    expect(allow()).toEqual({ decision: 'allow' })
  })
})

import { describe, expect, it } from 'vitest'
import { block, HookRegistry, transform, type Reply } from '../../../src/hooks.ts'
import { outcomeOf, bash, loose, NEUTRAL } from '../../support/hook-inputs.ts'

describe('fields', () => {
  // F49
  it('all synchronous fields take effect', async () => {
    const outcome = await outcomeOf('PostToolUse', {
      continue: false,
      suppressOutput: true,
      stopReason: 'enough',
      decision: 'block',
      systemMessage: 'note',
      reason: 'bad result',
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'more' }
    })
    expect(outcome).toMatchObject({
      continue: false,
      suppressOutput: true,
      stopReason: 'enough',
      decision: 'deny',
      blocked: false,
      systemMessage: 'note',
      reason: 'bad result',
      additionalContext: 'more'
    })
  })

  // F49
  it('snake case is read too, and camel case beats it', async () => {
    const reply = { stop_reason: 'snake', suppress_output: true, system_message: 'snake', systemMessage: 'camel' }
    const outcome = await outcomeOf('PostToolUse', loose(reply))
    expect(outcome).toMatchObject({ stopReason: 'snake', suppressOutput: true, systemMessage: 'camel' })
  })

  // F49
  it('snake case is read within the specific output as well', async () => {
    const specific = { hook_event_name: 'PreToolUse', permission_decision: 'deny', permission_decision_reason: 'no' }
    const outcome = await outcomeOf('PreToolUse', loose({ hook_specific_output: specific }))
    expect(outcome).toMatchObject({ decision: 'deny', reason: 'no' })
  })

  // F50
  it('an asynchronous output that is already there has nothing left to say', async () => {
    expect(await outcomeOf('PreToolUse', { async: true, asyncTimeout: 30 })).toMatchObject(NEUTRAL)
  })

  // F51
  it('an object that is neither is one empty result, and unknown keys are noted', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => loose({ verdict: 'no', score: 3 }), { name: 'other' })
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { report: true })
    expect(outcome).toMatchObject(NEUTRAL)
    expect(outcome.report).toMatchObject([{ name: 'other', status: 'answered' }])
    expect(outcome.report[0]!.notes).toHaveLength(2)
  })

  // F53
  it('the specific output of PreToolUse takes effect in full', async () => {
    const outcome = await outcomeOf('PreToolUse', {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: 'looks odd',
        updatedInput: { command: 'ls' },
        additionalContext: 'it was rewritten'
      }
    })
    expect(outcome).toMatchObject({
      decision: 'ask',
      reason: 'looks odd',
      updatedInput: { command: 'ls' },
      additionalContext: 'it was rewritten'
    })
  })

  // F54
  it('the specific output of PostToolUse takes effect', async () => {
    const outcome = await outcomeOf('PostToolUse', {
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        additionalContext: 'more',
        updatedToolOutput: { text: 'short' },
        updatedMCPToolOutput: 'shorter'
      }
    })
    expect(outcome).toMatchObject({
      additionalContext: 'more',
      fields: { updatedToolOutput: { text: 'short' }, updatedMCPToolOutput: 'shorter' }
    })
  })

  // F55
  it.each([
    'PostToolUseFailure',
    'SessionStart',
    'SubagentStart',
    'Setup',
    'Notification',
    'UserPromptSubmit',
    'PostToolBatch',
    'Stop'
  ] as const)('additionalContext takes effect on %s', async event => {
    const specific = { hookSpecificOutput: { hookEventName: event, additionalContext: 'first' } }
    const outcome = await outcomeOf(event, specific, { additionalContext: 'second' })
    expect(outcome).toMatchObject({ additionalContext: 'first\nsecond', failures: [] })
  })

  // F56
  it('specific output for another event is a failure that names both', async () => {
    const wrong: Reply = { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'allow' } }
    const gate = await outcomeOf('PreToolUse', wrong)
    expect(gate).toMatchObject({
      blocked: true,
      failures: [{ kind: 'reply', message: expect.stringMatching(/PostToolUse.*PreToolUse/) }]
    })
    const open = await outcomeOf('SessionStart', {
      hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'x' }
    })
    expect(open).toMatchObject({
      blocked: false,
      contexts: [],
      failures: [{ message: expect.stringMatching(/Stop.*SessionStart/) }]
    })
  })

  // F57
  it.each([
    [undefined, undefined],
    [true, true],
    [false, false]
  ])('continue keeps three states: %s', async (value, kept) => {
    expect(await outcomeOf('Stop', { continue: value })).toMatchObject({ continue: kept })
  })

  // F57
  it('a report keeps the reply as it was given', async () => {
    const reply: Reply = { decision: 'approve', reason: 'r', stopReason: 's', suppressOutput: false, continue: true }
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => reply)
    const { report, reasons } = await hooks.fire('PreToolUse', bash('ls'), { report: true })
    expect(report[0]!.reply).toEqual(reply)
    expect(reasons).toMatchObject([{ decision: 'allow', reason: 'r' }])
  })
})

describe('answers that an event cannot take', () => {
  it.each(['UserPromptSubmit', 'PostToolUse', 'SessionStart', 'Stop', 'Notification'] as const)(
    'a transform on %s fails, and the failure names the event',
    async event => {
      const { failures, updatedInput } = await outcomeOf(event, transform({ a: 1 }))
      expect(failures).toMatchObject([{ kind: 'reply', message: expect.stringContaining(event) }])
      expect(updatedInput).toBeUndefined()
    }
  )

  it.each(['ask', 'defer'] as const)('%s where no one can be asked is a failure, not a yes', async decision => {
    expect(await outcomeOf('UserPromptSubmit', { decision })).toMatchObject({
      blocked: true,
      failures: [{ kind: 'decision' }]
    })
    expect(await outcomeOf('PermissionRequest', { decision })).toMatchObject({
      blocked: true,
      failures: [{ kind: 'decision' }]
    })
  })

  it('only an explicit decision keeps a compaction from happening', async () => {
    expect(await outcomeOf('PreCompact', block('no'))).toMatchObject({ blocked: false })
    expect(await outcomeOf('PreCompact', { continue: false })).toMatchObject({ blocked: false })
    expect(await outcomeOf('PreCompact', { decision: 'block', reason: 'not now' })).toMatchObject({
      blocked: true,
      reason: 'not now'
    })
  })
})

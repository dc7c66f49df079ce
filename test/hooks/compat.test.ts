import { describe, expect, it } from 'vitest'
import {
  allow,
  deny,
  HookRegistry,
  type EventName,
  type HookResult,
  type Outcome,
  type Reported
} from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { bash, loose } from '../support/hook-inputs.ts'

const compat = async (event: EventName, run: () => HookResult | Promise<HookResult>): Promise<Reported> => {
  const hooks = new HookRegistry({ profile: 'compat' })
  hooks.register({ name: 'file', events: event, dialect: 'contract', run })
  return harness(hooks).fire(event)
}

describe('the compat profile', () => {
  it.each<[string, () => HookResult | Promise<HookResult>]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      }
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['answers nonsense', () => loose({ decision: 7 })],
    ['answers for another event', () => ({ hookSpecificOutput: { hookEventName: 'Stop' } })]
  ])('lets pass when a gate %s, and marks it', async (_, run) => {
    for (const event of ['PreToolUse', 'UserPromptSubmit', 'PermissionRequest'] as const) {
      const outcome = await compat(event, run)
      expect(outcome).toMatchObject({ blocked: false, failures: [{ by: 'file', failedOpen: true }] })
    }
  })

  it('lets pass when a gate is late, and marks it', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ profile: 'compat', clock })
    hooks.register({ events: 'UserPromptSubmit', dialect: 'contract', run: () => new Promise(() => undefined) })
    const outcome = hooks.fire('UserPromptSubmit', { prompt: 'x' })
    await clock.advance(30)
    expect(await outcome).toMatchObject({ blocked: false, failures: [{ kind: 'timeout', failedOpen: true }] })
  })

  it('a failure where nothing would close is not marked', async () => {
    const outcome = await compat('PostToolUse', () => loose(7))
    expect(outcome.failures).toMatchObject([{ failedOpen: false }])
  })

  it('onFailure: block still closes', async () => {
    const hooks = new HookRegistry({ profile: 'compat' })
    const broken = (): undefined => {
      throw new Error('broken')
    }
    hooks.callbacks({ PreToolUse: [{ hooks: [broken], onFailure: 'block' }] })
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({
      blocked: true,
      failures: [{ failedOpen: false }]
    })
  })

  it('continue: false on PreToolUse lets the tool run, and ends the run', async () => {
    const outcome = await compat('PreToolUse', () => ({ continue: false, stopReason: 'enough' }))
    expect(outcome).toMatchObject({ blocked: false, decision: undefined, continue: false, stopReason: 'enough' })
  })

  it('continue: false of a library hook blocks as ever', async () => {
    const hooks = new HookRegistry({ profile: 'compat' })
    hooks.on('PreToolUse', () => ({ continue: false }))
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ blocked: true, continue: false })
  })

  it.each(['SessionStart', 'SubagentStart'] as const)(
    '%s cannot be blocked by a contract hook, and it is said',
    async event => {
      for (const reply of [
        { decision: 'block', reason: 'no' },
        { continueExecution: false, stopReason: 'no' }
      ] as const) {
        const outcome = await compat(event, () => reply)
        expect(outcome).toMatchObject({ blocked: false, decision: undefined })
        expect(outcome.report[0]!.notes).toEqual([expect.stringContaining('compat')])
      }
    }
  )

  it.each(['SessionStart', 'SubagentStart'] as const)(
    '%s can be blocked in strict, and by library hooks',
    async event => {
      const block = async (
        options: ConstructorParameters<typeof HookRegistry>[0],
        dialect: 'library' | 'contract'
      ): Promise<Outcome> => {
        const hooks = new HookRegistry(options).register({ events: event, dialect, run: () => deny('no') })
        return harness(hooks).fire(event)
      }
      expect(await block({}, 'contract')).toMatchObject({ blocked: true, reason: 'no' })
      expect(await block({ profile: 'compat' }, 'library')).toMatchObject({ blocked: true, reason: 'no' })
    }
  )

  it('a context outside the specific output is ignored, as its first host does', async () => {
    const outcome = await compat('PreToolUse', () => ({ additionalContext: 'outside' }))
    expect(outcome.contexts).toEqual([])
    expect(outcome.report[0]!.notes).toEqual([expect.stringContaining('hookSpecificOutput')])
  })

  it('a deny is a deny', async () => {
    expect(await compat('PreToolUse', () => deny('no'))).toMatchObject({ blocked: true, reason: 'no' })
    expect(await compat('PreToolUse', () => allow())).toMatchObject({ decision: 'allow' })
  })

  it('changes are put together in declared order, never by who finished first', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ profile: 'compat', clock })
    const after = (seconds: number, command: string) => async () => {
      await new Promise<void>(resolve => clock.after(seconds * 1000, resolve))
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command } } }
    }
    hooks.callbacks({ PreToolUse: [{ hooks: [after(9, 'slow'), after(1, 'fast')] }] })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(9)
    expect(await outcome).toMatchObject({ updatedInput: { command: 'fast' }, conflicts: [{ key: 'command' }] })
  })
})

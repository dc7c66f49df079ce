import { describe, expect, it } from 'vitest'
import { block, deny, HookRegistry, type HookMessage } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { outcomeOf, bash, NEUTRAL, loopTurn } from '../../support/hook-inputs.ts'

describe('what hook authors are used to', () => {
  it('a Stop hook that asks to go on can be read from the outcome', async () => {
    expect(await outcomeOf('Stop', { continue: true, systemMessage: 'run the tests' })).toMatchObject({
      continue: true,
      systemMessage: 'run the tests'
    })
  })

  it('a permission hook that says continue: false denies and interrupts; an allow does not', async () => {
    expect(await outcomeOf('PermissionRequest', { continue: false })).toMatchObject({
      decision: 'deny',
      continue: false,
      fields: { interrupt: true }
    })
    const yes = await outcomeOf('PermissionRequest', { hookSpecificOutput: { decision: { behavior: 'allow' } } })
    expect(yes).toMatchObject({ decision: 'allow', continue: undefined, fields: {} })
  })

  it('the decision of a permission request takes effect in full', async () => {
    const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
    const yes = await outcomeOf('PermissionRequest', {
      hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions } }
    })
    expect(yes).toMatchObject({ decision: 'allow', updatedInput: { command: 'ls' }, fields: { updatedPermissions } })
    const no = await outcomeOf('PermissionRequest', {
      hookSpecificOutput: { decision: { behavior: 'deny', message: 'never', interrupt: true } }
    })
    expect(no).toMatchObject({ decision: 'deny', reason: 'never', fields: { interrupt: true } })
  })

  it('TaskCompleted with continue: false and a message gives both to the caller', async () => {
    const outcome = await outcomeOf('TaskCompleted', { continue: false, stopReason: 'tests fail' })
    expect(outcome).toMatchObject({ continue: false, stopReason: 'tests fail' })
  })

  it('blocks of SessionStart, SubagentStart and AgentStart are not thrown away', async () => {
    for (const event of ['SessionStart', 'SubagentStart', 'AgentStart'] as const) {
      expect(await outcomeOf(event, block('closed'))).toMatchObject({ blocked: true, reason: 'closed' })
    }
  })

  it.each(['throw', 'timeout'] as const)(
    'a %s is a deny that names the hook, or skipped where nothing can be denied',
    async how => {
      const clock = manualClock()
      const hooks = new HookRegistry({ clock })
      const seen: string[] = []
      const fail = (): Promise<undefined> => {
        if (how === 'throw') throw new Error('broken')
        return new Promise(() => undefined)
      }
      hooks.register({ name: 'frail', events: ['PreToolUse', 'SessionEnd'], timeout: 1, run: fail })
      hooks.register({ events: ['PreToolUse', 'SessionEnd'], run: ctx => void seen.push(ctx.event) })
      const gate = hooks.fire('PreToolUse', bash('ls'))
      const end = hooks.fire('SessionEnd', { reason: 'other' })
      await clock.advance(1)
      expect(await gate).toMatchObject({ decision: 'deny', reason: expect.stringContaining('frail') })
      expect(await end).toMatchObject({ decision: undefined, failures: [{ by: 'frail' }] })
      expect(seen.toSorted()).toEqual(['PreToolUse', 'SessionEnd'])
    }
  )

  it('a block does not keep later hooks from seeing the event', async () => {
    const hooks = new HookRegistry()
    const seen: string[] = []
    hooks.on('PreToolUse', () => deny('no'), { priority: 9 })
    hooks.on('PreToolUse', () => void seen.push('first'))
    hooks.on('PreToolUse', () => void seen.push('second'))
    await hooks.fire('PreToolUse', bash('ls'))
    expect(seen).toEqual(['first', 'second'])
  })

  it('with a matcher but no tool name in the input, the hook runs', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', () => deny('cannot tell'))
    expect(await hooks.fire('PreToolUse', {} as ReturnType<typeof bash>)).toMatchObject({ blocked: true })
    expect(await hooks.fire('PreToolUse', { ...bash('ls'), tool_name: 'Read' })).toMatchObject({ blocked: false })
  })

  it('an erring hook is started, answered with an error, and gives no result', async () => {
    const messages: HookMessage[] = []
    const hooks = new HookRegistry({ sink: message => messages.push(message) })
    hooks.on('PostToolUse', () => {
      throw new Error('broken')
    })
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    await loopTurn()
    expect(messages).toMatchObject([
      { subtype: 'hook_started' },
      { subtype: 'hook_response', outcome: 'error', output: 'broken' }
    ])
    expect(outcome).toMatchObject({ ...NEUTRAL, failures: [{ message: 'broken' }] })
  })
})

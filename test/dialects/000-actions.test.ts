/**
 * Dialect 000: a trait whose `on_event` gets any of five events and returns an action, Continue, Block or
 * Transform. Here: an object with `events` and `run(ctx)`, and replies.
 */
import { describe, expect, test } from 'vitest'
import { block, guard, HookRegistry, transform, type Hook, type HookContext, type HookResult } from '../../src/hooks.ts'
import { harness } from '../../src/testing.ts'
import { bash } from '../support/hook-inputs.ts'

type Five = 'PreToolUse' | 'PostToolUse' | 'AgentStart' | 'AgentStop' | 'Iteration'
const FIVE = ['PreToolUse', 'PostToolUse', 'AgentStart', 'AgentStop', 'Iteration'] as const

/** A hook of that dialect, whole: one method for all events. */
const onEvent = (name: string, run: (ctx: HookContext<Five>) => HookResult): Hook<Five> => ({ name, events: FIVE, run })

const agentResult = {
  id: 'agent-1',
  content: 'Done.',
  tool_uses: 2,
  iterations: 3,
  usage: { input_tokens: 10, output_tokens: 5 }
}

describe('the trait', () => {
  // F29, F1
  test('one object listens to all five events and is told which one it is', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry().register(onEvent('watch', ctx => void seen.push(ctx.event)))

    await hooks.fire('AgentStart', { agent_id: 'agent-1', task: 'Tidy up' })
    await hooks.fire('Iteration', { agent_id: 'agent-1', iteration: 1 })
    await hooks.fire('PreToolUse', bash('ls'))
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: 'a b' })
    await hooks.fire('AgentStop', { agent_id: 'agent-1', result: agentResult })

    expect(seen).toEqual(['AgentStart', 'Iteration', 'PreToolUse', 'PostToolUse', 'AgentStop'])
  })

  // F5, F6, F20, F21, F28
  test('each event carries its fields, and naming the event tells the compiler which', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry().register(
      onEvent('watch', ctx => {
        if (ctx.event === 'PreToolUse') seen.push([ctx.toolName, ctx.toolInput, ctx.toolUseId])
        if (ctx.event === 'PostToolUse') seen.push([ctx.toolName, ctx.toolInput, ctx.toolResponse])
        if (ctx.event === 'AgentStart') seen.push([ctx.input.agent_id, ctx.input.task])
        if (ctx.event === 'AgentStop') seen.push([ctx.input.agent_id, ctx.input.result.tool_uses])
        if (ctx.event === 'Iteration') seen.push([ctx.input.agent_id, ctx.input.iteration])
      })
    )

    await hooks.fire('PreToolUse', bash('ls'))
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: 'a b' })
    await hooks.fire('AgentStart', { agent_id: 'agent-1', task: 'Tidy up' })
    await hooks.fire('Iteration', { agent_id: 'agent-1', iteration: 1 })
    await hooks.fire('AgentStop', { agent_id: 'agent-1', result: agentResult })

    expect(seen).toEqual([
      ['Bash', { command: 'ls' }, 'toolu_1'],
      ['Bash', { command: 'ls' }, 'a b'],
      ['agent-1', 'Tidy up'],
      ['agent-1', 1],
      ['agent-1', 2]
    ])
  })

  // F29, F96
  test('a method that fails closes the gate with its message and names itself', async () => {
    const hooks = new HookRegistry().register(
      onEvent('broken', () => {
        throw new Error('the policy file is gone')
      })
    )

    const gate = await hooks.fire('PreToolUse', bash('ls'))
    expect(gate.decision).toBe('deny')
    expect(gate.reason).toContain('broken')
    expect(gate.reason).toContain('the policy file is gone')

    const after = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: 'a b' })
    expect(after.blocked).toBe(false)
    expect(after.failures).toMatchObject([{ by: 'broken', kind: 'threw', message: 'the policy file is gone' }])
  })
})

describe('the actions', () => {
  // F44
  test('Continue is to say nothing', async () => {
    const hooks = new HookRegistry().register(onEvent('quiet', () => undefined))
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: undefined, blocked: false })
  })

  // F44, F59
  test('Block refuses with its reason', async () => {
    const hooks = new HookRegistry().register(onEvent('no', () => block('not on a Friday')))
    const outcome = await hooks.fire('PreToolUse', bash('deploy'))
    expect(outcome).toMatchObject({ blocked: true, reason: 'not on a Friday' })
  })

  // F44, F60
  test('Transform gives the tool another input', async () => {
    const hooks = new HookRegistry().register(
      onEvent('dry', ctx =>
        ctx.event === 'PreToolUse'
          ? transform({ ...ctx.toolInput, command: `echo ${ctx.toolInput['command']}` })
          : undefined
      )
    )
    const outcome = await hooks.fire('PreToolUse', bash('deploy'))
    expect(outcome.updatedInput).toEqual({ command: 'echo deploy' })
  })

  test.each(['PostToolUse', 'AgentStart', 'Iteration'] as const)(
    'Transform of an event without an input to change is a failure that names %s',
    async event => {
      const hooks = new HookRegistry()
      hooks.on(event, () => transform({ command: 'ls' }), { name: 'confused' })
      const outcome = await harness(hooks).fire(event)
      expect(outcome.failures).toMatchObject([{ by: 'confused', kind: 'reply' }])
      expect(outcome.failures[0]?.message).toContain(event)
    }
  )
})

describe('the registry', () => {
  // F58
  test('a new one is empty, and firing it continues', async () => {
    const hooks = new HookRegistry()
    expect(hooks.list()).toEqual([])
    expect(await hooks.fire('PreToolUse', bash('rm -rf /'))).toMatchObject({ decision: undefined, blocked: false })
  })

  // F58
  test('register appends', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
      .register(onEvent('first', () => void seen.push('first')))
      .register(onEvent('second', () => void seen.push('second')))
    await hooks.fire('Iteration', { agent_id: 'agent-1', iteration: 1 })
    expect(seen).toEqual(['first', 'second'])
  })

  // F59
  test('one block is the answer, whoever else continues', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
      .register(onEvent('first', () => void seen.push('first')))
      .register(onEvent('gate', () => block('no')))
      .register(onEvent('audit', () => void seen.push('audit')))
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ blocked: true, reason: 'no' })
    // A block refuses the call; it does not keep the log from seeing it.
    expect(seen).toEqual(['first', 'audit'])
  })

  // F60
  test('what one hook transforms is what the next one sees, and what comes back', async () => {
    const wrap = (word: string) => (ctx: HookContext<Five>) =>
      ctx.event === 'PreToolUse' && !ctx.rejudge
        ? transform({ command: `${word} ${ctx.toolInput['command']}` })
        : undefined
    const hooks = new HookRegistry().register(onEvent('nice', wrap('nice'))).register(onEvent('time', wrap('time')))

    const outcome = await hooks.fire('PreToolUse', bash('make'))
    expect(outcome.updatedInput).toEqual({ command: 'time nice make' })
  })
})

describe('in front of a tool', () => {
  const tool = (ran: unknown[]) => async (input: { command: string }) => {
    ran.push(input)
    return `ran ${input.command}`
  }

  // F59, F96
  test('a blocked call never reaches the tool', async () => {
    const ran: unknown[] = []
    const hooks = new HookRegistry().register(
      onEvent('no', ctx => (ctx.event === 'PreToolUse' ? block('no') : undefined))
    )
    const run = guard(hooks, 'Bash', tool(ran), { onDeny: refusal => refusal.message })
    expect(await run({ command: 'ls' })).toBe('Bash was refused by no: no')
    expect(ran).toEqual([])
  })

  // F6, F60
  test('a transformed call reaches the tool as transformed, and the later event says so', async () => {
    const ran: unknown[] = []
    const after: unknown[] = []
    const hooks = new HookRegistry().register(
      onEvent('sudo', ctx => {
        if (ctx.event === 'PostToolUse') after.push(ctx.toolInput)
        return ctx.event === 'PreToolUse' ? transform({ command: 'sudo ls' }) : undefined
      })
    )
    expect(await guard(hooks, 'Bash', tool(ran))({ command: 'ls' })).toBe('ran sudo ls')
    expect(ran).toEqual([{ command: 'sudo ls' }])
    expect(after).toEqual([{ command: 'sudo ls' }])
  })
})

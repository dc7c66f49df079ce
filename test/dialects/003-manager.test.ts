/**
 * Dialect 003: hook objects with a name, events, a priority and a timeout; a manager that runs them in order
 * and merges their outputs. Here: `register(hook)` and `fire(event, input)`; the merged output is the outcome.
 */
import { describe, expect, test, vi } from 'vitest'
import {
  allow,
  block,
  EVENT_NAMES,
  HookRegistry,
  snakeName,
  transform,
  type EventName,
  type Hook,
  type Reply
} from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { bash } from '../support/hook-inputs.ts'

const never = () => new Promise<undefined>(() => undefined)

/** The events of that dialect. */
const TEN = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'SessionStart',
  'SessionEnd'
] as const

/** The custom security hook. */
const securityHook = (blockedPatterns: readonly string[]): Hook<'PreToolUse', 'Bash'> => ({
  name: 'security-hook',
  events: 'PreToolUse',
  matcher: 'Bash',
  priority: 100,
  run(ctx) {
    const found = blockedPatterns.find(pattern => ctx.toolInput.command.includes(pattern))
    return found === undefined ? allow() : block(`Blocked: contains '${found}'`)
  }
})

type ToolLine = { event: string; tool: string }

/** The logging hook. */
const loggingHook = (log: ToolLine[]): Hook<'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure'> => ({
  name: 'logging-hook',
  events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  run(ctx) {
    log.push({ event: snakeName(ctx.event), tool: ctx.toolName })
    return allow()
  }
})

/** The subagent monitor. */
const subagentMonitor = (log: string[]): Hook<'SubagentStart' | 'SubagentStop'> => ({
  name: 'subagent-monitor',
  events: ['SubagentStart', 'SubagentStop'],
  run(ctx) {
    const { input } = ctx
    if (input.hook_event_name === 'SubagentStart')
      log.push(`${input.agent_id} started: ${input.agent_type}, ${input.description}`)
    else if (input.success) log.push(`${input.agent_id} completed successfully`)
    else log.push(`${input.agent_id} failed: ${input.error}`)
  }
})

describe('the security hook', () => {
  const hooks = new HookRegistry().register(securityHook(['rm -rf', 'sudo']))

  // F190
  test.each([
    ['rm -rf /', "Blocked: contains 'rm -rf'"],
    ['sudo make install', "Blocked: contains 'sudo'"]
  ])('%s is blocked, and the reason names the pattern', async (command, reason) => {
    expect(await hooks.fire('PreToolUse', bash(command))).toMatchObject({ blocked: true, reason })
  })

  // F190, F47
  test('other commands are allowed, other tools are not its business', async () => {
    await harness(hooks).tool('Bash', { command: 'ls' }).toAllow()
    await harness(hooks).tool('Write', { file_path: '/a', content: 'sudo' }).toBeSilent()
  })

  // F68, F190
  test('runs before hooks of lower priority that were registered first, and its reason leads', async () => {
    const seen: string[] = []
    const manager = new HookRegistry()
      .register({ name: 'late', events: 'PreToolUse', run: () => (seen.push('late'), block('also no')) })
      .register(securityHook(['sudo']))
    const outcome = await manager.fire('PreToolUse', bash('sudo ls'), { report: true })
    expect(outcome.reason).toBe("Blocked: contains 'sudo'")
    expect(outcome.reasons.map(verdict => verdict.by)).toEqual(['security-hook', 'late'])
    expect(outcome.report.map(line => line.name)).toEqual(['security-hook', 'late'])
    // A block does not keep other hooks from seeing the call.
    expect(seen).toEqual(['late'])
  })
})

describe('the logging hook', () => {
  // F191, F2, F26
  test('logs event and tool of the three tool events, and allows', async () => {
    const log: ToolLine[] = []
    const hooks = new HookRegistry().register(loggingHook(log))
    expect((await hooks.fire('PreToolUse', bash('ls'))).decision).toBe('allow')
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    await hooks.fire('PostToolUseFailure', { ...bash('ls'), error: 'no' })
    await hooks.fire('UserPromptSubmit', { prompt: 'hello' })
    expect(log).toEqual([
      { event: 'pre_tool_use', tool: 'Bash' },
      { event: 'post_tool_use', tool: 'Bash' },
      { event: 'post_tool_use_failure', tool: 'Bash' }
    ])
  })
})

describe('the subagent monitor', () => {
  // F192, F10, F11
  test('logs start, success and failure', async () => {
    const log: string[] = []
    const hooks = new HookRegistry().register(subagentMonitor(log))
    const subagent = { agent_id: 'agent-1', agent_type: 'Explore' }
    const stop = { ...subagent, stop_hook_active: false, agent_transcript_path: '' }
    await hooks.fire('SubagentStart', { ...subagent, description: 'Find the tests' })
    await hooks.fire('SubagentStop', { ...stop, success: true })
    await hooks.fire('SubagentStop', { ...stop, success: false, error: 'out of turns' })
    expect(log).toEqual([
      'agent-1 started: Explore, Find the tests',
      'agent-1 completed successfully',
      'agent-1 failed: out of turns'
    ])
  })

  // F26
  test('the subagent’s id is at hand on its events only', async () => {
    const ids: unknown[] = []
    const hooks = new HookRegistry().register({
      name: 'ids',
      events: ['SubagentStart', 'PreToolUse'],
      run: ctx => void ids.push(ctx.subagentId)
    })
    await hooks.fire('SubagentStart', { agent_id: 'agent-1', agent_type: 'Explore' })
    await hooks.fire('PreToolUse', bash('ls'))
    expect(ids).toEqual(['agent-1', undefined])
  })
})

describe('the manager example', () => {
  // F193
  test('executing directly prints the block reason', async () => {
    const print = vi.fn<(line: string) => void>()
    const manager = new HookRegistry().register(securityHook(['rm -rf'])).register(loggingHook([]))
    for (const command of ['ls', 'rm -rf /']) {
      const output = await manager.fire('PreToolUse', { ...bash(command), session_id: 'session-1' })
      if (output.blocked) print(`Blocked: ${output.reason}`)
    }
    expect(print.mock.calls).toEqual([["Blocked: Blocked: contains 'rm -rf'"]])
  })

  // F66
  test('two managers may share one hook', async () => {
    const log: ToolLine[] = []
    const shared = loggingHook(log)
    await new HookRegistry().register(shared).fire('PreToolUse', bash('ls'))
    await new HookRegistry().register(shared).fire('PreToolUse', bash('ls'))
    expect(log).toHaveLength(2)
  })

  // F67
  test('hooks run for the events they list; without any, everything is let through', async () => {
    const manager = new HookRegistry().register({ name: 'start', events: 'SessionStart', run: () => block('closed') })
    expect(await manager.fire('SessionEnd', { reason: 'other' })).toMatchObject({ blocked: false, reasons: [] })
    expect((await manager.fire('SessionStart', { source: 'startup' })).blocked).toBe(true)
    expect((await new HookRegistry().fire('PreToolUse', bash('ls'))).blocked).toBe(false)
  })

  // F83
  test('what runs in a scope is what it lists, even when the manager takes a name of the scope later', async () => {
    const manager = new HookRegistry()
    const scope = manager.scope('subagent').register({ name: 'guard', events: 'PreToolUse', run: () => undefined })
    try {
      manager.register({ name: 'guard', events: 'PreToolUse', run: () => block('no') })
    } catch {
      // To refuse the name is as good as to list both.
    }
    const { report } = await scope.fire('PreToolUse', bash('ls'), { report: true })
    expect(scope.list()).toHaveLength(report.length)
  })

  // F32, F33
  test('a hook that says little has no matcher, 60 s and priority 0; one from a function takes all of it', () => {
    const manager = new HookRegistry().register({ name: 'plain', events: 'PreToolUse', run: () => undefined })
    expect(manager.describe('plain')).toMatchObject({ matcher: 'everything', timeout: 60, priority: 0 })

    manager.on('PreToolUse', 'Bash|Write', () => undefined, { name: 'full', priority: 5, timeout: 30 })
    expect(manager.describe('full')).toMatchObject({ matcher: '"Bash|Write"', timeout: 30, priority: 5 })
  })
})

describe('the output', () => {
  // F47, F48
  test('builders keep what was said before', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () =>
      allow({
        systemMessage: 'mind the budget',
        context: 'the branch is main',
        updatedInput: { command: 'ls -la' },
        suppressLogging: true
      })
    )
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({
      decision: 'allow',
      systemMessage: 'mind the budget',
      additionalContext: 'the branch is main',
      updatedInput: { command: 'ls -la' },
      suppressLogging: true
    })
  })

  test('the same output as JSON in snake case means the same', async () => {
    const json = '{ "continue_execution": false, "stop_reason": "Dangerous command blocked", "updated_input": null }'
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => JSON.parse(json) as Reply)
    expect(await hooks.fire('PreToolUse', bash('rm -rf /'))).toMatchObject({
      blocked: true,
      reason: 'Dangerous command blocked',
      updatedInput: undefined
    })
  })

  const merged = (...replies: readonly (Reply | undefined)[]) => {
    const hooks = new HookRegistry()
    for (const reply of replies) hooks.on('PreToolUse', () => reply)
    return hooks.fire('PreToolUse', bash('ls'))
  }

  // F70, F71
  test('any false blocks; the latest stop reason is kept, and the first reason leads', async () => {
    const output = await merged(allow(), block('first'), allow(), block('second'))
    expect(output).toMatchObject({ blocked: true, stopReason: 'second', reason: 'first' })
    expect(output.reasons.map(verdict => verdict.reason)).toEqual([undefined, 'first', undefined, 'second'])
  })

  // F70
  test('without a false nothing is blocked', async () => {
    expect((await merged(allow(), undefined, {})).blocked).toBe(false)
  })

  // F72
  test('any true suppresses', async () => {
    expect((await merged(allow(), allow({ suppressLogging: true }), allow())).suppressLogging).toBe(true)
    expect((await merged(allow(), allow())).suppressLogging).toBe(false)
  })

  // F73
  test('the latest system message wins, and none is lost', async () => {
    const output = await merged(allow({ systemMessage: 'one' }), allow({ systemMessage: 'two' }), allow())
    expect(output.systemMessage).toBe('two')
    expect(output.systemMessages.map(message => message.text)).toEqual(['one', 'two'])
  })

  // F74
  test('the latest input wins', async () => {
    const output = await merged(transform({ command: 'ls -a' }), transform({ command: 'ls -l' }), allow())
    expect(output.updatedInput).toEqual({ command: 'ls -l' })
  })

  // F75
  test('contexts are joined by newlines, and those who say nothing add none', async () => {
    expect((await merged(allow({ context: 'a' }), allow(), allow({ context: 'b' }))).additionalContext).toBe('a\nb')
    expect((await merged(allow(), undefined)).additionalContext).toBeUndefined()
  })
})

describe('the ten events', () => {
  // F1, F2
  test('are all there', () => {
    expect(EVENT_NAMES).toEqual(expect.arrayContaining([...TEN]))
    expect(TEN.map(snakeName)).toContain('user_prompt_submit')
  })

  // F4
  test.each(TEN)('block() on %s stops what that event is about, if it can', async event => {
    const hooks = new HookRegistry()
    hooks.on(event, () => block('no'))
    const { blocked } = await harness(hooks).fire(event)
    const actions: readonly EventName[] = ['PreToolUse', 'UserPromptSubmit', 'SubagentStart', 'SessionStart']
    // Stop is the exception: a block makes the agent continue, in later hook systems and here.
    const goingOn: readonly EventName[] = ['Stop', 'SubagentStop']
    expect(blocked).toBe(actions.includes(event) || goingOn.includes(event))
  })

  // F25, F41
  test.each(TEN)('%s can be fired with no more than its own fields', async event => {
    const hooks = new HookRegistry({ sessionId: 'session-1' })
    const seen: unknown[] = []
    hooks.on(event, ctx => void seen.push(ctx.event, ctx.sessionId, ctx.input.hook_event_name))
    await harness(hooks).fire(event)
    expect(seen).toEqual([event, 'session-1', event])
  })
})

describe('the context', () => {
  // F24, F42
  test('from a session id alone has no folder, an empty environment and a live signal', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry({ sessionId: 'session-1' })
    hooks.on('Stop', ctx => void seen.push(ctx.sessionId, ctx.cwd, ctx.env, ctx.signal.aborted))
    await hooks.fire('Stop', { stop_hook_active: false })
    expect(seen).toEqual(['session-1', undefined, {}, false])
  })

  // F42
  test('each can be set', async () => {
    const seen: unknown[] = []
    const controller = new AbortController()
    const hooks = new HookRegistry({ cwd: '/project', env: { LANG: 'C' }, signal: controller.signal })
    hooks.on('Stop', ctx => void seen.push(ctx.cwd, ctx.env['LANG']))
    await hooks.fire('Stop', { stop_hook_active: false })
    expect(seen).toEqual(['/project', 'C'])
  })

  test('a hook can fire another event through the same hooks', async () => {
    const log: string[] = []
    const hooks = new HookRegistry().register(subagentMonitor(log))
    hooks.on('PreToolUse', 'Agent', async ctx => {
      await ctx.fire('SubagentStart', {
        agent_id: 'agent-7',
        agent_type: 'Explore',
        description: ctx.toolInput.description
      })
    })
    await harness(hooks).tool('Agent', { description: 'look around', prompt: '…' }).toBeSilent()
    expect(log).toEqual(['agent-7 started: Explore, look around'])
  })
})

describe('time', () => {
  // F92, F94
  test.each([
    ['its own timeout', 5],
    ['60 s where it names none', undefined]
  ])('a hook that never answers closes the gate after %s', async (_, timeout) => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock }).register({ name: 'slow', events: 'PreToolUse', timeout, run: never })
    let reason: string | undefined
    void Promise.resolve(hooks.fire('PreToolUse', bash('ls'))).then(output => (reason = output.reason))

    await clock.advance((timeout ?? 60) - 1)
    expect(reason).toBeUndefined()
    await clock.advance(1)
    expect(reason).toContain('slow')
  })

  // F94
  test('where nothing can be blocked it is skipped, and that is told', async () => {
    const clock = manualClock()
    const told: string[] = []
    const hooks = new HookRegistry({
      clock,
      sink: message => message.subtype === 'hook_response' && told.push(message.outcome)
    })
    hooks.register({ name: 'slow', events: 'SessionEnd', timeout: 5, run: never })
    hooks.register({ name: 'next', events: 'SessionEnd', run: () => undefined })
    const ending = hooks.fire('SessionEnd', { reason: 'other' })
    await clock.advance(5)
    expect(await ending).toMatchObject({ blocked: false, failures: [{ by: 'slow', kind: 'timeout' }] })
    expect(told).toEqual(['cancelled', 'success'])
  })
})

import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  EVENT_NAMES,
  EVENTS,
  HookRegistry,
  snakeName,
  type EventName,
  type FireInput,
  type InputOf
} from '../../../src/hooks.ts'
import { harness } from '../../../src/testing.ts'
import { bash, TEN } from '../../support/hook-inputs.ts'

const row = <E extends EventName>(event: E, fields: FireInput<E>) => ({
  event,
  fields,
  fire: (hooks: HookRegistry) => hooks.fire(event, fields)
})

const BASE = { session_id: 's1', transcript_path: '/t/s1.jsonl', cwd: '/repo', permission_mode: 'plan' }
const registry = (): HookRegistry =>
  new HookRegistry({ sessionId: 's1', transcriptPath: '/t/s1.jsonl', cwd: '/repo', permissionMode: 'plan' })

const CALL = { tool_name: 'Write', tool_input: { file_path: '/a', content: 'b' }, tool_use_id: 'toolu_7' }

const PAYLOADS = [
  row('PreToolUse', CALL), // F5
  row('PostToolUse', { ...CALL, tool_response: { ok: true }, duration_ms: 12 }), // F6
  row('PostToolUseFailure', { ...CALL, error: 'disk full', is_interrupt: true }), // F7
  row('UserPromptSubmit', { prompt: 'Tidy up' }), // F8
  row('Stop', { stop_hook_active: true, last_assistant_message: 'Done', block_count: 2, previous_reason: 'tests' }), // F9
  row('SubagentStart', { agent_id: 'a1', agent_type: 'Explore', description: 'Look around' }), // F10
  row('SubagentStop', {
    agent_id: 'a1',
    agent_type: 'Explore',
    success: false,
    error: 'out of turns',
    agent_transcript_path: '/t/a1.jsonl',
    stop_hook_active: false
  }), // F11
  row('PreCompact', { trigger: 'manual', custom_instructions: 'keep the plan' }), // F12
  row('PreCompact', { trigger: 'auto', custom_instructions: null }), // F12
  row('SessionStart', { source: 'resume', agent_type: 'reviewer', model: 'small' }), // F13
  row('SessionStart', { source: 'clear' }), // F13
  row('SessionEnd', { reason: 'logout' }), // F14
  row('Notification', { message: 'Waiting', notification_type: 'idle_prompt', title: 'Carabiner' }), // F15
  row('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'ls' } }), // F16
  row('Setup', { trigger: 'maintenance' }), // F17
  row('TeammateIdle', { teammate_name: 'tester', team_name: 'release' }), // F18
  row('TaskCompleted', {
    task_id: '4',
    task_subject: 'Ship',
    task_description: 'to production',
    teammate_name: 'tester',
    team_name: 'release'
  }), // F19
  row('AgentStart', { agent_id: 'a0', task: 'Ship' }), // F20
  row('AgentStop', {
    agent_id: 'a0',
    result: { id: 'a0', content: 'Shipped', tool_uses: 2, iterations: 3, usage: { input_tokens: 5, output_tokens: 6 } }
  }), // F21
  row('Iteration', { agent_id: 'a0', iteration: 1 }),
  row('PreModelSwitch', { ...EVENTS.PreModelSwitch.sample, requested_model: null, pricing: 'default' }),
  row('PostModelSwitch', { ...EVENTS.PostModelSwitch.sample, source: 'resume' }),
  row('DirectoryAdded', { directory: '/library', source: 'register_repo_root' }),
  row('MessageDisplay', { turn_id: 't1', message_id: 'm1', index: 0, final: true, delta: 'Done' }),
  row('PreModelRequest', {
    model: 'large',
    purpose: 'turn',
    request: { model: 'large', system: 'Be brief.', tools: ['Bash'], append: [], effort: 'low', max_tokens: 9 }
  }),
  row('PostModelResponse', {
    model: 'large',
    purpose: 'compaction',
    attempt: 2,
    response: { content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' },
    usage: { input_tokens: 5, output_tokens: 6 }
  })
]

describe('payloads', () => {
  // F5-F21, F23, F25
  it.each(PAYLOADS)('$event reaches a hook with its fields and the base fields', async ({ event, fields, fire }) => {
    const hooks = registry()
    const seen: unknown[] = []
    hooks.register({ events: EVENT_NAMES, run: ctx => void seen.push(ctx.input) })
    await fire(hooks)
    expect(seen).toEqual([
      {
        ...BASE,
        ...fields,
        hook_event_name: event,
        event: snakeName(event),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        ...('prompt' in fields ? { user_prompt: fields.prompt } : {}),
        ...('agent_id' in fields && 'agent_type' in fields
          ? { subagent_id: fields.agent_id, subagent_type: fields.agent_type }
          : {})
      }
    ])
  })

  it('S7: a call of a subagent names it by both spellings, and a call of the main agent by none', async () => {
    const hooks = registry()
    const seen: object[] = []
    hooks.on('PreToolUse', ctx => void seen.push(ctx.input))
    const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c1' }
    await hooks.fire('PreToolUse', { ...call, agent_id: 'a1', agent_type: 'Explore' })
    await hooks.fire('PreToolUse', call)
    expect(seen[0]).toMatchObject({
      agent_id: 'a1',
      subagent_id: 'a1',
      agent_type: 'Explore',
      subagent_type: 'Explore'
    })
    expect(Object.keys(seen[1]!).filter(key => key.includes('agent'))).toEqual([])
  })

  it('S7: an agent that reports on itself is not called a subagent', async () => {
    const hooks = registry()
    const seen: object[] = []
    hooks.register({ events: ['AgentStart', 'Iteration', 'SessionStart'], run: ctx => void seen.push(ctx.input) })
    await hooks.fire('AgentStart', { agent_id: 'a0', task: 'Ship' })
    await hooks.fire('Iteration', { agent_id: 'a0', iteration: 1 })
    await hooks.fire('SessionStart', { source: 'startup', agent_type: 'reviewer' })
    expect(seen.flatMap(input => Object.keys(input)).filter(key => key.startsWith('subagent'))).toEqual([])
    expect(seen).toHaveLength(3)
  })

  // F25
  it('each of ten events arrives as its full typed input, from its sample', async () => {
    const hooks = registry()
    const seen: InputOf<(typeof TEN)[number]>[] = []
    hooks.register({ events: TEN, run: ctx => void seen.push(ctx.input) })
    for (const event of TEN) await harness(hooks).fire(event)
    expect(seen.map(input => input.hook_event_name)).toEqual(TEN)
    seen.forEach((input, index) => expect(input).toMatchObject({ ...BASE, ...EVENTS[TEN[index]!].sample }))
  })

  // F11, F13, F19
  it('optional fields that were not given are absent', async () => {
    const hooks = registry()
    const seen: object[] = []
    hooks.register({ events: ['SubagentStop', 'SessionStart', 'TaskCompleted'], run: ctx => void seen.push(ctx.input) })
    await hooks.fire('SessionStart', { source: 'startup', model: undefined })
    await hooks.fire('TaskCompleted', { task_id: '1', task_subject: 'Ship' })
    const keys = seen.map(input => Object.keys(input))
    expect(keys[0]).not.toContain('model')
    expect(keys[0]).not.toContain('agent_type')
    expect(keys[1]).not.toContain('teammate_name')
  })

  // F6
  it('PostToolUse carries the input that really ran', async () => {
    const hooks = registry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'ls -l'
    })
    hooks.on('PostToolUse', ctx => void seen.push(ctx.input.tool_input, ctx.toolInput, ctx.toolUseId))
    const { updatedInput } = await hooks.fire('PreToolUse', bash('ls'))
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_input: { ...updatedInput }, tool_response: 'x' })
    expect(seen).toEqual([{ command: 'ls -l' }, { command: 'ls -l' }, 'toolu_1'])
  })

  // F23, F27
  it('a loose input is filled in, from the registry and with defaults', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('Stop', ctx => void seen.push(ctx.input))
    await hooks.fire('Stop', { stop_hook_active: false, session_id: 'mine' })
    expect(seen[0]).toMatchObject({
      session_id: 'mine',
      transcript_path: '',
      cwd: '',
      permission_mode: 'default',
      hook_event_name: 'Stop'
    })
  })

  // F27
  it('a typed input passes unchanged, and so do fields of the caller', async () => {
    const typed = {
      session_id: 's9',
      transcript_path: '/t/s9.jsonl',
      cwd: '/elsewhere',
      permission_mode: 'acceptEdits',
      prompt_id: 'p1',
      agent_id: 'a3',
      agent_type: 'Explore',
      hook_event_name: 'PreToolUse' as const,
      ...CALL,
      tenant: { id: 7 }
    }
    const before = structuredClone(typed)
    const hooks = registry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => void seen.push(ctx.input))
    await hooks.fire('PreToolUse', typed)
    expect(seen[0]).toMatchObject(before)
    expect(typed).toEqual(before)
  })

  it('the contract’s fields come first and in its order, ours after them', async () => {
    const hooks = registry()
    let keys: readonly string[] = []
    hooks.on('PreToolUse', ctx => {
      keys = Object.keys(ctx.input)
    })
    await hooks.fire('PreToolUse', bash('ls'))
    expect(keys).toEqual([
      ...['session_id', 'transcript_path', 'cwd', 'permission_mode', 'hook_event_name'],
      ...['tool_name', 'tool_input', 'tool_use_id'],
      ...['event', 'timestamp']
    ])
  })

  // F24
  it('says when it was made, for which session, and keeps metadata apart', async () => {
    const before = Date.now()
    const hooks = registry()
    const seen: { at: number; session: string; metadata: object }[] = []
    hooks.on('Stop', ({ input, sessionId, metadata }) => {
      const { timestamp } = input as { timestamp?: string }
      seen.push({ at: Date.parse(timestamp ?? ''), session: sessionId, metadata })
    })
    await hooks.fire('Stop', { stop_hook_active: false }, { metadata: { tenant: 7 } })
    expect(seen[0]).toMatchObject({ session: 's1', metadata: { tenant: 7 } })
    expect(seen[0]!.at).toBeGreaterThanOrEqual(before)
    expect(seen[0]!.at).toBeLessThanOrEqual(Date.now())
  })

  it('the wire object is frozen through and through and shares nothing with the caller', async () => {
    const call = bash('ls', { list: [{ deep: 1 }] })
    const hooks = registry()
    let input: { tool_input?: Record<string, unknown> } = {}
    hooks.on('PreToolUse', ctx => {
      input = ctx.input
    })
    await hooks.fire('PreToolUse', call)
    const list = input.tool_input?.['list'] as object[]
    expect([input, input.tool_input, list, list[0]].map(Object.isFrozen)).toEqual([true, true, true, true])
    expect([call, call.tool_input].map(Object.isFrozen)).toEqual([false, false])
  })

  // F28
  it('types narrow by event', () => {
    expectTypeOf<InputOf<'UserPromptSubmit'>['prompt']>().toEqualTypeOf<string>()
    expectTypeOf<InputOf<'PreCompact'>['trigger']>().toEqualTypeOf<'manual' | 'auto'>()
    expectTypeOf<InputOf<'PreCompact'>['custom_instructions']>().toEqualTypeOf<string | null>()
    expectTypeOf<InputOf<'Stop'>>().not.toHaveProperty('tool_name')
    const hooks = new HookRegistry()
    hooks.register({
      events: ['Stop', 'UserPromptSubmit'],
      run: ctx => {
        if (ctx.event === 'UserPromptSubmit') expectTypeOf(ctx.prompt).toEqualTypeOf<string>()
        else expectTypeOf(ctx.input.stop_hook_active).toEqualTypeOf<boolean>()
      }
    })
    expect(hooks.list()).toHaveLength(1)
  })
})

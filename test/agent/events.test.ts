/** Every event at its moment, as the hooks of a running agent see it. */
import { describe, expect, test } from 'vitest'
import { allow, deny } from '../../src/index.ts'
import { manualClock } from '../../src/testing.ts'
import {
  ask,
  type Asked,
  type Asking,
  bashCall,
  callTurn,
  gate,
  inputsOf,
  ownTool,
  project,
  registry
} from '../support/agent-kit.ts'

// F13, F17, F23
test('Setup comes before SessionStart, and each says why it is fired', async () => {
  const { names, events, project: place } = await ask(['Done.'], { setup: 'init' })
  expect(names.slice(0, 3)).toEqual(['Setup', 'SessionStart', 'UserPromptSubmit'])
  expect(inputsOf({ events }, 'Setup')).toMatchObject([{ trigger: 'init' }])
  expect(inputsOf({ events }, 'SessionStart')).toMatchObject([
    { source: 'startup', model: 'scripted', cwd: place.cwd, permission_mode: 'default' }
  ])
})

// F143, F144
test('a file of instructions is announced, and stands in the system prompt', async () => {
  const place = project({ 'CLAUDE.md': 'Speak softly. @more.md', 'more.md': 'Carry a stick.' })
  const { events, systems } = await ask(['Done.'], { in: place })
  expect(inputsOf({ events }, 'InstructionsLoaded')).toMatchObject([
    { file_path: place.path('CLAUDE.md'), memory_type: 'Project', load_reason: 'session_start' },
    { file_path: place.path('more.md'), load_reason: 'include', parent_file_path: place.path('CLAUDE.md') }
  ])
  expect(systems[0]).toContain('Speak softly.')
  expect(systems[0]).toContain('Carry a stick.')
})

// F20, F21, F22, F151
test('the agent says when it begins, calls its model and ends; a retry is no iteration', async () => {
  const clock = manualClock()
  const turns = [
    callTurn('look'),
    { fail: { status: 529 } },
    { text: 'Done.', usage: { input_tokens: 7, output_tokens: 2 } }
  ]
  const { events, names, messages } = await ask(turns, {
    prompt: 'Look around',
    tools: [ownTool('look', () => 'seen', true)],
    clock,
    each: message => void (message.type === 'system' && message.subtype === 'api_retry' && void clock.advance(100))
  })
  expect(messages.filter(message => message.type === 'system' && message.subtype === 'api_retry')).toHaveLength(1)
  const [start] = inputsOf({ events }, 'AgentStart')
  expect(start).toMatchObject({ task: 'Look around' })
  expect(inputsOf({ events }, 'Iteration').map(({ iteration }) => iteration)).toEqual([1, 2])
  expect(inputsOf({ events }, 'AgentStop')).toMatchObject([
    {
      agent_id: start!['agent_id'],
      result: { content: 'Done.', tool_uses: 1, iterations: 2, usage: { input_tokens: 7, output_tokens: 2 } }
    }
  ])
  expect(names.filter(name => name === 'AgentStart' || name === 'AgentStop')).toEqual(['AgentStart', 'AgentStop'])
})

describe('after a call', () => {
  // F5, F6, F135
  test('that succeeds: what ran and what came of it, and no failure', async () => {
    const { events, names } = await ask([{ calls: [{ ...bashCall('echo hi'), id: 'toolu_x' }] }, 'Done.'], {
      allowedTools: ['Bash']
    })
    expect(inputsOf({ events }, 'PreToolUse')).toMatchObject([
      { tool_name: 'Bash', tool_input: { command: 'echo hi' }, tool_use_id: 'toolu_x' }
    ])
    expect(inputsOf({ events }, 'PostToolUse')).toMatchObject([
      { tool_input: { command: 'echo hi' }, tool_use_id: 'toolu_x', tool_response: { stdout: 'hi' } }
    ])
    expect(names).not.toContain('PostToolUseFailure')
    expect(inputsOf({ events }, 'PostToolBatch')).toMatchObject([
      { tool_calls: [{ tool_name: 'Bash', tool_use_id: 'toolu_x', tool_response: 'hi' }] }
    ])
  })

  // F7, F135
  test.each([
    ['throws', () => Promise.reject(new Error('no paper'))],
    ['returns an error', () => ({ content: [{ type: 'text', text: 'no paper' }], isError: true })]
  ])('that %s: a failure, and no success', async (_, run) => {
    const { events, names } = await ask([callTurn('print'), 'Done.'], {
      tools: [ownTool('print', run)],
      allowedTools: ['print']
    })
    expect(names).not.toContain('PostToolUse')
    expect(inputsOf({ events }, 'PostToolUseFailure')).toMatchObject([
      { tool_name: 'print', tool_input: {}, error: 'no paper', is_interrupt: false }
    ])
  })

  // F7
  test('that is interrupted: a failure that says so', async () => {
    const { events, result } = await ask([callTurn('wait')], {
      tools: [ownTool('wait', ({ signal }) => new Promise((_, fail) => signal.addEventListener('abort', fail)))],
      allowedTools: ['wait'],
      hooks: registry(hooks => hooks.on('PreToolUse', () => allow())),
      steer: (running, heard) => {
        const look = (): unknown =>
          heard.events.some(({ event }) => event === 'PreToolUse') ? running.interrupt() : setTimeout(look, 5)
        look()
      }
    })
    expect(inputsOf({ events }, 'PostToolUseFailure')).toMatchObject([{ tool_name: 'wait', is_interrupt: true }])
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'aborted_tools' })
  })

  // F130
  test('that is unknown, invalid or refused: neither, and only the batch has it', async () => {
    const { names, events } = await ask(
      [{ calls: [{ name: 'Sing', input: {} }, { name: 'Bash', input: { cmd: 'ls' } }, bashCall('touch x')] }, 'Done.'],
      { disallowedTools: ['Bash(touch *)'] }
    )
    expect(names.filter(name => /^P\w+Tool/.test(name))).toEqual(['PreToolUse', 'PostToolBatch'])
    const [batch] = inputsOf({ events }, 'PostToolBatch')
    expect(batch!['tool_calls']).toMatchObject([{ tool_name: 'Sing' }, { tool_name: 'Bash' }, { tool_name: 'Bash' }])
  })
})

// F9, F140
test('Stop is given the last words, and knows whether it sent the agent back', async () => {
  let times = 0
  const hooks = registry(all => all.on('Stop', () => (++times < 3 ? deny(`not yet ${times}`) : undefined)))
  const { events } = await ask(['One.', 'Two.', 'Three.'], { hooks })
  expect(inputsOf({ events }, 'Stop')).toMatchObject([
    { stop_hook_active: false, last_assistant_message: 'One.' },
    { stop_hook_active: true, last_assistant_message: 'Two.', block_count: 1, previous_reason: 'not yet 1' },
    { stop_hook_active: true, last_assistant_message: 'Three.', block_count: 2, previous_reason: 'not yet 2' }
  ])
})

// F15, F16, F153
test('who is not answered for six seconds is told that someone waits', async () => {
  const clock = manualClock()
  const asked = gate()
  const answer = gate<{ behavior: 'allow' }>()
  const running = ask([{ calls: [bashCall('touch made')] }, 'Done.'], {
    clock,
    canUseTool: async () => {
      asked.open()
      return answer.opened
    },
    steer: async (_, { events }) => {
      await asked.opened
      await clock.advance(5.9)
      expect(inputsOf({ events }, 'Notification')).toEqual([])
      await clock.advance(0.2)
      expect(inputsOf({ events }, 'Notification')).toMatchObject([
        { notification_type: 'permission_prompt', message: 'Bash needs your permission' }
      ])
      answer.open({ behavior: 'allow' })
    }
  })
  const { names, project: place } = await running
  expect(names.filter(name => /^P\w+Tool|^Permission|^Notification/.test(name))).toEqual([
    'PreToolUse',
    'PermissionRequest',
    'Notification',
    'PostToolUse',
    'PostToolBatch'
  ])
  expect(place.has('made')).toBe(true)
})

test('PermissionDenied is fired for refusals of a mode or for want of an answer, not for those of rules and hooks', async () => {
  const denied = async (asking: Asking): Promise<Asked> => ask([{ calls: [bashCall('touch x')] }, 'Done.'], asking)
  const nobody = await denied({})
  expect(inputsOf(nobody, 'PermissionDenied')).toMatchObject([
    { tool_name: 'Bash', reason: expect.stringContaining('no one was available to approve it') }
  ])
  const mode = await denied({ permissionMode: 'plan' })
  expect(inputsOf(mode, 'PermissionDenied')).toMatchObject([{ reason: expect.stringContaining('plan mode') }])
  const rule = await denied({ disallowedTools: ['Bash(touch *)'] })
  expect(inputsOf(rule, 'PermissionDenied')).toEqual([])
  const hook = await denied({ hooks: registry(hooks => hooks.on('PreToolUse', () => deny('no'))) })
  expect(inputsOf(hook, 'PermissionDenied')).toEqual([])
})

test('a command that changes the folder is told of', async () => {
  const place = project({ 'sub/x': '' })
  const { events } = await ask([{ calls: [bashCall('cd sub')] }, { calls: [bashCall('pwd')] }, 'Done.'], {
    in: place,
    allowedTools: ['Bash']
  })
  expect(inputsOf({ events }, 'CwdChanged')).toMatchObject([{ old_cwd: place.cwd, new_cwd: place.path('sub') }])
  expect(inputsOf({ events }, 'PostToolUse').at(-1)).toMatchObject({
    cwd: place.path('sub'),
    tool_response: { stdout: place.path('sub') }
  })
})

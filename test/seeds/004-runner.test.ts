/** Dialect 004, inside `query()` and from files: matchers with callbacks, JSON outputs, answers that come later. */
import { describe, expect, test } from 'vitest'
import {
  allow,
  ask as askFirst,
  createSdkMcpServer,
  deny,
  EVENT_NAMES,
  HookRegistry,
  later,
  tool,
  type EventName,
  type Matcher,
  type Reply
} from '../../src/index.ts'
import { manualClock } from '../../src/testing.ts'
import { ask, bashCall, toolCall, expectRow, informed, inputsOf, resultsIn, withCommand, words } from './seed-kit.ts'
import { prints } from '../support/command-settings.ts'

const BASH = { allowedTools: ['Bash'] }

const server = createSdkMcpServer({
  name: 'db',
  version: '1.0.0',
  tools: [tool('drop', 'Drops.', {}, async () => ({ content: [{ type: 'text', text: 'dropped' }] }))]
})
const MCP = { mcpServers: { db: server }, allowedTools: ['mcp__db__drop', 'Bash'] }

/** The fifteen events that the document names. */
const FIFTEEN: readonly EventName[] = [
  ...(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Notification', 'UserPromptSubmit'] as const),
  ...(['SessionStart', 'SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop', 'PreCompact'] as const),
  ...(['PermissionRequest', 'Setup', 'TeammateIdle', 'TaskCompleted'] as const)
]

test('the fifteen events are there, and inputs begin with the same fields', async () => {
  for (const event of FIFTEEN) expect(EVENT_NAMES).toContain(event)
  const asked = await ask([{ calls: [bashCall('true')] }, 'done'], { ...BASH, setup: 'init' })
  for (const event of ['Setup', 'SessionStart', 'PreToolUse', 'Stop', 'SessionEnd'] as const)
    expect(inputsOf(asked, event)[0]).toMatchObject({
      session_id: expect.any(String),
      transcript_path: expect.any(String),
      cwd: asked.project.cwd,
      permission_mode: 'default'
    })
})

describe('matchers', () => {
  const seenBy = async (matcher: Matcher): Promise<readonly string[]> => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', matcher, ctx => void seen.push(ctx.toolName))
    await ask(
      [{ calls: [bashCall('true'), toolCall('mcp__db__drop', {}), toolCall('Glob', { pattern: '*' })] }, 'done'],
      {
        hooks,
        ...MCP
      }
    )
    return seen.toSorted()
  }

  test.each([
    ['exact', 'Bash', ['Bash']],
    ['glob', 'mcp__*', ['mcp__db__drop']],
    ['empty', '', ['Bash', 'Glob', 'mcp__db__drop']]
  ])('%s', async (_, matcher, tools) => {
    expect(await seenBy(matcher)).toEqual(tools)
  })

  test.each([
    ['Ba?h', ['Bash']],
    ['mcp__??__drop', ['mcp__db__drop']],
    ['[BT]ash', ['Bash']],
    ['G[k-m]ob', ['Glob']]
  ])('S8: %s is a glob of a library hook inside query()', async (matcher, tools) => {
    expect(await seenBy(matcher)).toEqual(tools)
    expectRow('004', 'filepath.Match', 'the same for `on`')
  })

  test('S8: in a file the same text is a regular expression, as in Claude Code', async () => {
    const place = withCommand('PreToolUse', 'echo seen >> log', 'Ba?sh')
    await ask([{ calls: [bashCall('true')] }, 'done'], { in: place, trust: true, ...BASH })
    expect(place.text('log')).toBe('seen\n')
    expectRow('004', 'filepath.Match', 'In files')
  })

  test('several matchers and several hooks of one all have a say', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    const log = (name: string) => () => void seen.push(name)
    hooks.group('PreToolUse', 'Bash', [log('a1'), log('a2')])
    hooks.group('PreToolUse', 'mcp__*', [log('b')])
    hooks.group('PreToolUse', '', [log('c')])
    await ask([{ calls: [bashCall('true')] }, 'done'], { hooks, ...BASH })
    expect(seen).toEqual(['a1', 'a2', 'c'])
  })
})

describe('what a hook gives back', () => {
  const pre = (hookSpecificOutput: object): Reply => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', ...hookSpecificOutput }
  })
  const run = async (event: EventName, reply: Reply, more: object = {}) => {
    const hooks = new HookRegistry()
    hooks.on(event, () => reply)
    return ask([{ calls: [bashCall('echo one')] }, 'done'], { hooks, ...BASH, ...more })
  }
  const fromFile = (event: string, answer: object) =>
    ask([{ calls: [bashCall('echo one')] }, 'done'], { in: withCommand(event, prints(answer)), trust: true, ...BASH })

  test('PreToolUse denies: the tool is skipped, the result is an error', async () => {
    const answer = pre({ permissionDecision: 'deny', permissionDecisionReason: 'no way' })
    for (const { sent } of [await run('PreToolUse', answer), await fromFile('PreToolUse', answer)])
      expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('no way') }])
  })

  test('PreToolUse with updatedInput: the tool gets it', async () => {
    const answer = pre({ updatedInput: { command: 'echo two' } })
    for (const { sent } of [await run('PreToolUse', answer), await fromFile('PreToolUse', answer)])
      expect(resultsIn(sent[1]!)).toMatchObject([{ text: 'two' }])
  })

  test('additionalContext of PreToolUse and PostToolUse reaches the next model call', async () => {
    for (const event of ['PreToolUse', 'PostToolUse'] as const) {
      const answer = { hookSpecificOutput: { hookEventName: event, additionalContext: 'mind the gap' } }
      for (const { sent } of [await run(event, answer), await fromFile(event, answer)])
        expect(JSON.stringify(sent[1])).toContain('mind the gap')
    }
  })

  test('suppressOutput of PostToolUse hides what the tool gave', async () => {
    const { sent } = await run('PostToolUse', { suppressOutput: true })
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: expect.not.stringContaining('one') }])
    // In a file it hides only what the hook itself printed.
    const { sent: seen } = await fromFile('PostToolUse', { suppressOutput: true })
    expect(resultsIn(seen[1]!)).toMatchObject([{ text: 'one' }])
  })

  test('updatedMCPToolOutput replaces results of MCP tools, and of no others', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => ({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedMCPToolOutput: 'replaced' }
    }))
    const { sent } = await ask([{ calls: [toolCall('mcp__db__drop', {}), bashCall('echo one')] }, 'done'], {
      hooks,
      ...MCP
    })
    expect(resultsIn(sent[1]!).map(({ text }) => text)).toEqual(['replaced', 'one'])
  })

  test('decision approve and block are read as allow and deny', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ({ decision: 'approve' }))
    expect((await ask([{ calls: [bashCall('touch ran')] }, 'done'], { hooks })).project.has('ran')).toBe(true)
    const { sent } = await run('PreToolUse', { decision: 'block', reason: 'no' })
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true }])
  })

  test.each([
    [[askFirst(), allow(), deny('first'), deny('second')], { asked: 0, ran: false }],
    [[askFirst(), allow()], { asked: 0, ran: true }],
    [[askFirst()], { asked: 1, ran: false }]
  ])('S1: the first deny wins, then allow, else ask: %#', async (replies, expected) => {
    const hooks = new HookRegistry()
    for (const reply of replies) hooks.on('PreToolUse', () => reply)
    let asked = 0
    const { project: place } = await ask([{ calls: [bashCall('touch ran')] }, 'done'], {
      hooks,
      canUseTool: async () => {
        asked++
        return { behavior: 'deny', message: 'no' }
      }
    })
    expect({ asked, ran: place.has('ran') }).toEqual(expected)
    expectRow('004', 'first deny', 'deny, defer, allow, ask')
  })

  test('continue: false skips the rest of its group', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    hooks.group('PreToolUse', '', [() => ({ continue: false, stopReason: 'enough' }), () => void seen.push('rest')])
    hooks.group('PreToolUse', '', [() => void seen.push('other group')])
    await ask([{ calls: [bashCall('true')] }, 'done'], { hooks, ...BASH })
    expect(seen).toEqual(['other group'])
  })

  test('one that fails does not keep others from answering', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => {
      throw new Error('broken')
    })
    hooks.on('PostToolUse', () => ({ additionalContext: 'still here' }))
    const { sent } = await ask([{ calls: [bashCall('true')] }, 'done'], { hooks, ...BASH })
    expect(JSON.stringify(sent[1])).toContain('still here')
  })
})

describe('the loop', () => {
  test('Stop with continue: true starts it again, with the system message', async () => {
    const hooks = new HookRegistry()
    let stops = 0
    hooks.on('Stop', () => (stops++ === 0 ? { continue: true, systemMessage: 'check once more' } : undefined))
    const { sent, result } = await ask(['done', 'checked'], { hooks })
    expect(JSON.stringify(sent[1])).toContain('check once more')
    expect(result.result).toBe('checked')
  })

  test('SessionStart: its context is in the system prompt of the next call', async () => {
    const hooks = new HookRegistry()
    hooks.on('SessionStart', () => ({ additionalContext: 'house rules' }))
    const { systems } = await ask(['done'], { hooks })
    expect(systems[0]).toContain('house rules')
  })

  test('S9: context is given once and stays in the conversation; the page says so', async () => {
    const hooks = new HookRegistry()
    let first = true
    hooks.on('PreToolUse', () => {
      const reply = first ? { additionalContext: 'said once' } : undefined
      first = false
      return reply
    })
    const { sent } = await ask([{ calls: [bashCall('true')] }, { calls: [bashCall('true')] }, 'done'], {
      hooks,
      ...BASH
    })
    const times = (messages: (typeof sent)[number]): number =>
      messages.filter(each => words(each).includes('said once')).length
    expect(sent.map(times)).toEqual([0, 1, 1])
    expectRow('004', 'PendingAdditionalContext', 'stays in the conversation')
  })

  test('S9: context of a file is history as well', async () => {
    const answer = { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'from a file' } }
    const place = withCommand('UserPromptSubmit', prints(answer))
    const { sent } = await ask([{ calls: [bashCall('true')] }, 'done'], { in: place, trust: true, ...BASH })
    expect(sent.map(messages => JSON.stringify(messages).split('from a file').length - 1)).toEqual([1, 1])
  })

  test('S9: a hook that wants its context gone takes it out of the messages', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', () => ({ additionalContext: 'said once' }))
    hooks.on('PreToolUse', ctx => {
      ctx.messages = ctx.messages.filter(message => !words(message).includes('said once'))
    })
    const { sent } = await ask([{ calls: [bashCall('true')] }, 'done'], { hooks, ...BASH })
    expect(sent.map(messages => JSON.stringify(messages).includes('said once'))).toEqual([true, false])
  })
})

describe('answers that come later', () => {
  test('a callback hands its promise over, and the event waits', async () => {
    const hooks = new HookRegistry()
    const answer = Promise.resolve().then(() => ({ decision: 'deny', reason: 'scanned' }) as const)
    hooks.on('PreToolUse', () => later(answer, { asyncTimeout: 10 }))
    const { sent } = await ask([{ calls: [bashCall('true')] }, 'done'], { hooks, ...BASH })
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('scanned') }])
    expectRow('004', 'of a callback', 'later(promise')
  })

  test('S3: a command announces it: the result of its process is used, in seconds and in milliseconds', async () => {
    for (const [dialect, asyncTimeout] of [
      ['library', 60],
      ['contract', 60_000]
    ] as const) {
      const command = `${prints({ async: true, asyncTimeout })}; sleep 0.2; ${prints({ decision: 'block', reason: 'scanned' })}`
      const place = withCommand('PreToolUse', command, 'Bash', { dialect })
      const { sent } = await ask([{ calls: [bashCall('touch ran')] }, 'done'], { in: place, trust: true, ...BASH })
      expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('scanned') }])
      expect(place.has('ran')).toBe(false)
    }
    expectRow('004', 'the same, printed by a command', 'a gate waits for it')
  })

  test('after its time the hook has failed', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PreToolUse', () => later(new Promise(() => undefined), { asyncTimeout: 2 }))
    const fired = hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'c1' })
    await clock.advance(3)
    expect(await fired).toMatchObject({ blocked: true, failures: [{ kind: 'timeout' }] })
  })
})

describe('messages about hooks', () => {
  test('started, progress and response are in the stream', async () => {
    const place = withCommand('PreToolUse', 'echo working >&2', 'Bash')
    const { messages } = await ask([{ calls: [bashCall('true')] }, 'done'], {
      in: place,
      trust: true,
      ...BASH,
      includeHookEvents: true
    })
    const kinds = messages.flatMap(message =>
      message.type === 'system' && message.subtype.startsWith('hook_') ? [message.subtype] : []
    )
    for (const kind of ['hook_started', 'hook_progress', 'hook_response']) expect(kinds).toContain(kind)
  })

  test('a record of callbacks is taken as it is, with the id of the call and a signal', async () => {
    const seen: unknown[] = []
    const asked = await ask([{ calls: [bashCall('true')] }, 'done'], {
      ...BASH,
      watch: false,
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            timeout: 5,
            hooks: [async (input, id, { signal }) => (seen.push(input.tool_name, id, signal.aborted), {})]
          }
        ]
      }
    })
    expect(seen).toEqual(['Bash', 'toolu_1', false])
    expect(informed(asked)).toEqual([])
  })
})

test.each([
  ['NewRunner(config)', 'new HookRegistry'],
  ['CallbackMatcher', 'hooks.group'],
  ['func(input', 'ctx =>'],
  ['Fire(ctx', 'fire(event, input)'],
  ['SyncHookJSONOutput', 'a reply'],
  ['HookSpecificOutput', 'hookSpecificOutput'],
  ['decision `approve`', 'allow and deny'],
  ['Continue: true', 'continue: true'],
  ['HookStarted', 'sink'],
  ['NoOpHookRunner', 'new HookRegistry()'],
  ['ShellHookCallback', 'commandHook()']
])('the page says what %s is here', (there, here) => {
  expectRow('004', there, here)
})

/** Dialect 000, inside `query()`: a trait with actions, an Edit tool, agents that are resumed. */
import { describe, expect, test } from 'vitest'
import { block, HookRegistry, query, SubAgent, transform, type HookContext } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ask, bashCall, toolCall, expectRow, project, resultsIn, withCommand } from './seed-kit.ts'
import { prints } from '../support/command-settings.ts'

const FIVE = ['PreToolUse', 'PostToolUse', 'AgentStart', 'AgentStop', 'Iteration'] as const

describe('the five events', () => {
  test('one hook is given all of them, with their fields', async () => {
    const seen: Record<string, object> = {}
    const hooks = new HookRegistry()
    hooks.register({
      name: 'all',
      events: FIVE,
      run: ctx => void (seen[ctx.event] ??= ctx.input)
    })
    await ask([{ calls: [bashCall('echo hi')] }, 'done'], { hooks, allowedTools: ['Bash'], prompt: 'Say hi' })
    expect(seen).toMatchObject({
      PreToolUse: { tool_name: 'Bash', tool_input: { command: 'echo hi' } },
      PostToolUse: { tool_name: 'Bash', tool_input: { command: 'echo hi' }, tool_response: { stdout: 'hi' } },
      AgentStart: { agent_id: expect.any(String), task: 'Say hi' },
      AgentStop: { agent_id: expect.any(String), result: { content: 'done', tool_uses: 1 } },
      Iteration: { agent_id: expect.any(String), iteration: 1 }
    })
  })

  test('subagents fire them as well, each about itself', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry()
    hooks.register({
      events: ['AgentStart', 'Iteration', 'AgentStop'],
      run: ctx => void seen.push(`${ctx.event} ${ctx.agent.type}`)
    })
    const agents = { scribe: { description: 'writes', prompt: 'You write.' } }
    const work = toolCall('Agent', { description: 'd', prompt: 'go', subagent_type: 'scribe' })
    await ask([{ calls: [work] }, 'inner', 'done'], { hooks, agents })
    expect(seen).toEqual([
      'AgentStart main',
      'Iteration main',
      'AgentStart scribe',
      'Iteration scribe',
      'AgentStop scribe',
      'Iteration main',
      'AgentStop main'
    ])
  })
})

describe('the actions', () => {
  const run = (action: (ctx: HookContext<'PreToolUse'>) => object | undefined) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', action)
    return ask([{ calls: [bashCall('echo one')] }, 'done'], { hooks, allowedTools: ['Bash'] })
  }

  test('Continue: the tool runs', async () => {
    const { sent } = await run(() => undefined)
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: 'one', isError: false }])
  })

  test('Block: the tool does not run, and the model is told why', async () => {
    const { sent } = await run(() => block('not today'))
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: expect.stringContaining('not today'), isError: true }])
  })

  test('Transform: the tool runs with the other input', async () => {
    const { sent } = await run(() => transform({ command: 'echo two' }))
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: 'two', isError: false }])
  })

  test('Err: the gate closes', async () => {
    const { sent } = await run(() => {
      throw new Error('broken')
    })
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true }])
  })

  test.each([
    ['Continue', 'true', 'one', false],
    ['Block', prints({ decision: 'block', reason: 'not today' }), 'not today', true],
    [
      'Transform',
      prints({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'echo two' } } }),
      'two',
      false
    ],
    ['Err', 'exit 1', '', true]
  ])('%s, said by a command of a file', async (_, command, text, isError) => {
    const place = withCommand('PreToolUse', command, 'Bash')
    const { sent } = await ask([{ calls: [bashCall('echo one')] }, 'done'], {
      in: place,
      trust: true,
      allowedTools: ['Bash']
    })
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: expect.stringContaining(text), isError }])
  })

  test('an agent without hooks works', async () => {
    const { sent } = await ask([{ calls: [bashCall('echo one')] }, 'done'], { allowedTools: ['Bash'], watch: false })
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: 'one' }])
  })
})

describe('the Edit tool', () => {
  const edit = async (content: string, input: object, first: readonly object[] = []) => {
    const place = project({ 'a.txt': content })
    const calls = [...first, toolCall('Edit', { file_path: 'a.txt', ...input })] as ReturnType<typeof toolCall>[]
    const turns = [...calls.map(each => ({ calls: [each] })), 'done']
    const { sent } = await ask(turns, { in: place, allowedTools: ['Edit'] })
    return { result: resultsIn(sent.at(-1)!).at(-1)!, text: place.text('a.txt') }
  }
  const read = toolCall('Read', { file_path: 'a.txt' })

  test('S6: reads by itself: an exact match that occurs once is replaced', async () => {
    const { result, text } = await edit('let a = 1\n', { old_string: 'a = 1', new_string: 'a = 2' })
    expect([result.isError, text]).toEqual([false, 'let a = 2\n'])
    expectRow('000', 'the Edit tool', 'needs no earlier Read')
  })

  test('no occurrence is an error', async () => {
    const { result, text } = await edit('one\n', { old_string: 'two', new_string: 'x' })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('String not found') })
    expect(text).toBe('one\n')
  })

  test('several are an error with their number', async () => {
    const { result, text } = await edit('a a a\n', { old_string: 'a', new_string: 'b' })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('String appears 3 times') })
    expect(result.text).toContain('replace_all')
    expect(text).toBe('a a a\n')
  })

  test('replace_all replaces them, in a file that was read', async () => {
    const input = { old_string: 'a', new_string: 'b', replace_all: true }
    expect((await edit('a a a\n', input)).result.isError).toBe(true)
    expect((await edit('a a a\n', input, [read])).text).toBe('b b b\n')
  })

  test('its schema has the four fields, three of them required', async () => {
    const model = scriptedModel(['done'])
    await query({ prompt: 'x', options: { model, persistSession: false, settingSources: [] } }).result()
    const spec = model.requests[0]?.request.tools.find(({ name }) => name === 'Edit')
    expect(spec?.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        file_path: { type: 'string' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        replace_all: { type: 'boolean', default: false }
      },
      required: ['file_path', 'old_string', 'new_string']
    })
  })
})

describe('agents that are resumed', () => {
  const reader = { description: 'reads', prompt: 'You read.' }

  test('from a transcript', async () => {
    const first = new SubAgent(reader, { model: scriptedModel(['There is no licence.']) })
    const { id } = await first.run('Which licence?')
    const model = scriptedModel(['Quite sure.'])
    await SubAgent.resume(id, reader, { model, transcript: first.transcript() }).run('Sure?')
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expectRow('000', 'SubAgent::resume', 'SubAgent.resume')
    expectRow('000', 'SubAgent::transcript()', 'agent.transcript()')
  })

  test('by the model, with resume_agent_id', async () => {
    const agents = { scribe: { description: 'writes', prompt: 'You write.' } }
    const work = (more: object) =>
      toolCall('Agent', { description: 'd', prompt: 'go', subagent_type: 'scribe', ...more })
    let id = ''
    const { sent } = await ask(
      [
        { calls: [work({})] },
        'inner one',
        ({ messages }) => {
          id = /agentId: (\w+)/.exec(JSON.stringify(messages))?.[1] ?? ''
          return { calls: [work({ resume_agent_id: id, prompt: 'again' })] }
        },
        'inner two',
        'done'
      ],
      { agents, persistSession: true }
    )
    expect(id).not.toBe('')
    expect(JSON.stringify(sent[3])).toContain('inner one')
    expectRow('000', 'resume_agent_id', 'of the Agent tool')
  })

  test('from a store of one’s own', async () => {
    const rows = new Map<string, unknown[]>()
    const keyOf = (key: object): string => JSON.stringify(key)
    const sessionStore = {
      append: async (key: object, entries: readonly unknown[]) =>
        void rows.set(keyOf(key), [...(rows.get(keyOf(key)) ?? []), ...entries]),
      load: async (key: object) => rows.get(keyOf(key)) ?? null
    } as NonNullable<Parameters<typeof query>[0]['options']>['sessionStore']
    const place = project()
    const options = { cwd: place.cwd, env: place.env, sessionStore }
    const { session_id } = await query({
      prompt: 'Hello',
      options: { ...options, model: scriptedModel(['Hi.']) }
    }).result()
    const model = scriptedModel(['Hi again.'])
    await query({ prompt: 'Again', options: { ...options, model, resume: session_id } }).result()
    expect(model.requests[0]?.messages).toHaveLength(3)
    expectRow('000', 'TranscriptStore', 'append')
  })
})

test.each([
  ['impl Hook', 'register'],
  ['match event', 'ctx.event'],
  ['HookEvent::PreToolUse', 'ctx.toolInput'],
  ['HookEvent::PostToolUse', 'ctx.toolResponse'],
  ['AgentStart', 'ctx.input'],
  ['HookAction::Continue', 'return nothing'],
  ['HookAction::Block', 'block(reason)'],
  ['HookAction::Transform', 'transform(value)'],
  ['Err(', 'throw'],
  ['HookRegistry::register', 'fire'],
  ['what `fire` returns', 'blocked']
])('the page says what %s is here', (there, here) => {
  expectRow('000', there, here)
})

/** What hooks of a running agent can do: to calls, prompts, results, and to what the model receives. */
import { describe, expect, test } from 'vitest'
import { block, deny, tool, transform } from '../../src/index.ts'
import {
  ask,
  type Asking,
  bashTurn,
  callTurn,
  inputsOf,
  ofType,
  project,
  prompted,
  registry,
  resultsIn,
  withHooks,
  words
} from '../support/agent-kit.ts'

// F127, F58
test('without hooks an agent works, and says nothing of hooks', async () => {
  const place = project({ 'a.txt': 'one' })
  const { result, messages, sent, events } = await ask(
    [{ calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }, 'Done.'],
    { in: place, watch: false, includeHookEvents: true }
  )
  expect(result).toMatchObject({ subtype: 'success', result: 'Done.' })
  expect(resultsIn(sent[1]!)).toEqual([{ id: 'toolu_1', text: '1\tone', isError: false }])
  expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'user', 'assistant', 'result'])
  expect(events).toEqual([])
})

// F128
test('hooks are added again and again, and those of settings files come beside them', async () => {
  const place = project({
    '.claude/settings.json': JSON.stringify({
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'touch from-settings' }] }] }
    })
  })
  const seen: string[] = []
  const hooks = registry()
  hooks.on('PreToolUse', () => void seen.push('one'))
  hooks.on('PreToolUse', () => void seen.push('two'))
  await ask([bashTurn('true'), 'Done.'], { in: place, hooks, trust: true, allowedTools: ['Bash'] })
  expect(seen).toEqual(['one', 'two'])
  expect(place.has('from-settings')).toBe(true)
})

describe('a call', () => {
  // F131, F96
  test('called by an older name of its tool is refused under the name that hooks see', async () => {
    const seen: string[] = []
    const { sent } = await ask([callTurn('Task', { description: 'd', prompt: 'p' }), 'Done.'], {
      ...withHooks(hooks =>
        hooks.on('PreToolUse', ({ toolName }) => (seen.push(toolName), deny('not now')), { name: 'quiet' })
      )
    })
    expect(seen).toEqual(['Agent'])
    expect(resultsIn(sent[1]!)[0]!.text).toContain('PreToolUse:Agent hook error: [quiet]')
  })

  test.each([
    ['denied with a reason', () => deny('too loud'), 'too loud'],
    ['denied without one', () => ({ decision: 'deny' }) as const, 'refused by quiet'],
    ['blocked', () => block('too loud'), 'too loud'],
    ['judged by a hook that throws', () => Promise.reject(new Error('hook broke')), 'the hook quiet failed']
  ])('%s does not run, and the model is told why and by whom', async (_, run, reason) => {
    const place = project()
    const { sent, messages, result, names } = await ask([bashTurn('touch made'), 'Done.'], {
      in: place,
      allowedTools: ['Bash'],
      ...withHooks(hooks => hooks.on('PreToolUse', 'Bash', run, { name: 'quiet' }))
    })
    expect(place.has('made')).toBe(false)
    const [told] = resultsIn(sent[1]!)
    expect(told).toMatchObject({ isError: true, text: expect.stringContaining('PreToolUse:Bash hook error: [quiet]') })
    expect(told!.text).toContain(reason)
    expect(names).not.toContain('PostToolUse')
    expect(names).not.toContain('PostToolUseFailure')
    expect(result).toMatchObject({ result: 'Done.', permission_denials: [{ tool_name: 'Bash' }] })
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'permission_denied', decision_reason_type: 'hook', tool_name: 'Bash' })
    )
  })

  // F36, F60, F134, F6
  test('whose input hooks change runs with what they made of it, and the model’s own words stay', async () => {
    const place = project()
    const { sent, events } = await ask([bashTurn('touch a'), 'Done.'], {
      in: place,
      allowedTools: ['Bash'],
      ...withHooks(hooks => {
        hooks.on('PreToolUse', 'Bash', ctx => transform({ command: `${ctx.toolInput.command} b` }))
        hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command += ' c'))
      })
    })
    expect(['a', 'b', 'c'].map(name => place.has(name))).toEqual([true, true, true])
    expect(inputsOf({ events }, 'PostToolUse')).toMatchObject([{ tool_input: { command: 'touch a b c' } }])
    const asked = sent[1]!.find(({ role }) => role === 'assistant')
    expect(asked!.content).toMatchObject([{ type: 'tool_use', input: { command: 'touch a' } }])
  })

  // F134
  test('that a hook makes invalid does not run', async () => {
    const { sent } = await ask([bashTurn('touch a'), 'Done.'], {
      allowedTools: ['Bash'],
      ...withHooks(hooks => hooks.on('PreToolUse', 'Bash', () => ({ updatedInput: { command: 7 } })))
    })
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('gate_failed:rewrite') }])
  })

  // F136
  test('keeps its result when a hook objects afterwards, and the model hears of that beside it', async () => {
    const { sent } = await ask([bashTurn('echo hi'), 'Done.'], {
      allowedTools: ['Bash'],
      ...withHooks(hooks => hooks.on('PostToolUse', () => deny('I saw that'), { name: 'critic' }))
    })
    expect(resultsIn(sent[1]!)).toEqual([{ id: 'toolu_1', text: 'hi', isError: false }])
    expect(words(sent[1]!.at(-1)!)).toContain('I saw that')
    expect(words(sent[1]!.at(-1)!)).toContain('critic')
  })
})

// F141, F142, F56a
test('a Stop hook makes the agent go on, with words of its own; without one it ends', async () => {
  let times = 0
  const { sent, result } = await ask(
    ['One.', 'Two.'],
    withHooks(hooks =>
      hooks.on('Stop', () => (++times === 1 ? { continue: true, systemMessage: 'Test it.' } : undefined))
    )
  )
  expect(sent).toHaveLength(2)
  expect(sent[1]!.map(words).join('\n')).toContain('Test it.')
  expect(result.result).toBe('Two.')
  const plain = await ask(['One.', 'Two.'])
  expect(plain.sent).toHaveLength(1)
})

// F8, F37, F137
test('a prompt can be changed and refused', async () => {
  const changed = await ask(['Done.'], {
    prompt: 'hello',
    ...withHooks(hooks => hooks.on('UserPromptSubmit', ctx => void (ctx.prompt = `${ctx.prompt} there`)))
  })
  expect(changed.sent[0]!.map(words)).toEqual(['hello there'])
  const refused = await ask(['Done.'], {
    prompt: 'hello',
    ...withHooks(hooks =>
      hooks.on('UserPromptSubmit', () => deny('no greetings', { context: 'secret' }), { name: 'stern' })
    )
  })
  expect(refused.sent).toEqual([])
  expect(refused.result).toMatchObject({ is_error: false, terminal_reason: 'prompt_blocked', num_turns: 0 })
  expect(refused.result.result).toMatch(/blocked by hook:\nno greetings \[stern\]$/)
  expect(refused.names).not.toContain('AgentStart')
})

// F137
test('what hooks say of a prompt that is refused does not reach the next one', async () => {
  const { sent } = await ask(['Done.'], {
    prompt: (async function* () {
      yield prompted('one')
      yield prompted('two')
    })(),
    ...withHooks(hooks =>
      hooks.on('UserPromptSubmit', ctx => (ctx.prompt === 'one' ? deny('no', { context: 'about one' }) : undefined))
    )
  })
  expect(sent.map(messages => messages.map(words))).toEqual([['two']])
})

// F138
test('SessionStart and AgentStart can keep it from starting', async () => {
  for (const event of ['SessionStart', 'AgentStart'] as const) {
    const { sent, result } = await ask(
      ['Done.'],
      withHooks(hooks => hooks.on(event, () => deny('not today')))
    )
    expect(sent).toEqual([])
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'start_blocked' })
    expect(result.result).toContain('not today')
  }
})

// F80
describe('continue: false ends the run after the step', () => {
  const make = (
    place: ReturnType<typeof project>,
    event: 'PreToolUse' | 'PostToolUse' | 'PostToolBatch' | 'Iteration'
  ) =>
    ask([{ calls: ['one', 'two'].map(name => ({ name: 'Bash', input: { command: `touch ${name}` } })) }, 'Done.'], {
      in: place,
      allowedTools: ['Bash'],
      ...withHooks(hooks => hooks.on(event, () => ({ continue: false, stopReason: 'enough' })))
    })

  test.each([
    ['PreToolUse', []],
    ['PostToolUse', ['one']],
    ['PostToolBatch', ['one', 'two']]
  ] as const)('said on %s: %j ran', async (event, ran) => {
    const place = project()
    const { result, sent, messages } = await make(place, event)
    expect(['one', 'two'].filter(name => place.has(name))).toEqual(ran)
    expect(sent).toHaveLength(1)
    expect(result).toMatchObject({ terminal_reason: 'hook_stopped', is_error: false })
    expect(result.result).toContain('enough')
    expect(ofType({ messages }, 'user')).toHaveLength(2)
  })

  test('said on Iteration: the model is not called', async () => {
    const { sent, result } = await make(project(), 'Iteration')
    expect(sent).toEqual([])
    expect(result).toMatchObject({ terminal_reason: 'hook_stopped' })
  })
})

// F152
test('a tool fires hooks through its call; without hooks nothing happens', async () => {
  const teller = tool('tell', 'tells', {}, async (_, extra) => {
    const { fire } = extra as {
      fire(event: string, input: object): Promise<{ additionalContext?: string } | undefined>
    }
    const outcome = await fire('Notification', { message: 'psst', notification_type: 'own' })
    return { content: [{ type: 'text', text: `heard: ${outcome?.additionalContext ?? 'nothing'}` }] }
  })
  const run = (asking: Asking) =>
    ask([callTurn('tell'), 'Done.'], { tools: [teller], allowedTools: ['tell'], ...asking })
  const heard = await run(withHooks(hooks => hooks.on('Notification', 'own', () => ({ additionalContext: 'I heard' }))))
  expect(resultsIn(heard.sent[1]!)[0]!.text).toBe('heard: I heard')
  expect(inputsOf(heard, 'Notification')).toMatchObject([{ message: 'psst', notification_type: 'own' }])
  const silent = await run({ watch: false })
  expect(resultsIn(silent.sent[1]!)[0]!.text).toBe('heard: nothing')
})

// F154
test('of several hooks a deny wins, then a question, then an allow', async () => {
  const decided = async (...decisions: readonly ('allow' | 'ask' | 'deny')[]): Promise<string> => {
    const place = project()
    const { result } = await ask([bashTurn('touch made'), 'Done.'], {
      in: place,
      canUseTool: async () => ({ behavior: 'deny', message: 'I was asked' }),
      ...withHooks(hooks => decisions.map(decision => hooks.on('PreToolUse', () => ({ decision }))))
    })
    const [denial] = result.permission_denials
    return place.has('made') ? 'ran' : `${denial!.tool_name} refused`
  }
  expect(await decided('allow', 'allow')).toBe('ran')
  expect(await decided('allow', 'ask')).toBe('Bash refused')
  expect(await decided('allow', 'deny')).toBe('Bash refused')
})

// F158
test('hooks of calls that run side by side each have their own context', async () => {
  const names = ['a', 'b', 'c', 'd']
  const { events } = await ask(
    [{ calls: names.map(name => ({ name: 'Bash', input: { command: `echo ${name}` }, id: name })) }, 'Done.'],
    {
      allowedTools: ['Bash'],
      ...withHooks(hooks =>
        hooks.on('PreToolUse', 'Bash', async ctx => {
          const mine = ctx.toolUseId
          await new Promise(resolve => setImmediate(resolve))
          ctx.toolInput.command += `-${mine}-${ctx.toolUseId}`
        })
      )
    }
  )
  const ran = inputsOf({ events }, 'PostToolUse').map(({ tool_use_id, tool_response }) => [
    tool_use_id,
    (tool_response as { stdout: string }).stdout
  ])
  expect(Object.fromEntries(ran)).toEqual(Object.fromEntries(names.map(name => [name, `${name}-${name}-${name}`])))
})

// F159, F162, F163
test('messages of hooks stand among those of the agent, when they are wanted', async () => {
  const hooks = () => registry(all => all.on('PreToolUse', () => undefined, { name: 'looker' }))
  const run = async (includeHookEvents: boolean) => {
    const { messages } = await ask([bashTurn('true'), 'Done.'], {
      allowedTools: ['Bash'],
      hooks: hooks(),
      watch: false,
      includeHookEvents
    })
    return messages.map(message => ('subtype' in message && message.type === 'system' ? message.subtype : message.type))
  }
  expect(await run(true)).toEqual(['init', 'assistant', 'hook_started', 'hook_response', 'user', 'assistant', 'result'])
  expect(await run(false)).toEqual(['init', 'assistant', 'user', 'assistant', 'result'])
})

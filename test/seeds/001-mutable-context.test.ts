/** Dialect 001, inside `query()`: a context that is changed in place, and a small result. */
import { describe, expect, test } from 'vitest'
import { allow, ask as askFirst, deny, HookRegistry, type Reply } from '../../src/index.ts'
import { ask, bashCall, toolCall, expectRow, inputsOf, project, resultsIn, withCommand, words } from './seed-kit.ts'
import { prints } from '../support/command-settings.ts'

describe('the usage examples', () => {
  test('block dangerous commands', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx =>
      ctx.toolInput.command.includes('rm -rf') ? deny('Dangerous command') : undefined
    )
    const place = project({ 'build/x': '' })
    const { sent } = await ask([{ calls: [bashCall('rm -rf build'), bashCall('echo safe')] }, 'done'], {
      in: place,
      hooks,
      allowedTools: ['Bash']
    })
    expect(resultsIn(sent[1]!)).toMatchObject([
      { isError: true, text: expect.stringContaining('Dangerous command') },
      { isError: false, text: 'safe' }
    ])
    expect(place.has('build/x')).toBe(true)
  })

  test('rewrite paths: the changed input is used, and allowed without a question', async () => {
    const place = project({ 'remote/a.txt': 'far', 'a.txt': 'near' })
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Read|Write|Edit', ctx => {
      ctx.toolInput.file_path = place.path(`remote/${ctx.toolInput.file_path.split('/').pop()}`)
      return allow()
    })
    const calls = [
      toolCall('Read', { file_path: 'a.txt' }),
      toolCall('Edit', { file_path: 'a.txt', old_string: 'far', new_string: 'FAR' })
    ]
    await ask([...calls.map(each => ({ calls: [each] })), 'done'], { in: place, hooks })
    expect([place.text('remote/a.txt'), place.text('a.txt')]).toEqual(['FAR', 'near'])
  })

  test('filter messages', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      ctx.messages = ctx.messages.filter(message => !words(message).includes('secret'))
    })
    const { sent } = await ask([{ calls: [bashCall('true')] }, 'done'], {
      hooks,
      allowedTools: ['Bash'],
      prompt: 'the secret is 42'
    })
    expect(sent.map(messages => JSON.stringify(messages).includes('secret'))).toEqual([true, false])
  })

  test('auto-approve read tools: no one is asked for them, and others are', async () => {
    const asked: string[] = []
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Read|Glob|Grep', () => allow())
    const outside = project({ 'b.txt': 'two' })
    const calls = [
      toolCall('Read', { file_path: outside.path('b.txt') }),
      toolCall('Glob', { pattern: '*', path: outside.cwd }),
      toolCall('Grep', { pattern: 'two', path: outside.cwd }),
      toolCall('Write', { file_path: outside.path('c.txt'), content: '' })
    ]
    await ask([{ calls }, 'done'], {
      hooks,
      canUseTool: async name => {
        asked.push(name)
        return { behavior: 'deny', message: 'no' }
      }
    })
    expect(asked).toEqual(['Write'])
  })

  test('audit logging', async () => {
    const log: unknown[] = []
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', ctx => void log.push([ctx.toolName, ctx.toolResponse]))
    await ask([{ calls: [bashCall('echo hi'), bashCall('false')] }, 'done'], { hooks, allowedTools: ['Bash'] })
    expect(log).toMatchObject([['Bash', { stdout: 'hi' }]])
  })
})

describe('the four results, for a call that a rule allows and for one that no rule allows', () => {
  const run = async (reply: Reply | undefined, allowedTools: string[]) => {
    let asked = 0
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => reply)
    const { project: place } = await ask([{ calls: [bashCall('touch ran')] }, 'done'], {
      hooks,
      allowedTools,
      canUseTool: async () => {
        asked++
        return { behavior: 'deny', message: 'no' }
      }
    })
    return { asked, ran: place.has('ran') }
  }

  test.each([
    ['none(): the normal flow', undefined, { asked: 0, ran: true }, { asked: 1, ran: false }],
    ['allow(): the check is skipped', allow(), { asked: 0, ran: true }, { asked: 0, ran: true }],
    ['deny(reason): blocked', deny('no'), { asked: 0, ran: false }, { asked: 0, ran: false }]
  ])('%s', async (_, reply, ruled, unruled) => {
    expect(await run(reply, ['Bash'])).toEqual(ruled)
    expect(await run(reply, [])).toEqual(unruled)
  })

  test('S5: ask() asks a person even where a rule allows; the page says to return nothing instead', async () => {
    expect(await run(askFirst(), ['Bash'])).toEqual({ asked: 1, ran: false })
    expectRow('001', 'HookResult::ask()', 'return nothing')
  })

  test('S5: returning nothing is the normal permission flow', async () => {
    expect(await run(undefined, ['Bash'])).toEqual({ asked: 0, ran: true })
    expect(await run(undefined, [])).toEqual({ asked: 1, ran: false })
  })

  test('S5: the ask of a file asks a person as well, whatever a rule allows', async () => {
    const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }
    const place = withCommand('PreToolUse', prints(answer), 'Bash')
    let asked = 0
    await ask([{ calls: [bashCall('touch ran')] }, 'done'], {
      in: place,
      trust: true,
      allowedTools: ['Bash'],
      canUseTool: async () => {
        asked++
        return { behavior: 'allow' }
      }
    })
    expect([asked, place.has('ran')]).toEqual([1, true])
  })
})

describe('the context', () => {
  test('has the fields of its event', async () => {
    const seen: Record<string, unknown[]> = {}
    const hooks = new HookRegistry()
    hooks.register({
      events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit'],
      run: ctx =>
        void (seen[ctx.event] ??= [
          ctx.toolName,
          ctx.toolUseId,
          ctx.toolResponse !== undefined,
          ctx.error !== undefined,
          ctx.prompt,
          ctx.sessionId !== ''
        ])
    })
    await ask([{ calls: [bashCall('true'), bashCall('false')] }, 'done'], {
      hooks,
      allowedTools: ['Bash'],
      prompt: 'hello'
    })
    expect(seen).toEqual({
      UserPromptSubmit: [undefined, undefined, false, false, 'hello', true],
      PreToolUse: ['Bash', 'toolu_1', false, false, undefined, true],
      PostToolUse: ['Bash', 'toolu_1', true, false, undefined, true],
      PostToolUseFailure: ['Bash', 'toolu_2', false, true, undefined, true]
    })
  })

  test('metadata is there for later events', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => ctx.setMetadata('tool', ctx.toolName))
    hooks.on('Stop', ctx => void seen.push(ctx.metadata['tool']))
    await ask([{ calls: [bashCall('true')] }, 'done'], { hooks, allowedTools: ['Bash'] })
    expect(seen).toEqual(['Bash'])
  })

  test('messages can be pushed', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => void ctx.messages.push({ role: 'user', content: 'pushed' }))
    const { sent } = await ask(['done'], { hooks })
    expect(sent[0]!.map(words)).toContain('pushed')
  })

  test('S4: internals are ctx.agent', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', ({ agent }) => void seen.push(Object.keys(agent)))
    await ask([{ calls: [bashCall('true')] }, 'done'], { hooks, allowedTools: ['Bash'] })
    const parts = ['id', 'type', 'depth', 'model', 'tools', 'session', 'transcriptPath']
    expect(seen).toEqual([expect.arrayContaining(parts)])
    for (const part of parts) expectRow('001', 'ctx.internals', part)
  })

  test('a changed prompt is the one that the model is sent; a denied one is not sent', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => {
      if (ctx.prompt === 'bad') return deny('no')
      ctx.prompt = `${ctx.prompt}, please`
      return undefined
    })
    expect((await ask(['done'], { hooks, prompt: 'Tidy up' })).sent[0]!.map(words)).toContain('Tidy up, please')
    const again = new HookRegistry()
    again.on('UserPromptSubmit', () => deny('no'))
    expect((await ask(['done'], { hooks: again, prompt: 'bad' })).sent).toEqual([])
  })
})

test('a pattern fits by name, a wrong one is refused', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', '^Ba', () => deny('no'))
  expect(() => hooks.on('PreToolUse', '(', () => undefined)).toThrow()
  const asked = await ask([{ calls: [bashCall('true'), toolCall('Glob', { pattern: '*' })] }, 'done'], { hooks })
  expect(resultsIn(asked.sent[1]!).map(({ isError }) => isError)).toEqual([true, false])
  expect(inputsOf(asked, 'PreToolUse')).toHaveLength(2)
})

test.each([
  ['hooks.add(event', 'hooks.on(event'],
  ['add_with_pattern', 'matcher'],
  ['Hook::call', 'run(ctx)'],
  ['hooks.run(', 'hooks.fire'],
  ['HookContext::pre_tool_use', 'fire'],
  ['HookResult::none()', 'return nothing'],
  ['HookResult::allow()', 'allow()'],
  ['ctx.tool_name', 'ctx.toolName'],
  ['a changed `ctx.tool_input`', 'updatedInput'],
  ['a changed `ctx.user_prompt`', 'updatedPrompt'],
  ['ctx.tool_result', 'ctx.toolResponse'],
  ['ctx.messages()', 'ctx.messages'],
  ['ctx.metadata()', 'ctx.setMetadata'],
  ['ctx.session_id()', 'ctx.sessionId'],
  ['with_hooks', 'options: { hooks }'],
  ['changed messages', 'messageEdits']
])('the page says what %s is here', (there, here) => {
  expectRow('001', there, here)
})

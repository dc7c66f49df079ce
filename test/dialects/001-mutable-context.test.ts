/**
 * Dialect 001: hooks get one mutable context, change it in place, and return no
 * more than a permission decision. Here: `on(event, matcher, ctx => …)`, and the same words for decisions.
 */
import { describe, expect, test } from 'vitest'
import { allow, applyEdits, ask, CarabinerError, deny, guard, HookRegistry, type Message } from '../../src/hooks.ts'
import { harness } from '../../src/testing.ts'
import { bash } from '../support/hook-inputs.ts'

describe('block dangerous commands', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', async ctx => {
    return ctx.toolInput.command.includes('rm -rf') ? deny('Dangerous command') : undefined
  })

  // F184, F30, F85
  test('denies what contains the dangerous text', async () => {
    await harness(hooks).tool('Bash', { command: 'cd / && rm -rf build' }).toDeny('Dangerous command')
  })

  // F184, F45
  test('says nothing about other commands, nor about other tools', async () => {
    await harness(hooks).tool('Bash', { command: 'rm build.log' }).toBeSilent()
    await harness(hooks).tool('Notes', { command: 'rm -rf build' }).toBeSilent()
  })
})

describe('rewrite paths', () => {
  const mounted = () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Read|Write|Edit', async ctx => {
      ctx.toolInput.file_path = `/mnt/remote${ctx.toolInput.file_path}`
      return allow()
    })
    return hooks
  }

  // F185, F36, F86
  test.each([
    ['Read', { file_path: '/etc/hosts' }],
    ['Write', { file_path: '/etc/hosts', content: 'x' }],
    ['Edit', { file_path: '/etc/hosts', old_string: 'a', new_string: 'b' }]
  ])('%s gets the prefixed path, the rest of its input, and an allow', async (name, input) => {
    const outcome = await harness(mounted()).tool(name, input).toAllow()
    expect(outcome.updatedInput).toEqual({ ...input, file_path: '/mnt/remote/etc/hosts' })
  })

  // F36
  test('the caller’s own object stays as it was', async () => {
    const call = { tool_name: 'Read', tool_input: { file_path: '/etc/hosts' }, tool_use_id: 'toolu_1' }
    await mounted().fire('PreToolUse', call)
    expect(call.tool_input).toEqual({ file_path: '/etc/hosts' })
  })

  // F185
  test('a later change by another hook does not prefix the path twice', async () => {
    const hooks = mounted()
    hooks.on('PreToolUse', 'Read', ctx => void (ctx.toolInput.limit = 10))
    await harness(hooks).tool('Read', { file_path: '/a' }).toRewrite({ file_path: '/mnt/remote/a', limit: 10 })
  })

  // F86
  test('other tools are left alone', async () => {
    await harness(mounted()).tool('Glob', { pattern: '**' }).toBeSilent()
  })
})

describe('filter messages', () => {
  const history: Message[] = [
    { role: 'user', content: 'Deploy it' },
    { role: 'user', content: 'The password is hunter2' },
    { role: 'assistant', content: 'On it' }
  ]
  const holdsSecret = (message: Message): boolean => JSON.stringify(message.content).includes('password')

  // F186, F38
  test('what the hook drops is gone from the history, and the caller’s list is untouched', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', async ctx => {
      ctx.messages = ctx.messages.filter(message => !holdsSecret(message))
    })
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { messages: history })

    expect(history).toHaveLength(3)
    expect(outcome.messageEdits?.removed).toEqual([history[1]])
    expect(applyEdits(history, outcome.messageEdits!).map(message => message.content)).toEqual(['Deploy it', 'On it'])
  })

  // F38
  test('push and splice in place work too', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      ctx.messages.splice(1, 1)
      ctx.messages.push({ role: 'user', content: 'Mind the budget' })
    })
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { messages: history })
    const contents = applyEdits(history, outcome.messageEdits!).map(message => message.content)
    expect(contents).toEqual(['Deploy it', 'On it', 'Mind the budget'])
  })
})

describe('auto-approve read tools', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Read|Glob|Grep', async () => allow())

  // F187, F86
  test('reads are allowed, other tools are left to the normal flow', async () => {
    await harness(hooks).tool('Read', { file_path: '/a' }).toAllow()
    await harness(hooks).tool('Glob', { pattern: '*' }).toAllow()
    await harness(hooks).tool('Grep', { pattern: 'x' }).toAllow()
    await harness(hooks).tool('Write', { file_path: '/a', content: '' }).toBeSilent()
  })
})

describe('audit logging', () => {
  // F188, F35
  test('the log has tool and result of every success', async () => {
    const log: unknown[] = []
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', async ctx => void log.push({ tool: ctx.toolName, result: ctx.toolResponse }))

    const echo = guard(hooks, 'Echo', (input: { text: string }) => input.text)
    const fail = guard(hooks, 'Fail', (_: object): string => {
      throw new Error('broken')
    })
    await echo({ text: 'hello' })
    await expect(fail({})).rejects.toThrow('broken')

    expect(log).toEqual([{ tool: 'Echo', result: 'hello' }])
  })
})

describe('the tool executor', () => {
  const execute = (hooks: HookRegistry, ran: string[] = []) =>
    guard(hooks, 'Bash', (input: { command: string }) => void ran.push(input.command))

  // F36, F45
  test('runs the input as the hook left it', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => void (ctx.toolInput = { command: 'ls -la' }))
    const ran: string[] = []
    await execute(hooks, ran)({ command: 'ls' })
    expect(ran).toEqual(['ls -la'])
  })

  // F46
  test('a deny is an error with its reason', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => deny('Dangerous command'))
    await expect(execute(hooks)({ command: 'ls' })).rejects.toThrow(/^Bash was refused by .*: Dangerous command/)
  })

  // F46
  test('a deny without a reason is an error that says who refused', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => deny(), { name: 'curfew' })
    await expect(execute(hooks)({ command: 'ls' })).rejects.toThrow('curfew')
  })

  // F46
  test('an ask is answered by whoever can be asked, else it is a no', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ask('sure?'))
    const run = (yes: boolean) => guard(hooks, 'Bash', () => 'ran', { onAsk: () => yes })
    expect(await run(true)({})).toBe('ran')
    await expect(run(false)({})).rejects.toThrow(CarabinerError)
    await expect(execute(hooks)({ command: 'ls' })).rejects.toThrow('sure?')
  })
})

describe('the prompt', () => {
  // F37, F8
  test('what the hook makes of it is what goes on', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => void (ctx.prompt = ctx.prompt.replace('hunter2', '[secret]')))
    const outcome = await hooks.fire('UserPromptSubmit', { prompt: 'log in with hunter2' })
    expect(outcome.updatedPrompt).toBe('log in with [secret]')
  })

  // F37
  test('untouched, nothing stands in its place', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => void ctx.prompt.length)
    expect((await hooks.fire('UserPromptSubmit', { prompt: 'hello' })).updatedPrompt).toBeUndefined()
  })
})

describe('the context', () => {
  // F35
  test('has tool fields on tool events only, results on later events, the prompt on the prompt’s', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry().register({
      name: 'watch',
      events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit'],
      run: ctx => void seen.push([ctx.event, ctx.toolName, ctx.toolResponse, ctx.error, ctx.prompt])
    })
    await hooks.fire('PreToolUse', bash('ls'))
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: 'a b' })
    await hooks.fire('PostToolUseFailure', { ...bash('ls'), error: 'no such file' })
    await hooks.fire('UserPromptSubmit', { prompt: 'hello' })
    expect(seen).toEqual([
      ['PreToolUse', 'Bash', undefined, undefined, undefined],
      ['PostToolUse', 'Bash', 'a b', undefined, undefined],
      ['PostToolUseFailure', 'Bash', undefined, 'no such file', undefined],
      ['UserPromptSubmit', undefined, undefined, undefined, 'hello']
    ])
  })

  // F39
  test('metadata is there for later hooks and events of the session, and only of that one', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => ctx.setMetadata('calls', Number(ctx.metadata['calls'] ?? 0) + 1))
    hooks.on('PostToolUse', ctx => void seen.push([ctx.sessionId, ctx.metadata['calls']]))
    const call = (session_id: string) => ({ ...bash('ls'), session_id })
    await hooks.fire('PreToolUse', call('a'))
    await hooks.fire('PreToolUse', call('a'))
    await hooks.fire('PreToolUse', call('b'))
    await hooks.fire('PostToolUse', { ...call('a'), tool_response: '' })
    await hooks.fire('PostToolUse', { ...call('b'), tool_response: '' })
    expect(seen).toEqual([
      ['a', 2],
      ['b', 1]
    ])
  })

  // F40
  test('shows the agent around the hook', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry({ agent: { id: 'main', config: { model: 'small' } } })
    hooks.on('PreToolUse', ctx => void seen.push([ctx.agent.id, ctx.agent.config?.['model']]))
    await hooks.fire('PreToolUse', bash('ls'))
    expect(seen).toEqual([['main', 'small']])
  })
})

describe('the registry', () => {
  // F61
  test('a hook runs for the event it was added to, and for no other', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => deny('no'))
    expect((await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })).decision).toBeUndefined()
    expect((await hooks.fire('PreToolUse', bash('ls'))).decision).toBe('deny')
  })

  // F62
  test('an invalid pattern is refused, and nothing was added', () => {
    const hooks = new HookRegistry()
    expect(() => hooks.on('PreToolUse', '(Bash', () => deny('no'))).toThrow(/matcher "\(Bash" is not valid/)
    expect(hooks.list()).toEqual([])
  })

  // F63, F65, F89
  test('without a pattern it matches every tool; with one that fits none, no one answers', async () => {
    const all = new HookRegistry()
    all.on('PreToolUse', () => ask())
    await harness(all).tool('Anything', {}).toAsk()

    const none = new HookRegistry()
    none.on('PreToolUse', 'Write', () => ask())
    await harness(none).tool('Anything', {}).toBeSilent()
  })

  test.each([
    [allow(), deny('no')],
    [deny('no'), allow()]
  ])('an allow and a deny make a deny with the deny’s reason, in either order', async (first, second) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => first)
    hooks.on('PreToolUse', () => second)
    await harness(hooks).tool('Bash', { command: 'ls' }).toDeny('no')
  })
})

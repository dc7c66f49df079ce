/** The examples of the documents that this library unites, each in a running agent. */
import { describe, expect, test } from 'vitest'
import { allow, block, deny, type Hook, HookRegistry, type Message, snakeName } from '../../src/index.ts'
import { ask, bashCall, project, type Project, prompted, registry, resultsIn, words } from '../support/agent-kit.ts'

// F184
test('the Bash guard denies what contains the dangerous text, and passes the rest', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', ctx =>
    ctx.toolInput.command.includes('rm -rf') ? deny('Dangerous command') : undefined
  )
  const place = project({ 'build/x': '' })
  const { sent } = await ask([{ calls: [bashCall('rm -rf build'), bashCall('rm build/x')] }, 'Done.'], {
    in: place,
    hooks,
    allowedTools: ['Bash']
  })
  expect(resultsIn(sent[1]!)).toMatchObject([
    { isError: true, text: expect.stringContaining('Dangerous command') },
    { isError: false }
  ])
  expect([place.has('build'), place.has('build/x')]).toEqual([true, false])
})

// F185
test('the path rewrite prefixes file_path for Read, Write and Edit, and allows', async () => {
  const place = project({ 'remote/a.txt': 'one\n', 'a.txt': 'not this\n' })
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Read|Write|Edit', ctx => {
    ctx.toolInput.file_path = ctx.toolInput.file_path.replace(place.cwd, place.path('remote'))
    return allow()
  })
  const { sent } = await ask(
    [
      { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
      { calls: [{ name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }] },
      { calls: [{ name: 'Write', input: { file_path: 'b.txt', content: 'new' } }] },
      'Done.'
    ],
    { in: place, hooks }
  )
  expect(resultsIn(sent[3]!).map(({ isError }) => isError)).toEqual([false, false, false])
  expect([place.text('remote/a.txt'), place.text('remote/b.txt')]).toEqual(['two\n', 'new'])
  expect([place.text('a.txt'), place.has('b.txt')]).toEqual(['not this\n', false])
})

// F186, F38
test('the message filter drops entries of the history before the next call', async () => {
  const secret = ({ content }: Message): boolean => JSON.stringify(content).includes('swordfish')
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => {
    ctx.messages = ctx.messages.filter(message => !secret(message))
  })
  const { sent } = await ask(['Noted.', { calls: [bashCall('true')] }, 'Done.'], {
    hooks,
    allowedTools: ['Bash'],
    prompt: (async function* () {
      yield prompted('The word is swordfish.')
      yield prompted('Go on.')
    })()
  })
  expect(sent[1]!.some(secret)).toBe(true)
  expect(sent[2]!.some(secret)).toBe(false)
  // A request begins with words of the user.
  expect(sent[2]!.map(words).slice(0, 3)).toEqual([
    '[The beginning of this conversation is missing.]',
    'Noted.',
    'Go on.'
  ])
})

// F187
test('reads are approved without a question; other tools still ask', async () => {
  const place = project({ 'a.txt': 'one' })
  const outside = project({ 'b.txt': 'two' })
  const questions: string[] = []
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Read|Glob|Grep', () => allow())
  const { sent } = await ask(
    [
      {
        calls: [
          { name: 'Read', input: { file_path: outside.path('b.txt') } },
          { name: 'Glob', input: { pattern: '*.txt', path: outside.cwd } },
          { name: 'Grep', input: { pattern: 'two', path: outside.cwd } },
          bashCall('touch made')
        ]
      },
      'Done.'
    ],
    {
      in: place,
      hooks,
      canUseTool: async name => {
        questions.push(name)
        return { behavior: 'deny', message: 'no' }
      }
    }
  )
  expect(resultsIn(sent[1]!).map(({ isError }) => isError)).toEqual([false, false, false, true])
  expect(questions).toEqual(['Bash'])
})

// F188
test('the audit hook sees the tool and the result of each success', async () => {
  const audit: unknown[] = []
  const hooks = new HookRegistry()
  hooks.on('PostToolUse', ctx => void audit.push([ctx.toolName, ctx.toolResponse]))
  const place = project({ 'a.txt': 'one' })
  await ask(
    [{ calls: [bashCall('echo hi'), bashCall('false'), { name: 'Read', input: { file_path: 'a.txt' } }] }, 'Done.'],
    {
      in: place,
      hooks,
      allowedTools: ['Bash']
    }
  )
  expect(audit).toHaveLength(2)
  expect(audit).toContainEqual(['Bash', expect.objectContaining({ stdout: 'hi' })])
  expect(audit).toContainEqual(['Read', expect.objectContaining({ file: expect.objectContaining({ content: 'one' }) })])
})

// F189
describe('the demo agent', () => {
  const FORK_BOMB = ':(){ :|:& };:'
  const run = (place: Project, command: string) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => {
      const { command: text } = ctx.toolInput
      if (/rm -rf \/(?:\s|$)/.test(text) || text.includes(FORK_BOMB)) return deny('Dangerous command blocked')
      return undefined
    })
    hooks.on('PreToolUse', '^(Read|Glob|Grep)$', () => allow())
    return ask([{ calls: [bashCall(command), { name: 'Grep', input: { pattern: 'one' } }] }, 'Done.'], {
      in: place,
      hooks
    })
  }

  test.each(['rm -rf /', `${FORK_BOMB} true`])('blocks %s, and approves what only reads', async command => {
    const place = project({ 'a.txt': 'one' })
    const { sent, result } = await run(place, command)
    const [first, second] = resultsIn(sent[1]!)
    expect(first).toMatchObject({ isError: true, text: expect.stringContaining('Dangerous command blocked') })
    expect(second).toMatchObject({ isError: false, text: expect.stringContaining('a.txt') })
    expect(result.permission_denials).toHaveLength(1)
  })
})

/** The security hook: patterns, and a priority before all others. */
const securityHook = (patterns: readonly string[]): Hook<'PreToolUse', 'Bash'> => ({
  name: 'security-hook',
  events: 'PreToolUse',
  matcher: 'Bash',
  priority: 100,
  run(ctx) {
    const found = patterns.find(pattern => ctx.toolInput.command.includes(pattern))
    return found === undefined ? undefined : block(`Blocked: contains '${found}'`)
  }
})

const loggingHook = (log: string[]): Hook<'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure'> => ({
  name: 'logging-hook',
  events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  run(ctx) {
    log.push(`${snakeName(ctx.event)} ${ctx.toolName}`)
    return allow()
  }
})

// F190, F191, F68
test('security hook and logging hook together: the first blocks and names the pattern, the second sees all', async () => {
  const log: string[] = []
  const hooks = registry(all => all.register(loggingHook(log)).register(securityHook(['rm -rf', 'sudo'])))
  const place = project()
  const { sent } = await ask(
    [{ calls: [bashCall('sudo make'), bashCall('touch made'), bashCall('touch nowhere/x')] }, 'Done.'],
    {
      in: place,
      hooks
    }
  )
  const [first, second, third] = resultsIn(sent[1]!)
  expect(first!.text).toContain("[security-hook]: Blocked: contains 'sudo'")
  expect([second!.isError, third!.isError, place.has('made')]).toEqual([false, true, true])
  expect(log).toEqual([
    'pre_tool_use Bash',
    'pre_tool_use Bash',
    'post_tool_use Bash',
    'pre_tool_use Bash',
    'post_tool_use_failure Bash'
  ])
})

// F193
test('the same hooks can be asked directly, without an agent', async () => {
  const hooks = new HookRegistry().register(securityHook(['rm -rf']))
  const call = { tool_name: 'Bash', tool_input: { command: 'rm -rf /' }, tool_use_id: 'toolu_1' }
  expect(await hooks.fire('PreToolUse', call)).toMatchObject({ blocked: true, reason: "Blocked: contains 'rm -rf'" })
})

// F29, F44, F60, F22
test('hooks that go on, block and transform, and a count of the model’s calls', async () => {
  const iterations: number[] = []
  const hooks = new HookRegistry()
  hooks.on('Iteration', ctx => void iterations.push(ctx.input.iteration))
  hooks.on('PreToolUse', 'Bash', ctx => ({ updatedInput: { command: `${ctx.toolInput.command} made` } }))
  const place = project()
  const { sent } = await ask([{ calls: [bashCall('touch')] }, { calls: [bashCall('echo')] }, 'Done.'], {
    in: place,
    hooks,
    allowedTools: ['Bash']
  })
  expect(place.has('made')).toBe(true)
  expect(iterations).toEqual([1, 2, 3])
  expect(sent).toHaveLength(iterations.length)
})

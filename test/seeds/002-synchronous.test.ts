/** Dialect 002, inside `query()`: the same with hooks that answer at once. */
import { describe, expect, test } from 'vitest'
import { allow, ask as askFirst, deny, HookRegistry, type EventName, type Reply } from '../../src/index.ts'
import { ask, bashCall, toolCall, expectRow, project, resultsIn, words } from './seed-kit.ts'

describe('the usage', () => {
  const demo = (): HookRegistry => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx =>
      /rm -rf \/(?:\s|$)/.test(ctx.toolInput.command) ? deny('Dangerous command blocked') : undefined
    )
    hooks.on('PreToolUse', '^(Read|Glob|Grep)$', () => allow())
    return hooks
  }

  test('dangerous commands are blocked, and what only reads is approved', async () => {
    const outside = project({ 'b.txt': 'two' })
    const calls = [bashCall('rm -rf /'), toolCall('Read', { file_path: outside.path('b.txt') })]
    const { sent } = await ask([{ calls }, 'done'], { hooks: demo() })
    expect(resultsIn(sent[1]!)).toMatchObject([
      { isError: true, text: expect.stringContaining('Dangerous command blocked') },
      { isError: false, text: expect.stringContaining('two') }
    ])
  })

  test('other commands have the normal flow', async () => {
    const { sent } = await ask([{ calls: [bashCall('touch x')] }, 'done'], { hooks: demo() })
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.not.stringContaining('Dangerous') }])
  })
})

/** Each event of the table, whether a deny blocks there, and what can be changed. */
const EVENTS: readonly (readonly [EventName, boolean])[] = [
  ['PreToolUse', true],
  ['PostToolUse', false],
  ['PostToolUseFailure', false],
  ['UserPromptSubmit', true]
]

describe('the table of events', () => {
  test.each(EVENTS)('%s: a deny blocks: %s', async (event, blocks) => {
    const hooks = new HookRegistry()
    hooks.on(event, () => deny('refused here'))
    const { sent, project: place } = await ask([{ calls: [bashCall('touch ran'), bashCall('false')] }, 'done'], {
      hooks,
      allowedTools: ['Bash']
    })
    expect(place.has('ran')).toBe(!blocks)
    if (event === 'UserPromptSubmit') expect(sent).toEqual([])
    else expect(JSON.stringify(sent[1])).toContain('refused here')
  })

  test('PreToolUse changes the input, UserPromptSubmit the prompt, both in place', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command = 'echo changed'))
    hooks.on('UserPromptSubmit', ctx => void (ctx.prompt = 'another prompt'))
    const { sent } = await ask([{ calls: [bashCall('echo one')] }, 'done'], { hooks, allowedTools: ['Bash'] })
    expect(sent[0]!.map(words)).toContain('another prompt')
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: 'changed' }])
  })

  test('later events only observe: what they do to the input changes nothing', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', ctx => void Object.assign(ctx.toolInput, { command: 'echo forged' }))
    const { sent } = await ask([{ calls: [bashCall('echo one')] }, 'done'], { hooks, allowedTools: ['Bash'] })
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: 'one' }])
    expect(JSON.stringify(sent[1])).not.toContain('forged')
  })
})

describe('the combination of results', () => {
  const RESULTS: Readonly<Record<string, Reply | undefined>> = {
    none: undefined,
    ask: askFirst('look'),
    allow: allow(),
    deny: deny('no')
  }
  const ORDER = ['none', 'ask', 'allow', 'deny']
  const PAIRS = ORDER.flatMap(one => ORDER.map(other => [one, other] as const))
  /** Whether a person is asked, and whether the call runs, where a rule does not allow it and the person says yes. */
  const EFFECT: Readonly<Record<string, object>> = {
    none: { asked: 1, ran: true },
    ask: { asked: 1, ran: true },
    allow: { asked: 0, ran: true },
    deny: { asked: 0, ran: false }
  }

  test.each(PAIRS)('S1: %s and %s: Deny > Allow > Ask > None, also inside query()', async (one, other) => {
    const hooks = new HookRegistry()
    for (const each of [one, other]) hooks.on('PreToolUse', () => RESULTS[each])
    let asked = 0
    const { project: place } = await ask([{ calls: [bashCall('touch ran')] }, 'done'], {
      hooks,
      canUseTool: async () => {
        asked++
        return { behavior: 'allow' }
      }
    })
    const stronger = ORDER[Math.max(ORDER.indexOf(one), ORDER.indexOf(other))]!
    expect({ asked, ran: place.has('ran') }).toEqual(EFFECT[stronger])
  })
})

test('hooks answer at once, and what takes time is spawned and not lost', async () => {
  const done: string[] = []
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => {
    ctx.spawn(Promise.resolve().then(() => done.push(ctx.toolName)))
    return allow()
  })
  const fired = hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'c1' })
  expect(fired).not.toBeInstanceOf(Promise)
  await ask([{ calls: [bashCall('true')] }, 'done'], { hooks })
  await hooks.drain()
  expect(done).toEqual(['Bash', 'Bash'])
})

test('a pattern that is none is an error when the hook is added', () => {
  expect(() => new HookRegistry().on('PreToolUse', '^(Read', () => undefined)).toThrow(/E_MATCHER_INVALID|\(Read/)
})

test('S5: the page says that no answer is the normal permission flow', () => {
  expectRow('002', 'HookResult::ask()', 'return nothing')
})

test.each([
  ['synchronous closure', 'synchronous function'],
  ['spawning a task', 'ctx.spawn'],
  ['Deny > Allow', 'the same order'],
  ['(Read\\|Glob', 'the same text']
])('the page says what %s is here', (there, here) => {
  expectRow('002', there, here)
})

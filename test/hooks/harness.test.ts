import { describe, expect, test } from 'vitest'
import {
  allow,
  ask,
  defer,
  deny,
  EVENTS,
  EVENT_NAMES,
  HookRegistry,
  type EventName,
  type Hook
} from '../../src/hooks.ts'
import { harness, type Expectation } from '../../src/testing.ts'

const saying = (event: EventName, run: Hook['run']): HookRegistry =>
  new HookRegistry().register({ name: 'said', events: event, run })

describe('what is fired', () => {
  test.each(EVENT_NAMES)('%s: the sample of its row', async event => {
    const hooks = new HookRegistry()
    let input: unknown
    hooks.register({ events: event, run: ctx => void (input = ctx.input) })
    const outcome = await harness(hooks).fire(event)
    expect(input).toMatchObject({ ...EVENTS[event].sample, hook_event_name: event })
    expect(outcome).toMatchObject({ event, failures: [], report: [{ ran: true }] })
  })

  test('what is given comes on top of the sample', async () => {
    const hooks = new HookRegistry()
    let input: unknown
    hooks.on('PreToolUse', ctx => void (input = ctx.input))
    await harness(hooks).fire('PreToolUse', { tool_name: 'Read', tool_input: { file_path: '/a' }, cwd: '/work' })
    expect(input).toMatchObject({
      tool_name: 'Read',
      tool_input: { file_path: '/a' },
      tool_use_id: 'toolu_sample',
      cwd: '/work'
    })
  })

  test('the options of the fire are passed on, and a report always comes', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => void seen.push(ctx.metadata['key'], ctx.messages.length))
    const messages = [{ role: 'user', content: 'hi' }] as const
    const { report } = await harness(hooks).fire(
      'PreToolUse',
      {},
      { metadata: { key: 'value' }, messages, report: false }
    )
    expect(seen).toEqual(['value', 1])
    expect(report).toHaveLength(1)
  })

  test('a tool is fired by its name', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => (ctx.toolInput.command.includes('rm') ? deny('no rm') : undefined))
    const { tool } = harness(hooks)
    await tool('Bash', { command: 'rm x' }).toDeny('no rm')
    await tool('Bash', { command: 'ls' }).toBeSilent()
    await tool('Deploy', { command: 'rm' }).toBeSilent()
  })
})

describe('what is no input is an error that says so', () => {
  const { fire } = harness(new HookRegistry())
  test.each([
    ['an unknown field', 'PreToolUse', { tool_nam: 'Bash' }, /no field tool_nam, did you mean tool_name/],
    ['a field of another event', 'Stop', { tool_name: 'Bash' }, /no field tool_name/],
    ['a wrong type', 'Stop', { stop_hook_active: 'yes' }, /stop_hook_active should be boolean, not "yes"/],
    ['a word that is none', 'SessionStart', { source: 'boot' }, /source should be startup/],
    ['a list as input', 'PreToolUse', { tool_input: [] }, /tool_input should be object/],
    ['a required field taken away', 'UserPromptSubmit', { prompt: undefined }, /prompt is missing/],
    ['a base field of the wrong type', 'Stop', { cwd: 5 }, /cwd should be string/]
  ] as const)('%s', async (_, event, part, words) => {
    await expect(fire(event, part as never)).rejects.toThrow(words)
    await expect(fire(event, part as never)).rejects.toMatchObject({ code: 'E_INPUT_INVALID' })
  })

  test('an unknown event', async () => {
    await expect(fire('Stopp' as 'Stop')).rejects.toThrow(/did you mean Stop/)
  })

  test('it is one also for an expectation', async () => {
    await expect(
      harness(new HookRegistry())
        .expect('Stop', { nonsense: 1 } as never)
        .toBeSilent()
    ).rejects.toThrow(/no field nonsense/)
  })
})

const PRE = 'PreToolUse'
type Judge = (expectation: Expectation) => Promise<unknown>
const YES: readonly (readonly [string, HookRegistry, Judge])[] = [
  ['toDeny', saying(PRE, () => deny('Dangerous command')), it => it.toDeny()],
  ['toDeny, with part of the reason', saying(PRE, () => deny('Dangerous command')), it => it.toDeny('Dangerous')],
  ['toDeny, with a pattern', saying(PRE, () => deny('Dangerous command')), it => it.toDeny(/^danger/i)],
  ['toAllow', saying(PRE, () => allow()), it => it.toAllow()],
  ['toAsk', saying(PRE, () => ask('sure?')), it => it.toAsk('sure')],
  ['toDefer', saying(PRE, () => defer()), it => it.toDefer()],
  ['toBeSilent', saying(PRE, () => undefined), it => it.toBeSilent()],
  ['toRewrite', saying(PRE, () => ({ updatedInput: { command: 'ls' } })), it => it.toRewrite({ command: 'ls' })],
  ['toAddContext', saying(PRE, () => ({ additionalContext: 'one two' })), it => it.toAddContext('two')],
  [
    'toAddContext, with a pattern',
    saying(PRE, () => ({ additionalContext: 'one two' })),
    it => it.toAddContext(/one.two/)
  ]
]

describe('an expectation that holds gives the outcome', () => {
  test.each(YES)('%s', async (_, hooks, judge) => {
    expect(await judge(harness(hooks).expect(PRE))).toMatchObject({ event: PRE, report: [{ name: 'said' }] })
  })

  test('toRewrite, for a prompt', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => void (ctx.prompt = ctx.prompt.toUpperCase()))
    await harness(hooks).expect('UserPromptSubmit', { prompt: 'hello' }).toRewrite('HELLO')
  })
})

describe('an expectation that fails says what was, and who said it', () => {
  const no: readonly (readonly [string, HookRegistry, Judge, RegExp])[] = [
    ['toDeny', saying(PRE, () => allow()), it => it.toDeny(), /expected deny, but PreToolUse was answered with allow/],
    [
      'toDeny, with a reason',
      saying(PRE, () => deny('other')),
      it => it.toDeny('this'),
      /expected deny with reason this.*reason "other"/
    ],
    [
      'toAllow',
      saying(PRE, () => undefined),
      it => it.toAllow(),
      /expected allow, but .*no decision\n {2}said: silent$/
    ],
    ['toAsk', saying(PRE, () => deny('no')), it => it.toAsk(), /expected ask.*deny.*\n {2}said: answered .*"no"/],
    ['toDefer', saying(PRE, () => ask()), it => it.toDefer(), /expected defer.*ask/],
    ['toBeSilent', saying(PRE, () => allow()), it => it.toBeSilent(), /expected silence, but .*allow/],
    [
      'toRewrite',
      saying(PRE, () => ({ updatedInput: { a: 1 } })),
      it => it.toRewrite({ a: 2 }),
      /expected the rewrite \{"a":2\}.*\{"a":1\}/
    ],
    ['toRewrite, of nothing', saying(PRE, () => undefined), it => it.toRewrite({}), /expected the rewrite \{\}/],
    [
      'toAddContext',
      saying(PRE, () => ({ additionalContext: 'one' })),
      it => it.toAddContext('two'),
      /expected context two.*"one"/
    ]
  ]
  test.each(no)('%s', async (_, hooks, judge, words) => {
    const failed = judge(harness(hooks).expect(PRE))
    await expect(failed).rejects.toMatchObject({ code: 'E_EXPECTATION' })
    await expect(failed).rejects.toThrow(words)
  })

  test('toBeSilent, of a failure', async () => {
    const failed = harness(saying('PostToolUse', () => JSON.parse('{')))
      .expect('PostToolUse')
      .toBeSilent()
    await expect(failed).rejects.toThrow(/expected silence.*\n {2}said: failed/)
  })

  test('hooks that did not run are named with the reason', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', () => deny(), { name: 'bash only' })
    await expect(harness(hooks).tool('Read', { file_path: '/a' }).toDeny()).rejects.toThrow(
      /bash only: did not run, matcher "Bash" does not fit "Read"/
    )
  })

  test('a pattern with a memory gives the same answer twice', async () => {
    const { expect: fired } = harness(saying(PRE, () => deny('no', { context: 'no' })))
    const pattern = /no/g
    for (let count = 0; count < 3; count++) {
      await fired(PRE).toDeny(pattern)
      await fired(PRE).toAddContext(pattern)
    }
  })

  const LOUD: readonly (readonly [string, EventName, Hook['run']])[] = [
    ['a replaced output', 'PostToolUse', () => ({ hookSpecificOutput: { updatedToolOutput: 'other' } })],
    ['a hidden output', 'PostToolUse', () => ({ suppressOutput: true })],
    ['a system message', 'PreToolUse', () => ({ systemMessage: 'hey' })],
    ['continue: true on Stop', 'Stop', () => ({ continue: true })],
    ['continue: false', 'PostToolUse', () => ({ continue: false })],
    ['a changed conversation', 'PreToolUse', ctx => void ctx.messages.push({ role: 'user', content: 'hi' })],
    ['a title', 'SessionStart', () => ({ hookSpecificOutput: { sessionTitle: 'Mine' } })]
  ]
  test.each(LOUD)('%s is no silence', async (_, event, run) => {
    await expect(harness(saying(event, run)).expect(event).toBeSilent()).rejects.toThrow(/expected silence/)
  })
})

/** The shapes in which files declare hooks. */
import { describe, expect, test, vi } from 'vitest'
import { EVENT_NAMES, EVENTS } from '../../../src/hooks.ts'
import type { LoadedHook } from '../../../src/settings.ts'
import { brief, commandsOf, fireArmed, settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, rule, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const hooksOf = (hooks: unknown): readonly LoadedHook[] => {
  const { user, load } = settingsScene()
  user({ hooks })
  return load().hooks
}
const findingsOf = (hooks: unknown): readonly string[] => {
  const { user, load } = settingsScene()
  user({ hooks })
  return load().findings.map(brief)
}

describe('a map of names', () => {
  // F115
  test('a name and an object: command, matcher, timeout in seconds', async () => {
    const { user, load, arm } = settingsScene()
    const check = { command: decides('deny', 'not today'), timeout_secs: 30, matcher: 'Bash|Write' }
    user({ hooks: { preToolUse: { 'security-check': check } } })
    expect(load().hooks).toMatchObject([
      {
        event: 'PreToolUse',
        name: 'security-check',
        matcher: 'Bash|Write',
        type: 'command',
        spec: { timeout: 30, command: check.command },
        place: { key: 'hooks.preToolUse.security-check' }
      }
    ])
    const armed = await arm()
    expect(armed.hooks.describe('security-check')).toMatchObject({ timeout: 30, onFailure: 'block' })
    expect(await fireArmed(armed)).toMatchObject({ blocked: true, by: 'security-check', reason: 'not today' })
    expect(await fireArmed(armed, 'PreToolUse', { tool_name: 'Read' })).toMatchObject({
      blocked: false,
      report: [{ ran: false }]
    })
  })

  // F116
  test('a name and a command', async () => {
    const { user, arm } = settingsScene()
    user({ hooks: { postToolUse: { note: tells('noted', 'PostToolUse') } } })
    const armed = await arm()
    expect(await told(armed, 'PostToolUse')).toEqual(['noted'])
    expect(armed.hooks.describe('note')).toMatchObject({ timeout: 60, events: ['PostToolUse'] })
  })

  test('a minute is its time where nothing is said, as it always was for this form', async () => {
    const { user, arm } = settingsScene()
    user({ hooks: { PreToolUse: { a: 'true' }, Stop: [rule('true', undefined, { name: 'b' })] } })
    const { hooks } = await arm()
    expect([hooks.describe('a').timeout, hooks.describe('b').timeout]).toEqual([60, 600])
  })

  test('an object with a kind of its own', () => {
    expect(hooksOf({ PreToolUse: { ask: { type: 'http', url: 'https://hooks.example/' } } })).toMatchObject([
      { name: 'ask', type: 'http', spec: { url: 'https://hooks.example/' } }
    ])
  })

  test('the order of the file is kept', () => {
    const names = Array.from({ length: 50 }, (_, index) => `hook-${(index * 37) % 50}`)
    const map = Object.fromEntries(names.map(name => [name, `echo ${name}`]))
    expect(hooksOf({ Stop: map }).map(({ name }) => name)).toEqual(names)
  })
})

describe('a list', () => {
  // F117
  test('of commands', async () => {
    const { user, load, arm } = settingsScene()
    user({ hooks: { sessionStart: [tells('one', 'SessionStart'), tells('two', 'SessionStart')] } })
    expect(load().hooks).toMatchObject([
      { event: 'SessionStart', name: undefined, defaultTimeout: 60 },
      { event: 'SessionStart', name: undefined, defaultTimeout: 60 }
    ])
    expect(await told(await arm(), 'SessionStart')).toEqual(['one', 'two'])
  })

  // F117
  test('of objects, each with its matcher', () => {
    expect(
      hooksOf({ sessionEnd: [{ command: 'a', matcher: 'clear', timeout: 5 }, { type: 'command', command: 'b' }, 'c'] })
    ).toMatchObject([
      { matcher: 'clear', spec: { command: 'a', timeout: 5 } },
      { matcher: undefined, spec: { command: 'b' } },
      { matcher: undefined, spec: { command: 'c' } }
    ])
  })
})

describe('rules', () => {
  // F120
  test('a matcher and a list of actions: what an action says is kept as it was said', () => {
    const actions = [
      { type: 'command', command: 'a', timeout: 10 },
      { type: 'command', command: 'b', args: ['x'], statusMessage: 'hm', once: true, if: 'Bash(git *)' },
      { type: 'http', url: 'https://hooks.example/', headers: { A: '$B' }, allowedEnvVars: ['B'], onFailure: 'block' },
      { type: 'prompt', prompt: 'Is $ARGUMENTS fine?', model: 'small', continueOnBlock: true },
      { type: 'agent', prompt: 'Verify.' },
      { type: 'mcp_tool', server: 's', tool: 't', input: { path: '${tool_input.file_path}' } },
      { type: 'worker', command: 'w', heartbeat: 5 }
    ]
    const hooks = hooksOf({ PreToolUse: [{ matcher: 'Bash', hooks: actions }] })
    expect(hooks.map(({ spec }) => JSON.parse(JSON.stringify(spec)) as unknown)).toEqual(actions)
    expect(new Set(hooks.map(({ matcher }) => matcher))).toEqual(new Set(['Bash']))
    expect(findingsOf({ PreToolUse: [{ matcher: 'Bash', hooks: actions }] })).toEqual([])
  })

  // F120
  test('without a matcher it is for all', async () => {
    const { user, arm } = settingsScene()
    user({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: tells('seen') }] }] } })
    const armed = await arm()
    expect(await told(armed, 'PreToolUse', { tool_name: 'anything' })).toEqual(['seen'])
  })

  test('a rule with an empty list of hooks is a notice', () => {
    expect(findingsOf({ PreToolUse: [{ matcher: 'Bash', hooks: [] }] })).toEqual([
      expect.stringContaining('rule-empty')
    ])
  })

  test('a description may stand beside the hooks', () => {
    expect(
      findingsOf({
        Stop: [{ description: 'why', hooks: [{ type: 'command', command: 'x' }] }],
        description: 'of the file'
      })
    ).toEqual([])
  })

  test('a rule without a list around it counts, and it is said that others would ignore the file', () => {
    expect(commandsOf(hooksOf({ Stop: rule('a') }))).toEqual(['a'])
    expect(findingsOf({ Stop: rule('a') })).toEqual(['warning rules-shape hooks.Stop:3'])
  })
})

// F118
describe('every event can be configured', () => {
  test.each(EVENT_NAMES)('%s, in any spelling', async event => {
    const snake = event.replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`).toLowerCase()
    const camel = event[0]!.toLowerCase() + event.slice(1)
    const spellings = [...new Set([event, snake, camel])].toSorted()
    const { user, arm, write, read } = settingsScene()
    const log = write('log', '')
    user({
      hooks: Object.fromEntries(spellings.map(name => [name, [rule(`echo "${name} $EVENT $(cat)" >> ${log}`)]]))
    })
    await fireArmed(await arm(), event)
    const lines = read('log').trim().split('\n').toSorted()
    expect(lines.map(line => line.split(' ').slice(0, 2))).toEqual(spellings.map(name => [name, snake]))
    const payload = lines[0]!.slice(lines[0]!.indexOf('{'))
    expect(JSON.parse(payload)).toMatchObject({ hook_event_name: event, ...EVENTS[event].sample })
  })
})

// F121
describe('an action that is none is left out, and it is said', () => {
  test.each([
    ['an unknown kind', { type: 'comand', command: 'x' }, 'type-unknown', 'type', 'did you mean "command"?'],
    ['a kind of no known word', { type: 'telepathy' }, 'type-unknown', 'type', expect.stringMatching(/^use command, /)],
    ['a kind that is no text', { type: 7, command: 'x' }, 'type-unknown', 'type', expect.any(String)],
    ['no command', { type: 'command' }, 'key-missing', 'command', expect.stringContaining('add "command"')],
    ['a command that is no text', { type: 'command', command: ['x'] }, 'key-type', 'command', 'use a string'],
    ['no URL', { type: 'http' }, 'key-missing', 'url', expect.stringContaining('add "url"')]
  ])('%s', async (_, action, code, key, fix) => {
    const { user, load, arm } = settingsScene()
    const file = user({ hooks: { PreToolUse: [{ hooks: [action, { type: 'command', command: tells('other') }] }] } })
    expect(load().findings).toMatchObject([
      { level: 'error', code, gate: true, fix, place: { file, key: `hooks.PreToolUse[0].hooks[0].${key}` } }
    ])
    expect(await told(await arm())).toEqual(['other'])
  })

  test('on an event that is no gate no one need stop for it', () => {
    const { user, load } = settingsScene()
    user({ hooks: { PostToolUse: [{ hooks: [{ type: 'command' }] }] } })
    expect(load().findings).toMatchObject([{ level: 'error', gate: false }])
  })

  test.each([
    ['an empty command', ''],
    ['a blank one', '   ']
  ])('%s', async (_, command) => {
    const { user, arm, findings } = settingsScene()
    user({
      hooks: {
        PreToolUse: [
          {
            hooks: [
              { type: 'command', command },
              { type: 'command', command: tells('b') }
            ]
          }
        ]
      }
    })
    const armed = await arm()
    expect([...armed.findings, ...findings()].filter(({ level }) => level === 'error')).toMatchObject([
      { place: { key: expect.stringContaining('hooks.PreToolUse[0].hooks[0]') } }
    ])
    expect(await told(armed)).toEqual(['b'])
  })
})

describe('shapes that are none', () => {
  test.each([
    ['text', 'x', 'error hooks-shape hooks:2'],
    ['a list', [], 'error hooks-shape hooks:2'],
    ['nothing', null, 'error hooks-shape hooks:2'],
    ['an event of text', { Stop: 'x' }, 'error rules-shape hooks.Stop:3'],
    ['an event of nothing', { Stop: null }, 'error rules-shape hooks.Stop:3'],
    ['a rule that is a number', { Stop: [7] }, 'error rule-shape hooks.Stop[0]:4'],
    ['a rule that is nothing', { Stop: [null] }, 'error rule-shape hooks.Stop[0]:4'],
    ['a rule without hooks', { Stop: [{ matcher: 'x' }] }, 'error rule-empty hooks.Stop[0]:4'],
    ['a rule with "hook"', { Stop: [{ hook: { command: 'x' } }] }, 'error rule-hook hooks.Stop[0]:4'],
    ['hooks that are no list', { Stop: [{ hooks: { a: 1 } }] }, 'error rule-hooks hooks.Stop[0].hooks:5'],
    ['a hook that is text', { Stop: [{ hooks: ['x'] }] }, 'error handler-shape hooks.Stop[0].hooks[0]:6'],
    ['a hook that is nothing', { Stop: [{ hooks: [null] }] }, 'error handler-shape hooks.Stop[0].hooks[0]:6'],
    [
      'a matcher that is a list',
      { Stop: [{ matcher: ['x'], hooks: [] }] },
      'error matcher-type hooks.Stop[0].matcher:5'
    ]
  ])('%s', (_, hooks, finding) => {
    expect(findingsOf(hooks)).toEqual([finding])
    expect(hooksOf(hooks)).toEqual([])
  })

  test('a name that stands for nothing', () => {
    expect(findingsOf({ Stop: { a: 7 } })).toContain('error handler-shape hooks.Stop.a:4')
  })
})

test('a handler without its type counts as a command, and it is said', () => {
  const hooks = { Stop: [{ hooks: [{ command: 'x' }, { url: 'https://hooks.example/' }] }] }
  expect(hooksOf(hooks).map(({ type }) => type)).toEqual(['command', 'http'])
  expect(findingsOf(hooks)).toEqual([
    'warning type-missing hooks.Stop[0].hooks[0]:6',
    'warning type-missing hooks.Stop[0].hooks[1]:9'
  ])
})

// F126
test('a bad entry costs that entry alone: file, line and key are named, the rest runs', async () => {
  const { user, ofProject, load, arm } = settingsScene()
  const file = user({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: tells('a'), timeout: 'soon' }] },
        rule(tells('b')),
        7
      ],
      PreTooluse2: [rule('x')]
    }
  })
  ofProject(commandOn('PreToolUse', tells('c')))
  expect(load().findings).toMatchObject([
    { code: 'key-type', place: { file, key: 'hooks.PreToolUse[0].hooks[0].timeout', line: 10 }, gate: true },
    { code: 'rule-shape', place: { file, key: 'hooks.PreToolUse[2]', line: 22 }, gate: true },
    { code: 'event-unknown', place: { file, key: 'hooks.PreTooluse2', line: 24 }, fix: 'did you mean PreToolUse?' }
  ])
  expect((await told(await arm())).toSorted()).toEqual(['b', 'c'])
})

test('hooks under carabiner.hooks count as well, in the forms that others would not take', async () => {
  const { user, load, arm } = settingsScene()
  user({ carabiner: { hooks: { PreToolUse: { mine: tells('mine') } } } })
  expect(load().hooks).toMatchObject([{ name: 'mine', place: { key: 'carabiner.hooks.PreToolUse.mine' } }])
  expect(await told(await arm())).toEqual(['mine'])
})

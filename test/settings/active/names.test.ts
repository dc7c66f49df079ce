/** Names, copies and order: what happens where several files say the same. */
import { describe, expect, test, vi } from 'vitest'
import { brief, fireArmed, settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, rule, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

// F119
describe('one name, in the user’s file and in the project’s', () => {
  const scenes = (event: 'PostToolUse' | 'PreToolUse') => {
    const { user, ofProject, ...rest } = settingsScene()
    user({ hooks: { [event]: { check: tells('the user’s', event), other: tells('other', event) } } })
    ofProject({ hooks: { [event]: { check: tells('the project’s', event) } } })
    return rest
  }

  test('where nothing hangs on it the project’s takes the place of the user’s, and it is said', async () => {
    const { arm, load } = scenes('PostToolUse')
    expect((await told(await arm(), 'PostToolUse')).toSorted()).toEqual(['other', 'the project’s'])
    expect(load().findings).toContainEqual(
      expect.objectContaining({ level: 'info', code: 'name-replaced', message: expect.stringContaining('check') })
    )
  })

  // S5
  test('a project that is not trusted takes no place', async () => {
    const { arm } = scenes('PostToolUse')
    expect((await told(await arm({ projectTrusted: false }), 'PostToolUse')).toSorted()).toEqual([
      'other',
      'the user’s'
    ])
  })

  test('on a gate both run, and it is said', async () => {
    const { arm, load } = scenes('PreToolUse')
    expect((await told(await arm())).toSorted()).toEqual(['other', 'the project’s', 'the user’s'])
    expect(load().findings).toContainEqual(
      expect.objectContaining({ level: 'info', code: 'name-shared', message: expect.stringContaining('both run') })
    )
  })

  // S5
  test('a name in the frontmatter of a skill takes no place while the skill rests', async () => {
    const { user, write, arm } = settingsScene()
    user({ hooks: { PostToolUse: { check: tells('the user’s', 'PostToolUse') } } })
    write('project/.claude/skills/quiet/SKILL.md', '---\nname: quiet\nhooks:\n  PostToolUse:\n    check: "true"\n---\n')
    expect(await told(await arm(), 'PostToolUse')).toEqual(['the user’s'])
  })

  test('other names, and the same name on another event, add up', async () => {
    const { user, ofProject, load } = settingsScene()
    user({ hooks: { PostToolUse: { check: 'a' } } })
    ofProject({ hooks: { Stop: { check: 'b' }, PostToolUse: { other: 'c' } } })
    expect(load().hooks).toHaveLength(3)
  })

  test('managed hooks are never replaced', async () => {
    const { managed, ofProject, arm } = settingsScene()
    managed({ hooks: { PostToolUse: { check: tells('managed', 'PostToolUse') } } })
    ofProject({ hooks: { PostToolUse: { check: tells('the project’s', 'PostToolUse') } } })
    expect((await told(await arm(), 'PostToolUse')).toSorted()).toEqual(['managed', 'the project’s'])
  })
})

// H13
describe('two hooks of one name both run, and can be told apart', () => {
  test.each([
    ['in one rule', [{ hooks: [named('a'), named('b'), named('c')] }]],
    ['in three rules', [{ hooks: [named('a')] }, { hooks: [named('b')] }, { hooks: [named('c')] }]]
  ])('%s', async (_, rules) => {
    const { user, arm } = settingsScene()
    // All in one line, as programs write it.
    user(JSON.stringify({ hooks: { PreToolUse: rules } }))
    const armed = await arm()
    expect(armed.findings).toEqual([])
    expect((await told(armed)).toSorted()).toEqual(['a', 'b', 'c'])
    const names = armed.hooks.list().map(({ name }) => name)
    expect(new Set(names).size).toBe(3)
    expect(names.every(name => name.startsWith('check'))).toBe(true)
  })

  test('on several events, all in one line', async () => {
    const { user, arm } = settingsScene()
    const events = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Notification'] as const
    user(JSON.stringify({ hooks: Object.fromEntries(events.map(event => [event, { audit: tells(event, event) }])) }))
    const armed = await arm()
    expect(armed.findings).toEqual([])
    for (const event of events) expect(await told(armed, event)).toEqual([event])
  })

  function named(text: string): object {
    return { type: 'command', command: tells(text), name: 'check' }
  }
})

describe('the same hook in several files', () => {
  const COUNT = (log: string) => `echo ran >> '${log}'`

  test('runs once', async () => {
    const { user, ofProject, local, managed, write, read, arm } = settingsScene()
    const command = COUNT(write('log', ''))
    for (const level of [user, ofProject, local, managed]) level(commandOn('PreToolUse', command))
    await fireArmed(await arm())
    expect(read('log')).toBe('ran\n')
  })

  test('is the same only where it is, after all is filled in: two plugins have a script of one name each', async () => {
    const { write, path, arm } = settingsScene()
    for (const name of ['one', 'two']) {
      write(`${name}/hooks/hooks.json`, commandOn('PreToolUse', '${CLAUDE_PLUGIN_ROOT}/check.sh'))
      write(`${name}/check.sh`, `#!/bin/sh\n${tells(name)}\n`)
    }
    const armed = await arm({}, { pluginDirs: [path('one'), path('two')] })
    expect((await told(armed)).toSorted()).toEqual(['one', 'two'])
  })

  // S5
  describe('a copy in the project never weakens it', () => {
    const GATE = 'exit 1'
    test.each([
      ['onFailure', { onFailure: 'continue' }],
      ['async', { async: true }],
      ['observe', { observe: true }],
      ['observe, and later in the order', { observe: true, priority: -100 }],
      ['onFailure, and earlier in the order', { onFailure: 'continue', priority: 100 }],
      ['once', { once: true }],
      ['an environment', { env: { PATH: '/nowhere' }, onFailure: 'continue' }],
      ['a timeout', { timeout: 0.001, onFailure: 'continue' }],
      ['a shell', { shell: 'sh', onFailure: 'continue' }]
    ])('by %s', async (_, weaker) => {
      for (const level of ['user', 'managed'] as const) {
        const { ofProject, local, arm, ...levels } = settingsScene()
        levels[level](commandOn('PreToolUse', GATE))
        ofProject(commandOn('PreToolUse', GATE, undefined, weaker))
        local(commandOn('PreToolUse', GATE, '*', weaker))
        const armed = await arm()
        for (let time = 0; time < 2; time++)
          expect(await fireArmed(armed)).toMatchObject({ blocked: true, failedOpen: false })
      }
    })

    test('nor does a copy of the user’s weaken a managed one', async () => {
      const { user, managed, arm } = settingsScene()
      managed(commandOn('PreToolUse', GATE))
      user(commandOn('PreToolUse', GATE, undefined, { onFailure: 'continue' }))
      expect(await fireArmed(await arm())).toMatchObject({ blocked: true })
    })

    test('onFailure of a trusted project counts for its own hooks', async () => {
      const { user, ofProject, arm } = settingsScene()
      user(commandOn('PreToolUse', 'true'))
      ofProject(commandOn('PreToolUse', 'exit 3', undefined, { onFailure: 'continue' }))
      expect(await fireArmed(await arm())).toMatchObject({ blocked: false, failures: [{ kind: 'exit' }] })
    })
  })
})

test('within a file the order of declaration is kept', async () => {
  const { user, arm } = settingsScene()
  user({ hooks: { PreToolUse: [rule(tells('1'), 'Bash'), rule(tells('2')), rule(tells('3'), 'Ba.*')] } })
  expect(await told(await arm())).toEqual(['1', '2', '3'])
})

test('the order over files is the same every time, whoever is the fastest', async () => {
  const { user, ofProject, local, managed, arm } = settingsScene()
  const slow = (text: string): string => `sleep 0.2; ${tells(text)}`
  ofProject(commandOn('PreToolUse', slow('project')))
  local(commandOn('PreToolUse', tells('local')))
  user(commandOn('PreToolUse', slow('user')))
  managed(commandOn('PreToolUse', tells('managed')))
  expect(await told(await arm())).toEqual(['project', 'local', 'user', 'managed'])
})

test('a bad hook costs that hook, not the rule that it stands in', async () => {
  const { user, arm } = settingsScene()
  const file = user({
    hooks: {
      PreToolUse: [
        {
          hooks: [
            { type: 'http', url: 'ftp://hooks.example/' },
            { type: 'command', command: decides('deny', 'no') }
          ]
        }
      ]
    }
  })
  const armed = await arm()
  expect(armed.findings.map(brief)).toEqual(['error not-armed hooks.PreToolUse[0].hooks[0]:6'])
  expect(armed.findings).toMatchObject([{ place: { file }, gate: true, message: expect.stringContaining('ftp') }])
  expect(await fireArmed(armed)).toMatchObject({ blocked: true, reason: 'no' })
})

/** Hooks that come with plugins. */
import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { brief, commandsOf, fireArmed, settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, rule, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const EVENTS = {
  PreToolUse: [
    {
      matcher: 'Bash|Write',
      hooks: [
        { type: 'command', command: tells('one') },
        { type: 'command', command: tells('two') }
      ]
    }
  ]
}

describe('hooks/hooks.json', () => {
  // F124
  test('events under "hooks"; the matcher of a rule is that of all its actions', async () => {
    const { write, path, load, arm } = settingsScene()
    const file = write('plugin/hooks/hooks.json', { description: 'what it does', hooks: EVENTS })
    const options = { pluginDirs: [path('plugin')] }
    expect(load(options)).toMatchObject({
      findings: [],
      hooks: [
        {
          scope: 'plugin',
          matcher: 'Bash|Write',
          ofProject: false,
          plugin: { name: 'plugin', root: path('plugin') },
          place: { file, key: 'hooks.PreToolUse[0].hooks[0]' }
        },
        { matcher: 'Bash|Write', place: { key: 'hooks.PreToolUse[0].hooks[1]' } }
      ]
    })
    const armed = await arm({}, options)
    expect(await told(armed)).toEqual(['one', 'two'])
    expect(await told(armed, 'PreToolUse', { tool_name: 'Read' })).toEqual([])
  })

  // F125
  test('events at the top, the flat form, mean the same', async () => {
    const { write, path, load, arm } = settingsScene()
    write('plugin/hooks/hooks.json', { description: 'what it does', ...EVENTS })
    const options = { pluginDirs: [path('plugin')] }
    expect(load(options)).toMatchObject({ findings: [], hooks: [{ matcher: 'Bash|Write' }, {}] })
    expect(await told(await arm({}, options))).toEqual(['one', 'two'])
  })

  test('an event that there is not is one finding, and the rest loads', () => {
    const { write, path, load } = settingsScene()
    write('plugin/hooks/hooks.json', { hooks: { ...EVENTS, Whenever: [] } })
    const { hooks, findings } = load({ pluginDirs: [path('plugin')] })
    expect(hooks).toHaveLength(2)
    expect(findings.map(({ code, place: { key } }) => `${code} ${key}`)).toEqual(['event-unknown hooks.Whenever'])
  })

  // F126
  test('one that is broken names its file', () => {
    const { write, path, load } = settingsScene()
    const file = write('plugin/hooks/hooks.json', '{ "hooks": { ')
    expect(load({ pluginDirs: [path('plugin')] }).findings).toMatchObject([{ code: 'not-json', place: { file } }])
  })
})

// F125
describe('the folder of the plugin', () => {
  test('stands in commands, in arguments and in the environment', async () => {
    const { write, path, arm } = settingsScene()
    write(
      'plug in/say.sh',
      `#!/bin/sh\nprintf '{"hookSpecificOutput":{"additionalContext":"%s %s"}}' "$1" "$CLAUDE_PLUGIN_ROOT"\n`
    )
    write('plug in/hooks/hooks.json', {
      hooks: {
        PreToolUse: [
          rule('"${CLAUDE_PLUGIN_ROOT}/say.sh" "${CLAUDE_PLUGIN_ROOT}"'),
          rule('"$CLAUDE_PLUGIN_ROOT/say.sh" two'),
          rule('${CLAUDE_PLUGIN_ROOT}/say.sh', undefined, { args: ['${CLAUDE_PLUGIN_ROOT}:${CLAUDE_PLUGIN_ROOT}'] })
        ]
      }
    })
    const root = path('plug in')
    const armed = await arm({}, { pluginDirs: [root] })
    expect(await told(armed)).toEqual([`${root} ${root}`, `two ${root}`, `${root}:${root} ${root}`])
  })

  describe('for data', () => {
    const SAYS = `printf '{"hookSpecificOutput":{"additionalContext":"%s"}}' "$CLAUDE_PLUGIN_DATA"`
    const KEEPS = `touch "$CLAUDE_PLUGIN_DATA/x" && ${SAYS}`

    test('is ours, is there when a hook runs, and is for this user alone', async () => {
      const { write, path, arm, home } = settingsScene()
      write('plugin/hooks/hooks.json', commandOn('PreToolUse', KEEPS))
      const data = `${home}/.carabiner/plugins/plugin`
      expect(await told(await arm({}, { pluginDirs: [path('plugin')] }))).toEqual([data])
      expect(statSync(data).mode & 0o777).toBe(0o700)
    })

    test('is not made by reading alone, nor for hooks that are not in force', async () => {
      const { write, path, load, user, arm, home } = settingsScene()
      write('plugin/hooks/hooks.json', commandOn('PreToolUse', SAYS))
      user({ disableAllHooks: true })
      load({ pluginDirs: [path('plugin')] })
      await arm({}, { pluginDirs: [path('plugin')] })
      expect(existsSync(`${home}/.carabiner`)).toBe(false)
    })

    test('is another for each plugin: by the name in its manifest, whatever its folder is called', async () => {
      const { write, path, arm, home } = settingsScene()
      for (const name of ['a', 'b']) {
        write(`${name}/plugin/.claude-plugin/plugin.json`, { name: `n${name}` })
        write(`${name}/plugin/hooks/hooks.json`, commandOn('PreToolUse', KEEPS))
      }
      expect(await told(await arm({}, { pluginDirs: [path('a/plugin'), path('b/plugin')] }))).toEqual([
        `${home}/.carabiner/plugins/na`,
        `${home}/.carabiner/plugins/nb`
      ])
    })

    test.each(['..', '.', '../../x', 'a b', 'a_b@c', '.hidden'])(
      'of one called %s is within ours, and its own',
      name => {
        const { write, path, load, home } = settingsScene()
        write('plugin/.claude-plugin/plugin.json', { name })
        const [plugin] = load({ pluginDirs: [path('plugin')] }).plugins
        expect(plugin!.data).toMatch(/\/_?[\w.-]+-[0-9a-f]{8}$/)
        expect(dirname(plugin!.data)).toBe(`${home}/.carabiner/plugins`)
      }
    )
  })

  test('what a hook without a name is called says which plugin it is of', async () => {
    const { write, path, arm } = settingsScene()
    write('plugin/.claude-plugin/plugin.json', { name: 'guards' })
    write('plugin/hooks/hooks.json', commandOn('PreToolUse', 'exit 2'))
    const { by } = await fireArmed(await arm({}, { pluginDirs: [path('plugin')] }))
    expect(by).toMatch(/^guards: exit 2 \(hooks\/hooks\.json:\d+\)$/)
  })
})

// F124
describe('the manifest', () => {
  const manifest = (hooks: unknown): object => ({ name: 'plugin', hooks })
  const loadWith = (hooks: unknown, files: Readonly<Record<string, object>> = {}) => {
    const it = settingsScene()
    it.write('plugin/.claude-plugin/plugin.json', manifest(hooks))
    for (const [name, content] of Object.entries(files)) it.write(`plugin/${name}`, content)
    return { ...it.load({ pluginDirs: [it.path('plugin')] }), path: it.path, project: it.project }
  }

  test('names a file', () => {
    const { hooks, findings } = loadWith('./config/my-hooks.json', { 'config/my-hooks.json': commandOn('Stop', 'x') })
    expect([commandsOf(hooks), findings]).toEqual([['x'], []])
  })

  test('names a list of files, beside hooks/hooks.json', () => {
    const { hooks, findings } = loadWith(['./a.json', './b.json'], {
      'a.json': commandOn('Stop', 'a'),
      'b.json': { Stop: [rule('b')] },
      'hooks/hooks.json': commandOn('Stop', 'usual')
    })
    expect([commandsOf(hooks), findings]).toEqual([['usual', 'a', 'b'], []])
  })

  test('holds the hooks itself, and they know their lines there', () => {
    const { hooks, findings, path } = loadWith({ Stop: [rule('x')] })
    expect(commandsOf(hooks)).toEqual(['x'])
    expect(findings).toEqual([])
    expect(hooks[0]!.place).toEqual({
      file: path('plugin/.claude-plugin/plugin.json'),
      line: 7,
      column: 11,
      key: 'hooks.Stop[0].hooks[0]'
    })
  })

  test('holds some and names others', () => {
    const { hooks } = loadWith([{ hooks: { Stop: [rule('inline')] } }, 'a.json'], { 'a.json': commandOn('Stop', 'a') })
    expect(commandsOf(hooks)).toEqual(['inline', 'a'])
    expect(hooks[0]!.place.key).toBe('hooks[0].hooks.Stop[0].hooks[0]')
  })

  test('names the usual file as well: it is read once', () => {
    const { hooks } = loadWith('./hooks/hooks.json', { 'hooks/hooks.json': commandOn('Stop', 'x') })
    expect(commandsOf(hooks)).toEqual(['x'])
  })

  test('names a file that is not there', () => {
    expect(loadWith('./nowhere.json')).toMatchObject({
      hooks: [],
      findings: [{ level: 'error', message: expect.stringContaining('nowhere.json') }]
    })
  })

  test.each(['../outside.json', '/outside.json'])('%s: what is not in the plugin is not read', name => {
    const { write, path, load } = settingsScene()
    write('outside.json', commandOn('PreToolUse', 'x'))
    write('plugin/.claude-plugin/plugin.json', manifest(name.startsWith('/') ? path('outside.json') : name))
    expect(load({ pluginDirs: [path('plugin')] })).toMatchObject({
      hooks: [],
      findings: [{ level: 'error', code: 'outside-plugin', gate: true }]
    })
  })

  test('nor is what a link in it leads to', () => {
    const { write, path, load } = settingsScene()
    write('outside.json', commandOn('PreToolUse', 'x'))
    write('plugin/.claude-plugin/plugin.json', manifest('./link.json'))
    symlinkSync(path('outside.json'), path('plugin/link.json'))
    expect(load({ pluginDirs: [path('plugin')] })).toMatchObject({ hooks: [], findings: [{ code: 'outside-plugin' }] })
  })

  test.each([7, true, 'text', [7], { Stop: 7 }])('hooks: %j is a finding that names the file', hooks => {
    const { write, path, load } = settingsScene()
    write('plugin/.claude-plugin/plugin.json', manifest(hooks))
    const loaded = load({ pluginDirs: [path('plugin')] })
    expect(loaded.hooks).toEqual([])
    expect(loaded.findings).toMatchObject([
      { level: 'error', place: { file: expect.stringContaining(path('plugin')) } }
    ])
  })

  test('one that is broken names its file', () => {
    const { write, path, load } = settingsScene()
    const file = write('plugin/.claude-plugin/plugin.json', '{ "hooks": ')
    expect(load({ pluginDirs: [path('plugin')] }).findings).toMatchObject([{ code: 'not-json', place: { file } }])
  })
})

test('a folder with commands and no hooks is a plugin that has none', () => {
  const { path, load } = settingsScene()
  mkdirSync(path('plugin/commands'), { recursive: true })
  expect(load({ pluginDirs: [path('plugin')] })).toMatchObject({ hooks: [], findings: [] })
})

test('a folder that is not there is said', () => {
  const { path, load } = settingsScene()
  expect(load({ pluginDirs: [path('nowhere')] }).findings.map(brief)).toEqual(['error plugin-missing :1'])
})

/** Where settings come from, and how they add up. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { loadSettings, usualPlaces } from '../../../src/settings.ts'
import { commandsOf, fireArmed, settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, rule, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

// F114, F200
test('hooks of the user and of the project load, and both run', async () => {
  const { user, ofProject, load, arm } = settingsScene()
  const files = [
    user(commandOn('PreToolUse', tells('from the user'))),
    ofProject(commandOn('PreToolUse', tells('from the project')))
  ]
  expect(load().files).toEqual([
    { scope: 'user', file: files[0] },
    { scope: 'project', file: files[1] }
  ])
  expect((await told(await arm())).toSorted()).toEqual(['from the project', 'from the user'])
})

// F114
test('every level adds up: managed, user, our own file, project, local, flag', () => {
  const { user, ofProject, local, managed, write, load } = settingsScene()
  managed(commandOn('Stop', 'managed'))
  write('managed/managed-settings.d/20-b.json', commandOn('Stop', 'managed, b'))
  write('managed/managed-settings.d/10-a.json', commandOn('Stop', 'managed, a'))
  write('managed/managed-settings.d/notes.txt', 'not JSON, and not read')
  user(commandOn('Stop', 'user'))
  write('home/.carabiner/settings.json', commandOn('Stop', 'own'))
  ofProject(commandOn('Stop', 'project'))
  local(commandOn('Stop', 'local'))
  const { hooks, findings } = load({ settings: JSON.stringify(commandOn('Stop', 'flag')) })
  expect(findings).toEqual([])
  expect(hooks.map(({ scope, spec, ofProject: project }) => [scope, spec['command'], project])).toEqual([
    ['managed', 'managed', false],
    ['managed', 'managed, a', false],
    ['managed', 'managed, b', false],
    ['user', 'user', false],
    ['user', 'own', false],
    ['project', 'project', true],
    ['local', 'local', true],
    ['flag', 'flag', false]
  ])
})

test('no file at all is in order', () => {
  const { load } = settingsScene()
  expect(load()).toMatchObject({ files: [], hooks: [], rules: [], modules: [], findings: [] })
})

test('each hook knows its file, its line and its key', () => {
  const { user, load } = settingsScene()
  const file = user(
    '{\n  // ours\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          { "type": "command", "command": "a" },\n          { "type": "command", "command": "b" }\n        ]\n      }\n    ]\n  }\n}\n'
  )
  expect(load().hooks.map(({ place }) => place)).toEqual([
    { file, line: 7, column: 11, key: 'hooks.Stop[0].hooks[0]' },
    { file, line: 8, column: 11, key: 'hooks.Stop[0].hooks[1]' }
  ])
})

describe('--settings', () => {
  test('a file, from where one stands', () => {
    const { write, where } = settingsScene()
    const file = write('project/deep/more.json', commandOn('Stop', 'x'))
    const loaded = loadSettings({ ...where, cwd: `${where.cwd}/deep` }, { settings: 'more.json' })
    expect(loaded.hooks).toMatchObject([{ scope: 'flag', ofProject: false, place: { file } }])
    expect(loaded.watched).toContain(file)
  })

  test('a file that is not there', () => {
    expect(settingsScene().load({ settings: 'nowhere.json' }).findings).toMatchObject([
      { level: 'error', code: 'settings-missing', gate: true, message: expect.stringContaining('nowhere.json') }
    ])
  })

  test('JSON that is broken', () => {
    expect(settingsScene().load({ settings: '{"hooks":' }).findings).toMatchObject([
      { level: 'error', code: 'not-json', place: { file: '--settings', line: 1 } }
    ])
  })
})

describe('which sources count', () => {
  test.each([
    [[], ['managed']],
    [['user'], ['managed', 'user']],
    [
      ['project', 'local'],
      ['managed', 'project', 'local']
    ]
  ] as const)('asked for %j: %j', (sources, scopes) => {
    const { user, ofProject, local, managed, load } = settingsScene()
    for (const write of [user, ofProject, local, managed]) write(commandOn('Stop', 'x'))
    expect(load({ sources }).hooks.map(({ scope }) => scope)).toEqual(scopes)
  })
})

describe('the root of the project', () => {
  test('is the folder above that has settings', () => {
    const { ofProject, where, project } = settingsScene()
    ofProject(commandOn('Stop', 'x'))
    mkdirSync(`${project}/src/deep`, { recursive: true })
    expect(loadSettings({ ...where, cwd: `${project}/src/deep` })).toMatchObject({ root: project, hooks: [{}] })
  })

  test('is looked for within the repository only', () => {
    const { ofProject, where, project } = settingsScene()
    ofProject(commandOn('Stop', 'x'))
    mkdirSync(`${project}/vendored/.git`, { recursive: true })
    expect(loadSettings({ ...where, cwd: `${project}/vendored` })).toMatchObject({
      root: `${project}/vendored`,
      hooks: []
    })
  })

  test('a person’s own folder is no project: what lies there is theirs, once', () => {
    const { user, where, home } = settingsScene()
    user(commandOn('Stop', 'x'))
    const { hooks } = loadSettings({ ...where, cwd: home })
    expect(hooks).toMatchObject([{ scope: 'user', ofProject: false }])
  })

  test('nor is one of its folders that has no settings', () => {
    const { user, where, home } = settingsScene()
    user(commandOn('Stop', 'x'))
    mkdirSync(`${home}/notes`)
    expect(loadSettings({ ...where, cwd: `${home}/notes` }).hooks).toMatchObject([{ scope: 'user', ofProject: false }])
  })
})

test('the usual places follow HOME, CARABINER_HOME and CARABINER_MANAGED_DIR', () => {
  expect(usualPlaces('/work', { HOME: '/home/a' })).toEqual({
    cwd: '/work',
    home: '/home/a',
    ownHome: '/home/a/.carabiner',
    managed: ['/etc/claude-code', '/etc/carabiner']
  })
  expect(usualPlaces('/work', { HOME: '/home/a', CARABINER_HOME: '/own', CARABINER_MANAGED_DIR: '/policy' })).toEqual({
    cwd: '/work',
    home: '/home/a',
    ownHome: '/own',
    managed: ['/etc/claude-code', '/etc/carabiner', '/policy']
  })
})

// S12
describe('settings that lead elsewhere', () => {
  test('a project’s file that is a link out of the project is refused', () => {
    const { write, project, load } = settingsScene()
    const elsewhere = write('elsewhere.json', commandOn('PreToolUse', 'x'))
    mkdirSync(`${project}/.claude`)
    symlinkSync(elsewhere, `${project}/.claude/settings.json`)
    expect(load()).toMatchObject({
      hooks: [],
      findings: [
        { level: 'error', code: 'not-read', gate: true, message: expect.stringContaining('outside the project') }
      ]
    })
  })

  test('so is one in a folder that is such a link', () => {
    const { write, path, project, load } = settingsScene()
    write('elsewhere/settings.json', commandOn('PreToolUse', 'x'))
    symlinkSync(path('elsewhere'), `${project}/.claude`)
    expect(load()).toMatchObject({ hooks: [], findings: [{ code: 'not-read' }] })
  })

  test('a link within the project is followed', () => {
    const { write, project, load } = settingsScene()
    const inside = write('project/config/hooks.json', commandOn('PreToolUse', 'x'))
    mkdirSync(`${project}/.claude`)
    symlinkSync(inside, `${project}/.claude/settings.json`)
    expect(load()).toMatchObject({ hooks: [{ scope: 'project' }], findings: [] })
  })

  test('the user’s own may be a link to anywhere', () => {
    const { write, home, load } = settingsScene()
    const dotfiles = write('dotfiles.json', commandOn('PreToolUse', 'x'))
    mkdirSync(`${home}/.claude`)
    symlinkSync(dotfiles, `${home}/.claude/settings.json`)
    expect(load()).toMatchObject({ hooks: [{ scope: 'user' }], findings: [] })
  })
})

test('managed policy that names nothing leaves everything else in force', async () => {
  const { managed, user, arm } = settingsScene()
  managed({})
  user(commandOn('PreToolUse', tells('here')))
  expect(await told(await arm())).toEqual(['here'])
})

test('a rule of a file that could not be used costs that file alone', async () => {
  const { user, ofProject, load, arm } = settingsScene()
  user({ hooks: { PreToolUse: [rule(tells('here'))] } })
  ofProject('{ "hooks": ')
  expect(commandsOf(load().hooks)).toEqual([tells('here')])
  expect(await fireArmed(await arm())).toMatchObject({ contexts: [{ text: 'here' }] })
})

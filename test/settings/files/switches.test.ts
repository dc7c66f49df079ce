/** Switches and locks: which source may switch off what, and what cannot be loosened. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Scope } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, rule, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** A hook on every level, each of which says where it is from. */
function everywhere(): SettingsScene & { from: () => Promise<readonly string[]> } {
  const it = settingsScene()
  const of = (name: string): object => commandOn('PreToolUse', tells(name))
  it.managed(of('managed'))
  it.user({ ...of('user'), enabledPlugins: { 'mine@market': true } })
  it.ofProject(of('project'))
  it.local(of('local'))
  it.write('mine/hooks/hooks.json', of('plugin'))
  it.write('forced/hooks/hooks.json', of('plugin of policy'))
  it.write('home/.claude/plugins/installed_plugins.json', {
    plugins: {
      'mine@market': [{ installPath: it.path('mine') }],
      'forced@market': [{ installPath: it.path('forced') }]
    }
  })
  it.write('home/.claude/agents/a.md', `---\nhooks:\n  PreToolUse:\n    x: ${JSON.stringify(tells('agent'))}\n---\n`)
  const flag = { settings: JSON.stringify(of('flag')) }
  const from = async (): Promise<readonly string[]> => (await told(await it.arm({ owners: ['a'] }, flag))).toSorted()
  return { ...it, from }
}

const ALL = ['agent', 'flag', 'local', 'managed', 'plugin', 'project', 'user']

/** Adds keys to settings that are there. */
const adding = ({ read, path }: SettingsScene, name: string, more: object): void =>
  writeFileSync(path(name), JSON.stringify({ ...(JSON.parse(read(name)) as object), ...more }))

test('without switches all are in force', async () => {
  expect(await everywhere().from()).toEqual(ALL)
})

describe('disableAllHooks', () => {
  test.each([
    ['managed', 'managed/managed-settings.json', []],
    ['the user', 'home/.claude/settings.json', ['managed']],
    ['the project', 'project/.claude/settings.json', ALL.filter(name => name !== 'project' && name !== 'local')],
    [
      'the project’s local file',
      'project/.claude/settings.local.json',
      ALL.filter(name => name !== 'project' && name !== 'local')
    ]
  ])('by %s', async (_, file, left) => {
    const it = everywhere()
    adding(it, file, { disableAllHooks: true })
    expect(await it.from()).toEqual(left)
  })

  test('by a flag', async () => {
    const it = everywhere()
    const armed = await it.arm({}, { settings: '{"disableAllHooks": true}' })
    expect(await told(armed)).toEqual(['managed'])
    expect(armed.statuses().map(({ hook, off }) => [hook.scope, off === undefined])).toContainEqual(['managed', true])
    expect(armed.statuses().find(({ hook }) => hook.scope === 'user')!.off).toContain('disableAllHooks')
  })

  test('false switches nothing off, and nothing on', async () => {
    const it = everywhere()
    adding(it, 'home/.claude/settings.json', { disableAllHooks: true })
    adding(it, 'project/.claude/settings.json', { disableAllHooks: false })
    expect(await it.from()).toEqual(['managed'])
  })

  // S5
  test('a project that is not trusted switches off nothing but itself', async () => {
    const { user, ofProject, arm } = settingsScene()
    user(commandOn('PreToolUse', decides('deny', 'no')))
    ofProject({ disableAllHooks: true })
    expect(await fireArmed(await arm({ projectTrusted: false }))).toMatchObject({ blocked: true })
  })

  test('plugins that managed policy has enabled stay', async () => {
    const it = everywhere()
    adding(it, 'managed/managed-settings.json', { enabledPlugins: { 'forced@market': true } })
    adding(it, 'home/.claude/settings.json', { disableAllHooks: true })
    expect(await it.from()).toEqual(['managed', 'plugin of policy'])
  })
})

describe('allowManagedHooksOnly', () => {
  test('leaves managed hooks, and those of plugins that managed policy has enabled', async () => {
    const it = everywhere()
    adding(it, 'managed/managed-settings.json', {
      allowManagedHooksOnly: true,
      enabledPlugins: { 'forced@market': true }
    })
    expect(await it.from()).toEqual(['managed', 'plugin of policy'])
  })

  test('leaves no module of anyone else', async () => {
    const { managed, user, write, arm } = settingsScene()
    const module = (name: string): string =>
      write(
        `${name}.mjs`,
        `export default hooks => { hooks.on('PreToolUse', () => ({ additionalContext: '${name}' })) }`
      )
    managed({ allowManagedHooksOnly: true, carabiner: { modules: [module('policy')] } })
    user({ carabiner: { modules: [module('own')] } })
    const armed = await arm({}, { modules: [module('flagged')] })
    expect(armed.findings).toEqual([])
    expect(await told(armed)).toEqual(['policy'])
  })

  test('is no affair of anyone else', async () => {
    const it = everywhere()
    for (const file of ['home/.claude/settings.json', 'project/.claude/settings.json'])
      adding(it, file, { allowManagedHooksOnly: true })
    expect(await it.from()).toEqual(ALL)
  })
})

describe('strictPluginOnlyCustomization', () => {
  test.each([[true], [['hooks']], [['skills', 'hooks']]])(
    '%j leaves managed hooks and those of plugins',
    async value => {
      const it = everywhere()
      adding(it, 'managed/managed-settings.json', { strictPluginOnlyCustomization: value })
      expect(await it.from()).toEqual(['managed', 'plugin'])
    }
  )

  test.each([[false], [['skills']], [[]]])('%j leaves all', async value => {
    const it = everywhere()
    adding(it, 'managed/managed-settings.json', { strictPluginOnlyCustomization: value })
    expect(await it.from()).toEqual(ALL)
  })
})

describe('allowedHttpHookUrls', () => {
  /** A server that refuses everything it is asked about. */
  const refusing = async (): Promise<string> => {
    const server: Server = createServer(
      (_, response) => void response.end('{"decision":"block","reason":"by the server"}')
    )
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>(resolve => void server.close(() => resolve())))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`
  }
  const asking = (url: string): object => ({ hooks: { PreToolUse: [{ hooks: [{ type: 'http', url }] }] } })

  test('without a list, any', async () => {
    const { user, arm } = settingsScene()
    user(asking(await refusing()))
    expect(await fireArmed(await arm())).toMatchObject({ blocked: true, reason: 'by the server' })
  })

  test.each(['user', 'managed'] as const)('a list of %s binds all, managed hooks too', async level => {
    const url = await refusing()
    const { managed, user, arm, write } = settingsScene()
    const list = { allowedHttpHookUrls: ['https://hooks.example/*'] }
    if (level === 'user') user(list)
    write('managed/managed-settings.d/10.json', asking(url))
    if (level === 'managed') managed(list)
    const armed = await arm()
    expect(armed.findings).toMatchObject([{ level: 'error', code: 'not-armed', gate: true }])
    expect(await fireArmed(armed)).toMatchObject({ blocked: false, report: [] })
  })

  test('lists add up, and a pattern may fit', async () => {
    const { managed, user, arm } = settingsScene()
    managed({ allowedHttpHookUrls: ['https://hooks.example/*'] })
    user({ allowedHttpHookUrls: ['http://127.0.0.1:*'], ...asking(await refusing()) })
    expect(await fireArmed(await arm())).toMatchObject({ blocked: true })
  })

  // S5
  test.each([[[]], [['https://elsewhere.example/']]])(
    'a project that says %j does not disarm the user’s gate',
    async urls => {
      const { user, ofProject, local, arm } = settingsScene()
      user(asking(await refusing()))
      for (const write of [ofProject, local]) write({ allowedHttpHookUrls: urls })
      for (const projectTrusted of [true, false])
        expect(await fireArmed(await arm({ projectTrusted }))).toMatchObject({ blocked: true, reason: 'by the server' })
    }
  )

  // S5
  test('nor does it open what managed policy has closed', async () => {
    const { managed, ofProject, arm } = settingsScene()
    managed({ allowedHttpHookUrls: [] })
    ofProject({ allowedHttpHookUrls: ['*'], ...asking(await refusing()) })
    expect((await arm()).findings).toMatchObject([{ code: 'not-armed' }])
  })
})

describe('the profile', () => {
  const profileOf = async ({ arm }: SettingsScene, option?: 'strict' | 'compat', settings?: string): Promise<string> =>
    (await fireArmed(await arm({}, { settings }, { registry: { profile: option } }))).profile

  test('is strict where no one says anything', async () => {
    expect(await profileOf(settingsScene())).toBe('strict')
  })

  test('may be set by the user, by a flag and by an option, the last of which counts', async () => {
    const it = settingsScene()
    it.user({ carabiner: { profile: 'compat' } })
    expect(await profileOf(it)).toBe('compat')
    expect(await profileOf(it, undefined, '{"carabiner": {"profile": "strict"}}')).toBe('strict')
    expect(await profileOf(it, 'strict')).toBe('strict')
  })

  // S5
  test('a project may ask for strict, and not for compat', async () => {
    const it = settingsScene()
    it.ofProject({ carabiner: { profile: 'compat' } })
    it.local({ carabiner: { profile: 'compat' } })
    expect(await profileOf(it)).toBe('strict')
    it.user({ carabiner: { profile: 'compat' } })
    it.ofProject({ carabiner: { profile: 'strict' } })
    expect(await profileOf(it)).toBe('strict')
  })

  test.each(['strict', 'compat'] as const)(
    '%s of managed policy beats the user, the project, flag and option',
    async profile => {
      const other = profile === 'strict' ? 'compat' : 'strict'
      const it = settingsScene()
      it.managed({ carabiner: { profile } })
      for (const write of [it.user, it.ofProject, it.local]) write({ carabiner: { profile: other } })
      expect(it.load().locks.profile).toBe(profile)
      expect(await profileOf(it, other, `{"carabiner": {"profile": "${other}"}}`)).toBe(profile)
    }
  )

  test('under the lock a hook that fails closes the gate', async () => {
    const it = settingsScene()
    it.managed({ carabiner: { profile: 'strict' } })
    it.user(commandOn('PreToolUse', 'exit 1'))
    const armed = await it.arm(
      {},
      { settings: '{"carabiner":{"profile":"compat"}}' },
      { registry: { profile: 'compat' } }
    )
    expect(await fireArmed(armed)).toMatchObject({ blocked: true, profile: 'strict', failedOpen: false })
  })
})

test('what managed policy locks stays locked, in whichever of its files', () => {
  const { managed, write, load } = settingsScene()
  managed({ carabiner: { trust: 'digest', disableBypass: true }, allowManagedHooksOnly: true })
  write('managed/managed-settings.d/99.json', {
    carabiner: { disableBypass: false },
    allowManagedHooksOnly: false,
    strictPluginOnlyCustomization: false
  })
  expect(load().locks).toMatchObject({ trustByDigest: true, noBypass: true, managedHooksOnly: true })
})

test('kinds that need an agent rest until there is one', async () => {
  const { user, arm } = settingsScene()
  user({ hooks: { PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'Is it fine?' }] }, rule(tells('here'))] } })
  const armed = await arm()
  expect(armed.statuses()).toMatchObject([{ off: 'a hook of type prompt needs a running agent' }, { off: undefined }])
  expect(await told(armed)).toEqual(['here'])
})

test('the scopes of hooks are these', () => {
  const scopes: readonly Scope[] = ['managed', 'user', 'project', 'local', 'plugin', 'agent']
  expect(
    [
      ...new Set(
        everywhere()
          .load()
          .hooks.map(({ scope }) => scope)
      )
    ].toSorted()
  ).toEqual(scopes.toSorted())
})

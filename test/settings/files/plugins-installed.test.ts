/** Plugins that are installed, and who enables them. */
import { expect, test, vi } from 'vitest'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** Notes in the list of installed plugins where they are. */
const install = ({ write, path }: SettingsScene, ...names: readonly string[]): void => {
  const plugins = names.map(name => [`${name}@market`, [{ scope: 'user', installPath: path(name), version: '1.0.0' }]])
  write('home/.claude/plugins/installed_plugins.json', { version: 2, plugins: Object.fromEntries(plugins) })
}

const PLUGIN = 'plugin@market'
const enabled = (on: boolean): object => ({ enabledPlugins: { [PLUGIN]: on } })
/** A plugin that refuses, and where it is installed. */
const installed = (): SettingsScene => {
  const it = settingsScene()
  it.write('plugin/hooks/hooks.json', commandOn('PreToolUse', decides('deny', 'says the plugin')))
  install(it, 'plugin')
  return it
}
const blocks = async ({ arm }: SettingsScene, projectTrusted: boolean): Promise<boolean> =>
  (await fireArmed(await arm({ projectTrusted }))).blocked

test('what is installed counts when it is enabled', async () => {
  const it = installed()
  expect(it.load().hooks).toEqual([])
  it.user(enabled(true))
  expect(it.load().hooks).toMatchObject([{ scope: 'plugin', plugin: { name: PLUGIN }, ofProject: false }])
  expect(await blocks(it, false)).toBe(true)
})

test('the older list, with one place each, is read as well', () => {
  const it = installed()
  it.write('home/.claude/plugins/installed_plugins.json', {
    plugins: { [PLUGIN]: { installPath: it.path('plugin') } }
  })
  it.user(enabled(true))
  expect(it.load().hooks).toHaveLength(1)
})

test('one that a project enables counts when the project is trusted', async () => {
  const it = installed()
  it.ofProject(enabled(true))
  expect(it.load().hooks).toMatchObject([{ ofProject: true }])
  expect([await blocks(it, false), await blocks(it, true)]).toEqual([false, true])
})

// S5
test.each([true, false])('a project that says %j of a plugin of the user’s changes nothing', async on => {
  const it = installed()
  it.user(enabled(true))
  it.ofProject(enabled(on))
  it.local(enabled(on))
  expect([await blocks(it, false), await blocks(it, true)]).toEqual([true, true])
})

// S5
test('no one disables what managed policy has enabled', async () => {
  const it = installed()
  it.managed(enabled(true))
  for (const write of [it.user, it.ofProject, it.local]) write(enabled(false))
  expect(await blocks(it, false)).toBe(true)
})

test('no one enables what managed policy has disabled', async () => {
  const it = installed()
  it.managed(enabled(false))
  for (const write of [it.user, it.ofProject, it.local]) write(enabled(true))
  expect(it.load().hooks).toEqual([])
})

test('a user may disable their own', () => {
  const it = installed()
  it.user(enabled(false))
  expect(it.load().hooks).toEqual([])
})

test('one that is enabled and not installed is said', () => {
  const it = settingsScene()
  const file = it.user(enabled(true))
  expect(it.load().findings).toMatchObject([
    { level: 'error', gate: true, code: 'plugin-missing', place: { file, key: `enabledPlugins.${PLUGIN}` } }
  ])
})

test('one whose folder is gone is said', () => {
  const it = settingsScene()
  install(it, 'gone')
  it.user({ enabledPlugins: { 'gone@market': true } })
  expect(it.load().findings).toMatchObject([
    { level: 'error', code: 'plugin-missing', message: expect.stringContaining(it.path('gone')) }
  ])
})

// F126
test('a list of plugins that cannot be read is said', () => {
  const it = installed()
  const file = it.write('home/.claude/plugins/installed_plugins.json', '{ "plugins": ')
  it.user(enabled(true))
  expect(it.load().findings.map(({ code, place }) => [code, place.file])).toContainEqual(['not-json', file])
})

test('a value that is neither true nor false is said', () => {
  const it = installed()
  it.user({ enabledPlugins: { [PLUGIN]: 'yes' } })
  expect(it.load()).toMatchObject({ hooks: [], findings: [{ place: { key: `enabledPlugins.${PLUGIN}` } }] })
})

/** Settings that change, and trust and managed policy with them. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { armHooks, giveTrust, trustOf, type ArmedHooks } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const gate = (reason: string): object => commandOn('PreToolUse', decides('deny', reason))
const reasonOf = async (armed: ArmedHooks): Promise<string | undefined> => (await fireArmed(armed)).reason

/** Armed as a host would: trusted is what the store says is trusted. */
async function armedWithTrust({ load, where }: SettingsScene): Promise<ArmedHooks> {
  const armed = await armHooks(() => {
    const loaded = load()
    return { loaded, projectTrusted: ['trusted', 'nothing'].includes(trustOf(loaded, where).state) }
  })
  onTestFinished(() => armed.close())
  return armed
}

describe('trust', () => {
  // FM29
  test('a project that is not what was trusted keeps its old gates, until it is trusted again', async () => {
    const it = settingsScene()
    const file = it.ofProject(gate('trusted'))
    giveTrust(it.load(), it.where)
    const armed = await armedWithTrust(it)
    expect(await reasonOf(armed)).toBe('trusted')
    it.ofProject(commandOn('PreToolUse', decides('allow')))
    expect(await armed.reload(file)).toMatchObject({ counts: false, why: expect.stringContaining('trusted again') })
    expect(await reasonOf(armed)).toBe('trusted')
    giveTrust(it.load(), it.where)
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    expect(await fireArmed(armed)).toMatchObject({ decision: 'allow' })
  })

  test('meanwhile the user’s own changes count', async () => {
    const it = settingsScene()
    it.ofProject(commandOn('PreToolUse', tells('trusted')))
    const mine = it.user(gate('old'))
    giveTrust(it.load(), it.where)
    const armed = await armedWithTrust(it)
    it.ofProject(commandOn('PreToolUse', tells('evil')))
    it.user(gate('new'))
    expect(await armed.reload(mine)).toMatchObject({ counts: true })
    expect(await fireArmed(armed)).toMatchObject({ reason: 'new', contexts: [{ text: 'trusted' }] })
  })

  test('a project that was never trusted does not count after a change, either', async () => {
    const it = settingsScene()
    const mine = it.user(gate('mine'))
    const theirs = it.ofProject(commandOn('PreToolUse', tells('evil')))
    const armed = await armedWithTrust(it)
    it.ofProject(commandOn('PreToolUse', tells('worse')))
    await armed.reload(theirs)
    await armed.reload(mine)
    expect(await fireArmed(armed)).toMatchObject({ reason: 'mine', contexts: [] })
  })
})

describe('managed policy', () => {
  test.each([
    ['a broken file of the user’s', (it: SettingsScene) => it.user('{ "hooks": ')],
    ['a broken file of the project’s', (it: SettingsScene) => it.ofProject('{ "hooks": ')],
    ['a pattern of the user’s that is none', (it: SettingsScene) => it.user(commandOn('PreToolUse', 'true', '['))],
    ['a project that is not what was trusted', (it: SettingsScene) => it.ofProject(commandOn('PreToolUse', 'true'))]
  ])('its change counts, whatever is wrong elsewhere: %s', async (_, break_) => {
    const it = settingsScene()
    it.user(commandOn('PreToolUse', tells('the user’s')))
    it.ofProject(commandOn('PreToolUse', tells('the project’s')))
    giveTrust(it.load(), it.where)
    const armed = await armedWithTrust(it)
    expect((await told(armed)).toSorted()).toEqual(['the project’s', 'the user’s'])
    break_(it)
    const file = it.managed(gate('policy'))
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    const { reason, contexts } = await fireArmed(armed)
    expect([reason, contexts.map(({ text }) => text).toSorted()]).toEqual(['policy', ['the project’s', 'the user’s']])
  })

  test('that is broken keeps all that it has fixed', async () => {
    const it = settingsScene()
    it.managed({ allowManagedHooksOnly: true, ...gate('policy') })
    const mine = it.user(commandOn('PreToolUse', tells('the user’s')))
    const armed = await it.arm()
    const file = it.managed('{ "allowManagedHooksOnly": true, ')
    expect(await armed.reload(file)).toMatchObject({ counts: false })
    it.user(commandOn('PreToolUse', tells('changed')))
    await armed.reload(mine)
    expect(await fireArmed(armed)).toMatchObject({ reason: 'policy', contexts: [] })
  })

  test('a switch takes effect at once', async () => {
    const it = settingsScene()
    it.user(commandOn('PreToolUse', tells('the user’s')))
    const armed = await it.arm()
    const file = it.managed({ allowManagedHooksOnly: true })
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    expect(await told(armed)).toEqual([])
  })
})

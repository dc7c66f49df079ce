/** Files that are watched: what changes on disk is in force soon after. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ArmedHooks, Circumstances, LoadOptions, ReloadResult } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: 2 * HANG })

interface Watched {
  readonly armed: ArmedHooks
  readonly reloads: readonly { readonly file: string; readonly reloaded: ReloadResult }[]
}

async function watched(
  it: SettingsScene,
  circumstances?: Partial<Circumstances>,
  load?: LoadOptions
): Promise<Watched> {
  const armed = await it.arm(circumstances, load)
  const reloads: { file: string; reloaded: ReloadResult }[] = []
  const end = await armed.watch((reloaded, file) => void reloads.push({ file, reloaded }))
  onTestFinished(end)
  return { armed, reloads }
}

const gate = (reason: string): object => commandOn('PreToolUse', decides('deny', reason))

const becomes = (armed: ArmedHooks, reason: string | undefined): Promise<unknown> =>
  vi.waitFor(async () => expect((await fireArmed(armed)).reason).toBe(reason), { timeout: HANG, interval: 20 })

describe('a file', () => {
  test('that is changed', async () => {
    const it = settingsScene()
    const file = it.user(gate('old'))
    const { armed, reloads } = await watched(it)
    it.user(gate('new'))
    await becomes(armed, 'new')
    expect(reloads.at(-1)).toMatchObject({ file, reloaded: { counts: true } })
  })

  test('that is replaced by another, as editors do it', async () => {
    const it = settingsScene()
    const file = it.user(gate('old'))
    const { armed } = await watched(it)
    writeFileSync(`${file}.new`, JSON.stringify(gate('new')))
    renameSync(`${file}.new`, file)
    await becomes(armed, 'new')
  })

  test('that is taken away', async () => {
    const it = settingsScene()
    const file = it.user(gate('old'))
    const { armed } = await watched(it)
    rmSync(file)
    await becomes(armed, undefined)
  })

  test.each([
    ['home/.claude/settings.json'],
    ['home/.carabiner/settings.json'],
    ['project/.claude/settings.json'],
    ['project/.claude/settings.local.json'],
    ['managed/managed-settings.json'],
    ['managed/managed-settings.d/10.json']
  ])('that was not there, nor its folder: %s', async name => {
    const it = settingsScene()
    const { armed } = await watched(it)
    it.write(name, gate('new'))
    await becomes(armed, 'new')
  })

  test('of a subagent, while it is active', async () => {
    const it = settingsScene()
    const agent = (text: string): string =>
      `---\nname: a\nhooks:\n  PreToolUse:\n    x: ${JSON.stringify(decides('deny', text))}\n---\n`
    it.write('home/.claude/agents/a.md', agent('old'))
    const { armed } = await watched(it, { owners: ['a'] })
    it.write('home/.claude/agents/a.md', agent('new'))
    await becomes(armed, 'new')
  })

  test('that a flag names', async () => {
    const it = settingsScene()
    it.write('project/more.conf', gate('old'))
    const { armed } = await watched(it, {}, { settings: 'more.conf' })
    it.write('project/more.conf', gate('new'))
    await becomes(armed, 'new')
  })
})

test('one that is broken is said, and the old gates stay', async () => {
  const it = settingsScene()
  it.user(gate('old'))
  const { armed, reloads } = await watched(it)
  it.user('{ "hooks": ')
  await vi.waitFor(() => expect(reloads).toMatchObject([{ reloaded: { counts: false } }]), HANG)
  expect(await fireArmed(armed)).toMatchObject({ reason: 'old' })
})

// FM29
test('however a file is written, at no moment is there no gate', async () => {
  const it = settingsScene()
  const file = it.user(gate('version 0'))
  const { armed } = await watched(it)
  const state = { over: false, fired: 0 }
  const unguarded: unknown[] = []
  const firing = (async () => {
    while (!state.over) {
      const outcome = await fireArmed(armed)
      state.fired++
      if (!outcome.blocked || outcome.failures.length > 0) unguarded.push(outcome)
    }
  })()
  const text = (version: number): string => JSON.stringify(gate(`version ${version}`), null, 2)
  for (let timing = 1; timing <= 20; timing++) {
    const whole = text(timing)
    const cut = Math.floor((whole.length * timing) / 21)
    writeFileSync(file, whole.slice(0, cut))
    await new Promise(resolve => setTimeout(resolve, timing * 5))
    writeFileSync(file, whole.slice(cut), { flag: 'a' })
  }
  await becomes(armed, 'version 20')
  state.over = true
  await firing
  expect(state.fired).toBeGreaterThan(20)
  expect(unguarded).toEqual([])
})

test('after the end of watching nothing is looked at', async () => {
  const it = settingsScene()
  it.user(gate('old'))
  const armed = await it.arm()
  const reloads: string[] = []
  const end = await armed.watch((_, file) => void reloads.push(file))
  await end()
  it.user(gate('new'))
  // Another watcher sees the change, so that there was time enough.
  const other = await watched(it)
  it.write('project/.claude/settings.json', gate('other'))
  await vi.waitFor(() => expect(other.reloads).not.toEqual([]), HANG)
  expect(reloads).toEqual([])
  expect(await fireArmed(armed)).toMatchObject({ reason: 'old' })
})

test('a project that goes away while it is watched does no harm', async () => {
  const it = settingsScene()
  it.user(gate('old'))
  mkdirSync(it.path('project/.claude'))
  it.ofProject(commandOn('PreToolUse', tells('x')))
  const { armed, reloads } = await watched(it)
  rmSync(it.project, { recursive: true })
  await vi.waitFor(() => expect(reloads).not.toEqual([]), HANG)
  expect(await fireArmed(armed)).toMatchObject({ reason: 'old' })
  expect(await told({ hooks: armed.hooks }, 'PostToolUse')).toEqual([])
})

/** Modules of hooks that settings or a flag name. */
import { describe, expect, test, vi } from 'vitest'
import { fireArmed, settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const saying = (text: string): string => `() => ({ additionalContext: ${JSON.stringify(text)} })`

describe('what a module exports', () => {
  test.each([
    ['a function that is given the registry', `export default hooks => { hooks.on('PreToolUse', ${saying('x')}) }`],
    ['one that takes its time', `export default async hooks => { await 0; hooks.on('PreToolUse', ${saying('x')}) }`],
    ['a hook', `export default { name: 'x', events: 'PreToolUse', run: ${saying('x')} }`],
    ['a list of hooks', `export default [{ name: 'x', events: 'PreToolUse', run: ${saying('x')} }]`]
  ])('%s', async (_, text) => {
    const { write, arm } = settingsScene()
    const armed = await arm({}, { modules: [write('hooks.mjs', text)] })
    expect(armed.findings).toEqual([])
    expect(await told(armed)).toEqual(['x'])
  })

  test.each([
    ['nothing', 'export const hooks = []', 'neither a function nor hooks'],
    ['a number', 'export default 7', 'neither a function nor hooks'],
    ['a hook that is none', `export default { name: 'x', events: 'Lunch', run() {} }`, 'Lunch'],
    ['an error', 'throw new Error("broken")', 'broken'],
    ['no module', 'export default', 'Unexpected']
  ])('%s: a finding, and the rest is armed', async (_, text, words) => {
    const { user, write, arm } = settingsScene()
    user(commandOn('PreToolUse', decides('deny', 'no')))
    const file = write('hooks.mjs', text)
    const armed = await arm({}, { modules: [file] })
    expect(armed.findings).toMatchObject([
      {
        level: 'error',
        code: 'module',
        gate: true,
        place: { file: '--hooks' },
        message: expect.stringContaining(words)
      }
    ])
    expect(armed.findings[0]!.message).toContain(file)
    expect(await fireArmed(armed)).toMatchObject({ blocked: true })
  })
})

test('a module that registers nothing is a notice', async () => {
  const { write, arm } = settingsScene()
  const file = write('hooks.mjs', 'export default () => {}')
  const armed = await arm({}, { modules: [file] })
  expect(armed.findings).toMatchObject([
    { level: 'warning', gate: true, code: 'module', message: `${file} registers no hooks` }
  ])
})

test('TypeScript runs as it is', async () => {
  const { write, arm } = settingsScene()
  const text = `interface Ctx { toolName: string }\nexport default (hooks: any): void => { hooks.on('PreToolUse', (ctx: Ctx) => ({ additionalContext: ctx.toolName })) }\n`
  const armed = await arm({}, { modules: [write('hooks.ts', text)] })
  expect(armed.findings).toEqual([])
  expect(await told(armed)).toEqual(['Bash'])
})

test('settings name modules: the user’s beside the file, the project’s from its root', async () => {
  const { user, ofProject, write, load, arm } = settingsScene()
  const module = (text: string): string => `export default hooks => { hooks.on('PreToolUse', ${saying(text)}) }`
  const mine = write('home/.claude/mine.mjs', module('mine'))
  const theirs = write('project/tools/theirs.mjs', module('theirs'))
  const file = user({ carabiner: { modules: ['./mine.mjs'] } })
  ofProject({ carabiner: { modules: ['tools/theirs.mjs'] } })
  expect(load().modules).toMatchObject([
    { file: mine, scope: 'user', ofProject: false, place: { file, key: 'carabiner.modules' } },
    { file: theirs, scope: 'project', ofProject: true }
  ])
  expect(await told(await arm())).toEqual(['mine', 'theirs'])
})

test('a module of a project that is not trusted is not even loaded', async () => {
  const { ofProject, write, arm } = settingsScene()
  write('project/theirs.mjs', 'globalThis.wasLoaded = true\nexport default () => undefined')
  ofProject({ carabiner: { modules: ['theirs.mjs'] } })
  await arm({ projectTrusted: false })
  expect(globalThis).not.toHaveProperty('wasLoaded')
})

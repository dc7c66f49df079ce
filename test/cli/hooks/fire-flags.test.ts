/** Where `carabiner` looks for hooks: the flags that all its commands share. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { type Fired, cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, prints, refuses, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const says = (text: string): string => prints({ systemMessage: text })
const messages = ({ hooks }: Fired): unknown =>
  hooks.map(({ reply }) => (reply as { systemMessage: string }).systemMessage)

describe('--settings', () => {
  test('adds the settings of a file, found from where one stands', async () => {
    const { write, json } = cliStage()
    write('project/more.json', commandOn('Stop', says('from a file')))
    expect(messages(await json<Fired>(['fire', 'Stop', '--settings', 'more.json']))).toEqual(['from a file'])
  })

  test('adds settings that stand there as JSON, comments and all', async () => {
    const { json } = cliStage()
    const settings = `{ /* mine */ "hooks": ${JSON.stringify(commandOn('Stop', says('inline')).hooks)}, }`
    expect(messages(await json<Fired>(['fire', 'Stop', '--settings', settings]))).toEqual(['inline'])
  })

  test('adds to what is there, and needs no trust', async () => {
    const { user, json } = cliStage()
    user(commandOn('Stop', says('mine')))
    const fired = await json<Fired>(['fire', 'Stop', '--settings', JSON.stringify(commandOn('Stop', says('more')))])
    expect((messages(fired) as string[]).toSorted()).toEqual(['mine', 'more'])
  })

  test.each([
    ['is missing', 'nowhere.json'],
    ['is no JSON', '{'],
    ['is no JSON either', '{ "hooks": '],
    ['is a folder', '.']
  ])('what %s is said, and nothing is fired', async (_, settings) => {
    const { user, run, path } = cliStage()
    user(commandOn('Stop', `touch ${path('ran')}`))
    const { code, stdout, stderr } = await run(['fire', 'Stop', '--settings', settings])
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(/^error /)
    expect(await run(['fire', 'Stop', '--settings', settings, '--json'])).toMatchObject({ code: 4, stdout: '' })
    expect(existsSync(path('ran'))).toBe(false)
  })

  // S16
  test('a value is a value, whatever it looks like', async () => {
    const { run, path } = cliStage()
    const evil = JSON.stringify(commandOn('Stop', `touch ${path('ran')}`))
    for (const value of [`--settings=${evil}`, `x --settings=${evil}`, `--settings ${evil}`])
      expect(await run(['fire', 'Stop', '--settings', value])).toMatchObject({ code: 4, stdout: '' })
    const value = `--settings=${evil}`
    for (const flag of ['--tool', '--set', '--input', '--cwd', '--plugin-dir', '--trust', '--setting-sources'])
      await run(['fire', 'Stop', flag, value])
    await run(['fire', value])
    expect(await run(['fire', 'Stop', '--settings', JSON.stringify({ env: { X: value } })])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no hook ran')
    })
    expect(existsSync(path('ran'))).toBe(false)
  })

  test.each([
    ['tool_nmae=Read', 'PreToolUse has no field tool_nmae; did you mean tool_name?'],
    ['tool_input.comand=ls', 'Bash has no input comand; did you mean command?']
  ])('a misspelt key of --set is an error: %s', async (assignment, words) => {
    const { run } = cliStage()
    const { code, stderr } = await run(['fire', 'PreToolUse', '--tool', 'Bash', '--set', assignment])
    expect([code, stderr]).toEqual([64, expect.stringContaining(words)])
  })

  // S16
  test.each(['--version', '--help', '--json', '--', '-V'])('a tool may be called %s', async name => {
    const { run } = cliStage()
    const { stdout } = await run(['fire', 'PreToolUse', '--tool', name, '--set', 'x=1'])
    expect(stdout).toContain('no hook ran')
  })
})

test('--setting-sources: which of user, project and local count', async () => {
  const { user, settings, write, json, run } = cliStage()
  user(commandOn('Stop', says('user')))
  settings(commandOn('Stop', says('project')))
  write('project/.claude/settings.local.json', commandOn('Stop', says('local')))
  const counting = async (...sources: readonly string[]): Promise<unknown> =>
    (messages(await json<Fired>(['fire', 'Stop', '--trust-project-hooks', ...sources])) as string[]).toSorted()
  expect(await counting()).toEqual(['local', 'project', 'user'])
  expect(await counting('--setting-sources', 'user')).toEqual(['user'])
  expect(await counting('--setting-sources', 'project, local')).toEqual(['local', 'project'])
  expect(await counting('--setting-sources', '')).toEqual([])
  expect(await run(['fire', 'Stop', '--setting-sources', 'usr'])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('user, project, local')
  })
})

test('--setting-sources without the project: there is nothing to trust', async () => {
  const { settings, run } = cliStage()
  settings(commandOn('Stop', 'true'))
  expect((await run(['fire', 'Stop', '--setting-sources', 'user'])).code).toBe(0)
})

test('managed policy counts whatever the sources are', async () => {
  const { write, json } = cliStage()
  write('managed/managed-settings.json', commandOn('Stop', says('policy')))
  expect(messages(await json<Fired>(['fire', 'Stop', '--setting-sources', '']))).toEqual(['policy'])
})

test('--cwd: looks from another folder', async () => {
  const { write, json, run, path } = cliStage()
  mkdirSync(path('elsewhere/deep'), { recursive: true })
  write('elsewhere/.claude/settings.json', commandOn('Stop', 'pwd >&2; exit 2'))
  const args = ['fire', 'Stop', '--trust-project-hooks', '--cwd']
  const { hooks } = await json<Fired>([...args, path('elsewhere/deep')])
  expect(hooks).toMatchObject([{ stderr: `${path('elsewhere/deep')}\n` }])
  expect(await json<Fired>([...args, join('..', 'elsewhere')])).toMatchObject({ hooks: [{ ran: true }] })
  expect(await run([...args, path('nowhere')])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('there is no folder')
  })
})

test('--plugin-dir: adds the hooks of plugins, as often as it is given', async () => {
  const { write, json, run, path } = cliStage()
  for (const name of ['one', 'two']) {
    write(`plugins/${name}/.claude-plugin/plugin.json`, { name })
    write(`plugins/${name}/hooks/hooks.json`, commandOn('Stop', `cat "\${CLAUDE_PLUGIN_ROOT}/said.json"`))
    write(`plugins/${name}/said.json`, { systemMessage: name })
  }
  const args = ['one', 'two'].flatMap(name => ['--plugin-dir', path(`plugins/${name}`)])
  expect(messages(await json<Fired>(['fire', 'Stop', ...args]))).toEqual(['one', 'two'])
  expect(await run(['fire', 'Stop', '--plugin-dir', path('plugins/three')])).toMatchObject({ code: 4, stdout: '' })
})

describe('--hooks', () => {
  test.each([
    [
      'TypeScript',
      'own.ts',
      `export default (hooks: any): void => { hooks.on('Stop', '', () => ({ systemMessage: 'hi' })) }`
    ],
    ['JavaScript', 'own.mjs', `export default hooks => { hooks.on('Stop', '', () => ({ systemMessage: 'hi' })) }`],
    ['a hook', 'own.mjs', `export default { name: 'own', events: 'Stop', run: () => ({ systemMessage: 'hi' }) }`],
    [
      'a list of hooks',
      'own.mjs',
      `export default [{ name: 'own', events: ['Stop'], run: async () => ({ systemMessage: 'hi' }) }]`
    ]
  ])('a module: %s', async (_, name, text) => {
    const { write, json } = cliStage()
    write(`project/${name}`, text)
    expect(await json<Fired>(['fire', 'Stop', '--hooks', name])).toMatchObject({
      outcome: { systemMessage: 'hi' },
      hooks: [{ kind: 'callback', ran: true }]
    })
  })

  test.each([
    ['is missing', undefined],
    ['throws', `throw new Error('broken')`],
    ['cannot be read', `export default (`],
    ['exports nothing', `export const x = 1`]
  ])('a module that %s is said, and nothing is fired', async (_, text) => {
    const { write, run } = cliStage()
    if (text !== undefined) write('project/own.mjs', text)
    const { code, stdout, stderr } = await run(['fire', 'Stop', '--exit-code', '--hooks', 'own.mjs'])
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('own.mjs could not be loaded')
  })

  test.each([
    ['own.mjs', 'export default [\n  1,\n  const\n]\n', 3],
    ['own file.mjs', '\nexport default [\n  1,\n  const\n]\n', 4],
    ['own.ts', 'export default (hooks: object) => {\n  const a: number =\n}\n', 3],
    ['own.ts', 'const a: number = 1\n\nthrow new Error(`broken ${a}`)', 3],
    ['own.mjs', `export default hooks => {\n  hooks.on('Stopp', () => undefined)\n}\n`, 2]
  ])('the line at which %s is wrong: %j', async (name, text, line) => {
    const { write, run } = cliStage()
    write(`project/${name}`, text)
    const { stderr } = await run(['fire', 'Stop', '--hooks', name])
    expect(stderr).toMatch(new RegExp(`could not be loaded: .*\\(\\S*/project/${name}:${line}\\)`))
  })

  test('the line at which a hook throws', async () => {
    const { write, run, json } = cliStage()
    write(
      'project/own.ts',
      `import { fail } from './lib.ts'
       export default (hooks: { on(event: string, hook: () => unknown): void }) => {
         hooks.on('Stop', async () => {
           await null
           fail()
         })
       }`
    )
    write('project/lib.ts', `export function fail(): never {\n  throw new Error('broken at other.ts:9:9')\n}`)
    const { stdout } = await run(['fire', 'Stop', '--hooks', 'own.ts'])
    expect(stdout).toMatch(/failed \(threw\): broken at other\.ts:9:9\n {4}at \/\S*\/project\/lib\.ts:2:9\n/)
    const { hooks } = await json<{ hooks: readonly object[] }>(['fire', 'Stop', '--hooks', 'own.ts'])
    expect(hooks).toMatchObject([{ failure: { kind: 'threw', at: expect.stringMatching(/\/project\/lib\.ts:2:9$/) } }])
  })

  test('stands beside hooks of files, and the strictest wins', async () => {
    const { user, write, json } = cliStage()
    user(commandOn('PreToolUse', refuses('the file')))
    write('project/own.mjs', `export default hooks => hooks.on('PreToolUse', 'Bash', () => ({ decision: 'allow' }))`)
    const { outcome, hooks } = await json<Fired>(['fire', 'PreToolUse', '--hooks', 'own.mjs'])
    expect(outcome).toMatchObject({ decision: 'deny', reason: 'the file' })
    expect(hooks).toHaveLength(2)
  })
})

test('--profile: what managed policy has fixed stays, and what files say gives way to the flag', async () => {
  const { user, write, json } = cliStage()
  user({ ...commandOn('PreToolUse', 'exit 9'), carabiner: { profile: 'compat' } })
  expect(await json<Fired>(['fire', 'PreToolUse'])).toMatchObject({ profile: 'compat', outcome: { blocked: false } })
  expect(await json<Fired>(['fire', 'PreToolUse', '--profile', 'strict'])).toMatchObject({
    profile: 'strict',
    outcome: { blocked: true }
  })
  write('managed/managed-settings.json', { carabiner: { profile: 'strict' } })
  expect(await json<Fired>(['fire', 'PreToolUse', '--profile', 'compat'])).toMatchObject({ profile: 'strict' })
})

test('a project may ask for the stricter profile, and not for the other', async () => {
  const { user, settings, json } = cliStage()
  user(commandOn('PreToolUse', 'exit 9'))
  settings({ carabiner: { profile: 'compat' } })
  expect(await json<Fired>(['fire', 'PreToolUse'])).toMatchObject({ profile: 'strict' })
})

test('hooks are run with the settings of the nearest folder that has some', async () => {
  const { settings, json, path } = cliStage()
  settings({ hooks: { Stop: [rule(says('here'))] } })
  mkdirSync(path('project/src/deep'), { recursive: true })
  const fired = await json<Fired>(['fire', 'Stop', '--trust-project-hooks'], { cwd: path('project/src/deep') })
  expect(messages(fired)).toEqual(['here'])
})

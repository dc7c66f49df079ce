/** `allowed-tools` of skills and slash commands: what needs no question while they are active. */
import { expect, test } from 'vitest'
import type { TurnOrMaker } from '../../../src/testing.ts'
import {
  ask,
  type Asking,
  bashTurn,
  gate,
  project,
  type Project,
  prompted,
  registry,
  resultsIn
} from '../../support/agent-kit.ts'

const skill = (allowed: string): string => `---\ndescription: Tidies up.\nallowed-tools: ${allowed}\n---\nTidy up.\n`
const call = (name: string): TurnOrMaker => ({ calls: [{ name: 'Skill', input: { skill: name } }] })

/** A project of a user who has this skill. */
function owned(text: string, files: Readonly<Record<string, string>> = {}): Project {
  const place = project(files)
  place.write('../home/.claude/skills/tidy/SKILL.md', text)
  return place
}

/** Which of the calls ran, in order; no person is available to approve them. */
async function ran(turns: readonly TurnOrMaker[], asking: Asking): Promise<readonly boolean[]> {
  const { sent } = await ask([...turns, 'done'], asking)
  return resultsIn(sent.at(-1)!).map(({ isError }) => !isError)
}

test('what a skill names needs no question from its call on, and nothing else', async () => {
  const place = owned(skill('Bash(touch *), Write'))
  expect(
    await ran([bashTurn('touch a'), call('tidy'), bashTurn('touch b'), bashTurn('mkdir c')], { in: place })
  ).toEqual([false, true, true, false])
  expect([place.has('a'), place.has('b'), place.has('c')]).toEqual([false, true, false])
})

test.each([
  ['a list', '["Bash(touch a b)", "Bash(mkdir *)"]'],
  ['blanks between', 'Bash(touch a b) Bash(mkdir *)'],
  ['commas between', 'Read, Bash(touch a b), Bash(mkdir *)']
])('%s', async (_, allowed) => {
  const place = owned(skill(allowed))
  expect(
    await ran([call('tidy'), bashTurn('touch a b'), bashTurn('mkdir c'), bashTurn('touch d')], { in: place })
  ).toEqual([true, true, true, false])
})

test('a slash command: while its prompt is being answered, and not for the next', async () => {
  const place = owned(skill('Bash(touch *)'))
  let next: () => void = () => undefined
  const first = new Promise<void>(resolve => (next = resolve))
  const { sent } = await ask([bashTurn('touch a'), 'one', bashTurn('touch b'), 'two'], {
    in: place,
    prompt: (async function* () {
      yield prompted('/tidy')
      await first
      yield prompted('and now?')
    })(),
    each: message => message.type === 'result' && next()
  })
  expect(resultsIn(sent.at(-1)!).map(({ isError }) => isError)).toEqual([false, true])
  expect([place.has('a'), place.has('b')]).toEqual([true, false])
})

test('a turn that is interrupted takes it away as well', async () => {
  const place = owned(skill('Bash(touch *)'))
  let next: () => void = () => undefined
  const first = new Promise<void>(resolve => (next = resolve))
  let interrupt: () => unknown = () => undefined
  await ask([() => (interrupt(), new Promise(() => undefined)), bashTurn('touch b'), 'two'], {
    in: place,
    prompt: (async function* () {
      yield prompted('/tidy')
      await first
      yield prompted('and now?')
    })(),
    steer: running => (interrupt = () => running.interrupt()),
    each: message => message.type === 'result' && next()
  })
  expect(place.has('b')).toBe(false)
})

test('in a subagent that is called meanwhile', async () => {
  const place = owned(skill('Bash(touch *)'))
  const agent: TurnOrMaker = { calls: [{ name: 'Agent', input: { description: 'x', prompt: 'x' } }] }
  await ask([call('tidy'), agent, bashTurn('touch a'), 'made', 'done'], { in: place })
  expect(place.has('a')).toBe(true)
})

test('not in one that is still at work when the turn has ended', async () => {
  const place = owned(skill('Bash(touch *)'))
  const ended = gate()
  const input = { description: 'x', prompt: 'x', run_in_background: true }
  const main: TurnOrMaker[] = [call('tidy'), { calls: [{ name: 'Agent', input }] }, 'one', 'two']
  const helper: TurnOrMaker[] = [
    async () => {
      await ended.opened
      return { calls: [{ name: 'Bash', input: { command: 'touch a' } }] }
    },
    'tried'
  ]
  const tried = gate()
  const next: TurnOrMaker = (request, signal) => {
    const isHelper = request.system.startsWith('You are a helper')
    if (isHelper && helper.length === 1) tried.open()
    const turn = (isHelper ? helper : main).shift()!
    return typeof turn === 'function' ? turn(request, signal) : turn
  }
  await ask(
    Array.from({ length: 6 }, () => next),
    {
      in: place,
      prompt: (async function* () {
        yield prompted('go')
        await tried.opened
        yield prompted('and now?')
      })(),
      each: message => message.type === 'result' && ended.open()
    }
  )
  expect([place.has('a'), helper]).toEqual([false, []])
})

test('never against a rule that denies, or one that asks', async () => {
  const place = owned(skill('Bash'))
  const settings = { permissions: { deny: ['Bash(touch *)'], ask: ['Bash(mkdir *)'] } }
  expect(
    await ran([call('tidy'), bashTurn('touch a'), bashTurn('mkdir b'), bashTurn('echo c > c')], { in: place, settings })
  ).toEqual([true, false, false, true])
})

test('nor against a hook that asks, a protected path, or plan mode', async () => {
  const place = owned(skill('Bash, Write'))
  const hooks = registry(made => made.on('PreToolUse', 'Bash', () => ({ decision: 'ask' })))
  const write: TurnOrMaker = {
    calls: [{ name: 'Write', input: { file_path: place.path('.claude/settings.json'), content: '{}' } }]
  }
  expect(await ran([call('tidy'), bashTurn('touch a'), write], { in: place, hooks })).toEqual([true, false, false])
  expect(await ran([call('tidy'), bashTurn('touch a')], { in: place, permissionMode: 'plan' })).toEqual([true, false])
})

const OF_PROJECT = { '.claude/skills/ours/SKILL.md': skill('Bash(touch *)'), '.claude/commands/cmd.md': skill('Bash') }

test('one of a project counts when the project is trusted', async () => {
  const refused = await ask(['done'], { in: project(OF_PROJECT) })
  expect(refused.result).toMatchObject({ is_error: true, error_code: 'E_UNTRUSTED' })
  const untrusted = project(OF_PROJECT)
  const calls = [call('ours'), bashTurn('touch a')]
  expect(await ran(calls, { in: untrusted, projectHooks: false })).toEqual([false, false])
  expect(await ran(calls, { in: project(OF_PROJECT), trust: true })).toEqual([true, true])
  const command = { in: untrusted, prompt: '/cmd', projectHooks: false }
  expect(await ran([bashTurn('touch b')], command)).toEqual([false])
})

test('what a trusted project allows is part of what was trusted', async () => {
  const place = project(OF_PROJECT)
  const { usualPlaces } = await import('../../../src/lib/settings/files/sources.ts')
  const { loadSettings } = await import('../../../src/lib/settings/files/load.ts')
  const { giveTrust } = await import('../../../src/lib/settings/trust/trust.ts')
  const where = usualPlaces(place.cwd, place.env)
  giveTrust(loadSettings(where), where)
  expect(await ran([call('ours'), bashTurn('touch a')], { in: place })).toEqual([true, true])
  place.write('.claude/skills/ours/SKILL.md', skill('Bash'))
  const { result } = await ask(['done'], { in: place })
  expect(result).toMatchObject({ error_code: 'E_UNTRUSTED', result: expect.stringContaining('while ours is active') })
})

test('of a plugin: its folder may stand in a rule', async () => {
  const place = project({
    'plug/skills/tidy/SKILL.md': skill('Bash(sh ${CLAUDE_PLUGIN_ROOT}/tidy.sh)'),
    'plug/tidy.sh': 'touch tidied\n'
  })
  const asking = { in: place, plugins: [{ type: 'local', path: place.path('plug') }] } as const
  expect(
    await ran([call('plug:tidy'), bashTurn(`sh ${place.path('plug/tidy.sh')}`), bashTurn('sh other.sh')], asking)
  ).toEqual([true, true, false])
  expect(place.has('tidied')).toBe(true)
})

test('what is no rule allows nothing, and is said', async () => {
  const said: string[] = []
  const place = owned(skill('Bash(), "*"'))
  expect(await ran([call('tidy'), bashTurn('touch a')], { in: place, stderr: text => said.push(text) })).toEqual([
    true,
    false
  ])
  expect(said.join('\n')).toContain('allowed-tools in')
})

test('a refused expansion makes nothing active', async () => {
  const place = owned(skill('Bash(touch *)'))
  const hooks = registry(made => made.on('UserPromptExpansion', () => ({ decision: 'block', reason: 'no' })))
  const { result, sent } = await ask(['done'], { in: place, prompt: '/tidy', hooks })
  expect([result.terminal_reason, sent]).toEqual(['prompt_blocked', []])
})

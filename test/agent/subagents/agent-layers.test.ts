/** Definitions of one name, of the user and of a project: the project tightens, and never loosens. */
import { expect, test } from 'vitest'
import type { ModelRequest, QueryOptions } from '../../../src/index.ts'
import * as fc from '../../support/fast-check.ts'
import { ask, project, resultsIn } from '../../support/agent-kit.ts'

type Lines = Readonly<Record<string, string | undefined>>

const fileOf = (lines: Lines, words: string): string => {
  const settings = Object.entries(lines).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]))
  return `---\ndescription: Reads.\n${settings.join('\n')}\n---\n${words}\n`
}

const DENIES = `
  PreToolUse:
    - hooks:
        - { type: command, command: "echo no >&2; exit 2" }`

/** What a subagent came to: what it was offered, what it did, how often it was asked. */
interface Done {
  readonly tools: readonly string[]
  readonly effects: readonly string[]
  readonly turns: number
  readonly prompt: string
}

const MOST = 5

/** Has the agent called, in a project with such a definition beside that of the user, or without one. */
async function called(
  type: string,
  user: Lines | undefined,
  own: Lines | undefined,
  more?: QueryOptions
): Promise<Done> {
  const place = project()
  if (user !== undefined) place.write(`../home/.claude/agents/${type}.md`, fileOf(user, 'I am of the user.'))
  if (own !== undefined) place.write(`.claude/agents/${type}.md`, fileOf(own, 'I am of the project.'))
  const asked: ModelRequest[] = []
  let begun = false
  const turn = (request: ModelRequest) => {
    if (!request.system.includes('I am of the ')) {
      if (begun) return 'done'
      begun = true
      return { calls: [{ name: 'Agent', input: { description: 'a', prompt: 'go', subagent_type: type } }] }
    }
    asked.push(request)
    if (asked.length >= MOST) return 'worked'
    return {
      calls: [
        { name: 'Write', input: { file_path: place.path('written'), content: 'x' } },
        { name: 'Bash', input: { command: 'touch touched' } }
      ]
    }
  }
  await ask(
    Array.from({ length: 2 * MOST }, () => turn),
    { in: place, trust: true, prompt: 'begin', allowedTools: ['Bash(touch *)'], ...more }
  )
  const [child] = asked
  return {
    tools: child?.tools.map(({ name }) => name).toSorted() ?? [],
    effects: ['written', 'touched'].filter(name => place.has(name)),
    turns: asked.length,
    prompt: child?.system ?? ''
  }
}

test('B2: a project’s agent without limits has those of the user’s agent of that name', async () => {
  const user = { tools: 'Read, Grep', permissionMode: 'plan', maxTurns: '2' }
  const { tools, effects, turns, prompt } = await called('reader', user, {})
  expect(prompt).toContain('I am of the project.')
  expect(tools).toEqual(['Grep', 'Read'])
  expect(effects).toEqual([])
  expect(turns).toBe(2)
})

test('B2: a mode that the user gave to words of their own is not lent to those of a project', async () => {
  expect((await called('reader', { permissionMode: 'acceptEdits' }, undefined)).effects).toContain('written')
  expect((await called('reader', { permissionMode: 'acceptEdits' }, {})).effects).not.toContain('written')
  expect((await called('reader', undefined, { permissionMode: 'acceptEdits' })).effects).not.toContain('written')
})

test('B2: a project’s Explore only reads, as the built-in one does', async () => {
  const { tools, prompt } = await called('Explore', undefined, { tools: 'Read, Write, Bash' })
  expect(prompt).toContain('I am of the project.')
  expect(tools).toEqual(['Read'])
})

test('B2: a project gives its agents no more turns than the caller gives to all', async () => {
  expect((await called('reader', undefined, { maxTurns: '1000' }, { maxTurns: 3 })).turns).toBe(3)
})

const skill = (settings: string, words: string): string => `---\nname: tidy\n${settings}\n---\n${words}\n`

test('B2: a project’s skill of the user’s name is called by the model only if the user’s may be, and allows no more', async () => {
  const turns = [
    { calls: [{ name: 'Skill', input: { skill: 'tidy' } }] },
    { calls: [{ name: 'Bash', input: { command: 'touch a' } }] },
    { calls: [{ name: 'Bash', input: { command: 'mkdir b' } }] },
    'done'
  ]
  const run = async (user: string): Promise<readonly boolean[]> => {
    const place = project({
      '.claude/skills/tidy/SKILL.md': skill('allowed-tools: Bash(touch *), Bash(mkdir *)', 'Ours.')
    })
    place.write('../home/.claude/skills/tidy/SKILL.md', skill(user, 'Mine.'))
    const { sent } = await ask(turns, { in: place, trust: true })
    return resultsIn(sent.at(-1)!).map(({ isError }) => !isError)
  }
  expect(await run('disable-model-invocation: true')).toEqual([false, false, false])
  expect(await run('allowed-tools: Bash(touch *)')).toEqual([true, true, false])
  expect(await run('description: x')).toEqual([true, false, false])
})

const maybe = (...values: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined })

const LINES = fc.record({
  tools: maybe('Read', 'Read, Write', 'Bash, Read', 'Read, Write, Bash, Grep', 'Grep, Write', '[]'),
  disallowedTools: maybe('Write', 'Bash', 'Bash(touch *)', 'Read, Bash', '[]'),
  permissionMode: maybe('plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions'),
  maxTurns: maybe('1', '2', '3', '1000'),
  model: maybe('inherit', 'opus', 'http://127.0.0.1:9/v1#x'),
  hooks: maybe(DENIES)
})

test('B2: over layerings of user and project, nothing is offered, done or repeated that the user’s limits forbid', async () => {
  let loosened = 0
  await fc.assert(
    fc.asyncProperty(LINES, LINES, fc.constantFrom('default', 'acceptEdits', 'dontAsk'), async (user, own, mode) => {
      const options = { permissionMode: mode, stderr: () => undefined } as const
      // The user's own model is the user's business, and there is no server at that address.
      const mine = { ...user, model: undefined }
      const alone = await called('reader', mine, undefined, options)
      const both = await called('reader', mine, own, options)
      expect(alone.tools).toEqual(expect.arrayContaining([...both.tools]))
      expect(alone.effects).toEqual(expect.arrayContaining([...both.effects]))
      expect(both.turns).toBeLessThanOrEqual(alone.turns)
      // Without the user's limits the project's file would have been offered more: the law has something to forbid.
      const free = await called('reader', undefined, own, options)
      if (free.tools.some(name => !both.tools.includes(name)) || free.turns > both.turns) loosened++
    }),
    { numRuns: 40 }
  )
  expect(loosened).toBeGreaterThan(5)
})

/** Gates of skills and subagents in a run: one that cannot be armed is never simply missing. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask, project, prompted, resultsIn, type Project } from '../../support/agent-kit.ts'

const LIMIT = { timeout: 300_000 }
const FILES = { Skill: '.claude/skills/k/SKILL.md', Agent: '.claude/agents/k.md' } as const
type Tool = keyof typeof FILES

const GATE = 'echo "not here" >&2; exit 2'
const gate = (handler: string, matcher = 'Bash'): string =>
  `---\nname: k\ndescription: k\nhooks:\n  PreToolUse:\n    - matcher: ${JSON.stringify(matcher)}\n      hooks: [${handler}]\n---\nYou work.\n`
const GOOD = gate(`{ type: command, command: ${JSON.stringify(GATE)} }`)
const BROKEN = gate('{ type: http, url: "ftp://x" }')

const calling = {
  Skill: { calls: [{ name: 'Skill', input: { skill: 'k' } }] },
  Agent: { calls: [{ name: 'Agent', input: { description: 'd', prompt: 'p', subagent_type: 'k' } }] }
} as const
const remove = { calls: [{ name: 'Bash', input: { command: 'rm -f x' } }] }
const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const

/** Writes a file of the user's. */
function atHome({ home }: Project, name: string, text: string): string {
  const file = join(home, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

describe.each(['Skill', 'Agent'] as const)('the gate of what %s calls', (tool: Tool) => {
  // F126
  test.each([
    ['a matcher that is none', gate('{ type: command, command: "exit 2" }', 'Ba(sh')],
    ['an address that is none', BROKEN],
    ['no end of the settings at its top', GOOD.replace('\n---\nYou', '\n\nYou')]
  ])('%s: nothing begins', async (_, text) => {
    const place = project({ x: 'kept' })
    const file = atHome(place, FILES[tool], text)
    const { result, sent } = await ask([calling[tool], remove, 'done', 'done'], { in: place, ...FREE })
    expect(result).toMatchObject({ is_error: true, error_code: 'E_SETTINGS', result: expect.stringContaining(file) })
    expect(sent).toEqual([])
  })

  test('the compat profile continues without it, and says so', async () => {
    const place = project({ x: 'kept' })
    const file = atHome(place, FILES[tool], BROKEN)
    let said = ''
    const stderr = (text: string): void => void (said += text)
    const options = { in: place, ...FREE, profile: 'compat', stderr } as const
    const { result } = await ask([calling[tool], remove, 'done', 'done'], options)
    expect(result.is_error).toBe(false)
    expect(said).toContain(`failedOpen: ${file}:`)
  })

  // S5
  test('a weaker twin of the project does not take the place of the gate of the user', async () => {
    const weak = gate(`{ type: command, command: ${JSON.stringify(GATE)}, async: true }`)
    const place = project({ x: 'kept', [FILES[tool]]: weak })
    const rule = { matcher: 'Bash', hooks: [{ type: 'command', command: GATE }] }
    atHome(place, '.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [rule] } }))
    const { sent } = await ask([calling[tool], remove, 'done', 'done'], { in: place, ...FREE, trust: true })
    expect(resultsIn(sent[2]!).at(-1)?.text).toContain('not here')
    expect(place.has('x')).toBe(true)
  })

  test('one that breaks while the agent runs: the call is refused, with file and key', LIMIT, async () => {
    const place = project({ x: 'kept' })
    const file = atHome(place, FILES[tool], GOOD)
    const changed = Promise.withResolvers<void>()
    const { sent } = await ask(['one', calling[tool], 'done', 'done'], {
      in: place,
      ...FREE,
      prompt: (async function* () {
        yield prompted('one')
        const writing = setInterval(() => writeFileSync(file, `${BROKEN}${Math.random()}\n`), 300)
        await changed.promise
        clearInterval(writing)
        yield prompted('two')
      })(),
      each: message =>
        message.type === 'system' &&
        message.subtype === 'informational' &&
        message.content.includes(file) &&
        changed.resolve()
    })
    const [refused] = resultsIn(sent[2]!)
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(`${file}:7: hooks.PreToolUse[0]`) })
    expect(refused!.text).toContain('a gate might be missing')
  })
})

test('a slash command whose gate breaks while the agent runs is refused', LIMIT, async () => {
  const place = project()
  const file = atHome(place, '.claude/commands/tidy.md', GOOD)
  const changed = Promise.withResolvers<void>()
  const { messages, sent } = await ask(['one', 'two'], {
    in: place,
    prompt: (async function* () {
      yield prompted('one')
      const writing = setInterval(() => writeFileSync(file, `${BROKEN}${Math.random()}\n`), 300)
      await changed.promise
      clearInterval(writing)
      yield prompted('/tidy')
    })(),
    each: message =>
      message.type === 'system' &&
      message.subtype === 'informational' &&
      message.content.includes(file) &&
      changed.resolve()
  })
  expect(JSON.stringify(messages)).toContain(`/tidy cannot be used: `)
  expect(sent).toHaveLength(1)
})

// S5
test('managed policy has chosen a mode: no one begins with one that lets more pass', async () => {
  const place = project({ x: 'kept' })
  atHome(place, 'policy/managed-settings.json', JSON.stringify({ permissions: { defaultMode: 'plan' } }))
  const env = { ...place.env, CARABINER_MANAGED_DIR: join(place.home, 'policy') }
  const loose = await ask([remove, 'done'], { in: place, env, permissionMode: 'default', allowedTools: ['Bash'] })
  expect(loose.result).toMatchObject({ error_code: 'E_OPTION_INVALID', result: expect.stringContaining('plan') })
  const unsaid = await ask([remove, 'done'], { in: place, env, allowedTools: ['Bash'] })
  expect(unsaid.messages[0]).toMatchObject({ subtype: 'init', permissionMode: 'plan' })
  expect(place.has('x')).toBe(true)
})

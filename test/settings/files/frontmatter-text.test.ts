/** Settings at the top of Markdown files that are meant as text, and are no YAML. */
import { describe, expect, test, vi } from 'vitest'
import { agentsIn } from '../../../src/lib/settings/active/agent-files.ts'
import { brief, settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const markdown = (settings: string): string => `---\n${settings}\n---\n\nWords.\n`
const EXAMPLES = 'Use this agent when reviewing. Examples: <example>Context: x. user: "hi"</example>'
const HOOKS = `hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: ${JSON.stringify(tells('seen'))}`

describe('a value of one line', () => {
  test('of a subagent, in words with colons: it loads, and its tools are those it names', () => {
    const { write, load } = settingsScene()
    write('home/.claude/agents/r.md', markdown(`name: r\ndescription: ${EXAMPLES}\ntools: Read`))
    expect(load().findings).toEqual([])
    expect(agentsIn(load(), true, { turns: 9, mayChoose: () => true }).get('r')).toMatchObject({
      description: EXAMPLES,
      tools: ['Read'],
      prompt: 'Words.\n'
    })
  })

  test('of a slash command, a hint in brackets: the rest of its settings counts', () => {
    const { write, load } = settingsScene()
    const hint = 'argument-hint: [pr-number] [priority] [assignee]'
    write('home/.claude/commands/pr.md', markdown(`${hint}\nallowed-tools: Bash(git *)\ndescription: Looks`))
    expect(load().findings).toEqual([])
    expect(load().grants).toMatchObject([{ owner: 'pr', rule: 'Bash(git *)', place: { line: 3 } }])
  })

  test.each(['*all* of it', '@them', '"a" and "b"', 'a: b # c', String.raw`one\n\ntwo: three \d`, '{ a } b', '% c: d'])(
    '%s',
    text => {
      const { write, load } = settingsScene()
      write('home/.claude/skills/s/SKILL.md', markdown(`description: ${text}\nname: t`))
      expect(load()).toMatchObject({
        findings: [],
        owners: [{ name: 't', document: { value: { description: text } } }]
      })
    }
  )

  test('in lines that end in CR LF', () => {
    const { write, load } = settingsScene()
    write('home/.claude/agents/r.md', markdown(`description: ${EXAMPLES}\nname: r`).replaceAll('\n', '\r\n'))
    expect(load()).toMatchObject({
      findings: [],
      owners: [{ document: { value: { description: EXAMPLES, name: 'r' } } }]
    })
  })

  // F122
  test('beside hooks: they are in force, and know their lines', async () => {
    const { write, load, arm } = settingsScene()
    write('home/.claude/skills/s/SKILL.md', markdown(`description: ${EXAMPLES}\n${HOOKS}`))
    expect(load()).toMatchObject({ findings: [], hooks: [{ owner: 's', place: { line: 6 } }] })
    expect(await told(await arm({ owners: ['s'] }))).toEqual(['seen'])
  })
})

// F126
describe('what is still no YAML', () => {
  const findingOf = (settings: string) => {
    const { write, load } = settingsScene()
    const file = write('home/.claude/agents/r.md', markdown(settings))
    const { findings, hooks } = load()
    expect(hooks).toEqual([])
    expect(findings).toMatchObject([{ code: 'not-yaml', place: { file } }])
    return findings[0]!
  }

  test('is said once, at its line, and nowhere else', () => {
    const found = findingOf(`name: r\ndescription: a\n  goes: on\nmodel: x`)
    expect(brief(found)).toBe('warning not-yaml :3')
    expect(found.message).not.toMatch(/line \d|column \d/)
  })

  test.each(['name: a\nname: b', 'description: a\n  b: c', 'description: a: b\nand: c\nso on'])(
    '%j costs only itself',
    text => {
      expect(findingOf(text)).toMatchObject({ level: 'warning', gate: false })
    }
  )

  test.each([
    'hooks: [x] [y]',
    'tools: [Read] [Write]',
    'disallowedTools: [Bash] x',
    'permissionMode: plan: x',
    'name: a\nname: b\ntools: Read',
    'name: a\nname: b\n"hooks": {}',
    'a: b\n  c: d\nhooks:\n  Stop: []'
  ])('%j may have been a gate: no one continues', text => {
    expect(findingOf(text)).toMatchObject({ level: 'error', gate: true })
  })

  test('is never guessed within hooks', () => {
    const command = 'command: echo a: b'
    expect(findingOf(`hooks:\n  Stop:\n    - hooks:\n        - type: command\n          ${command}`)).toMatchObject({
      level: 'error',
      gate: true,
      place: { line: 6 }
    })
  })
})

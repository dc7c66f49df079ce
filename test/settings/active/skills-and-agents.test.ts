/** Skills, slash commands and subagents, and what decides over their hooks and rules. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { describeUntrusted } from '../../../src/lib/cli/common.ts'
import { trustOf } from '../../../src/settings.ts'
import { settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const markdown = (settings: string): string => `---\n${settings}\n---\n\nWords.\n`
const hooksIn = (word: string): string =>
  `hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: ${JSON.stringify(tells(word))}`

describe('a slash command', () => {
  // F122
  test('has hooks as a skill has', async () => {
    const { write, load, arm } = settingsScene()
    write('home/.claude/commands/git/tidy.md', markdown(hooksIn('tidied')))
    expect(load()).toMatchObject({ findings: [], hooks: [{ scope: 'skill', owner: 'git:tidy' }] })
    expect(await told(await arm())).toEqual([])
    expect(await told(await arm({ owners: ['git:tidy'] }))).toEqual(['tidied'])
  })
})

describe('of a plugin', () => {
  const withSkill = () => {
    const it = settingsScene()
    it.write('plugin/skills/format/SKILL.md', markdown(hooksIn('formatted')))
    return { ...it, options: { pluginDirs: [it.path('plugin')] } }
  }
  const ACTIVE = { owners: ['plugin:format'] }

  // F122
  test('its hooks are in force while it is active', async () => {
    const { load, arm, options } = withSkill()
    expect(load(options)).toMatchObject({
      findings: [],
      plugins: [{ name: 'plugin' }],
      owners: [{ kind: 'skill', name: 'plugin:format', ofProject: false }],
      hooks: [{ scope: 'skill', owner: 'plugin:format', plugin: { name: 'plugin' } }]
    })
    expect(await told(await arm({}, options))).toEqual([])
    expect(await told(await arm({ owners: ['format'] }, options))).toEqual([])
    expect(await told(await arm(ACTIVE, options))).toEqual(['formatted'])
  })

  test('where policy allows hooks of plugins only, they are among them', async () => {
    const { write, managed, arm, options } = withSkill()
    managed({ strictPluginOnlyCustomization: true })
    write('home/.claude/skills/own/SKILL.md', markdown(hooksIn('own')))
    expect(await told(await arm({ owners: ['plugin:format', 'own'] }, options))).toEqual(['formatted'])
  })

  test('where policy allows managed hooks only, they are not', async () => {
    const { managed, arm, options } = withSkill()
    managed({ allowManagedHooksOnly: true })
    expect(await told(await arm(ACTIVE, options))).toEqual([])
  })

  test('disableAllHooks switches them off', async () => {
    const { user, arm, options } = withSkill()
    user({ disableAllHooks: true })
    expect(await told(await arm(ACTIVE, options))).toEqual([])
  })
})

describe('what it allows', () => {
  test('is found, with its place', () => {
    const { write, load } = settingsScene()
    const file = write('home/.claude/skills/a/SKILL.md', markdown('name: a\nallowed-tools: Read, Bash(git *)'))
    expect(load().grants).toEqual(
      ['Read', 'Bash(git *)'].map(rule => ({
        owner: 'a',
        rule,
        ofProject: false,
        place: { file, line: 3, column: expect.any(Number), key: 'allowed-tools' }
      }))
    )
  })

  test('has to be trusted where it came with the project, and people are shown it', () => {
    const { write, load, where } = settingsScene()
    write('project/.claude/skills/a/SKILL.md', markdown('allowed-tools: Bash(git *)'))
    const trust = trustOf(load(), where)
    expect(trust.state).toBe('untrusted')
    expect(describeUntrusted(load(), trust).join('\n')).toContain('allow  Bash(git *)  while a is active  (')
  })

  test('does not matter to a subagent', () => {
    const { write, load } = settingsScene()
    write('home/.claude/agents/a.md', markdown('allowed-tools: Bash'))
    expect(load().grants).toEqual([])
  })
})

test('A5: folders of agents and commands that lead to a large part of the disk are not walked through, and stop the run', () => {
  const { path, load } = settingsScene()
  mkdirSync(path('project/.claude'), { recursive: true })
  mkdirSync(path('disk'))
  for (let file = 0; file <= 10_000; file++) writeFileSync(path(`disk/${file}.md`), '')
  for (const name of ['agents', 'commands']) symlinkSync(path('disk'), path(`project/.claude/${name}`))
  const tooMany = { level: 'error', gate: true, message: expect.stringContaining('more than 10000 files') }
  expect(load()).toMatchObject({ owners: [], findings: [tooMany, tooMany] })
})

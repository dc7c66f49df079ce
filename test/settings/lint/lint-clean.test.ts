/** Ordinary hook files, in the manner of those that people have: there is nothing to say about them. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { settingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { rule } from '../../support/command-settings.ts'
import { fixture } from '../../support/fixture.ts'

vi.setConfig({ testTimeout: HANG })

const FILES = readdirSync(fixture('settings/wild'))
const SCRIPTS = /\.claude\/hooks\/[\w.-]+/g
const PROGRAMS =
  'afplay bun curl docker git jq logger make node notify-send npm npx osascript python3 say uv gofmt'.split(' ')

test('there are ten of them', () => {
  expect(FILES).toHaveLength(10)
})

describe.each(['user', 'ofProject', 'local', 'managed'] as const)('as %s', level => {
  test.each(FILES)('%s', file => {
    const it = settingsScene()
    const text = readFileSync(fixture(`settings/wild/${file}`), 'utf8')
    for (const script of text.match(SCRIPTS) ?? [])
      for (const base of ['project', 'home']) it.write(`${base}/${script}`, '#!/bin/sh\n')
    it.write('home/bin/report-failure', '#!/bin/sh\n')
    it.programs(...PROGRAMS)
    it[level](text)
    expect(it.load().hooks.length).toBeGreaterThan(1)
    // What a project cannot set is worth knowing, and no mistake; so is a tool that is not here.
    const known = new Set(['project-env', 'project-directories', 'tool-absent'])
    expect(it.findings().filter(({ code }) => !known.has(code))).toEqual([])
  })
})

test.each(['mcp__files__(write_file|delete_file)', 'mcp__files__write_(file|dir)', 'mcp__files__(.*)'])(
  'the matcher %s, which is a regular expression for tools of a server',
  matcher => {
    const { user, findings } = settingsScene()
    user({ hooks: { PreToolUse: [rule('true', matcher)] } })
    expect(findings()).toEqual([])
  }
)

test('in a plugin', () => {
  const { write, path, findings } = settingsScene()
  write('plugin/scripts/check.sh', '#!/usr/bin/env bash\n')
  write('plugin/hooks/hooks.json', {
    description: 'checks',
    hooks: {
      PreToolUse: [
        rule('${CLAUDE_PLUGIN_ROOT}/scripts/check.sh', 'Bash'),
        rule('bash "${CLAUDE_PLUGIN_ROOT}/scripts/check.sh" --deep', 'Write|Edit', { timeout: 15 }),
        rule('${CLAUDE_PLUGIN_ROOT}/scripts/check.sh', 'Read', { args: ['--quiet'] })
      ]
    }
  })
  expect(findings({ pluginDirs: [path('plugin')] })).toEqual([])
})

test('in frontmatter', () => {
  const { write, findings } = settingsScene()
  write('project/scripts/format.sh', '#!/bin/sh\n')
  write(
    'project/.claude/agents/writer.md',
    '---\nname: writer\ndescription: Writes.\ntools: Read, Write\nmodel: inherit\nhooks:\n  PreToolUse:\n    - matcher: "Write|Edit"\n      hooks:\n        - type: command\n          command: scripts/format.sh\n          timeout: 10\n          once: false\n---\nYou write.\n'
  )
  expect(findings()).toEqual([])
})

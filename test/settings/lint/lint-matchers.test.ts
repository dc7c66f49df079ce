/** Matchers that look right and match nothing. */
import { describe, expect, test, vi } from 'vitest'
import type { Level } from '../../../src/settings.ts'
import { check, MATCHER, type Dead } from './dead.ts'
import { settingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const matching = (matcher: string, code: string, fix: string, level: Level = 'error'): Dead => ({
  what: matcher,
  settings: commandOn('PreToolUse', 'true', matcher),
  code,
  key: MATCHER,
  fix,
  level
})

test('a short name of a model never matches; patterns and full names may', () => {
  const isReported = (event: string, matcher: string): boolean => {
    const scene = settingsScene()
    scene.ofProject(commandOn(event, 'true', matcher))
    return scene.findings().some(({ code, level }) => code === 'matcher-never' && level === 'error')
  }
  for (const event of ['PreModelSwitch', 'PreModelRequest', 'PostModelResponse'])
    for (const matcher of ['opus', 'x|haiku', 'opus.*|haiku', 'claude-opus-*'])
      expect([event, matcher, isReported(event, matcher)]).toEqual([event, matcher, !/[.*]/.test(matcher)])
})

// R5, R7, R9
describe('matchers of tools', () => {
  test.each<Dead>([
    matching('bash', 'matcher-near', 'Bash'),
    matching('BASH', 'matcher-near', 'Bash'),
    matching('edit|Write', 'matcher-near', 'Edit'),
    matching('Wrtie', 'matcher-near', 'Write'),
    matching('Bash(git commit*)', 'matcher-rule', '"if": "Bash(git commit*)"'),
    matching('Bash(git commit:*)', 'matcher-rule', '"matcher": "Bash"'),
    matching('Bash(*)', 'matcher-rule', '"matcher": "Bash"'),
    matching('Write(src/**)', 'matcher-rule', '"if": "Write(src/**)"'),
    matching('Bash:git commit', 'matcher-never', '"if": "Bash(…)"'),
    matching('Bash git commit', 'matcher-never', 'join names by |'),
    matching('Edit Write', 'matcher-never', 'join names by |'),
    matching('Edit OR Write', 'matcher-never', 'join names by |'),
    matching('Bash.*git', 'matcher-never', '"if"'),
    matching('^Bash.*rm', 'matcher-never', '"if"'),
    matching('Bash\\(git.*\\)', 'matcher-never', '"if"'),
    matching('.*git commit.*', 'matcher-never', '"if"'),
    matching('tool == "Bash"', 'matcher-never', '"if"'),
    matching('tool_name == "Bash" && tool_input.command matches "git"', 'matcher-never', '"if"'),
    matching('tool_name:Bash', 'matcher-never', '"if"'),
    matching('Edit;Write', 'matcher-never', '"if"'),
    matching('Edit&Write', 'matcher-never', '"if"'),
    matching('{Edit,Write}', 'matcher-never', '"if"'),
    matching('src/.*\\.ts', 'matcher-never', '"if"'),
    matching('/Bash/', 'matcher-slashes', 'the pattern alone'),
    matching('/^Bash$/i', 'matcher-slashes', 'the pattern alone'),
    matching('!Bash', 'matcher-negation', '^(?!Bash$).*'),
    matching('mcp__github', 'matcher-server', 'mcp__github__.*'),
    matching('mcp__my-server', 'matcher-server', 'mcp__my-server__.*'),
    matching('Bаsh', 'matcher-letters', 'type it anew'),
    matching('Ｅdit|Write', 'matcher-letters', 'type it anew'),
    matching('[', 'matcher-invalid', 'correct the pattern', 'error'),
    matching('Bash(', 'matcher-invalid', 'correct the pattern', 'error'),
    matching('(?i)bash', 'matcher-invalid', 'correct the pattern', 'error'),
    matching('*.ts', 'matcher-invalid', 'correct the pattern', 'error')
  ])('$what', each => check(each))
})

describe('matchers of other events', () => {
  test.each<Dead>([
    {
      what: 'how a session begins',
      settings: commandOn('SessionStart', 'true', 'start'),
      code: 'matcher-never',
      key: 'hooks.SessionStart[0].matcher',
      fix: 'one of these'
    },
    {
      what: 'why a compaction is made',
      settings: commandOn('PreCompact', 'true', 'Auto'),
      code: 'matcher-never',
      key: 'hooks.PreCompact[0].matcher',
      fix: 'one of these'
    },
    {
      what: 'nothing to match',
      settings: commandOn('Stop', 'true', 'Bash'),
      code: 'matcher-ignored',
      key: 'hooks.Stop[0].matcher',
      fix: 'delete',
      level: 'info'
    }
  ])('$what', each => check(each))
})

test('the matcher of a rule is one finding, however many hooks the rule has', () => {
  const { user, findings } = settingsScene()
  const hook = (command: string): object => ({ type: 'command', command })
  user({ hooks: { PreToolUse: [{ matcher: 'bash', hooks: [hook('true'), hook('echo'), hook('pwd')] }] } })
  expect(findings()).toMatchObject([{ code: 'matcher-near', place: { line: 5, key: MATCHER } }])
})

/** Shapes, keys and rules that look right and do nothing. */
import { describe, expect, test, vi } from 'vitest'
import { check, HANDLER, type Dead } from './dead.ts'
import { settingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

describe('shapes', () => {
  test.each<Dead>([
    {
      what: '"hook" in place of "hooks"',
      settings: { hooks: { PreToolUse: [{ matcher: 'Bash', hook: { type: 'command', command: 'x' } }] } },
      code: 'rule-hook',
      key: 'hooks.PreToolUse[0]',
      fix: '"hooks"',
      level: 'error'
    },
    {
      what: 'a rule without hooks',
      settings: { hooks: { PreToolUse: [{ matcher: 'Bash' }] } },
      code: 'rule-empty',
      key: 'hooks.PreToolUse[0]',
      fix: '"hooks"',
      level: 'error'
    },
    {
      what: 'hooks at the top under another name',
      settings: { hook: { PreToolUse: [] } },
      code: 'key-unknown',
      key: 'hook',
      fix: 'hooks',
      level: 'error'
    },
    { what: 'Hooks', settings: { Hooks: {} }, code: 'key-case', key: 'Hooks', fix: 'write hooks', level: 'error' },
    {
      what: 'an event that there is not',
      settings: { hooks: { PreToolUsed: [rule('x')] } },
      code: 'event-unknown',
      key: 'hooks.PreToolUsed',
      fix: 'PreToolUse',
      level: 'error'
    },
    {
      what: 'an event of another product',
      settings: { hooks: { BeforeTool: [rule('x')] } },
      code: 'event-unknown',
      key: 'hooks.BeforeTool',
      fix: 'use one of PreToolUse, ',
      level: 'error'
    },
    {
      what: 'a map of names, which would void the file for Claude Code',
      settings: { hooks: { PreToolUse: { check: 'true' } } },
      code: 'named-map',
      key: 'hooks.PreToolUse',
      fix: 'carabiner.hooks'
    },
    {
      what: 'a bare command, which would void it, too',
      settings: { hooks: { SessionStart: ['true'] } },
      code: 'bare-command',
      key: 'hooks.SessionStart[0]',
      fix: '"type": "command"'
    },
    ...['pre_tool_use', 'preToolUse', 'PRETOOLUSE', 'PreTooluse'].map(name => ({
      what: `an event as Claude Code does not write it: ${name}`,
      settings: { hooks: { [name]: [rule('true')] } },
      code: 'event-spelling',
      key: `hooks.${name}`,
      fix: 'write PreToolUse'
    })),
    ...[
      { type: 'command', command: 'true' },
      { command: 'true', matcher: 'Bash' }
    ].map(handler => ({
      what: `a hook without a rule: ${JSON.stringify(handler)}`,
      settings: { hooks: { PostToolUse: [handler] } },
      code: 'rule-missing',
      key: 'hooks.PostToolUse[0]',
      fix: '"hooks": [ … ]'
    })),
    {
      what: 'a kind of ours among Claude Code’s',
      settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'worker', command: 'node' }] }] } },
      code: 'voids-file',
      key: `${HANDLER}.type`,
      fix: 'carabiner.hooks'
    },
    {
      what: 'a type that is missing',
      settings: { hooks: { PreToolUse: [{ hooks: [{ command: 'true' }] }] } },
      code: 'type-missing',
      key: HANDLER,
      fix: '"type": "command"'
    },
    {
      what: 'a key of the hook on the rule',
      settings: { hooks: { PreToolUse: [{ onFailure: 'block', hooks: [{ type: 'command', command: 'true' }] }] } },
      code: 'rule-key',
      key: 'hooks.PreToolUse[0].onFailure',
      fix: 'move it into the hook'
    },
    {
      what: 'a key that is misspelt',
      settings: commandOn('PreToolUse', 'true', 'Bash', { timout: 5 }),
      code: 'key-unknown',
      key: `${HANDLER}.timout`,
      fix: 'timeout'
    },
    {
      what: 'an empty command',
      settings: commandOn('PreToolUse', ' ', 'Bash'),
      code: 'key-missing',
      key: `${HANDLER}.command`,
      fix: 'command',
      level: 'error'
    }
  ])('$what', each => check(each))
})

test('where Claude Code does not look, every form is in order', () => {
  const { user, findings } = settingsScene()
  const hooks = { pre_tool_use: [{ command: 'true' }], STOP: { note: 'true' }, sessionStart: ['true'] }
  user({ carabiner: { hooks } })
  expect(findings()).toEqual([])
})

describe('time', () => {
  test.each<Dead>([
    {
      what: 'milliseconds where seconds are meant',
      settings: commandOn('PreToolUse', 'true', 'Bash', { timeout: 10_000 }),
      code: 'timeout-unit',
      key: `${HANDLER}.timeout`,
      fix: 'write 10 '
    },
    {
      what: 'a time that is none',
      settings: commandOn('PreToolUse', 'true', 'Bash', { timeout: '10s' }),
      code: 'key-type',
      key: `${HANDLER}.timeout`,
      fix: 'seconds',
      level: 'error'
    }
  ])('$what', each => check(each))
})

describe('conditions', () => {
  test.each<Dead>([
    {
      what: 'on an event that is about no tool',
      settings: commandOn('Stop', 'true', undefined, { if: 'Bash(git *)' }),
      code: 'if-never',
      key: 'hooks.Stop[0].hooks[0].if',
      fix: 'delete',
      level: 'error'
    },
    ...[
      'Bash(git *) && Edit',
      'Bash(',
      'Bash()',
      'git *',
      'Bash(git *) || Bash(npm *)',
      'mcp__files__(write_file|edit_file)'
    ].map(condition => ({
      what: condition,
      settings: commandOn('PreToolUse', 'true', 'Bash', { if: condition }),
      code: 'if-invalid',
      key: `${HANDLER}.if`,
      fix: 'Bash(git *)',
      level: 'error' as const
    }))
  ])('$what', each => check(each))
})

// R11
describe('permission rules', () => {
  test.each<Dead>([
    ...(['Bash:*', 'Bash()', 'Bash(', 'Bash(git *)x'] as const).map(text => ({
      what: text,
      settings: { permissions: { deny: [text] } },
      code: 'rule-invalid',
      key: 'permissions.deny[0]',
      fix: '',
      level: 'error' as const
    })),
    {
      what: 'denny',
      settings: { permissions: { denny: ['Bash(rm *)'] } },
      code: 'key-unknown',
      key: 'permissions.denny',
      fix: 'deny',
      level: 'error'
    },
    {
      what: 'a rule that is no list',
      settings: { permissions: { deny: 'Bash' } },
      code: 'key-type',
      key: 'permissions.deny',
      fix: 'a list',
      level: 'error'
    }
  ])('$what', each => check(each))
})

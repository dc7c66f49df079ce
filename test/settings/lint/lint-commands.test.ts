/** Commands that look right and do nothing. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { EventName } from '../../../src/hooks.ts'
import { check, HANDLER, type Dead } from './dead.ts'
import { settingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

describe('variables that no one sets', () => {
  test.each<Dead>([
    ...[
      '$TOOL_NAME',
      '${TOOL_INPUT}',
      '$CLAUDE_TOOL_INPUT_FILE_PATH',
      '$CLAUDE_FILE_PATHS',
      '$TOOL_OUTPUT',
      '$HOOK_INPUT'
    ].map(variable => ({
      what: variable,
      settings: commandOn('PreToolUse', `prettier --write "${variable}"`, 'Edit'),
      code: 'variable-unknown',
      key: `${HANDLER}.command`,
      fix: 'standard input'
    })),
    {
      what: 'several in one command are one finding',
      settings: commandOn('PreToolUse', 'log "$TOOL_NAME" "$TOOL_INPUT" "$CLAUDE_TOOL_NAME"', 'Edit'),
      code: 'variable-unknown',
      key: `${HANDLER}.command`,
      fix: 'tool_name'
    }
  ])('$what', each => check(each))
})

describe('answers that no one reads', () => {
  test.each<Dead>([
    ...['block', 'feedback', 'approve', 'message'].map(word => ({
      what: word,
      settings: commandOn('PreToolUse', `echo '{"${word}": "x"}'`, 'Bash'),
      code: 'answer-invented',
      key: `${HANDLER}.command`,
      fix: '"decision"'
    })),
    {
      what: 'in escaped quotes',
      settings: commandOn('PreToolUse', 'echo "{\\"block\\": true}"', 'Bash'),
      code: 'answer-invented',
      key: `${HANDLER}.command`,
      fix: '"decision"'
    },
    {
      what: 'exit 1 as a refusal',
      settings: commandOn('PreToolUse', 'grep -q rm && exit 1', 'Bash'),
      code: 'exit-1',
      key: `${HANDLER}.command`,
      fix: 'exit with 2'
    }
  ])('$what', each => check(each))
})

const SCRIPT = 'project/.claude/hooks/check.sh'
describe('scripts', () => {
  test.each<Dead>([
    ...[
      '.claude/hooks/check.sh',
      './.claude/hooks/check.sh',
      '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh',
      '${CLAUDE_PROJECT_DIR}/.claude/hooks/check.sh --fast',
      'bash .claude/hooks/check.sh',
      'python3 -u "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh"',
      'A=1 .claude/hooks/check.sh'
    ].map(command => ({
      what: `missing: ${command}`,
      settings: commandOn('PreToolUse', command, 'Bash'),
      code: 'script-missing',
      key: `${HANDLER}.command`,
      fix: '/.claude/hooks/check.sh',
      level: 'error' as const
    })),
    {
      what: 'without the right to be executed',
      settings: commandOn('PreToolUse', '.claude/hooks/check.sh', 'Bash'),
      code: 'script-not-executable',
      key: `${HANDLER}.command`,
      fix: 'chmod +x ',
      level: 'error',
      setUp: it => chmodSync(it.write(SCRIPT, '#!/bin/sh\n'), 0o644)
    },
    {
      what: 'for an interpreter that there is not',
      settings: commandOn('PreToolUse', '.claude/hooks/check.sh', 'Bash'),
      code: 'script-interpreter',
      key: `${HANDLER}.command`,
      fix: 'first line',
      level: 'error',
      setUp: it => it.write(SCRIPT, '#!/nowhere/python\n')
    },
    {
      what: 'with lines that end in CR LF',
      settings: commandOn('PreToolUse', '.claude/hooks/check.sh', 'Bash'),
      code: 'script-interpreter',
      key: `${HANDLER}.command`,
      fix: 'save it with LF',
      level: 'error',
      setUp: it => it.write(SCRIPT, '#!/bin/sh\r\nexit 0\r\n')
    },
    {
      what: 'that is a folder',
      settings: commandOn('PreToolUse', '.claude/hooks/check.sh', 'Bash'),
      code: 'script-missing',
      key: `${HANDLER}.command`,
      fix: 'the script itself',
      level: 'error',
      setUp: it => mkdirSync(it.path(SCRIPT), { recursive: true })
    },
    {
      what: 'that is a pipe',
      settings: commandOn('PreToolUse', '.claude/hooks/check.sh', 'Bash'),
      code: 'script-missing',
      key: `${HANDLER}.command`,
      fix: 'the script itself',
      level: 'error',
      setUp(it) {
        mkdirSync(dirname(it.path(SCRIPT)), { recursive: true })
        execFileSync('mkfifo', ['-m', '755', it.path(SCRIPT)])
      }
    },
    {
      what: 'words in a program that has args',
      settings: commandOn('PreToolUse', 'python3 check.py', 'Bash', { args: ['x'] }),
      code: 'args-program',
      key: `${HANDLER}.command`,
      fix: 'into args'
    }
  ])('$what', each => check(each))
})

describe('behaviour', () => {
  test.each<Dead>([
    {
      what: 'a gate in the background',
      settings: commandOn('PreToolUse', 'true', 'Bash', { async: true }),
      code: 'async-gate',
      key: `${HANDLER}.async`,
      fix: 'delete async'
    },
    {
      what: 'a gate that fails open',
      settings: commandOn('PreToolUse', 'true', 'Bash', { onFailure: 'continue' }),
      code: 'fails-open',
      key: `${HANDLER}.onFailure`,
      fix: 'delete onFailure',
      level: 'info'
    },
    {
      what: 'once, which Claude Code heeds in skills alone',
      settings: commandOn('Stop', 'true', undefined, { once: true }),
      code: 'once-scope',
      key: 'hooks.Stop[0].hooks[0].once',
      fix: 'nothing to do',
      level: 'info'
    },
    {
      what: 'an event that only Carabiner fires',
      settings: commandOn('PreModelRequest', 'true'),
      code: 'event-only-here',
      key: 'hooks.PreModelRequest[0].hooks[0].type',
      fix: 'nothing to do',
      level: 'info'
    },
    {
      what: 'the other one',
      settings: commandOn('PostModelResponse', 'true'),
      code: 'event-only-here',
      key: 'hooks.PostModelResponse[0].hooks[0].type',
      fix: 'nothing to do',
      level: 'info'
    },
    {
      what: 'an agent that judges answers',
      settings: { hooks: { PostModelResponse: [{ hooks: [{ type: 'agent', prompt: 'Is it all right?' }] }] } },
      code: 'agent-judges-answer',
      key: 'hooks.PostModelResponse[0].hooks[0].type',
      fix: 'prompt or command',
      level: 'error'
    },
    {
      what: 'an address that is none',
      settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: 'hooks.example/check' }] }] } },
      code: 'url-refused',
      key: `${HANDLER}.url`,
      fix: 'whole address',
      level: 'error'
    },
    {
      what: 'an address that is not allowed',
      settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: 'https://other.example/' }] }] } },
      code: 'url-refused',
      key: `${HANDLER}.url`,
      fix: 'may ask',
      level: 'error',
      setUp: it => it.managed({ allowedHttpHookUrls: ['https://hooks.example/*'] })
    }
  ])('$what', each => check(each))
})

describe('a command that always allows', () => {
  const DECISION = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
  const levels = (event: EventName, command: string, matcher?: string): readonly string[] => {
    const { user, findings } = settingsScene()
    user(commandOn(event, command, matcher))
    return findings().flatMap(({ code, level }) => (code === 'always-allows' ? [level] : []))
  }

  test.each([
    ['a constant answer', `echo '${DECISION}'`],
    ['behind a log', `cat >> /tmp/log; echo '${DECISION}'`],
    ['in the older word', `printf '{"decision": "approve"}'`],
    ['with quotes that are escaped', `echo "{\\"decision\\":\\"allow\\"}"`]
  ])('S11: %s is a warning on every tool, and a note on named ones', (_, command) => {
    expect(levels('PreToolUse', command)).toEqual(['warning'])
    expect(levels('PreToolUse', command, '*')).toEqual(['warning'])
    expect(levels('PreToolUse', command, 'Read|Glob')).toEqual(['info'])
  })

  test('S11: so is a hook on PermissionRequest that always grants', () => {
    const answer = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'
    expect(levels('PermissionRequest', `echo '${answer}'`)).toEqual(['warning'])
  })

  test.each([
    ['an answer that depends on the input', `if grep -q ls; then echo '${DECISION}'; fi`],
    ['an answer behind a test', `grep -q ls && echo '${DECISION}'`],
    ['a refusal', `echo '{"decision":"block","reason":"no"}'`],
    ['silence', 'cat >> /tmp/log']
  ])('S11: %s is not taken for one', (_, command) => {
    expect(levels('PreToolUse', command)).toEqual([])
  })

  test('S11: on an event that grants nothing it is no matter', () => {
    expect(levels('PostToolUse', `echo '{"decision":"approve"}'`)).toEqual([])
  })
})

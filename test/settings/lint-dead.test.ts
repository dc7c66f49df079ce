/** Configurations that look right and do nothing: each is one finding that says where it is and what to do. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Level } from '../../src/settings.ts'
import { commandOn, HANG, rule, scene, type Scene, type Settings } from './support.ts'

vi.setConfig({ testTimeout: HANG })

interface Dead {
  readonly what: string
  readonly settings: Settings
  readonly code: string
  readonly key: string
  /** Part of what to do about it. */
  readonly fix: string
  readonly level?: Level
  readonly setUp?: (it: Scene) => unknown
}

/** The line on which a key of the file stands, by the words around it. */
const lineOf = (text: string, words: string): number => text.slice(0, text.indexOf(words)).split('\n').length

function check({ what, settings, code, key, fix, level = 'warning', setUp }: Dead): void {
  const it = scene()
  setUp?.(it)
  const file = it.ofProject(settings)
  const found = it.findings()
  expect(found, what).toMatchObject([{ level, code, place: { file, key }, fix: expect.stringContaining(fix) }])
  const [last = ''] = key.split('.').slice(-1)
  const name = last.replace(/\[\d+\]$/, '')
  if (name === last) expect(found[0]!.place.line).toBe(lineOf(it.read('project/.claude/settings.json'), `"${name}":`))
  expect(found[0]!.message).not.toBe('')
}

const dead = (name: string, cases: readonly Dead[]): unknown =>
  describe(name, () => {
    test.each(cases)('$what', each => check(each))
  })

const HANDLER = 'hooks.PreToolUse[0].hooks[0]'
const MATCHER = 'hooks.PreToolUse[0].matcher'

dead('variables that nobody sets', [
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
])

dead('shapes', [
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
    fix: 'hooks'
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
    fix: 'docs/hooks.md',
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
    settings: { hooks: { PreToolUse: [{ onFailure: 'block', hooks: [] }] } },
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
])

dead('answers that nobody reads', [
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
    fix: 'exit with 2',
    level: 'info'
  }
])

dead('time', [
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
])

const matching = (matcher: string, code: string, fix: string, level: Level = 'warning'): Dead => ({
  what: matcher,
  settings: commandOn('PreToolUse', 'true', matcher),
  code,
  key: MATCHER,
  fix,
  level
})

// R5, R7, R9
dead('matchers of tools', [
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
])

dead('matchers of other events', [
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
])

test('the matcher of a rule is one finding, however many hooks the rule has', () => {
  const { user, findings } = scene()
  const hook = (command: string): object => ({ type: 'command', command })
  user({ hooks: { PreToolUse: [{ matcher: 'bash', hooks: [hook('a'), hook('b'), hook('c')] }] } })
  expect(findings()).toMatchObject([{ code: 'matcher-near', place: { line: 5, key: MATCHER } }])
})

dead('conditions', [
  {
    what: 'on an event that is about no tool',
    settings: commandOn('Stop', 'true', undefined, { if: 'Bash(git *)' }),
    code: 'if-never',
    key: 'hooks.Stop[0].hooks[0].if',
    fix: 'delete',
    level: 'error'
  },
  ...['Bash(git *) && Edit', 'Bash(', 'Bash()', 'git *', 'Bash(git *) || Bash(npm *)'].map(condition => ({
    what: condition,
    settings: commandOn('PreToolUse', 'true', 'Bash', { if: condition }),
    code: 'if-invalid',
    key: `${HANDLER}.if`,
    fix: 'Bash(git *)',
    level: 'error' as const
  }))
])

// R11
dead('permission rules', [
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
])

const SCRIPT = 'project/.claude/hooks/check.sh'
dead('scripts', [
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
])

dead('behaviour', [
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
])

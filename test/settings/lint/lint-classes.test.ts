/** What `check` says of commands, rules and scripts, and what it does not say. */
import { describe, expect, test, vi } from 'vitest'
import { chmodSync } from 'node:fs'
import { cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { prints, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

interface Found {
  readonly code: string
  readonly message: string
}

/** What `check` finds in settings with one hook. */
async function found(
  event: string,
  hook: object,
  files: Readonly<Record<string, string>> = {}
): Promise<readonly Found[]> {
  const here = cliStage()
  for (const [name, text] of Object.entries(files)) chmodSync(here.write(`project/${name}`, text), 0o755)
  here.settings({ hooks: { [event]: [hook] } })
  const { findings } = await here.json<{ findings: readonly Found[] }>(['hooks', 'check'])
  return findings
}

const codesOf = (findings: readonly Found[]): readonly string[] => findings.map(({ code }) => code)

describe('variables', () => {
  test.each([
    'TOOL_NAME=$(jq -r .tool_name); echo "$TOOL_NAME" >> log',
    'INPUT=$(cat) && TOOL_INPUT="$INPUT" && echo "${TOOL_INPUT}" >> log',
    'read -r HOOK_INPUT; echo "$HOOK_INPUT" >> log',
    'IFS= read -r -d "" HOOK_INPUT_JSON; echo "$HOOK_INPUT_JSON" >> log',
    'for TOOL_NAME in a b; do echo "$TOOL_NAME" >> log; done',
    'export CLAUDE_FILE_PATHS=x; ls "$CLAUDE_FILE_PATHS"'
  ])('C4: a variable that the command sets itself is known: %s', async command => {
    expect(codesOf(await found('PostToolUse', rule(command, 'Bash')))).not.toContain('variable-unknown')
  })

  test('C4: one that the hook or the settings set is known', async () => {
    const hook = rule('echo "$TOOL_NAME" >> log', 'Bash', { env: { TOOL_NAME: 'x' } })
    expect(codesOf(await found('PostToolUse', hook))).not.toContain('variable-unknown')
  })

  test('C4: every unknown variable of a command is named, each once', async () => {
    const command = 'log "$TOOL_NAME" "${TOOL_INPUT}" "$TOOL_NAME" "$CLAUDE_FILE_PATHS"; X=1; echo "$X"'
    const findings = (await found('PostToolUse', rule(command, 'Bash'))).filter(
      ({ code }) => code === 'variable-unknown'
    )
    expect(findings.map(({ message }) => message)).toEqual(['no host sets TOOL_NAME, TOOL_INPUT, CLAUDE_FILE_PATHS'])
  })

  test('C4: a variable whose name only begins like one that is set is unknown', async () => {
    const command = 'TOOL_NAME_SHORT=x; echo "$TOOL_NAME" >> log'
    expect(codesOf(await found('PostToolUse', rule(command, 'Bash')))).toContain('variable-unknown')
  })
})

describe('answers', () => {
  test.each([
    `echo '{"block":true}' >&2; exit 2`,
    `echo '{"message":"hi"}' > last.json`,
    `echo '{"message":"hi"}' | tee -a log >/dev/null`,
    `curl -s -d '{"message":"done"}' http://127.0.0.1:9/`,
    `if true; then curl -d "{\\"message\\": 1}" http://127.0.0.1:9/; fi`,
    `BODY='{"message":"x"}'; curl -d "$BODY" http://127.0.0.1:9/`
  ])('C4: what is sent elsewhere is no invented answer: %s', async command => {
    expect(codesOf(await found('PostToolUse', rule(command, 'Bash')))).not.toContain('answer-invented')
  })

  test.each([
    `echo '{"block":true}'`,
    `test -f x && echo '{"message": "no"}' 2>/dev/null`,
    `curl -s http://127.0.0.1:9/; printf '{"approve":true}'`
  ])('C4: what is printed as an answer is one: %s', async command => {
    expect(codesOf(await found('PostToolUse', rule(command, 'Bash')))).toContain('answer-invented')
  })

  test.each([
    ['PreCompact', { hookSpecificOutput: { hookEventName: 'PreCompact', additionalContext: 'x' } }],
    ['SessionEnd', { hookSpecificOutput: { hookEventName: 'SessionEnd', additionalContext: 'x' } }],
    ['PostToolUse', { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'deny' } }]
  ])('C4: what %s does not read of an answer is named', async (event, reply) => {
    expect(codesOf(await found(event, rule(prints(reply))))).toContain('answer-unread')
  })

  test('C4: what an event reads is not', async () => {
    const reply = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', updatedInput: {} } }
    expect(codesOf(await found('PreToolUse', rule(prints(reply), 'Bash')))).not.toContain('answer-unread')
  })
})

describe('scripts', () => {
  test.each([
    ['check.sh', '#!/bin/sh\nif grep -q rm; then\n  echo "BLOCKED: no rm" >&2\n  exit 1\nfi\n'],
    ['check.py', '#!/usr/bin/env python3\nimport sys\nprint("denied", file=sys.stderr)\nsys.exit(1)\n']
  ])('C4: %s refuses with exit code 1: that is no refusal', async (name, text) => {
    const findings = await found('PreToolUse', rule(`./${name}`, 'Bash'), { [name]: text })
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'exit-1', message: expect.stringContaining('line 4') })
    )
  })

  test.each([
    ['exit code 2', 'PreToolUse', 'echo BLOCKED >&2\nexit 2\n'],
    ['a failure', 'PreToolUse', 'command -v jq || { echo "jq is missing" >&2; exit 1; }\n'],
    ['an event that decides nothing', 'PostToolUse', 'echo blocked\nexit 1\n']
  ])('C4: %s in a script is not taken for it', async (_, event, body) => {
    const findings = await found(event, rule('./x.sh', 'Bash'), { 'x.sh': `#!/bin/sh\n${body}` })
    expect(codesOf(findings)).not.toContain('exit-1')
  })
})

test.each(['id', 'name', 'title', 'description', '_comment', '$schema', 'tags'])(
  'C4: %s on a rule or a hook is for people, and not remarked on',
  async key => {
    const hook = { ...(rule('true', 'Bash', { [key]: 'mine' }) as object), [key]: 'mine' }
    expect(codesOf(await found('PostToolUse', hook))).toEqual([])
  }
)

test.each(['timeout', 'enabled', 'matchers'])('C4: %s on a rule is still remarked on', async key => {
  expect(codesOf(await found('PostToolUse', { ...rule('true', 'Bash'), [key]: 5 }))).toContain('rule-key')
})

test.each(['(a+)+$', 'mcp__(\\w*)*__x', '(?:Ba+){2,}sh'])(
  'C4: %s repeats a repetition, and is named',
  async matcher => {
    expect(codesOf(await found('PostToolUse', rule('true', matcher)))).toContain('matcher-slow')
  }
)

test.each(['(Edit|Write)+', 'mcp__.*__write.*', '^(?!Bash$).*'])('C4: %s does not', async matcher => {
  expect(codesOf(await found('PostToolUse', rule('true', matcher)))).not.toContain('matcher-slow')
})

test('C4: a hook that prints the event back is told so in one line', async () => {
  const here = cliStage()
  here.user({ hooks: { PostToolUse: [rule('cat')] } })
  const { stdout } = await here.run(['fire', 'PostToolUse', '--tool', 'Bash'])
  expect(stdout).toContain('it printed the event back, which is not an answer')
  expect(stdout).not.toContain('is not a key of a reply')
})

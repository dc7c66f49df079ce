/** `carabiner hooks check` as a step of CI: a fresh checkout, no one to ask, and a code host that shows annotations. */
import { describe, expect, test, vi } from 'vitest'
import { cliStage } from '../../support/cli-stage.ts'
import { commandOn, rule } from '../../support/command-settings.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const CHECK = ['hooks', 'check']
const CI = { CI: 'true' }

test('a repository without hooks: one sentence, where to begin, and 0', async () => {
  const { run, project } = cliStage()
  const { code, stdout, stderr } = await run(CHECK, { env: CI })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(
    `No hooks and no settings found for ${project}: there is nothing to check.\n` +
      'To begin with a starter policy: carabiner hooks init\n'
  )
})

const SETTINGS = '.claude/settings.json'
const bash = (command: string, more: object = {}): object => commandOn('PreToolUse', command, 'Bash', more)

/** Hook files as they are found in public repositories: what is wrong with them, and what the first finding says. */
const WILD: readonly {
  readonly what: string
  readonly file?: string
  readonly content: object | string
  readonly code: string
  readonly fix: string
  readonly exit: 0 | 4
}[] = [
  {
    what: 'variables that no host sets',
    content: commandOn('PostToolUse', 'prettier --write "$CLAUDE_TOOL_INPUT_FILE_PATH"', 'Edit|Write'),
    code: 'variable-unknown',
    fix: 'read the JSON on standard input',
    exit: 0
  },
  {
    what: '"hook" instead of "hooks"',
    content: { hooks: { PreToolUse: [{ matcher: 'Bash', hook: { type: 'command', command: 'exit 2' } }] } },
    code: 'rule-hook',
    fix: 'write "hooks": [ … ]',
    exit: 4
  },
  {
    what: 'a rule that matches nothing',
    content: { permissions: { allow: ['Bash:*'] } },
    code: 'rule-invalid',
    fix: 'write "Bash"',
    exit: 0
  },
  {
    what: 'a deny rule in lower case',
    content: { permissions: { deny: ['read(.env)'] } },
    code: 'rule-near',
    fix: 'write Read(.env)',
    exit: 4
  },
  {
    what: 'a deny rule for a subagent in lower case',
    content: { permissions: { deny: ['Agent(explore)'] } },
    code: 'rule-near',
    fix: 'write Agent(Explore)',
    exit: 4
  },
  {
    what: 'a timeout in milliseconds',
    content: commandOn('Stop', 'npm test', undefined, { timeout: 10_000 }),
    code: 'timeout-unit',
    fix: 'write 10',
    exit: 0
  },
  {
    what: 'a rule as a matcher',
    content: commandOn('PreToolUse', 'exit 2', 'Bash(git push*)'),
    code: 'matcher-rule',
    fix: '"if": "Bash(git push*)"',
    exit: 4
  },
  {
    what: 'a server as a matcher',
    content: commandOn('PreToolUse', 'exit 2', 'mcp__github'),
    code: 'matcher-server',
    fix: 'mcp__github__.*',
    exit: 4
  },
  {
    what: 'a script that was never committed',
    content: bash('python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.py'),
    code: 'script-missing',
    fix: '.claude/hooks/guard.py, or correct the path',
    exit: 4
  },
  {
    what: 'a refusal with exit code 1',
    content: bash("jq -r .tool_input.command | grep -q 'rm -rf' && { echo no >&2; exit 1; }; exit 0"),
    code: 'exit-1',
    fix: 'exit with 2 to refuse',
    exit: 0
  },
  {
    what: 'an answer that nobody reads',
    content: bash(`echo '{"block": true, "message": "not on main"}'`),
    code: 'answer-invented',
    fix: '"decision":"block"',
    exit: 0
  },
  {
    what: 'a gate in the background',
    content: bash('exit 2', { async: true }),
    code: 'async-gate',
    fix: 'delete async',
    exit: 0
  },
  {
    what: 'an event that does not exist',
    content: commandOn('OnStop', 'true'),
    code: 'event-unknown',
    fix: 'did you mean Stop?',
    exit: 4
  },
  {
    what: 'a flat list of hooks',
    content: { hooks: [{ event: 'PreToolUse', command: 'exit 2' }] },
    code: 'hooks-shape',
    fix: 'write "hooks": { "PreToolUse": [ … ] }',
    exit: 4
  },
  {
    what: 'JSON with a missing bracket',
    content: '{\n  "hooks": {\n    "Stop": [\n  }\n}\n',
    code: 'not-json',
    fix: 'correct it',
    exit: 4
  },
  {
    what: 'a file with another name',
    file: '.claude/setting.json',
    content: bash('exit 2'),
    code: 'not-read',
    fix: 'call it settings.json',
    exit: 4
  },
  {
    what: 'the frontmatter of a subagent',
    file: '.claude/agents/reviewer.md',
    content:
      '---\nname: reviewer\ndescription: reviews\nhooks:\n  PreToolUse:\n    - matcher: bash\n      hooks: [{ type: command, command: exit 2 }]\n---\n',
    code: 'matcher-near',
    fix: 'did you mean Bash?',
    exit: 4
  },
  {
    what: 'a repository that is a plugin',
    file: 'hooks/hooks.json',
    content: { hooks: { PreToolUse: [rule('exit 2', 'bash')] } },
    code: 'matcher-near',
    fix: 'did you mean Bash?',
    exit: 4
  }
]

test.each(WILD)('$what: the first finding says what to do', async ({ file = SETTINGS, content, code, fix, exit }) => {
  const { write, run, json, path } = cliStage()
  const written = write(`project/${file}`, content)
  if (file.startsWith('hooks/')) write('project/.claude-plugin/plugin.json', { name: 'guard' })
  const { findings } = await json<{ findings: readonly { code: string; fix: string; place: { file: string } }[] }>(
    CHECK,
    { env: CI }
  )
  expect(findings[0]).toMatchObject({ code, fix: expect.stringContaining(fix), place: { file: written } })
  const ran = await run(CHECK, { env: { ...CI, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: path('project') } })
  expect(ran.code).toBe(exit)
  expect(ran.stdout).toMatch(new RegExp(`^::(error|warning) file=${file.replaceAll('.', '\\.')},line=\\d+,col=\\d+,`))
})

describe('annotations', () => {
  test('GitHub: one command per finding, with the place in the checkout; --annotations none turns them off', async () => {
    const { write, run, path } = cliStage()
    write('project/app/.claude/settings.json', commandOn('PreToolUse', 'exit 2', 'bash'))
    const options = { cwd: path('project/app'), env: { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: path('project') } }
    const { code, stdout } = await run(CHECK, options)
    expect(code).toBe(4)
    expect(stdout).toBe(
      '::error file=app/.claude/settings.json,line=5,col=9,title=hooks check%3A matcher-near::' +
        'app/.claude/settings.json:5: hooks.PreToolUse[0].matcher: ' +
        'no tool is called bash; names are compared exactly (did you mean Bash?)\n' +
        '1 hook in 1 file: 1 error, 0 warnings, 0 notes\n'
    )
    expect((await run([...CHECK, '--annotations', 'none'], options)).stdout).toMatch(/^error /)
    expect((await run([...CHECK, '--json'], options)).stdout).toMatch(/^\{/)
  })

  test('GitHub: text of a project cannot become a command', async () => {
    const { settings, run } = cliStage()
    const hostile = '\n::add-mask::x\n::stop-commands::y'
    settings({
      hooks: { [`Stop${hostile}`]: [], PreToolUse: [rule('exit 2', `bash${hostile}`)] },
      permissions: { deny: [`bash${hostile}`, `Bash(${hostile}`] },
      [`hoks${hostile}`]: {}
    })
    const { code, stdout } = await run([...CHECK, '--annotations', 'github'])
    expect(code).toBe(4)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^::(?:error|warning|notice) file=/)
    expect(lines.at(-1)).toMatch(/^1 hook in 1 file/)
  })

  test('GitLab: a report of code quality, whose fingerprints stay when lines move', async () => {
    const { settings, run } = cliStage()
    const content = JSON.stringify(commandOn('PreToolUse', 'exit 2', 'bash'), null, 2)
    const report = async (text: string): Promise<readonly Record<string, unknown>[]> => {
      settings(text)
      const { code, stdout } = await run([...CHECK, '--annotations', 'gitlab'])
      expect(code).toBe(4)
      return JSON.parse(stdout) as readonly Record<string, unknown>[]
    }
    const [before, after] = [await report(content), await report(`\n\n${content}`)]
    expect(before).toEqual([
      {
        description: 'no tool is called bash; names are compared exactly (did you mean Bash?)',
        check_name: 'matcher-near',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        severity: 'major',
        location: { path: SETTINGS, lines: { begin: 5 } }
      }
    ])
    expect(after).toEqual([{ ...before[0], location: { path: SETTINGS, lines: { begin: 7 } } }])
  })

  test('--json and --annotations exclude each other', async () => {
    const { run } = cliStage()
    expect((await run([...CHECK, '--json', '--annotations', 'github'])).code).toBe(64)
  })
})

describe('modules', () => {
  test.each([
    ['missing', undefined, 'error module-missing', 4],
    ['without a default export', 'export const hooks = []', 'warning module', 0],
    ['with one', 'export default []', undefined, 0]
  ] as const)('a module that is %s', async (_, text, expected, exit) => {
    const { write, json, run } = cliStage()
    if (text !== undefined) write('project/own.mjs', text)
    const args = [...CHECK, '--hooks', 'own.mjs']
    const { findings } = await json<{ findings: readonly { level: string; code: string }[] }>(args)
    expect(findings.map(({ level, code }) => `${level} ${code}`)).toEqual(expected === undefined ? [] : [expected])
    expect((await run(args)).code).toBe(exit)
  })

  test('with --run they are loaded: one that registers nothing is found', async () => {
    const { write, run } = cliStage()
    write('project/own.mjs', 'export default () => {}')
    const { code, stdout } = await run([...CHECK, '--hooks', 'own.mjs', '--run'])
    expect(code).toBe(0)
    expect(stdout).toContain('own.mjs registers no hooks [module]')
  })
})

describe('files that are not read are named', () => {
  test.each([
    [{ permissions: { allow: ['Bash(ls)'] } }, 'info home-local'],
    [{ permissions: { deny: ['Bash(ls)'] } }, 'warning home-local'],
    [{ hooks: {} }, 'warning home-local']
  ])('~/.claude/settings.local.json with %j', async (content, expected) => {
    const { write, json } = cliStage()
    const file = write('home/.claude/settings.local.json', content)
    const { findings } = await json<{ findings: readonly { level: string; code: string; place: object }[] }>(CHECK)
    expect(findings.map(({ level, code }) => `${level} ${code}`)).toEqual([expected])
    expect(findings[0]?.place).toMatchObject({ file })
  })

  test('managed-mcp.json', async () => {
    const { write, run } = cliStage()
    const file = write('managed/managed-mcp.json', { mcpServers: {} })
    const { code, stdout } = await run(CHECK)
    expect(code).toBe(0)
    expect(stdout).toContain(`warning ${file}:1:1\n  ${file} is not read [managed-mcp]`)
  })
})

/** `carabiner hooks check`: what is wrong with the hooks here; with `--run`, what they do. */
import { existsSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { escaped, cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, refuses, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

interface Checked {
  readonly root: string
  readonly files: readonly object[]
  readonly findings: readonly {
    level: string
    code: string
    place: { file: string; line: number }
    message: string
    fix: string
    ofProject?: boolean
  }[]
}

const codes = ({ findings }: Checked): readonly string[] => findings.map(({ level, code }) => `${level} ${code}`)

test('nothing wrong: a line that says so, and 0', async () => {
  const { user, run } = cliStage()
  user(commandOn('PreToolUse', 'true', 'Bash'))
  expect(await run(['hooks', 'check'])).toEqual({
    code: 0,
    signal: null,
    stdout: '1 hook in 1 file: 0 errors, 0 warnings, 0 notes\n',
    stderr: ''
  })
})

test('the files of skills and subagents count as files, too', async () => {
  const { user, write, run } = cliStage()
  user(commandOn('PreToolUse', 'true', 'Bash'))
  const owned = 'hooks:\n  Stop:\n    - hooks:\n        - { type: command, command: "true" }\n---\n'
  write('home/.claude/skills/careful/SKILL.md', `---\nname: careful\n${owned}`)
  write('home/.claude/agents/looker.md', `---\nname: looker\n${owned}`)
  expect((await run(['hooks', 'check'])).stdout).toContain('3 hooks in 3 files: 0 errors')
})

test('a finding: where, what and the fix; errors end with 4, warnings with 0', async () => {
  const { user, run, json } = cliStage()
  const file = user(commandOn('PostToolUse', 'true', 'bash'))
  const warned = await run(['hooks', 'check'])
  expect(warned.code).toBe(0)
  expect(warned.stdout).toMatch(new RegExp(`^warning ${escaped(file)}:\\d+:\\d+ hooks\\.PostToolUse\\[0\\]`))
  expect(warned.stdout).toContain(
    '  no tool is called bash; names are compared exactly [matcher-near]\n  → did you mean Bash?\n'
  )
  expect(warned.stdout).toContain('0 errors, 1 warning,')
  user(commandOn('PreToolUse', '.claude/nowhere.sh'))
  expect((await run(['hooks', 'check'])).code).toBe(4)
  expect(codes(await json<Checked>(['hooks', 'check']))).toEqual(['error script-missing'])
})

test('--json: the files that were read, and the findings in their order', async () => {
  const { user, settings, json, project } = cliStage()
  const files = [
    user(commandOn('Stop', 'true', undefined, { timeout: 5000 })),
    settings({ hooks: { Sotp: [] }, Hooks: {} })
  ]
  const checked = await json<Checked>(['hooks', 'check'])
  expect(checked).toMatchObject({
    root: project,
    files: [
      { scope: 'user', file: files[0] },
      { scope: 'project', file: files[1] }
    ]
  })
  expect(codes(checked).toSorted()).toEqual(['error event-unknown', 'error key-case', 'warning timeout-unit'])
  const places = checked.findings.map(({ place: { file, line } }) => [file, line] as const)
  expect(places).toEqual(places.toSorted(([a, x], [b, y]) => a.localeCompare(b) || x - y))
})

test('--json: what a hook of the project does wrong is marked as the project’s, whoever finds it', async () => {
  const { user, settings, json } = cliStage()
  user(commandOn('PreToolUse', './mine.sh', 'bash'))
  settings(commandOn('PreToolUse', './missing.sh', 'bash'))
  const { findings } = await json<Checked>(['hooks', 'check'])
  const marked = findings.map(each => `${each.code} ${each.place.file.includes('/home/')} ${each.ofProject}`)
  expect(marked.toSorted()).toEqual([
    'matcher-near false true',
    'matcher-near true false',
    'script-missing false true',
    'script-missing true false'
  ])
})

test('under carabiner.hooks nothing is said of Claude Code, which does not look there', async () => {
  const { user, json } = cliStage()
  const worker = { type: 'worker', command: 'true' }
  const hooks = { Stop: { remind: 'true' }, SessionStart: ['true'], PreToolUse: [{ hooks: [worker] }] }
  user({ carabiner: { hooks } })
  expect(codes(await json<Checked>(['hooks', 'check']))).toEqual([])
  user({ hooks })
  expect(codes(await json<Checked>(['hooks', 'check']))).toEqual(
    expect.arrayContaining(['warning named-map', 'warning bare-command', 'warning voids-file'])
  )
})

test('needs no trust, and runs nothing', async () => {
  const { settings, write, run, path } = cliStage()
  settings({ ...commandOn('Stop', `touch ${path('ran')}`), carabiner: { modules: ['own.mjs'] } })
  write('project/own.mjs', `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(path('ran'))}, '')`)
  expect((await run(['hooks', 'check'])).code).toBe(0)
  expect(existsSync(path('ran'))).toBe(false)
})

describe('--run', () => {
  test('lists what blocks under strict and passes under compat, with the fix', async () => {
    const { user, run, json } = cliStage()
    const file = user({ hooks: { PreToolUse: [rule('exit 1', 'Bash'), rule(decides('deny'), 'Edit'), rule('true')] } })
    const checked = await json<Checked>(['hooks', 'check', '--run'])
    expect(checked.findings.filter(({ level }) => level === 'error')).toMatchObject([
      {
        code: 'run-differs',
        place: { file, line: 7 },
        message: expect.stringMatching(/strict profile blocks.*Claude Code would continue/),
        fix: 'make it end with exit code 0 or 2'
      }
    ])
    expect((await run(['hooks', 'check', '--run'])).code).toBe(4)
  })

  test('a hook that fails where nothing can be blocked is a warning', async () => {
    const { user, json, run } = cliStage()
    user(commandOn('PostToolUse', 'exit 1'))
    expect(codes(await json<Checked>(['hooks', 'check', '--run']))).toEqual(['warning run-failed'])
    expect((await run(['hooks', 'check', '--run'])).code).toBe(0)
  })

  test('each hook is tried with a sample that is about its tool', async () => {
    const { user, run, read } = cliStage()
    user(commandOn('PreToolUse', 'cat >> "$HOME/given"', 'WebFetch|Bash'))
    await run(['hooks', 'check', '--run'])
    const given = read('home/given')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as object)
    expect(given).toMatchObject([{ tool_name: 'WebFetch' }, { tool_name: 'WebFetch' }])
  })

  test('a project that is not trusted is not run', async () => {
    const { settings, user, run, path } = cliStage()
    settings(commandOn('Stop', `touch ${path('ran')}`))
    user(commandOn('Stop', `touch ${path('ran')}`))
    const { code, stdout, stderr } = await run(['hooks', 'check', '--run'])
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('--trust sha256:')
    expect(existsSync(path('ran'))).toBe(false)
  })

  test('--no-project-hooks: only the user’s own are run', async () => {
    const { settings, user, run, path } = cliStage()
    settings(commandOn('Stop', `touch ${path('theirs')}`))
    user(commandOn('Stop', `touch ${path('own')}`))
    expect((await run(['hooks', 'check', '--run', '--no-project-hooks'])).code).toBe(0)
    expect([existsSync(path('theirs')), existsSync(path('own'))]).toEqual([false, true])
  })

  test('a hook that refuses its sample is no finding: that is its work', async () => {
    const { user, json } = cliStage()
    user(commandOn('PreToolUse', refuses('never'), 'Bash'))
    expect(codes(await json<Checked>(['hooks', 'check', '--run']))).toEqual([])
  })
})

/** `carabiner hooks init`: what it writes, that it overwrites nothing, and that what it promises is true. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { CLI } from '../../support/built-package.ts'
import { cliStage, ended, escaped, type CliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { FILES, INIT, PROTECT, repository, SETTINGS } from './init-kit.ts'

const hasScript = spawnSync('script', ['-qec', 'test -t 1', '/dev/null']).status === 0

vi.setConfig({ testTimeout: HANG })

interface Made {
  readonly tests: string | null
  readonly files: readonly { readonly path: string; readonly state: string; readonly content?: string }[]
  readonly added: readonly { readonly key: string; readonly value: unknown; readonly words: string }[]
  readonly next: readonly string[]
}

describe('what it writes', () => {
  test('the policy with its tests, each line explained, and what to run next', async () => {
    const { run, read, path } = repository()
    const { code, stdout, stderr } = await run(INIT)
    expect([code, stderr]).toEqual([0, ''])
    for (const file of FILES) {
      expect(existsSync(path(file)), file).toBe(true)
      expect(stdout).toMatch(new RegExp(`^ {2}created +${file.slice('project/'.length)} +\\w`, 'm'))
    }
    const { permissions } = JSON.parse(read(SETTINGS)) as { permissions: { deny: readonly string[] } }
    for (const rule of permissions.deny) expect(stdout).toMatch(new RegExp(`^ {2}deny ${escaped(rule)} +\\S`, 'm'))
    for (const event of ['PreToolUse', 'SessionStart', 'Stop'])
      expect(stdout).toMatch(new RegExp(`^ {2}${event} hook +\\S`, 'm'))
    expect(stdout).toMatch(
      /Next:\n {2}carabiner hooks trust .*\n {2}carabiner hooks test .*\n {2}carabiner hooks list .*\n$/
    )
  })

  test('nothing to find for check, and its own tests pass once it is trusted', async () => {
    const { run } = repository()
    await run(INIT)
    expect((await run(['hooks', 'check'])).stdout).toBe('3 hooks in 1 file: 0 errors, 0 warnings, 0 notes\n')
    expect((await run(['hooks', 'test'])).code).toBe(3)
    expect((await run(['hooks', 'trust'])).code).toBe(0)
    const tested = await run(['hooks', 'test'])
    expect(tested.code, tested.stdout).toBe(0)
    expect(tested.stdout).toMatch(/^(\d\d) passed, 0 failed$/m)
    expect((await run(['doctor'])).code).toBe(0)
  })

  test('its tests are about its own hook, also beside a hook of the project that refuses the same', async () => {
    const { run, write } = repository()
    const guard = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'
    write('project/.claude/hooks/guard.sh', '#!/bin/sh\ngrep -q "rm -rf" && { echo no >&2; exit 2; }; exit 0\n', 0o755)
    write(SETTINGS, { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: guard }] }] } })
    await run(INIT)
    await run(['hooks', 'trust'])
    const tested = await run(['hooks', 'test'])
    expect(tested.code, tested.stdout).toBe(0)
    const fired = await run(['fire', 'PreToolUse', '--set', 'tool_input.command=git push --force'])
    expect(fired.stdout).toContain('deny, by node .claude/hooks/protect-repository.mjs (.claude/settings.json:')
  })

  test('a second run says that it is there, and changes nothing, also if a script was changed since', async () => {
    const { run, read, write } = repository()
    await run(INIT)
    write(PROTECT, `${read(PROTECT)}// ours\n`)
    const before = FILES.map(read)
    const { code, stdout } = await run(INIT)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^The starter policy is there already; nothing was written/)
    expect(FILES.map(read)).toEqual(before)
  })

  test('--dry-run prints all of it, and writes nothing; --json says the same', async () => {
    const { run, json, path } = repository()
    const { stdout } = await run([...INIT, '--dry-run'])
    expect(stdout).toContain('Would be written')
    expect(stdout).toContain('"permissions": {')
    const planned = await json<Made>([...INIT, '--dry-run'])
    expect(existsSync(path('project/.claude'))).toBe(false)
    const made = await json<Made>(INIT)
    expect(made).toMatchObject({
      tests: 'npm test',
      next: ['carabiner hooks trust', 'carabiner hooks test', 'carabiner hooks list']
    })
    for (const { path: file, state, content } of planned.files) {
      expect(state).toBe('created')
      expect(readFileSync(path(`project/${file}`), 'utf8')).toBe(content)
    }
    expect(made.added).toEqual(planned.added)
  })

  test.each([
    ['package.json', '{"scripts":{"test":"vitest"}}', 'npm test'],
    ['package.json', '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}', null],
    ['Makefile', 'all:\n\ttrue\ntest: all\n\ttrue\n', 'make test'],
    ['Cargo.toml', '[package]\n', 'cargo test'],
    ['go.mod', 'module x\n', 'go test ./...'],
    ['pyproject.toml', '[tool.pytest.ini_options]\n', 'python3 -m pytest'],
    ['README.md', 'nothing else\n', null]
  ])('the tests of a project with %s: %s', async (file, content, expected) => {
    const { write, run, json, read } = cliStage()
    write(`project/${file}`, content)
    expect((await json<Made>([...INIT, '--dry-run'])).tests).toBe(expected)
    const { stdout } = await run(INIT)
    const hooks = Object.keys((JSON.parse(read(SETTINGS)) as { hooks: object }).hooks)
    expect(hooks).toEqual(expected === null ? ['PreToolUse'] : ['PreToolUse', 'SessionStart', 'Stop'])
    expect(stdout.includes('No test command was found')).toBe(expected === null)
    if (expected !== null) return
    expect((await json<Made>([...INIT, '--test', 'make check'])).files.map(({ state }) => state)).toEqual([
      'unchanged',
      'unchanged',
      'created',
      'changed'
    ])
    expect(read(SETTINGS)).toContain('tests-before-stop.mjs make check')
  })
})

test.each([
  ['true && false', false],
  ['test \'a b\' = "a b"', true],
  ['exit 1; true', false],
  ['echo > made.txt; test -f made.txt', true]
])('--test %j: the Stop hook runs the whole command as it is', async (command, passes) => {
  const { run, write } = repository()
  await run([...INIT, '--test', command])
  await run(['hooks', 'trust'])
  write('project/new.txt', 'changed\n')
  const { stdout } = await run(['fire', 'Stop'])
  expect(stdout.includes(`"${command}" does not pass`)).toBe(!passes)
})

test('--test with an empty command: no test has to pass', async () => {
  const { json, read } = repository()
  expect(await json<Made>([...INIT, '--test', ''])).toMatchObject({ tests: null })
  expect(read(SETTINGS)).not.toContain('Stop')
})

test.runIf(hasScript)('on a terminal no line breaks inside a word', async () => {
  const { project, env } = repository()
  const words = [process.execPath, CLI, ...INIT, '--dry-run'].map(word => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols 60; ${words}`, '/dev/null'], { cwd: project, env })
  const lines = stripVTControlCharacters((await ended(child)).stdout).split('\r\n')
  expect(lines.length).toBeGreaterThan(20)
  // Only a line of one word may be longer than the terminal is wide.
  expect(lines.filter(line => line.length > 60 && line.trim().includes(' '))).toEqual([])
})

describe('what is there stays', () => {
  test('settings are added to: hooks, rules, comments and layout stay', async () => {
    const { run, read, settings } = repository()
    const own = `{
    // ours
    "model": "sonnet",
    "permissions": { "allow": ["Bash(npm test)"], "deny": ["Read(**/.env)", "Bash(sudo *)"] },
    "hooks": {
        "Stop": [
            { "hooks": [{ "type": "command", "command": "true" }] } /* ours, too */
        ]
    }
}
`
    settings(own)
    expect((await run(INIT)).code).toBe(0)
    const now = read(SETTINGS)
    for (const line of own.split('\n').slice(1, 3)) expect(now).toContain(line)
    expect(now).toContain(
      '            { "hooks": [{ "type": "command", "command": "true" }] }, /* ours, too */\n            {\n'
    )
    expect(now.match(/Read\(\*\*\/\.env\)/g)).toHaveLength(1)
    const list = await run(['hooks', 'list'])
    expect(list.stdout.match(/^Stop /gm)).toHaveLength(2)
    expect((await run(['hooks', 'check'])).stdout).toBe('4 hooks in 1 file: 0 errors, 0 warnings, 0 notes\n')
    expect((await run(INIT)).stdout).toContain('is there already')
  })

  test.each([
    ['{ "hooks": [ }', /settings\.json cannot be read as settings: line 1: it is not valid JSON/],
    ['[]', /the file is not a JSON object/],
    ['{ "hooks": [] }', /settings\.json cannot be added to: hooks is not an object/],
    ['{ "permissions": { "deny": "Bash" } }', /permissions\.deny is not a list/]
  ])('%s: refused, and nothing is written', async (content, why) => {
    const { run, settings, read, path } = repository()
    settings(content)
    const { code, stdout, stderr } = await run(INIT)
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(why)
    expect(stderr).toContain('nothing was written; correct it or move it away')
    expect(read(SETTINGS)).toBe(content)
    expect(existsSync(path('project/.claude/hooks'))).toBe(false)
  })

  test('settings with a byte order mark are added to, and keep it', async () => {
    const { run, settings, read } = repository()
    settings('\uFEFF{}\r\n')
    expect((await run(INIT)).code).toBe(0)
    expect(read(SETTINGS)).toMatch(/^\uFEFF\{\r\n/)
  })

  test('where it cannot write, it says which file, why, and what was written before', async () => {
    const { run, write, path } = repository()
    write('project/.claude', 'a file')
    const whole = await run(INIT)
    expect([whole.code, whole.stdout]).toEqual([4, ''])
    expect(whole.stderr).toMatch(
      /^carabiner: \.claude\/hooks\/protect-repository\.mjs is not written: \S+ cannot exist: a part of the path is a file, .*; nothing was written; .*\n$/
    )
    rmSync(path('project/.claude'))
    write(SETTINGS, '{}', 0o444)
    const part = await run(INIT)
    expect([part.code, part.stdout]).toEqual([4, ''])
    expect(part.stderr).toMatch(/^carabiner: \.claude\/settings\.json is not written: .* is read-only \(mode 0444\)/)
    expect(part.stderr).toContain('starter-policy.hooktest.yaml and .claude/hooks/tests-before-stop.mjs was written; ')
  })

  test('another script of the same name: refused', async () => {
    const { run, write, read, path } = repository()
    write(PROTECT, 'process.exit(0)\n')
    const { code, stderr } = await run(INIT)
    expect(code).toBe(4)
    expect(stderr).toContain('protect-repository.mjs is another file of that name')
    expect([read(PROTECT), existsSync(path(SETTINGS))]).toEqual(['process.exit(0)\n', false])
  })

  test('a link that leads out of the project is not written through', async () => {
    const { run, write, path } = repository()
    const outside = write('outside.json', '{}')
    write('project/.claude/x', '')
    symlinkSync(outside, path(SETTINGS))
    expect((await run(INIT)).code).toBe(4)
    expect(readFileSync(outside, 'utf8')).toBe('{}')
  })

  test('the home directory is not a project', async () => {
    const { run, home } = cliStage()
    const { code, stderr } = await run(INIT, { cwd: home })
    expect(code).toBe(64)
    expect(stderr).toContain('your home directory is not a project')
    expect(existsSync(`${home}/.claude`)).toBe(false)
  })
})

const calls = (...commands: readonly string[]): object => ({
  calls: commands.map(command => ({ name: 'Bash', input: { command } }))
})
const write = (file_path: string, content: string): object => ({
  calls: [{ name: 'Write', input: { file_path, content } }]
})

interface Line {
  readonly type: string
  readonly subtype?: string
  readonly decided_by?: string
  readonly result?: string
  readonly message?: { readonly content: unknown }
}

/** `carabiner run` with a scripted model, and everything allowed that can be allowed. */
async function runAgent({ write: put, run }: CliStage, turns: readonly unknown[], more: readonly string[] = []) {
  const script = put('script.json', JSON.stringify(turns))
  const args = ['run', '-p', 'go', '--model', `script:${script}`, '--output-format', 'stream-json']
  const { code, stdout, stderr } = await run([...args, '--dangerously-skip-permissions', ...more])
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
  return { lines, text: stdout, refused: lines.filter(({ subtype }) => subtype === 'permission_denied') }
}

async function policy(): Promise<CliStage> {
  const here = repository()
  expect((await here.run(INIT)).code).toBe(0)
  expect((await here.run(['hooks', 'trust'])).code).toBe(0)
  return here
}

describe('what it promises, through an agent that may do anything else', () => {
  test('deletes, force pushes and secrets are refused; ordinary work is not', async () => {
    const here = await policy()
    const { refused, text } = await runAgent(here, [
      calls('rm -rf src', 'npm test && rm -r -f .', "bash -c 'rm -rf src'"),
      calls('git push --force', 'git push origin +main', 'git reset --hard', 'git clean -fdx'),
      {
        calls: [
          { name: 'Read', input: { file_path: '.env' } },
          { name: 'Edit', input: { file_path: '.env', old_string: 'a', new_string: 'b' } }
        ]
      },
      { calls: [{ name: 'Grep', input: { pattern: 'TOKEN', path: '.env', output_mode: 'content' } }] },
      calls('cat .env', 'cp .env copy', 'cat ./src/../.env'),
      calls('mkdir -p dist && rm -rf dist', 'git add src', 'git status --short', 'cat src/app.js'),
      'Done.'
    ])
    expect(refused).toHaveLength(13)
    expect(
      refused.map(({ decided_by = '' }) => /protect-repository|Read\(\*\*\/\.env\)/.test(decided_by))
    ).not.toContain(false)
    expect(text).not.toContain('of-a-test')
    expect(text).toContain('answer = 42')
    expect([existsSync(here.path('project/src/app.js')), existsSync(here.path('project/copy'))]).toEqual([true, false])
  })

  test('a script that fails refuses', async () => {
    const here = repository()
    await here.run(INIT)
    here.write(PROTECT, 'not JavaScript at all')
    await here.run(['hooks', 'trust'])
    expect((await runAgent(here, [calls('ls'), 'Done.'])).refused).toHaveLength(1)
  })

  test('the agent is held until the tests pass for the files as they are', async () => {
    const here = await policy()
    const { lines } = await runAgent(here, [
      write('broken', 'x'),
      'Finished?',
      calls('git add broken'),
      'Finished now?',
      calls('git rm -q -f broken'),
      'Finished.'
    ])
    const held = lines.filter(
      ({ type, message }) => type === 'user' && String(message?.content).includes('"npm test" does not pass')
    )
    expect(held).toHaveLength(2)
    expect(String(held[0]?.message?.content)).toContain('still broken')
    expect(lines.at(-1)?.result).toBe('Finished.')
  })

  test('without a change no tests are run; what has passed is not run again', async () => {
    const here = repository()
    here.write('project/check.js', "require('node:fs').appendFileSync('../runs', 'x')\n")
    await here.run(INIT)
    await here.run(['hooks', 'trust'])
    const runs = (): number => (existsSync(here.path('runs')) ? here.read('runs').length : 0)
    await runAgent(here, ['Only a question.'])
    expect(runs()).toBe(0)
    await runAgent(here, [write('src/new.js', '1\n'), 'Changed.'])
    expect(runs()).toBe(1)
    await runAgent(here, [
      calls('git add src/new.js', 'git -c user.name=x -c user.email=x@y.z commit -qm new'),
      'The same files.'
    ])
    expect(runs()).toBe(1)
  })
})

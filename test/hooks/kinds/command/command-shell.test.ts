import { chmodSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { contextOf, hookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

const REFUSING = '{"decision":"block","reason":"no"}'

// F109
test('a shell runs it: pipes, redirects, variables, several lines', async () => {
  const { hooks, command, read } = hookScene()
  command({
    command: `tee copy | grep -o '"command":"[a-z]*"' > found\nX=1; test "$X" = 1 && ${contextOf('$(cat found | tr -d \\")')}`
  })
  expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ additionalContext: 'command:ls', failures: [] })
  expect(read('copy')).toContain('"tool_name":"Bash"')
})

test('what only bash knows works', async () => {
  const { hooks, command } = hookScene()
  command({ command: `read -r event; if [[ $event =~ '"command":"rm'([[:space:]]) ]]; then echo '${REFUSING}'; fi` })
  expect(await hooks.fire('PreToolUse', bash('rm -r x'))).toMatchObject({ blocked: true, reason: 'no' })
  expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: undefined, failures: [] })
})

test('shell: sh is a plain shell', async () => {
  const { hooks, command } = hookScene()
  command({ command: contextOf('${BASH_VERSION:-plain}'), shell: 'sh' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ failures: [] })
})

/** Bash takes a socket for a remote login when SHLVL is not set, and would read these. */
const NOISY = ['.bashrc', '.bash_profile', '.profile', '.bash_login', '.bash_env']

test.each([undefined, '0', '1', '2'])(
  'start-up files are not read, and say nothing in between: SHLVL %s',
  async SHLVL => {
    const home = hookScene()
    for (const file of NOISY) home.write(file, 'echo "welcome, human"; touch "$HOME/was-read"\n')
    const env = {
      PATH: process.env['PATH'],
      HOME: home.folder,
      BASH_ENV: home.path('.bash_env'),
      ENV: home.path('.bash_env'),
      SHLVL
    }
    const { hooks, command } = hookScene({}, { env })
    command({ command: `cat > /dev/null; echo '${REFUSING}'` })
    command({ name: 'nested', command: `bash -c 'echo "{}"'` })
    command({ name: 'exec form', command: 'bash', args: ['-c', 'echo "{}"'] })
    command({ name: 'silent', command: `true` })
    const outcome = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(outcome).toMatchObject({ blocked: true, reason: 'no', failures: [] })
    expect(outcome.report.map(({ raw }) => raw?.stdout)).toEqual([`${REFUSING}\n`, '{}\n', '{}\n', ''])
    expect(home.has('was-read')).toBe(false)
  }
)

test('in exec form there is no shell: nothing is expanded, split or run', async () => {
  const { hooks, command, has } = hookScene()
  const args = ['$HOME', 'a b', '$(touch planted)', '*', '', '"quoted"', ';touch planted']
  command({
    command: 'node',
    args: [
      '-e',
      `const context = JSON.stringify(process.argv.slice(1));
    console.log(JSON.stringify({ hookSpecificOutput: { additionalContext: context } }))`,
      '--',
      ...args
    ]
  })
  const outcome = await hooks.fire('PreToolUse', bash())
  expect(outcome.failures).toEqual([])
  expect(JSON.parse(outcome.additionalContext ?? '')).toEqual(args)
  expect(has('planted')).toBe(false)
})

test('args that are none are exec form, too', async () => {
  const { hooks, command, write } = hookScene()
  const file = write('my check', `#!/bin/sh\necho '${REFUSING}'\n`)
  command({ command: file, args: [] })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: true, reason: 'no', failures: [] })
})

// F113, FM6
test.each([
  ['a program that is missing', { command: 'no-such-program-anywhere' }],
  ['a program that is missing, in exec form', { command: 'no-such-program-anywhere', args: [] }],
  ['a path that is missing', { command: './no/such/file' }],
  ['a path that is missing, in exec form', { command: './no/such/file', args: [] }],
  ['a folder', { command: '/tmp', args: [] }],
  ['an interpreter that is missing', { command: './bad-interpreter' }],
  ['an interpreter that is missing, in exec form', { command: './bad-interpreter', args: [] }],
  ['a file that may not be executed', { command: './plain' }],
  ['a file that may not be executed, in exec form', { command: './plain', args: [] }],
  ['a script that python cannot open', { command: 'python3 no-such-script.py' }],
  ['a script that sh cannot open', { command: 'sh', args: ['no-such-script.sh'] }],
  ['a script that bash cannot open', { command: 'bash no-such-script.sh' }],
  ['a variable that is too long', { command: 'true', env: { LONG: 'x'.repeat(140_000) } }],
  ['a command that is too long', { command: `true ${'x'.repeat(140_000)}` }],
  ['a command with a NUL', { command: 'true', args: ['a\0b'] }]
])('%s is a failure with a clear reason, not a refusal', async (_, spec) => {
  for (const profile of ['strict', 'compat'] as const) {
    const { hooks, command, write } = hookScene({ profile })
    write('bad-interpreter', '#!/no/such/interpreter\n')
    chmodSync(write('plain', 'echo {}\n'), 0o644)
    command({ ...spec, source: 'settings.json:3' })
    const outcome = await hooks.fire('PreToolUse', bash())
    // The first host takes exit code 2 for a refusal, also if the shell itself exits with it.
    if (profile === 'compat' && outcome.failures.length === 0) {
      expect(outcome).toMatchObject({ blocked: true, reason: expect.stringMatching(/can('t|not) open/) as string })
    } else {
      expect(outcome).toMatchObject({ blocked: profile === 'strict', failedOpen: profile === 'compat' })
      expect(outcome.failures).toMatchObject([{ by: 'hook', kind: 'spawn', failedOpen: profile === 'compat' }])
      expect(outcome.failures[0]!.message).toMatch(/could not be (started|opened)/)
      if (profile === 'strict') expect(outcome.reason).toMatch(/^gate_failed:spawn: hook hook \(settings\.json:3\): /)
    }
  }
})

// F100
test.each([
  ['no command', { command: '' }],
  ['blanks', { command: '  ' }],
  ['a list', { command: ['ls'] as unknown as string }]
])('%s for a command is refused at once', (_, spec) => {
  const { command } = hookScene()
  expect(() => command(spec)).toThrow(/command/)
})

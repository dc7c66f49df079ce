/** Scripts as people write them, unchanged. */
import { describe, expect, test, vi } from 'vitest'
import { hookScene, pidsIn } from '../../../support/external-scene.ts'
import { gone, HANG } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { fixture } from '../../../support/fixture.ts'
import { bash } from '../../../support/hook-inputs.ts'
import { hasProgram } from '../../../support/host.ts'

vi.setConfig({ testTimeout: HANG })

const wild = (name: string): string => fixture(`hooks/wild/${name}`)

const MODULE = `#!/usr/bin/env node
import { text } from 'node:stream/consumers'

const { hook_event_name, tool_response, tool_input } = JSON.parse(await text(process.stdin))
if (hook_event_name === 'PostToolUse' && String(tool_response?.stdout).includes('FAIL')) {
  console.log(JSON.stringify({ decision: 'block', reason: \`tests fail after \${tool_input.command}\` }))
} else {
  process.stdout.write(JSON.stringify({ suppressOutput: true, continue: true }))
}
`

describe.each(['strict', 'compat'] as const)('in the %s profile', profile => {
  test('a bash script that takes JSON apart without jq', async () => {
    const { hooks, command } = hookScene({ profile })
    command({ command: wild('no-jq.sh'), matcher: 'Bash' })
    expect(await hooks.fire('PreToolUse', bash('sudo reboot'))).toMatchObject({
      blocked: true,
      reason: 'Blocked: sudo reboot needs a person'
    })
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: undefined, failures: [] })
  })

  test('a script that greps its input and exits with 2', async () => {
    const { hooks, command } = hookScene({ profile })
    command({ command: `sh ${wild('grep.sh')}` })
    expect(await hooks.fire('PreToolUse', bash('rm -rf /'))).toMatchObject({
      blocked: true,
      reason: 'Dangerous command'
    })
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: undefined, failures: [] })
  })

  test.skipIf(!hasProgram('jq'))('a script that uses jq (skipped where jq is missing)', async () => {
    const { hooks, command } = hookScene({ profile })
    command({ command: `"${wild('jq.sh')}"`, matcher: 'Read|Edit' })
    const read = (file_path: string) =>
      hooks.fire('PreToolUse', { ...bash(), tool_name: 'Read', tool_input: { file_path } })
    expect(await read('/a/.env')).toMatchObject({ blocked: true, reason: 'protected: /a/.env' })
    expect(await read('/a/b.ts')).toMatchObject({ decision: undefined, failures: [] })
  })

  describe.skipIf(!hasProgram('python3'))('python (skipped where it is missing)', () => {
    test('a script that loads its input, refuses by exit code, and rewrites by JSON', async () => {
      const { hooks, command, folder } = hookScene({ profile })
      command({ command: `python3 ${wild('check.py')}` })
      expect(await hooks.fire('PreToolUse', bash('grep x'))).toMatchObject({
        blocked: true,
        reason: 'use rg instead of grep'
      })
      expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: undefined, failures: [] })
      expect(await hooks.fire('PreToolUse', bash('git log'))).toMatchObject({
        decision: 'allow',
        reason: folder.split('/').at(-1),
        updatedInput: { command: 'git --no-pager log' }
      })
    })

    test('a script by its first line', async () => {
      const { hooks, command } = hookScene({ profile })
      command({ command: wild('check.py'), args: [] })
      expect(await hooks.fire('PreToolUse', bash('grep x'))).toMatchObject({ blocked: true })
    })

    test('a line of python within the command', async () => {
      const { hooks, command } = hookScene({ profile })
      command({
        command: `python3 -c "import json, sys; path=json.load(sys.stdin).get('tool_input',{}).get('file_path',''); sys.exit(2 if any(p in path for p in ['.env', '.git/']) else 0)"`
      })
      const edit = (file_path: string) =>
        hooks.fire('PreToolUse', { ...bash(), tool_name: 'Edit', tool_input: { file_path } })
      expect(await edit('/a/.env')).toMatchObject({ blocked: true })
      expect(await edit('/a/b.ts')).toMatchObject({ blocked: false, failures: [] })
    })

    test('a prompt is refused, or gets what the script prints', async () => {
      const { hooks, command } = hookScene({ profile })
      command({ events: 'UserPromptSubmit', command: `python3 "${wild('prompt.py')}"` })
      expect(await hooks.fire('UserPromptSubmit', { prompt: 'my Password is x' })).toMatchObject({
        blocked: true,
        reason: 'keep secrets out of prompts'
      })
      expect(await hooks.fire('UserPromptSubmit', { prompt: 'go on' })).toMatchObject({
        blocked: false,
        additionalContext: 'Today the build is green.'
      })
    })
  })

  test('a module of Node that awaits its input', async () => {
    const { hooks, command, write } = hookScene({ profile })
    write('.claude/hooks/result.mjs', MODULE)
    command({ events: 'PostToolUse', command: 'node "$CLAUDE_PROJECT_DIR"/.claude/hooks/result.mjs' })
    const after = (stdout: string) => hooks.fire('PostToolUse', { ...bash('npm test'), tool_response: { stdout } })
    expect(await after('1 FAIL')).toMatchObject({
      decision: 'deny',
      blocked: false,
      reason: 'tests fail after npm test'
    })
    expect(await after('ok')).toMatchObject({ decision: undefined, suppressOutput: false, failures: [] })
  })

  test('a stop hook that lets go the second time', async () => {
    const { hooks, command } = hookScene({ profile })
    command({ events: ['Stop', 'SubagentStop'], command: wild('stop.sh') })
    expect(await hooks.fire('Stop', { stop_hook_active: false })).toMatchObject({
      blocked: true,
      reason: 'run the tests first'
    })
    expect(await hooks.fire('Stop', { stop_hook_active: true })).toMatchObject({ blocked: false, failures: [] })
  })

  test('a session that begins with a few words and a variable for later', async () => {
    const later = hookScene()
    const { hooks, command } = hookScene({ profile }, { envFile: later.path('variables') })
    command({ events: 'SessionStart', command: wild('session.sh'), matcher: 'startup|resume' })
    expect(await hooks.fire('SessionStart', { source: 'startup' })).toMatchObject({
      additionalContext: 'Branch: main\nOpen issues: 3',
      failures: []
    })
    expect(later.read('variables')).toBe('export NODE_ENV=test\n')
  })

  test('one that leaves a helper behind: it continues, and does its work', async () => {
    const where = hookScene({ profile })
    where.command({ events: 'Notification', command: `bash ${wild('notify.sh')}` })
    const told = { message: 'Waiting', notification_type: 'idle_prompt' }
    expect(await where.hooks.fire('Notification', told)).toMatchObject({ failures: [] })
    const pids = await pidsIn(where, 'pids')
    expect(pids.map(isAlive)).toEqual([true])
    where.write('go', '')
    await gone(pids)
    expect(where.read('sent')).toBe('sent\n')
  })

  test('one that leaves a server in a session of its own', async () => {
    const where = hookScene({ profile })
    where.command({ command: wild('server.sh') })
    expect(await where.hooks.fire('PreToolUse', bash())).toMatchObject({ failures: [] })
    const pids = await pidsIn(where, 'pids')
    expect(pids.map(isAlive)).toEqual([true])
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await gone(pids)
  })

  test.skipIf(!hasProgram('perl'))('a log in perl (skipped where it is missing)', async () => {
    const { hooks, command, read } = hookScene({ profile })
    command({ command: `perl ${wild('log.pl')}` })
    await hooks.fire('PreToolUse', bash('ls -l'))
    expect(read('log')).toBe('ls -l\n')
  })
})

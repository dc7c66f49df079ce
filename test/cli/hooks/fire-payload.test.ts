/** What `carabiner fire` gives to hooks: the sample of the event, with some or all fields replaced. */
import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { EVENT_NAMES } from '../../../src/hooks.ts'
import { type Fired, type Ran, cliStage, type CliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

type Payload = Record<string, unknown> & { tool_input: Record<string, unknown> }

/** A stage whose hooks write down what they were given. */
function recording(
  event = 'PreToolUse'
): CliStage & { given(args: readonly string[], stdin?: string): Promise<Payload> } {
  const here = cliStage()
  here.user(commandOn(event, `cat > "$HOME/given.json"`))
  return {
    ...here,
    async given(args, stdin = '') {
      const { code, stderr } = await here.run(['fire', event, ...args], { stdin })
      expect([code, stderr]).toEqual([0, ''])
      return JSON.parse(here.read('home/given.json')) as Payload
    }
  }
}

test('nothing is said: the sample of the event, whole and about this folder', async () => {
  const { given, project } = recording()
  expect(await given([])).toMatchObject({
    session_id: 'fire',
    cwd: project,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: expect.any(String) }
  })
})

test('a part on standard input goes over the sample', async () => {
  const { given } = recording()
  const payload = await given([], '{ "tool_name": "Read", "tool_input": { "file_path": "a.txt" } }')
  expect(payload).toMatchObject({ tool_name: 'Read', tool_input: { file_path: 'a.txt' } })
  expect(payload.tool_input).not.toHaveProperty('command')
  expect(payload['tool_use_id']).toEqual(expect.any(String))
})

test('a payload that a real hook was given is taken as it is', async () => {
  const { given, project } = recording()
  const payload = {
    session_id: 'abc',
    transcript_path: '/tmp/abc.jsonl',
    cwd: project,
    permission_mode: 'plan',
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: '/tmp/x', content: 'ü\n' },
    tool_use_id: 'toolu_7'
  }
  expect(await given([], JSON.stringify(payload))).toMatchObject(payload)
})

test.each(['in a file', 'as JSON', 'on standard input, by a dash'])('--input: the payload %s', async how => {
  const { given, write } = recording()
  const text = '{ "tool_input": { "command": "make" } }'
  const file = write('project/payload.json', text)
  const input = how === 'in a file' ? file : how === 'as JSON' ? ` ${text}` : '-'
  const { tool_input } = await given(['--input', input], input === '-' ? text : '')
  expect(tool_input).toEqual({ command: 'make' })
})

test('--input: a file is found from the folder one stands in', async () => {
  const { given, write } = recording()
  write('project/payload.json', '{ "tool_name": "Glob" }')
  expect(await given(['--input', 'payload.json'])).toMatchObject({ tool_name: 'Glob' })
})

test('with --input, standard input is not waited for', async () => {
  const { start, user } = cliStage()
  user(commandOn('Stop', 'true'))
  const child = start(['fire', 'Stop', '--input', '{}'])
  // No one ever closes its standard input.
  const code = await new Promise(resolve => child.once('close', resolve))
  child.stdin?.destroy()
  expect(code).toBe(0)
})

test('--tool: another tool has another input', async () => {
  const { given } = recording()
  expect(await given(['--tool', 'WebFetch'])).toMatchObject({ tool_name: 'WebFetch', tool_input: {} })
  expect((await given(['--tool', 'Bash'])).tool_input).toHaveProperty('command')
  expect(await given(['--tool', 'Edit'], '{ "tool_input": { "file_path": "b" } }')).toMatchObject({
    tool_name: 'Edit',
    tool_input: { file_path: 'b' }
  })
})

test('--set: nested keys, text as it is, and JSON as JSON', async () => {
  const { given } = recording()
  const set = (...words: readonly string[]): readonly string[] => words.flatMap(word => ['--set', word])
  const payload = await given(
    set(
      'tool_input.command=git push --force=x',
      'tool_input.timeout=30',
      'a.b.c=[1,{"d":null}]',
      'flag=true',
      'empty=',
      'text="7"'
    )
  )
  expect(payload).toMatchObject({
    tool_input: { command: 'git push --force=x', timeout: 30 },
    a: { b: { c: [1, { d: null }] } },
    flag: true,
    empty: '',
    text: '7'
  })
})

test('--set goes over --tool and over the payload', async () => {
  const { given } = recording()
  const payload = await given(
    ['--tool', 'Edit', '--set', 'tool_name=Write', '--set', 'tool_input.file_path=c'],
    '{ "tool_input": { "file_path": "b", "content": "x" } }'
  )
  expect(payload).toMatchObject({ tool_name: 'Write', tool_input: { file_path: 'c', content: 'x' } })
})

test('--set: names of the language are plain keys, and __proto__ is refused', async () => {
  const { given, run } = recording()
  const payload = await given(['--set', 'constructor.prototype.x=1', '--set', 'toString=y'])
  expect(payload).toMatchObject({ constructor: { prototype: { x: 1 } }, toString: 'y' })
  for (const key of ['__proto__', '__proto__.x', 'tool_input.__proto__', 'a.__proto__.b'])
    expect(await run(['fire', 'PreToolUse', '--set', `${key}=1`])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('__proto__')
    })
})

test('a payload of megabytes goes through', async () => {
  const { given } = recording()
  const command = 'x'.repeat(3_000_000)
  expect((await given([], JSON.stringify({ tool_input: { command } }))).tool_input['command']).toHaveLength(3_000_000)
})

test.each(EVENT_NAMES)('%s has a sample that can be fired', async event => {
  const { user, json } = cliStage()
  user(commandOn(event, 'true'))
  expect(await json<Fired>(['fire', event])).toMatchObject({ event, hooks: [{ ran: true, status: 'silent' }] })
})

describe('standard input that stays open and silent', () => {
  /** Fires with an open standard input that stays silent. */
  async function unwritten({ start, project }: CliStage, ...args: readonly string[]): Promise<Ran> {
    const child = start(['fire', 'PreToolUse', ...args], { cwd: project })
    const printed = { stdout: '', stderr: '' }
    child.stdout!.setEncoding('utf8').on('data', (piece: string) => (printed.stdout += piece))
    child.stderr!.setEncoding('utf8').on('data', (piece: string) => (printed.stderr += piece))
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    return { ...printed, code, signal }
  }

  test('is not waited for: the sample is taken, and that is said', async () => {
    const here = recording()
    const { code, stdout, stderr } = await unwritten(here)
    expect([code, stdout]).toEqual([0, expect.stringContaining('no objection')])
    expect(stderr).toContain('standard input is open but nothing comes; taking the sample')
    expect(JSON.parse(here.read('home/given.json'))).toMatchObject({ hook_event_name: 'PreToolUse' })
  })

  test('brings no verdict on something else', async () => {
    const here = recording()
    const { code, stdout, stderr } = await unwritten(here, '--exit-code')
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toContain('or --input - to wait')
  })
})

import { expect, test, vi } from 'vitest'
import { anthropicBytes } from '../support/anthropic-server.ts'
import { agent, callReply, streamLines, textReply } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, refuses } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** All that a terminal would obey, but for the ends of lines. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/

const ESCAPES = '\u001B]0;mine\u0007\u001B[2J\u001B[31mred\u009B1m\r\u0008\u007F'

test.each(['text', 'json', 'stream-json'])(
  'control bytes of tools and models do not reach the terminal: %s',
  async format => {
    const { ask, write } = await agent([
      callReply(
        ['Bash', { command: String.raw`printf '\033[2J\033]0;x\007\r\010'` }],
        ['Read', { file_path: 'odd.txt' }]
      ),
      callReply(['Bash', { command: `rm ${ESCAPES}` }]),
      textReply(`It says ${ESCAPES}`)
    ])
    write('project/odd.txt', `${ESCAPES}\n`)
    const flags = ['--allowedTools', 'Bash(printf *)', '--verbose', '--include-partial-messages']
    const { code, stdout, stderr } = await ask(['Go', '--output-format', format, ...flags])
    expect(code).toBe(0)
    expect(stdout).toContain('It says')
    expect(stdout).not.toMatch(CONTROL)
    expect(stderr).not.toMatch(CONTROL)
    expect(stderr + stdout).toContain('u001b')
  }
)

// FM51
test('a provider that asks to wait is waited for, and people are told', async () => {
  const { ask, server } = await agent([{ fail: { status: 429, headers: { 'retry-after': '0' } } }, textReply('Hello.')])
  const ran = await ask(['Hi'])
  expect(ran).toMatchObject({ code: 0, stdout: 'Hello.\n' })
  expect(ran.stderr).toMatch(/did not answer \(rate_limit\); trying again in \d+ s/)
  expect(server.requests).toHaveLength(2)
})

// FM51
test('clients are told in the stream', async () => {
  const { ask } = await agent([
    { fail: { status: 429, headers: { 'retry-after': '0' } } },
    { fail: { status: 529, headers: { 'retry-after': '0' } } },
    textReply('Hello.')
  ])
  const lines = streamLines(await ask(['Hi', '--output-format', 'stream-json']))
  const retries = lines.filter(({ subtype }) => subtype === 'api_retry')
  expect(retries.map(({ attempt, error_status, error }) => [attempt, error_status, error])).toEqual([
    [1, 429, 'rate_limit'],
    [2, 529, 'overloaded']
  ])
})

test('what follows an error in a stream is not read, and the session goes on to its end', async () => {
  const half = { ...textReply('Half of it'), errorAfter: { events: 4, type: 'overloaded_error', message: 'busy' } }
  const raw = `${anthropicBytes(half)}${anthropicBytes(textReply('The other half of it'))}`
  const { ask, user, read } = await agent([{ raw }, { raw }, textReply('Whole.')])
  user(commandOn('SessionEnd', 'echo yes > "$HOME/ended"'))
  const ran = await ask(['Hi', '--output-format', 'stream-json'])
  const lines = streamLines(ran)
  expect(lines.filter(({ subtype }) => subtype === 'api_retry')).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Whole.' })
  expect({ code: ran.code, ended: read('home/ended') }).toMatchObject({ code: 0, ended: 'yes\n' })
})

test('a hook of the user is not mistaken for one of the project', async () => {
  const { ask, user } = await agent([callReply(['Bash', { command: 'ls' }]), textReply('Done.')])
  user(commandOn('PreToolUse', refuses('no')))
  const { stdout } = await ask(['Go', '--output-format', 'json'])
  const [{ decided_by }] = (JSON.parse(stdout) as { permission_denials: [{ decided_by: string }] }).permission_denials
  expect(decided_by).toMatch(/ \(~\/\.claude\/settings\.json:\d+\)$/)
})

const WRITES = callReply(['Write', { file_path: 'once.txt', content: 'once\n' }])
const LENGTH = anthropicBytes(WRITES).length

// FM53
test.each([0.3, 0.6, 0.8, 0.97].map(part => Math.floor(LENGTH * part)))(
  'an answer that is cut at byte %i is asked for again, and nothing of it is used',
  async cutAt => {
    const cutText = { ...textReply('Half of it and no more'), cutAt: 700, cutBy: 'end' } as const
    const { ask, read, server } = await agent([{ ...WRITES, cutAt }, WRITES, cutText, textReply('Done.')])
    const ran = await ask(['Go', '--permission-mode', 'acceptEdits', '--output-format', 'stream-json'])
    expect(ran.code).toBe(0)
    const lines = streamLines(ran)
    expect(lines.filter(({ type }) => type === 'assistant')).toHaveLength(2)
    expect(lines.filter(({ type }) => type === 'user')).toHaveLength(1)
    expect(lines.filter(({ subtype }) => subtype === 'api_retry')).toHaveLength(2)
    expect(ran.stdout).not.toContain('Half of it')
    expect(lines.at(-1)).toMatchObject({ result: 'Done.', num_turns: 2 })
    expect(read('project/once.txt')).toBe('once\n')
    expect(server.requests).toHaveLength(4)
  }
)

// FM53
test('pieces of an answer that was cut are followed by a new beginning', async () => {
  const { ask } = await agent([{ ...textReply('Half of it and no more'), cutAt: 700 }, textReply('All of it.')])
  const lines = streamLines(await ask(['Hi', '--output-format', 'stream-json', '--include-partial-messages']))
  const events = lines.flatMap(({ event }) => (event as { type: string; delta?: { text?: string } } | undefined) ?? [])
  const last = events.slice(events.findLastIndex(({ type }) => type === 'message_start'))
  expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(2)
  expect(last.flatMap(({ delta }) => delta?.text ?? []).join('')).toBe('All of it.')
})

// FM54
test('an error in the middle of a stream is a failure, and is tried again', async () => {
  const error = { events: 4, type: 'overloaded_error', message: 'busy' }
  const { ask } = await agent([{ ...textReply('Half of it'), errorAfter: error }, textReply('All of it.')])
  const ran = await ask(['Hi'])
  expect(ran).toMatchObject({ code: 0, stdout: 'All of it.\n' })
  expect(ran.stderr).toContain('(overloaded)')
})

test('a transcript that cannot be begun: what to do, and no word of what was saved before', async () => {
  const run = await agent([textReply('Hello.')])
  run.write('home/.carabiner/projects', 'in the way')
  const { code, stdout, stderr } = await run.ask(['Hi'])
  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toMatch(/the transcript .*\.jsonl cannot be written: .*name another with CARABINER_HOME/)
  expect(stderr).not.toContain('--resume')
})

// FM56
test.each(['text', 'json'])('a Stop hook that was overruled is no secret: %s', async format => {
  const run = await agent(Array.from({ length: 3 }, () => textReply('Again.')))
  run.user({ ...commandOn('Stop', refuses('not yet')), env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' } })
  const { code, stdout, stderr } = await run.ask(['Hi', '--output-format', format])
  expect([code, stdout]).toEqual([0, expect.stringContaining('Again.')])
  expect(stderr).toMatch(
    /^Stop hooks sent the agent back 2 times .*; it ends now, although a hook objects: not yet \[.*\]\n$/
  )
})

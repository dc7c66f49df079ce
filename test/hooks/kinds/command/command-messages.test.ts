/** The messages about a command that the sink receives. */
import { expect, test, vi } from 'vitest'
import type { HookMessage, HookProgress, HookResponse } from '../../../../src/hooks.ts'
import { manualClock } from '../../../../src/testing.ts'
import { pidsIn, hookScene, type HookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash, loopTurn } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

const of = <S extends HookMessage['subtype']>(where: HookScene, subtype: S) =>
  where.messages.filter((message): message is Extract<HookMessage, { subtype: S }> => message.subtype === subtype)

const pieces = (where: HookScene, stream: 'stdout' | 'stderr'): string =>
  of(where, 'hook_progress')
    .map((message: HookProgress) => message[stream] ?? '')
    .join('')

async function responseTo(command: string, registry = {}): Promise<HookResponse> {
  const where = hookScene(registry)
  where.command({ command })
  await where.hooks.fire('PreToolUse', bash())
  await loopTurn()
  const [response] = of(where, 'hook_response')
  return response!
}

// F160
test('pieces of what it prints are told while it runs, each with the stream it came from', async () => {
  const where = hookScene()
  where.command({ command: `echo one >&2; echo two; until [ -e go ]; do sleep 0.01; done; echo three >&2` })
  const fired = where.hooks.fire('PreToolUse', bash())
  await vi.waitFor(() => expect(pieces(where, 'stderr') + pieces(where, 'stdout')).toBe('one\ntwo\n'), HANG)
  expect(of(where, 'hook_response')).toEqual([])
  where.write('go', '')
  await fired
  await loopTurn()
  expect(pieces(where, 'stderr')).toBe('one\nthree\n')
  expect(where.messages.map(({ subtype }) => subtype)).toEqual([
    'hook_started',
    ...of(where, 'hook_progress').map(() => 'hook_progress'),
    'hook_response'
  ])
  expect(new Set(where.messages.map(({ hook_id }) => hook_id)).size).toBe(1)
  expect(where.messages[0]).toMatchObject({ hook_name: 'hook', hook_event: 'PreToolUse', session_id: 'session-1' })
})

// F107
test('standard error is told as it comes, and never read as an answer', async () => {
  const where = hookScene()
  where.command({ command: `echo '{"decision":"block","reason":"no"}' >&2; echo '{}'` })
  expect(await where.hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined, failures: [] })
  await loopTurn()
  expect(pieces(where, 'stderr')).toBe('{"decision":"block","reason":"no"}\n')
})

// F160
test('a letter that falls between two pieces arrives whole', async () => {
  const where = hookScene()
  where.command({ command: `printf '\\303' >&2; sleep 0.1; printf '\\274' >&2` })
  await where.hooks.fire('PreToolUse', bash())
  await loopTurn()
  expect(pieces(where, 'stderr')).toBe('ü')
})

// F161
test('the response says how it went, with output, stderr and exit code', async () => {
  const well = await responseTo(`echo '{"decision":"block","reason":"no"}'; echo aside >&2`)
  expect(well).toMatchObject({
    outcome: 'success',
    output: '{"decision":"block","reason":"no"}',
    stdout: '{"decision":"block","reason":"no"}\n',
    stderr: 'aside\n',
    exit_code: 0
  })
  expect(well.duration_ms).toBeGreaterThanOrEqual(0)
})

// F161
test('a refusal by exit code is a success of the hook', async () => {
  expect(await responseTo('echo no >&2; exit 2')).toMatchObject({ outcome: 'success', stderr: 'no\n', exit_code: 2 })
})

// F161
test.each([
  ['echo half; echo oops >&2; exit 3', { stdout: 'half\n', stderr: 'oops\n', exit_code: 3 }],
  ['echo "{"', { stdout: '{\n', exit_code: 0 }],
  ['no-such-program-anywhere', { exit_code: 127 }]
])('a failure is an error, and its output says why: %s', async (command, raw) => {
  for (const profile of ['strict', 'compat']) {
    const response = await responseTo(command, { profile })
    expect(response).toMatchObject({ outcome: 'error', ...raw })
    expect(response.output).not.toBe('')
  }
})

// F161
test('a death by a signal has no exit code', async () => {
  const response = await responseTo('kill -KILL $$')
  expect(response).toMatchObject({ outcome: 'error', output: expect.stringContaining('SIGKILL') as string })
  expect(response).not.toHaveProperty('exit_code')
})

// F161
test('one that is cut off is cancelled, and what it had printed is told', async () => {
  const clock = manualClock()
  const where = hookScene({ clock })
  where.command({ command: 'echo so far; echo aside >&2; echo $$ > pids; exec sleep 1000', timeout: 1 })
  const fired = where.hooks.fire('PreToolUse', bash())
  await pidsIn(where, 'pids')
  await vi.waitFor(() => expect(pieces(where, 'stdout') + pieces(where, 'stderr')).toBe('so far\naside\n'), HANG)
  await clock.advance(2)
  await fired
  await loopTurn()
  expect(of(where, 'hook_response')).toMatchObject([
    { outcome: 'cancelled', stdout: 'so far\n', stderr: 'aside\n', output: 'gave no answer within 1 s' }
  ])
})

// F161
test('of one that answers later, the response comes with the answer', async () => {
  const where = hookScene({ profile: 'compat' })
  where.command({
    command: `echo '{"async":true}'; until [ -e go ]; do sleep 0.01; done; echo '{"systemMessage":"late"}'`
  })
  await where.hooks.fire('PreToolUse', bash())
  await loopTurn()
  expect(of(where, 'hook_response')).toEqual([])
  where.write('go', '')
  await where.hooks.drain()
  await loopTurn()
  expect(of(where, 'hook_response')).toMatchObject([{ outcome: 'success', exit_code: 0 }])
})

// F161
test('a report has the same', async () => {
  const where = hookScene()
  where.command({ command: 'echo no >&2; exit 2' })
  const { report } = await where.hooks.fire('PreToolUse', bash(), { report: true })
  expect(report).toMatchObject([{ ran: true, status: 'answered', raw: { stdout: '', stderr: 'no\n', exit_code: 2 } }])
})

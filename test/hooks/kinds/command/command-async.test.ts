/** Commands that are not waited for. */
import { expect, test, vi } from 'vitest'
import { manualClock, type ManualClock } from '../../../../src/testing.ts'
import { contextOf, pidsIn, hookScene } from '../../../support/external-scene.ts'
import { gone, HANG } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

/** Ends when the test says so. */
const WAIT = 'until [ -e go ]; do sleep 0.01; done'
const ANNOUNCE = `echo '{"async":true}'`

/** Both ways to say it: in the settings of the hook, and on the first line that it prints. */
const WAYS = [
  ['async: true', { async: true }, ''],
  ['a first line {"async":true}', {}, `${ANNOUNCE};`]
] as const

// F98, F106
test.each(WAYS)(
  '%s: the event continues, the process too, and what it prints in the end is the answer',
  async (_, spec, first) => {
    const { hooks, command, write, late, read } = hookScene({ profile: 'compat' })
    command({ ...spec, command: `echo ran >> log; ${first} ${WAIT}; ${contextOf('late words')}` })
    const outcome = await hooks.fire('PreToolUse', bash(), { report: true })
    expect(outcome).toMatchObject({ decision: undefined, contexts: [], failures: [] })
    expect(outcome.report[0]).toMatchObject({ status: 'late' })
    expect(late).toEqual([])
    write('go', '')
    await hooks.drain()
    expect(late).toMatchObject([
      { by: 'hook', event: 'PreToolUse', sessionId: 'session-1', contexts: [{ by: 'hook', text: 'late words' }] }
    ])
    expect(read('log')).toBe('ran\n')
  }
)

test.each(WAYS)('%s: what it decides is void, and a message for the user still comes', async (_, spec, first) => {
  const { hooks, command, late, messages } = hookScene({ profile: 'compat' })
  command({ ...spec, command: `${first} sleep 0.05; echo '{"decision":"block","reason":"no","systemMessage":"look"}'` })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: false, decision: undefined })
  await hooks.drain()
  expect(late).toMatchObject([{ contexts: [], systemMessages: [{ text: 'look', to: 'user' }], failure: undefined }])
  expect(messages.map(({ subtype }) => subtype)).toContain('hook_notice')
})

test.each(WAYS)('%s: exit code 2 refuses nothing any more, and plain text is no one’s', async (_, spec, first) => {
  const { hooks, command, late } = hookScene({ profile: 'compat' })
  command({ ...spec, name: 'refusing', command: `${first} sleep 0.05; echo no >&2; exit 2` })
  command({ ...spec, name: 'talking', command: `${first} sleep 0.05; echo hello` })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: false })
  await hooks.drain()
  expect(late).toEqual([])
})

test.each(WAYS)('%s: a failure is told late, and closes nothing', async (_, spec, first) => {
  const { hooks, command, late } = hookScene({ profile: 'compat' })
  command({ ...spec, command: `${first} sleep 0.05; exit 3` })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: false, failures: [] })
  await hooks.drain()
  expect(late).toMatchObject([
    { by: 'hook', failure: { kind: 'exit', message: expect.stringContaining('3') as string } }
  ])
})

test.each(WAYS)('%s: it is given the event like any other', async (_, spec, first) => {
  const { hooks, command, read } = hookScene({ profile: 'compat' })
  command({ ...spec, command: `${first} cat > given` })
  await hooks.fire('PreToolUse', bash('ls'))
  await hooks.drain()
  expect(JSON.parse(read('given'))).toMatchObject({ tool_input: { command: 'ls' } })
})

// F98
test('the announcement may name its time in milliseconds: then it is ended, and all that it started', async () => {
  const clock = manualClock()
  const where = hookScene({ profile: 'compat' }, { clock })
  where.command({ command: `sleep 1000 & echo $$ $! > pids; echo '{"async":true,"asyncTimeout":500}'; wait` })
  expect(await where.hooks.fire('PreToolUse', bash())).toMatchObject({ failures: [] })
  const pids = await pidsIn(where, 'pids', 2)
  await clock.advance(0.49)
  expect(pids.map(isAlive)).toEqual([true, true])
  await clock.advance(0.02)
  await where.hooks.drain()
  expect(where.late).toMatchObject([
    { failure: { kind: 'timeout', message: expect.stringContaining('500 ms') as string } }
  ])
  await gone(pids)
})

test('without such a time it may take as long as it likes, whatever its timeout', async () => {
  const clock = manualClock()
  const where = hookScene({ clock, profile: 'compat' }, { clock })
  where.command({ command: `${ANNOUNCE}; ${WAIT}; ${contextOf('at last')}`, timeout: 1 })
  await where.hooks.fire('PreToolUse', bash())
  await clock.advance(3600)
  where.write('go', '')
  await where.hooks.drain()
  expect(where.late).toMatchObject([{ contexts: [{ text: 'at last' }], failure: undefined }])
})

// F98
test('as a hook of the library, a deciding event waits so many seconds for the same process', async () => {
  const { hooks, command, read } = hookScene()
  const line = `echo ran >> log; echo '{"async":true,"asyncTimeout":60}'; sleep 0.1; echo '{"decision":"deny","reason":"after all"}'`
  command({ command: line, dialect: 'library' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: true, reason: 'after all' })
  expect(read('log')).toBe('ran\n')
})

const BLOCKS = `sleep 0.1; echo '{"decision":"block","reason":"after all"}'`
const DENIES = `sleep 0.1; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"after all"}}'`

test.each([
  ['{"async":true}', BLOCKS],
  ['{"async":true,"asyncTimeout":60000}', BLOCKS],
  ['{"async":true,"asyncTimeout":60000}', DENIES],
  ['{"async":true,"asyncTimeout":60000}', 'sleep 0.1; echo after all >&2; exit 2']
])('S3: strict: a gate waits for what %s announces', async (line, answer) => {
  const { hooks, command } = hookScene()
  command({ command: `echo '${line}'; ${answer}` })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: true, reason: 'after all' })
})

/** Time passes until these processes are gone. */
const turnUntilGone = (clock: ManualClock, pids: readonly number[]): Promise<void> =>
  vi.waitFor(async () => {
    await clock.advance(1)
    expect(pids.filter(isAlive)).toEqual([])
  }, HANG)

test('S3: strict: without an answer within its milliseconds the gate closes, and the process is ended', async () => {
  const clock = manualClock()
  const where = hookScene({}, { clock })
  where.command({ command: `echo $$ > pids; echo '{"async":true,"asyncTimeout":500}'; sleep 1000` })
  const outcome = where.hooks.fire('PreToolUse', bash())
  const pids = await pidsIn(where, 'pids')
  await turnUntilGone(clock, pids)
  expect(await outcome).toMatchObject({
    blocked: true,
    failures: [{ kind: 'timeout', message: expect.stringContaining('500 ms') as string, failedOpen: false }]
  })
})

test('S3: strict: an announcement without a limit has the time of its hook', async () => {
  const clock = manualClock()
  const where = hookScene({ clock })
  where.command({ command: `${ANNOUNCE}; echo $$ > pids; sleep 1000`, timeout: 2 })
  const outcome = where.hooks.fire('PreToolUse', bash())
  const pids = await pidsIn(where, 'pids')
  await turnUntilGone(clock, pids)
  expect(await outcome).toMatchObject({ blocked: true, failures: [{ kind: 'timeout' }] })
})

test('S3: compat: the event continues as in Claude Code, and the report says that the gate was open', async () => {
  const { hooks, command } = hookScene({ profile: 'compat' })
  command({ command: `echo '{"async":true,"asyncTimeout":60000}'; ${BLOCKS}` })
  const outcome = await hooks.fire('PreToolUse', bash(), { report: true })
  expect(outcome).toMatchObject({ blocked: false, failedOpen: true })
  expect(outcome.report[0]!.notes.join()).toContain('the strict profile waits for it')
})

test('S3: compat: a hook that must not fail open is waited for', async () => {
  const { hooks, command } = hookScene({ profile: 'compat' })
  command({ command: `${ANNOUNCE}; ${BLOCKS}`, onFailure: 'block' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: true, failedOpen: false })
})

test('S3: where nothing is held, nothing waits: an observer, and an event that is no gate', async () => {
  const { hooks, command, write, late } = hookScene()
  const text = `${ANNOUNCE}; ${WAIT}; ${contextOf('late words')}`
  command({ command: text, observe: true, name: 'looks' })
  command({ command: `true; ${text}`, events: 'PostToolUse', name: 'after' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: false, failedOpen: false })
  expect(await hooks.fire('PostToolUse', { ...bash(), tool_response: {} })).toMatchObject({ contexts: [] })
  write('go', '')
  await hooks.drain()
  expect(late.map(({ by }) => by).toSorted()).toEqual(['after', 'looks'])
})

test('a line that only looks like the announcement is none', async () => {
  for (const line of ['{"async":false}', 'async: true', '["async", true]', '{"async":"true"}']) {
    const { hooks, command } = hookScene({ profile: 'compat' })
    command({ command: `echo '${line}'; sleep 0.05` })
    expect(await hooks.fire('PreToolUse', bash(), { report: true })).toMatchObject({
      report: [{ status: expect.not.stringMatching('late') as string }]
    })
  }
})

test('the announcement may stand alone, with or without a line break', async () => {
  for (const line of [ANNOUNCE, `printf '{"async":true}'`]) {
    const { hooks, command, late } = hookScene({ profile: 'compat' })
    command({ command: line })
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined, failures: [] })
    await hooks.drain()
    expect(late).toEqual([])
  }
})

test('what is under way when everything is closed is ended', async () => {
  const where = hookScene()
  where.command({ command: 'echo $$ > pids; sleep 1000', async: true })
  await where.hooks.fire('PreToolUse', bash())
  const pids = await pidsIn(where, 'pids')
  await where.place.close()
  await gone(pids)
  await where.hooks.drain()
  expect(where.late).toMatchObject([{ failure: { kind: 'signal' } }])
})

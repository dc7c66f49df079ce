/** How a command that is not waited for any longer comes to its end. */
import { expect, test, vi } from 'vitest'
import { manualClock } from '../../../../src/testing.ts'
import type { Profile } from '../../../../src/hooks.ts'
import { contextOf, pidsIn, hookScene } from '../../../support/external-scene.ts'
import { gone, HANG } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

/** Writes down who they are, and hangs: the command, a child of it, and a grandchild. */
const FAMILY = `bash -c 'sleep 1000 & echo $$ $! >> pids; wait' & echo $$ >> pids; wait`
const TREES: readonly (readonly [string, string, number])[] = [
  ['alone', 'echo $$ >> pids; exec sleep 1000', 1],
  ['with children', FAMILY, 3],
  ['with children, deaf to SIGTERM', `trap '' TERM; ${FAMILY}`, 3],
  [
    'with a child in a session of its own',
    "setsid bash -c 'echo $$ >> pids; exec sleep 1000' & echo $$ >> pids; wait",
    2
  ],
  ['that has already answered', `echo $$ >> pids; ${contextOf('allowed')}; exec sleep 1000`, 1]
]
const PROFILES: readonly Profile[] = ['strict', 'compat']

// F43, F108
test.each(TREES)('an abort ends a command %s, and nothing of it keeps running', async (_, command, count) => {
  const once = async (profile: Profile): Promise<void> => {
    const where = hookScene({ profile })
    where.command({ command })
    const controller = new AbortController()
    const fired = where.hooks.fire('PreToolUse', bash(), { signal: controller.signal })
    const pids = await pidsIn(where, 'pids', count)
    expect(pids.every(isAlive)).toBe(true)
    controller.abort()
    expect(await fired).toMatchObject({ blocked: profile === 'strict', failures: [{ kind: 'aborted' }], contexts: [] })
    await gone(pids)
  }
  await Promise.all(PROFILES.map(once))
})

// F43, FM7, FM9
test.each(TREES)('a timeout ends a command %s, and nothing of it keeps running', async (_, command, count) => {
  const once = async (profile: Profile): Promise<void> => {
    const clock = manualClock()
    const where = hookScene({ profile, clock })
    where.command({ command, timeout: 2 })
    const fired = where.hooks.fire('PreToolUse', bash())
    const pids = await pidsIn(where, 'pids', count)
    await clock.advance(1.9)
    expect(pids.every(isAlive)).toBe(true)
    await clock.advance(0.2)
    const outcome = await fired
    expect(outcome).toMatchObject({ blocked: profile === 'strict', failedOpen: profile === 'compat', contexts: [] })
    expect(outcome.failures).toMatchObject([{ kind: 'timeout', message: 'gave no answer within 2 s' }])
    await gone(pids)
  }
  await Promise.all(PROFILES.map(once))
})

// F43
test('the abort of the whole registry ends commands, too', async () => {
  const controller = new AbortController()
  const where = hookScene({ signal: controller.signal })
  where.command({ command: FAMILY })
  const fired = where.hooks.fire('PreToolUse', bash())
  const pids = await pidsIn(where, 'pids', 3)
  controller.abort()
  expect(await fired).toMatchObject({ blocked: true, failures: [{ kind: 'aborted' }] })
  await gone(pids)
})

// F43
test('one abort ends all commands of an event, whatever each of them does', async () => {
  const where = hookScene()
  TREES.forEach(([name, command], index) =>
    where.command({
      name,
      command: `cd "$(mktemp -d -p "$CLAUDE_PROJECT_DIR")"; ${command.replaceAll('>> pids', `>> ${where.path('pids')}`)} # ${index}`
    })
  )
  const controller = new AbortController()
  const fired = where.hooks.fire('PreToolUse', bash(), { signal: controller.signal })
  const pids = await pidsIn(where, 'pids', 10)
  controller.abort()
  expect((await fired).failures).toHaveLength(TREES.length)
  await gone(pids)
})

test('after an abort no command is started', async () => {
  const where = hookScene()
  where.command({ command: 'touch started' })
  const outcome = await where.hooks.fire('PreToolUse', bash(), { signal: AbortSignal.abort() })
  expect(outcome).toMatchObject({ blocked: true, failures: [{ kind: 'aborted' }] })
  expect(where.has('started')).toBe(false)
})

// FM18
test('an allow that was printed before the time was up does not count, and a quick end afterwards changes nothing', async () => {
  const clock = manualClock()
  const where = hookScene({ clock })
  where.command({
    command: `trap 'exit 0' TERM; echo '{"decision":"approve"}'; echo $$ > pids; sleep 1000 & wait`,
    timeout: 1
  })
  const fired = where.hooks.fire('PreToolUse', bash())
  const pids = await pidsIn(where, 'pids')
  await clock.advance(1.1)
  expect(await fired).toMatchObject({ decision: 'deny', blocked: true, failures: [{ kind: 'timeout' }] })
  await gone(pids)
})

test('a command is asked to end before it is made to', async () => {
  const where = hookScene()
  where.command({ command: `trap 'echo tidied > tidied; exit 0' TERM; echo $$ > pids; while :; do sleep 0.01; done` })
  const controller = new AbortController()
  const fired = where.hooks.fire('PreToolUse', bash(), { signal: controller.signal })
  const pids = await pidsIn(where, 'pids')
  controller.abort()
  await fired
  await gone(pids)
  expect(where.read('tidied')).toBe('tidied\n')
})

test('closing the place ends what runs, and an answer is a failure', async () => {
  const where = hookScene()
  where.command({ command: FAMILY })
  const fired = where.hooks.fire('PreToolUse', bash())
  const pids = await pidsIn(where, 'pids', 3)
  await where.place.close()
  expect(await fired).toMatchObject({ blocked: true, failures: [{ kind: 'signal' }] })
  await gone(pids)
})

// FM10
test('what a command leaves behind on purpose is left, and told; its answer counts', async () => {
  const where = hookScene()
  where.command({ command: `(sleep 1000 & echo $! > pids) > /dev/null 2>&1; ${contextOf('done')}` })
  const outcome = await where.hooks.fire('PreToolUse', bash(), { report: true })
  const pids = await pidsIn(where, 'pids')
  expect(outcome).toMatchObject({ additionalContext: 'done', failures: [] })
  expect(outcome.report[0]!.notes).toEqual(['ended and left others running'])
  expect(pids.map(isAlive)).toEqual([true])
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await gone(pids)
})

// FM10
test('a child that holds the pipes is not waited for', async () => {
  const where = hookScene()
  where.command({ command: `sleep 1000 & echo $! > pids; ${contextOf('done')}` })
  expect(await where.hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: 'done', failures: [] })
  const pids = await pidsIn(where, 'pids')
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await gone(pids)
})

test.each([0, -1, Number.NaN, 2 ** 31, '5' as unknown as number])('a timeout of %s is refused at once', timeout => {
  const { command } = hookScene()
  expect(() => command({ command: 'true', timeout })).toThrow(/timeout/)
})

test('a timeout is in seconds, and may be a fraction', async () => {
  const clock = manualClock()
  const where = hookScene({ clock })
  where.command({ command: 'echo $$ > pids; exec sleep 1000', timeout: 0.5 })
  const fired = where.hooks.fire('PreToolUse', bash())
  await pidsIn(where, 'pids')
  await clock.advance(0.6)
  expect(await fired).toMatchObject({ failures: [{ message: 'gave no answer within 0.5 s' }] })
})

/** The next process of an unchanged command is started ahead, and waits for its event. */
import { describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../../../src/testing.ts'
import { commandHook } from '../../../../src/external.ts'
import { pidsIn } from '../../../support/external-scene.ts'
import { WARM, warmScene } from './warm-scene.ts'
import { gone, HANG } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { fixture } from '../../../support/fixture.ts'
import { bash, loopTurn } from '../../../support/hook-inputs.ts'
import { hasProgram } from '../../../support/host.ts'

vi.setConfig({ testTimeout: HANG })

describe.each(['strict', 'compat'] as const)('in the %s profile', profile => {
  test('the second event is answered by the process that was started ahead', async () => {
    const { ask, waiting, started, notices } = warmScene({}, { profile })
    const first = await ask('one')
    const next = await waiting(2)
    expect(first.pid).not.toBe(next)
    const second = await ask('two')
    expect(second).toMatchObject({ pid: next, outcome: { additionalContext: `${next} two`, failures: [] } })
    const last = await waiting(3)
    expect((await ask('three')).pid).toBe(last)
    expect(started().slice(0, 2)).toEqual([first.pid, next])
    expect(notices).toEqual([])
  })

  test('exit codes, standard error and failures mean what they mean in a cold run', async () => {
    for (const [ending, expected] of [
      ['echo "no by $$" >&2; exit 2', { blocked: true, reason: 'no by $' }],
      ['echo "oops by $$" >&2; exit 3', { blocked: profile === 'strict', failures: [{ kind: 'exit' }] }],
      ['kill -KILL $$', { blocked: profile === 'strict', failures: [{ kind: 'signal' }] }],
      ['echo "{"', { blocked: profile === 'strict', failures: [{ kind: 'reply' }] }],
      [`echo '{"decision":"approve"}'`, { decision: 'allow' }]
    ] as const) {
      const where = warmScene({ env: { THEN: ending } }, { profile })
      const cold = await where.hooks.fire('PreToolUse', bash())
      const next = await where.waiting(2)
      const warm = await where.hooks.fire('PreToolUse', bash(), { report: true })
      const named = { ...expected, ...('reason' in expected && { reason: `no by ${next}` }) }
      expect(warm, ending).toMatchObject(named)
      expect(warm.failures.map(({ kind }) => kind)).toEqual(cold.failures.map(({ kind }) => kind))
      if (ending.includes('by $$')) expect(warm.report[0]!.raw!.stderr).toContain(`by ${next}\n`)
      await where.place.close()
    }
  })
})

test('it is given the event as ever: one line, and then the end', async () => {
  const where = warmScene({ env: { THEN: 'echo "$event" > "given-$$"; cat >> "given-$$"' } })
  await where.ask('one')
  const next = await where.waiting(2)
  await where.ask('two')
  const given = where.read(`given-${next}`)
  expect(given.endsWith('}\n')).toBe(true)
  expect(JSON.parse(given)).toMatchObject({ tool_input: { command: 'two' }, event: 'pre_tool_use' })
})

test.each([
  ['arrive whole', 'wc -c > "size-$$"'],
  ['that nobody reads to the end are no failure', 'head -c 100 | wc -c > "size-$$"']
])('megabytes of input %s', async (_, reading) => {
  const where = warmScene({ command: './read.sh' })
  where.write('read.sh', `#!/bin/sh\necho $$ >> started\n${reading}\n`)
  await where.ask()
  const next = await where.waiting(2)
  expect(await where.hooks.fire('PreToolUse', bash('x'.repeat(5_000_000)))).toMatchObject({ failures: [] })
  expect(Number(where.read(`size-${next}`)) > 5_000_000).toBe(reading.startsWith('wc'))
})

test('each event has a process of its own', async () => {
  const where = warmScene({ events: ['PreToolUse', 'PostToolUse'] })
  await where.ask('one')
  const pre = await where.waiting(2)
  await where.hooks.fire('PostToolUse', { ...bash(), tool_response: {} })
  const post = await where.waiting(4)
  const after = await where.hooks.fire('PostToolUse', { ...bash('after'), tool_response: {} })
  expect(after.additionalContext).toBe(`${post} after`)
  expect((await where.ask('before')).outcome.additionalContext).toBe(`${pre} before`)
})

test('events at the same time never share a process, and each answer belongs to its event', async () => {
  const where = warmScene()
  for (let round = 0; round < 3; round++) {
    const names = Array.from({ length: 8 }, (_, index) => `round ${round} call ${index}`)
    const asked = await Promise.all(names.map(name => where.ask(name)))
    expect(asked.map(({ outcome }) => outcome.additionalContext?.replace(/^\d+ /, ''))).toEqual(names)
    expect(new Set(asked.map(({ pid }) => pid)).size).toBe(8)
  }
  await vi.waitFor(() => expect(where.started()).toHaveLength(25), HANG)
  expect(where.started().filter(isAlive)).toHaveLength(1)
})

test('two hooks never take one another’s process', async () => {
  const where = warmScene({ name: 'one', env: { WHO: 'one' } })
  where.command({ name: 'two', command: `${WARM} #`, prewarm: true })
  for (let time = 0; time < 3; time++) {
    const { contexts } = await where.hooks.fire('PreToolUse', bash())
    expect(contexts.map(({ by }) => by)).toEqual(['one', 'two'])
    expect(new Set(contexts.map(({ text }) => text)).size).toBe(2)
  }
})

async function answersAsEver(command: string, bad: string): Promise<void> {
  const where = warmScene({ command })
  where.write(
    'check.mjs',
    `let text = ''
    for await (const piece of process.stdin) text += piece
    if (JSON.parse(text).tool_input.command.startsWith('rm')) process.exit(2)`
  )
  for (const line of ['ls', bad, 'ls', bad, bad, 'ls'])
    expect(await where.hooks.fire('PreToolUse', bash(line))).toMatchObject({ blocked: line === bad, failures: [] })
  expect(where.notices).toEqual([])
}

test.each([
  ['bash', `'${fixture('hooks/wild/no-jq.sh')}'`, 'sudo x'],
  ['sh', `sh '${fixture('hooks/wild/grep.sh')}'`, 'rm -r x'],
  ['Node', 'node ./check.mjs', 'rm -r x']
])('scripts in %s need no change, and answer as ever', (_, command, bad) => answersAsEver(command, bad))

test.skipIf(!hasProgram('python3'))('the same in Python (skipped where it is missing)', () =>
  answersAsEver(`python3 '${fixture('hooks/wild/check.py')}'`, 'grep x')
)

test('in exec form it is the same', async () => {
  const where = warmScene({ command: 'sh', args: [fixture('hooks/warm.sh')] })
  await where.ask('one')
  const next = await where.waiting(2)
  expect((await where.ask('two')).pid).toBe(next)
})

test('pieces of what it prints, and its raw result, are told as ever', async () => {
  const where = warmScene({ env: { THEN: 'echo aside >&2' } })
  await where.ask()
  await where.waiting(2)
  const before = where.messages.length
  await where.ask()
  await loopTurn()
  expect(where.messages.slice(before)).toMatchObject([
    { subtype: 'hook_started' },
    { subtype: 'hook_progress', stderr: 'aside\n' },
    { subtype: 'hook_response', outcome: 'success', stderr: 'aside\n', exit_code: 0 }
  ])
})

test('one that was started ahead can answer later', async () => {
  const where = warmScene({ async: true })
  await where.ask('one')
  await where.hooks.drain()
  const next = await where.waiting(2)
  expect((await where.ask('two')).outcome.contexts).toEqual([])
  await where.hooks.drain()
  expect(where.late.at(-1)).toMatchObject({ contexts: [{ text: `${next} two` }] })
})

const HANGING = 'case $event in *hang*) sleep 1000 & echo $$ $! > pids; wait;; esac'

// F43, F108, FM7
test.each(['abort', 'timeout'])('an %s ends it, and all that it started', async why => {
  const clock = manualClock()
  const where = warmScene({ timeout: 1, env: { THEN: HANGING } }, { clock })
  await where.ask()
  const next = await where.waiting(2)
  const controller = new AbortController()
  const fired = where.hooks.fire('PreToolUse', bash('hang'), { signal: controller.signal })
  const pids = await pidsIn(where, 'pids', 2)
  expect(pids[0]).toBe(next)
  if (why === 'abort') controller.abort()
  else await clock.advance(2)
  expect(await fired).toMatchObject({ blocked: true, failures: [{ kind: why === 'abort' ? 'aborted' : 'timeout' }] })
  await gone(pids)
})

test('the time that it waited does not count against it', async () => {
  const clock = manualClock()
  const where = warmScene({ timeout: 1 }, { clock })
  await where.ask('one')
  const next = await where.waiting(2)
  await clock.advance(60)
  expect(await where.ask('two')).toMatchObject({ pid: next, outcome: { failures: [] } })
})

test('a command that is not told to be is not started ahead', async () => {
  const where = warmScene({ prewarm: false })
  await where.ask()
  await where.ask()
  expect(where.started()).toHaveLength(2)
  expect(where.started().filter(isAlive)).toEqual([])
})

test('a hook that was never fired starts nothing', () => {
  const where = warmScene()
  commandHook({ events: 'Stop', command: WARM, prewarm: true }, where.place)
  expect(where.started()).toEqual([])
})

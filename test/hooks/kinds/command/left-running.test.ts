/** Whether a hook left others running is a fact about processes, however late we look. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { HookMessage } from '../../../../src/hooks.ts'
import { pidsIn, hookScene, type HookScene } from '../../../support/external-scene.ts'
import { gone } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

const LEFT = 'ended and left others running'

const stateOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
  } catch {
    return 'gone'
  }
}

/** Keeps this process busy until something holds. */
function busyUntil(holds: () => boolean): void {
  const hangs = performance.now() + 20_000
  while (!holds() && performance.now() < hangs);
}

/** The same for longer than the wait for the pipes of a process. */
function busyForLong(): void {
  const until = performance.now() + 250
  busyUntil(() => performance.now() > until)
}

const hasEnded = (pid: number): boolean => ['Z', 'X', 'gone'].includes(stateOf(pid))

/**
 * A scene whose process is busy while its hooks end. Where there are two, the first one ends when the other has said
 * something, and both ends are found together: the pipes of the other are looked at only after that.
 */
function busyScene(): HookScene {
  const where: HookScene = hookScene({
    sink(message: HookMessage) {
      const [, who, pid] = (message.subtype === 'hook_progress' && /(first|pid) (\d+)/.exec(message.output)) || []
      if (pid === undefined) return
      where.write(who === 'first' ? 'start' : 'go', '')
      if (who === 'first') {
        busyUntil(() => where.has('said'))
        where.write('end', '')
        busyUntil(() => hasEnded(Number(pid)))
      } else {
        busyUntil(() => hasEnded(Number(pid)))
        busyForLong()
      }
    }
  })
  return where
}

const untilThere = (name: string): string => `while [ ! -e ${name} ]; do :; done`
const FIRST = { name: 'first', command: `echo "first $$" >&2; ${untilThere('end')}` }
const second = (more = ''): string =>
  `${untilThere('start')}; echo "pid $$" >&2; ${more} touch said; ${untilThere('go')}`

const notesOf = async (where: HookScene): Promise<readonly string[]> => {
  const { report } = await where.hooks.fire('PreToolUse', bash(), { report: true })
  return report.flatMap(({ notes }) => notes)
}

test.each([
  ['a shell', { command: second() }],
  ['a program without a shell', { command: '/bin/sh', args: ['-c', second()] }],
  ['one with much output', { command: second('head -c 30000 /dev/zero | tr "\\0" x >&2;') }]
])('C3: %s that starts nothing has left nothing running, though we look late', async (_, spec) => {
  const { hooks } = busyScene()
    .command(FIRST)
    .command({ ...spec, events: 'PostToolUse' })
  const before = hooks.fire('PreToolUse', bash())
  const after = hooks.fire('PostToolUse', { ...bash(), tool_response: {} }, { report: true })
  await Promise.resolve(before).then(busyForLong)
  expect((await after).report.flatMap(({ notes }) => notes)).toEqual([])
})

test('C3: through the helper process nothing is left running either', async () => {
  const where = hookScene({}, { starter: 'helper' })
  for (let each = 0; each < 8; each++) where.command({ name: `hook ${each}`, command: 'echo said; true' })
  expect(await notesOf(where)).toEqual([])
})

test.each([
  ['in its group, without its pipes', 'sleep 1000 >/dev/null 2>&1 & echo $! > pids'],
  ['in its group, with its pipes', 'sleep 1000 & echo $! > pids'],
  [
    'in a session of its own, with its pipes',
    `setsid sh -c 'echo $$ > pids; exec sleep 1000' & while [ ! -s pids ]; do :; done`
  ],
  [
    'that prints on and on',
    `setsid sh -c 'echo $$ > pids; while :; do echo on; done' & while [ ! -s pids ]; do :; done`
  ]
])('C3: a process %s is told of, however late we look', async (_, starts) => {
  const where = busyScene().command({ command: `${starts}; echo "pid $$" >&2; ${untilThere('go')}` })
  const notes = await notesOf(where)
  const pids = await pidsIn(where, 'pids')
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await gone(pids)
  expect(notes).toEqual([LEFT])
})

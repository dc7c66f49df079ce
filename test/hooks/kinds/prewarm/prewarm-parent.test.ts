/** A process that waits for an event does not outlive its parent, and never takes the parent's end for an event. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { hookScene } from '../../../support/external-scene.ts'
import { watching } from './warm-scene.ts'
import { gone, HANG } from '../../../support/waiting.ts'
import { fixture } from '../../../support/fixture.ts'

const onLinux = process.platform === 'linux'

/** All that descend from a process, as the process table has it. */
function descendantsOf(pid: number): readonly number[] {
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => parentOf(name) === pid)
    .map(Number)
  return children.flatMap(child => [child, ...descendantsOf(child)])
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** A program with a process that waits. */
async function parent(how: string) {
  const where = hookScene()
  const child = spawn(process.execPath, [fixture('hooks/warm-parent.ts'), where.folder, fixture('hooks/warm.sh'), how])
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  const said = text(child.stderr)
  await once(child.stdout, 'data')
  const pids = how === 'wait' ? [child.pid!, ...descendantsOf(child.pid!)] : []
  return { where, child, ended, said, pids, ...watching(where) }
}

test.skipIf(!onLinux).each([
  ['SIGKILL', 3],
  ['SIGTERM', 1],
  ['SIGINT', 1],
  ['SIGHUP', 1]
] as const)(
  'a program that dies of %s leaves no one, and what waited never ran (skipped without /proc)',
  async (signal, rounds) => {
    const kill = async (): Promise<void> => {
      const { where, child, ended, pids, started } = await parent('wait')
      const [, waiting] = started()
      expect(pids).toContain(waiting)
      child.kill(signal)
      expect(await ended).toEqual([null, signal])
      await gone(pids)
      expect(where.has('empty')).toBe(false)
      expect(started()).toHaveLength(2)
    }
    for (let round = 0; round < rounds; round++) await Promise.all([kill(), kill(), kill()])
  }
)

test.each([
  ['end', 0],
  ['close', 0],
  ['exit', 3],
  ['throw', 1],
  ['reject', 1]
])('a program whose way to end is “%s” ends at once, and leaves no one', async (how, code) => {
  const { where, ended, started, said } = await parent(how)
  expect(await ended).toEqual([code, null])
  await gone(started())
  expect(where.has('empty')).toBe(false)
  if (code !== 1) expect(await said).toBe('')
})

test('a program may end while its first event is under way', async () => {
  const where = hookScene()
  const script = where.write('slow.sh', 'echo $$ >> "$CLAUDE_PROJECT_DIR/started"; read -r event; sleep 1000\n')
  const child = spawn(process.execPath, [fixture('hooks/warm-parent.ts'), where.folder, script, 'wait'])
  const ended = once(child, 'exit')
  await vi.waitFor(() => expect(watching(where).started()).toHaveLength(1), HANG)
  child.kill('SIGKILL')
  await ended
  await gone(watching(where).started())
  expect(watching(where).started()).toHaveLength(1)
})

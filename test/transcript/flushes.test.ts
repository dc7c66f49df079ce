/** How often a session with one call waits for the disk: no more often than its guarantees need. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { realDisk } from '../../src/lib/transcript/disk.ts'
import { callTurn, type Project, projectIn } from '../support/agent-scene.ts'
import { HANG } from '../support/waiting.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { GROUND, keyOfPath, perform, World } from './staged.ts'

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-flushes-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const FLUSHES = 'fsync,fdatasync,sync,syncfs,sync_file_range,msync'

/** The flushes of a process, in their order: the system call, and the name of the file or folder. */
function flushesOf(args: readonly string[], log: string): readonly string[] {
  const { status, stderr } = spawnSync('strace', ['-f', '-y', '-e', `trace=${FLUSHES}`, '-o', log, ...args])
  if (status !== 0) throw new Error(String(stderr))
  return Array.from(readFileSync(log, 'utf8').matchAll(/\b(\w*sync\w*)\(\d+<([^>]+)>/g), ([, call = '', path = '']) =>
    [call, basename(path).replace(/^.*\.jsonl$/, 'the transcript')].join(' ')
  )
}

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
if (!canTrace) console.warn('strace is missing or not permitted, so the flushes of a real process are not counted')

test.skipIf(!canTrace)(
  'the first session of a new home (skipped where strace cannot be used)',
  () => {
    const base = folder()
    const driver = fileURLToPath(new URL('drivers/one-call.ts', import.meta.url))
    const [intent, ...rest] = flushesOf([process.execPath, driver, base], join(base, 'log'))
    expect(intent).toBe('fdatasync the transcript')
    const names = rest.slice(0, 4)
    expect(names).toEqual([expect.stringMatching(/^fsync -/), 'fsync projects', 'fsync .carabiner', 'fsync home'])
    expect(rest.slice(4)).toEqual(['fdatasync the transcript', 'fdatasync the transcript'])
  },
  HANG
)

/** The flushes of one session on this disk. */
async function flushesOn(disk: FaultyDisk, place: Project, resume?: string): Promise<readonly string[]> {
  const act = { prompt: 'go', turns: { main: [callTurn('put')] }, options: { ...(resume !== undefined && { resume }) } }
  const world = new World()
  const { result } = await perform({ name: 'one call', acts: [act] }, 0, world, disk, place)
  expect([result.terminal_reason, world.problems]).toEqual(['completed', []])
  return disk.steps.flatMap(({ kind }) => (kind === 'sync' || kind === 'syncFolder' ? [kind] : []))
}

test('a project with transcripts: the name of a new file is flushed, and nothing for a file that is resumed', async () => {
  const place = projectIn(folder())
  const first = new FaultyDisk({ ground: GROUND })
  expect(await flushesOn(first, place)).toEqual(['sync', ...Array<string>(4).fill('syncFolder'), 'sync', 'sync'])
  const image = first.image('synced', Math.random)
  const on = (): FaultyDisk => new FaultyDisk({ ground: GROUND, image })
  expect(await flushesOn(on(), place)).toEqual(['sync', 'syncFolder', 'sync', 'sync'])
  const [path = ''] = image.keys()
  expect(await flushesOn(on(), place, keyOfPath(path).sessionId)).toEqual(['sync', 'sync', 'sync'])
})

test('the name of a file is durable by itself after a minute', () => {
  const made = folder()
  expect(realDisk.isNameDurable(made)).toBe(false)
  vi.setSystemTime(Date.now() + 61_000)
  onTestFinished(() => void vi.useRealTimers())
  expect(realDisk.isNameDurable(made)).toBe(true)
  expect(realDisk.isNameDurable(join(made, 'missing'))).toBe(false)
})

test.skipIf(statSync('/proc', { throwIfNoEntry: false })?.birthtimeMs !== 0)(
  'where the age of a folder is not known, its name is not taken to be durable (skipped without /proc)',
  () => expect(realDisk.isNameDurable('/proc')).toBe(false)
)

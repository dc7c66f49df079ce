/** One writer per machine, across all namespaces of its processes. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lock } from '../../../src/lib/world/lock/lock.ts'
import { CLI } from '../../support/built-package.ts'
import { ended, type Ran, cliStage } from '../../support/cli-stage.ts'
import { doing, held, holderOf, locker, lockFolder } from './lock-kit.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: 4 * HANG })

/** Everyone may have a user namespace, on most machines; in it all others can be made. */
const unshare = (...which: readonly string[]): readonly string[] => ['unshare', '--user', '--map-root-user', ...which]

const NAMESPACES: readonly [string, readonly string[]][] = [
  ['user', unshare()],
  ['network', unshare('--net')],
  ['mount', unshare('--mount')],
  ['process', unshare('--pid', '--fork', '--kill-child', '--mount-proc')],
  [
    'every',
    unshare('--net', '--mount', '--ipc', '--uts', '--cgroup', '--pid', '--fork', '--kill-child', '--mount-proc')
  ]
]

const can = (wrapper: readonly string[]): boolean => spawnSync(wrapper[0]!, [...wrapper.slice(1), 'true']).status === 0
const missing = NAMESPACES.filter(([, wrapper]) => !can(wrapper)).map(([name]) => name)
if (missing.length > 0) console.warn(`SKIPPED: this machine lets nobody make namespaces: ${missing.join(', ')}`)

describe.each(NAMESPACES)('in another %s namespace', (name, wrapper) => {
  test.skipIf(missing.includes(name))('B3: whoever wants the lock there is refused, and told who has it', async () => {
    const file = lockFolder()('a.jsonl')
    const own = await held(lock(file, doing))
    const other = await locker({ wrapper })
    expect(await other.ask({ order: 'take', file })).toMatchObject({ holder: { pid: process.pid, doing: 'testing' } })
    await own.release()
    expect(await other.ask({ order: 'take', file })).toEqual({ held: true })
    expect(await holderOf(lock(file, doing))).toMatchObject({ doing: 'what it was told' })
  })

  test.skipIf(missing.includes(name))('B3: a lock there is free as soon as its holder is killed', async () => {
    const file = lockFolder()('a.jsonl')
    for (let round = 0; round < 3; round++) {
      const other = await locker({ wrapper })
      expect(await other.ask({ order: 'take', file })).toEqual({ held: true })
      expect(await holderOf(lock(file, doing))).toMatchObject({ doing: 'what it was told' })
      await other.kill()
      const own = await held(soonHeld(file))
      await own.release()
    }
  })
})

/** Those in a process namespace end with its first process, a moment after who made it. */
async function soonHeld(file: string) {
  return vi.waitUntil(
    async () => {
      const locked = await lock(file, doing)
      return 'release' in locked ? locked : undefined
    },
    { timeout: 10_000, interval: 5 }
  )
}

test.skipIf(missing.includes('network'))(
  'B3: a session that runs is not resumed from another network namespace, and nothing is done twice',
  async () => {
    const here = cliStage()
    const [began, effects] = [here.path('home/began'), here.path('home/effects')]
    const command = `echo effect >> ${effects}; touch ${began}; sleep 600`
    const script = here.write('script.json', { turns: [{ calls: [{ name: 'Bash', input: { command } }] }, 'Done.'] })
    const words = (model: string): readonly string[] => [
      'run',
      '-p',
      '--model',
      `script:${model}`,
      '--allowedTools',
      'Bash'
    ]
    const id = '11111111-2222-4333-8444-555555555555'
    const first = here.start([...words(script), '--session-id', id, 'Go'])
    const end = ended(first)
    onTestFinished(() => void first.kill('SIGKILL'))
    await vi.waitUntil(() => existsSync(began), { timeout: HANG, interval: 20 })
    const resumed = (model: string): Promise<Ran> => {
      const [file, ...args] = [...unshare('--net'), process.execPath, CLI, ...words(model), '--resume', id, 'Go on']
      return ended(spawn(file, args, { cwd: here.project, env: here.env }))
    }
    const second = await resumed(script)
    expect([second.code, second.stderr]).toEqual([
      4,
      expect.stringContaining(`session ${id} is running: process ${first.pid}`)
    ])
    expect(readFileSync(effects, 'utf8')).toBe('effect\n')
    first.kill('SIGKILL')
    await end
    const third = await resumed(here.write('again.json', { turns: ['Hello.'] }))
    expect([third.code, third.stdout]).toEqual([0, 'Hello.\n'])
    const verified = await here.run(['sessions', 'verify', id])
    expect(verified.stdout).not.toContain('conflict')
  }
)

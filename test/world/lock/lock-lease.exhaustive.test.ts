/** Machines with one disk cannot see each other's processes: a lease decides, and a writer that lost it stops. */
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { JsonlStore } from '../../../src/index.ts'
import { lock, type Machine } from '../../../src/lib/world/lock/lock.ts'
import { cliStage } from '../../support/cli-stage.ts'
import { doing, held, holderOf, locker, lockFolder, processState, type Locker } from './lock-kit.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: 2 * HANG })

const machine = (name: string, lease = 15_000): Machine => ({ host: `id-${name}`, name, lease })

const isLinux = process.platform === 'linux'

async function stop(one: Locker): Promise<void> {
  one.child.kill('SIGSTOP')
  await vi.waitUntil(() => processState(one.pid) === 'T', { timeout: HANG, interval: 5 })
}

/** As if the lease had been renewed this number of seconds earlier. */
function age(place: string, seconds: number): void {
  const then = new Date(statSync(place).mtimeMs - seconds * 1000)
  utimesSync(place, then, then)
}

/** Another machine tries until it has it. */
const soonHeld = (file: string, other: Machine) =>
  vi.waitUntil(
    async () => {
      const locked = await lock(file, doing, other)
      return 'release' in locked ? locked : undefined
    },
    { timeout: HANG, interval: 10 }
  )

test('B3: another machine is refused, and told the host and when its lease ends', async () => {
  const file = lockFolder()('a.jsonl')
  const own = await held(lock(file, doing, machine('one')))
  const before = Date.now()
  const { host, until, pid } = await holderOf(lock(file, doing, machine('two')))
  expect([host, pid]).toEqual(['one', process.pid])
  expect(Date.parse(String(until)) - before).toBeLessThanOrEqual(15_000)
  expect(Date.parse(String(until)) - before).toBeGreaterThan(5_000)
  await own.release()
  const next = await held(lock(file, doing, machine('two')))
  await next.release()
})

test('B3: a lease is renewed for as long as its holder works', async () => {
  const file = lockFolder()('a.jsonl')
  const own = await held(lock(file, doing, machine('one', 900)))
  const first = statSync(`${file}.lock`).mtimeMs
  await vi.waitUntil(() => statSync(`${file}.lock`).mtimeMs - first > 2_000, { timeout: HANG, interval: 20 })
  expect(await holderOf(lock(file, doing, machine('two', 900)))).toMatchObject({ host: 'one' })
  own.check()
  await own.release()
})

test.each([-4, 4])('B3: clocks that differ by %i seconds change nothing', async seconds => {
  const file = lockFolder()('a.jsonl')
  const own = await held(lock(file, doing, machine('one')))
  age(`${file}.lock`, -seconds)
  expect(await holderOf(lock(file, doing, machine('two')))).toMatchObject({ host: 'one' })
  await own.release()
})

test('B3: a lease that has ended is taken over, by one of many', async () => {
  const path = lockFolder()
  const file = path('a.jsonl')
  const gone = await locker({ host: 'gone' })
  await gone.ask({ order: 'take', file })
  await gone.kill()
  expect(await holderOf(lock(file, doing, machine('two')))).toMatchObject({ host: 'gone', pid: gone.pid })
  age(`${file}.lock`, 16)
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => lock(file, doing, machine(`m${at}`))))
  const winners = all.filter(one => 'release' in one)
  expect(winners).toHaveLength(1)
  expect(winners[0]!.isTakenOver).toBe(true)
  await winners[0]!.release()
  expect(readdirSync(path())).toEqual([])
})

test.skipIf(!isLinux)('B3: a holder that was stopped for longer than its lease has lost it when it wakes', async () => {
  const file = lockFolder()('a.jsonl')
  const one = await locker()
  await one.ask({ order: 'take', file, machine: machine('one', 900) })
  expect(await one.ask({ order: 'check' })).toEqual({ done: true })
  await stop(one)
  const own = await soonHeld(file, machine('two', 900))
  one.child.kill('SIGCONT')
  expect(await one.ask({ order: 'check' })).toEqual({ error: expect.stringContaining('no longer has the lock') })
  own.check()
  expect(await holderOf(lock(file, doing, machine('three', 900)))).toMatchObject({ host: 'two' })
  await own.release()
})

test.skipIf(!isLinux)('B3: one that was stopped for long and that no one replaced continues', async () => {
  const path = lockFolder()
  const file = path('a.jsonl')
  const one = await locker()
  await one.ask({ order: 'take', file, machine: machine('one', 300) })
  await stop(one)
  const renewed = statSync(`${file}.lock`).mtimeMs
  await vi.waitUntil(() => Date.now() - renewed > 1_000, { timeout: HANG, interval: 20 })
  one.child.kill('SIGCONT')
  expect(await one.ask({ order: 'check' })).toEqual({ done: true })
  expect(await holderOf(lock(file, doing, machine('two', 300)))).toMatchObject({ host: 'one' })
  await one.kill()
  const own = await held(lock(file, doing, machine('one', 300)))
  await own.release()
  expect(readdirSync(path())).toEqual([])
})

test.skipIf(!isLinux).each([undefined, 'subagents/agent-1'])(
  'B3: what a writer that lost its lease writes when it wakes is not in the transcript (%s)',
  async subpath => {
    const path = lockFolder()
    const root = path('projects')
    const transcript = path(`projects/p/s${subpath === undefined ? '' : `/${subpath}`}.jsonl`)
    const claim = path('projects/p/s.jsonl.lock')
    const [one, two] = [await locker({ host: 'one' }), await locker({ host: 'two' })]
    const open = async (which: Locker): Promise<void> => {
      expect(await which.ask({ order: 'open', root })).toMatchObject({ held: true })
      if (subpath !== undefined) await which.ask({ order: 'open', root, subpath })
    }
    await open(one)
    await one.ask({ order: 'write', text: 'first' })
    await stop(one)
    expect(await two.ask({ order: 'open', root })).toMatchObject({ holder: { host: 'one' } })
    // It sleeps, and its clock with it: it does not know how late it is.
    age(claim, 16)
    await open(two)
    await two.ask({ order: 'write', text: 'second' })
    one.child.kill('SIGCONT')
    const errors = await vi.waitUntil(async () => (await one.ask({ order: 'write', text: 'late' }))['error'], {
      timeout: HANG,
      interval: 50
    })
    expect(errors).toContain('no longer has the lock')
    await two.ask({ order: 'write', text: 'third' })
    const store = new JsonlStore(root)
    const { entries, gaps } = (await store.load({ projectKey: 'p', sessionId: 's', subpath }))!
    expect([entries.map(({ uuid }) => uuid), gaps]).toEqual([['first', 'second', 'third'], []])
    expect(readFileSync(transcript, 'utf8')).not.toContain('late')
  }
)

test('B3: the command line names the host and the end of its lease', async () => {
  const here = cliStage()
  const id = '11111111-2222-4333-8444-555555555555'
  const script = here.write('script.json', { turns: ['Hello.'] })
  const run = (more: readonly string[], host: string) =>
    here.run(['run', '-p', '--model', `script:${script}`, ...more], { env: { CARABINER_HOST: host } })
  expect((await run(['--session-id', id, 'Go'], 'first-host')).code).toBe(0)
  const [project] = readdirSync(here.path('home/.carabiner/projects'))
  const other = await locker({ host: 'second-host' })
  await other.ask({ order: 'take', file: here.path(`home/.carabiner/projects/${project}/${id}.jsonl`) })
  const { code, stderr } = await run(['--resume', id, 'Go'], 'first-host')
  expect(code).toBe(4)
  expect(stderr).toMatch(
    new RegExp(`session ${id} is running: process ${other.pid} on second-host has had it since .*its lease ends at 20`)
  )
  await other.kill()
})

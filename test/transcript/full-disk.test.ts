/** A disk that takes less than it is given, or nothing more: the session ends before anything else is done. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Appender } from '../../src/lib/transcript/appender.ts'
import { seal } from '../../src/lib/transcript/seal.ts'
import { readTranscript } from './read-transcript.ts'
import { projectIn } from '../support/agent-scene.ts'
import { FaultyDisk, type DiskFault, type Plan, type DiskStep } from './faulty-disk.ts'
import { SEED, seeded } from '../support/seed.ts'
import { CRASH_SCENARIOS } from './scenarios.ts'
import { GROUND, keyOfPath, perform, PROJECTS, storeIn, World, type CrashScenario, type Seen } from './staged.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-full-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const place = projectIn(base)

const PATH = join(PROJECTS, 'project', 'session.jsonl')
const entry = (n: number) => ({ type: 'user', uuid: `u${n}`, message: { role: 'user', content: `line ${n} ü` } })

function appender(disk: FaultyDisk): Appender {
  return new Appender(PATH, disk, { last: 0, isTorn: false, folders: [] })
}

describe('a write that takes less than it was given', () => {
  // FM33
  test('is gone on with, wherever it stopped', async () => {
    const length = seal(entry(2), 2).length
    for (let cut = 1; cut <= length; cut++) {
      let left = cut
      const disk = new FaultyDisk({
        ground: GROUND,
        // It is short twice: at the cut, and then after one more byte.
        plan: ({ kind }, number) => (kind === 'write' && number > 3 && left > 0 ? { short: take() } : undefined)
      })
      const take = (): number => {
        const taken = left === cut ? cut : 1
        left = left === cut ? 1 : 0
        return taken
      }
      const writer = appender(disk)
      for (const n of [1, 2, 3]) writer.write(entry(n))
      await writer.close()
      const { entries, gaps } = readTranscript(disk.image('synced', seeded(SEED)).get(PATH) ?? read(disk))
      expect(entries.map(({ uuid }) => uuid)).toEqual(['u1', 'u2', 'u3'])
      expect(gaps).toEqual([])
    }
  })

  // FM33 FM38
  test('and then takes nothing: no other line follows', async () => {
    const length = seal(entry(2), 2).length
    for (const code of ['ENOSPC', 'EIO', 'EACCES'] as const)
      for (let cut = 0; cut < length; cut++) {
        const faults: DiskFault[] = [{ short: cut }, { fail: code }]
        let writes = 0
        const plan: Plan = ({ kind }) => (kind === 'write' && writes++ > 0 ? faults.shift() : undefined)
        const disk = new FaultyDisk({ ground: GROUND, plan })
        const writer = appender(disk)
        writer.write(entry(1))
        await writer.flush()
        expect(() => writer.write(entry(2))).toThrow(expect.objectContaining({ code: 'E_TRANSCRIPT' }))
        const steps = disk.steps.length
        // There would be space again.
        expect(() => writer.write(entry(3))).toThrow(/transcript/)
        await expect(writer.flush()).rejects.toThrow(/transcript/)
        await expect(writer.close()).rejects.toThrow(/transcript/)
        expect(disk.steps.slice(steps).map(({ kind }) => kind)).toEqual(['close'])
        const { entries, gaps } = readTranscript(read(disk))
        // A line without its line break is a line; it was not acknowledged.
        const isWhole = cut === length - 1
        expect(entries.map(({ uuid }) => uuid)).toEqual(isWhole ? ['u1', 'u2'] : ['u1'])
        expect(gaps.map(({ why }) => why)).toEqual(cut === 0 || isWhole ? [] : ['torn'])
      }
  })
})

test('what is safe is said, and only that', async () => {
  for (const [kind, before] of [
    ['write', 0],
    ['write', 1],
    ['sync', 0],
    ['sync', 1]
  ] as const) {
    let count = 0
    const plan: Plan = step => (step.kind === kind && count++ === before ? { fail: 'ENOSPC' } : undefined)
    const writer = appender(new FaultyDisk({ ground: GROUND, plan }))
    const add = async (n: number): Promise<void> => {
      writer.write(entry(n))
      await writer.flush()
    }
    for (let n = 1; n <= before; n++) await add(n)
    await expect(add(before + 1)).rejects.toThrow(
      before === 0 ? /cannot be written: .*nothing of this run was saved/ : /what was written before is safe/
    )
    await writer.close().catch(() => undefined)
  }
})

const read = (disk: FaultyDisk): Buffer => disk.image('cache', seeded(SEED)).get(PATH)!

// FM39
test('an fsync that fails is not tried again, and nothing is written behind it', async () => {
  for (const kind of ['sync', 'syncFolder'] as const) {
    let failed = 0
    const disk = new FaultyDisk({
      ground: GROUND,
      plan: step => (step.kind === kind && failed++ === 0 ? { fail: 'EIO' } : undefined)
    })
    const writer = new Appender(PATH, disk, { last: 0, isTorn: false, folders: [join(PROJECTS, 'project')] })
    writer.write(entry(1))
    const waiting = [writer.flush(), writer.flush()]
    for (const each of waiting) await expect(each).rejects.toThrow(/EIO/)
    const steps = disk.steps.length
    await expect(writer.flush()).rejects.toThrow(/EIO/)
    expect(() => writer.write(entry(2))).toThrow(/EIO/)
    await expect(writer.close()).rejects.toThrow(/EIO/)
    expect(disk.steps.slice(steps).map(step => step.kind)).toEqual(['close'])
  }
})

/** All acts, one after the other, until one does not end well. */
async function play(scenario: CrashScenario, world: World, disk: FaultyDisk): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  for (let act = 0; act < scenario.acts.length && seen.at(-1)?.result.is_error !== true; act++)
    seen.push(await perform(scenario, act, world, disk, place))
  return seen
}

/** What goes wrong, from which step on, and for how long. */
const FAULTS: readonly { readonly name: string; readonly plan: (number: number) => Plan }[] = [
  {
    name: 'no space for a moment',
    plan:
      number =>
      ({ kind }, at) =>
        at === number && kind === 'write' ? { fail: 'ENOSPC' } : undefined
  },
  {
    name: 'half a line, and then no space for ever',
    plan:
      number =>
      ({ kind, bytes }, at) => {
        if (kind !== 'write' || at < number) return undefined
        return at === number ? { short: Math.floor(bytes!.length / 2) } : { fail: 'ENOSPC' }
      }
  },
  {
    name: 'an fsync that fails once',
    plan: number => (step, at) => (at === number && isSync(step) ? { fail: 'EIO' } : undefined)
  },
  {
    name: 'a folder or a file that may not be made',
    plan: number => (step, at) => (at >= number && isMaking(step) ? { fail: 'EACCES' } : undefined)
  }
]

const isSync = ({ kind }: DiskStep): boolean => kind === 'sync' || kind === 'syncFolder'
const isMaking = ({ kind }: DiskStep): boolean => kind === 'makeFolder' || kind === 'openToAppend'

const wanted = ['one after the other', 'of all kinds', 'a subagent whose', 'put off, and', 'a copy of', 'say, and']

/** The file for which the last step was made. */
function whose(steps: readonly DiskStep[]): string {
  const { kind, path } = steps.at(-1)!
  return kind === 'syncFolder' ? steps.findLast(step => step.kind === 'sync')!.path : path
}

/** The session ends with the fault: nothing is begun, written or lost from there on; and it continues later. */
async function breakAt(scenario: CrashScenario, plan: Plan): Promise<readonly string[]> {
  const world = new World()
  let broken: { readonly path: string; readonly step: number; readonly starts: number } | undefined
  const disk = new FaultyDisk({
    ground: GROUND,
    plan(step, number) {
      const fault = plan(step, number)
      if (fault !== undefined && 'fail' in fault)
        broken ??= { path: step.path, step: number, starts: [...world.starts.values()].length }
      return fault
    }
  })
  const seen = await play(scenario, world, disk)
  if (broken === undefined) return []
  const { path, step, starts } = broken
  const problems: string[] = []
  // A subagent does nothing that it could not write down; its parent gets the error, and may continue.
  const isChild = whose(disk.steps.slice(0, step)).includes('subagents')
  const { result } = seen.at(-1)!
  if (!isChild && !result.is_error) problems.push('the session goes on')
  if (!isChild && !/transcript/i.test(result.result)) problems.push(`it says only: ${result.result}`)
  if (!isChild && world.starts.size > starts) problems.push('something was begun that cannot be written down')
  const later = disk.steps.slice(step).filter(each => each.path === path && each.kind !== 'close')
  if (path.endsWith('.jsonl') && later.length > 0) problems.push(`it was tried again: ${later[0]!.kind}`)
  for (const kind of ['cache', 'synced'] as const) {
    // There is space again.
    const next = new FaultyDisk({ ground: GROUND, image: disk.image(kind, seeded(SEED)) })
    const { jsonl } = storeIn(new World(), next)
    const files = [...world.written.keys()]
    const loaded = await Promise.all(files.map(async file => (await jsonl.load(keyOfPath(file)))?.entries ?? []))
    const after = new World(world.starts, loaded.flat())
    for (const [at, file] of files.entries()) {
      const there = new Set(loaded[at]!.map(({ uuid }) => uuid))
      if (!world.ackedIn(file).every(uuid => there.has(uuid))) problems.push(`${kind}: something is lost in ${file}`)
      if (keyOfPath(file).subpath !== undefined || there.size === 0) continue
      const resume = keyOfPath(file).sessionId
      const again = await perform(scenario, { prompt: '', resume }, after, next, place)
      if (again.result.is_error) problems.push(`${kind}: ${resume} does not go on: ${again.result.result}`)
    }
    for (const [id, times] of after.starts) if (times > 1) problems.push(`${kind}: ${id} was started ${times} times`)
    problems.push(...after.problems)
  }
  return [...problems, ...world.problems]
}

// FM38 FM39
describe.each(FAULTS)('$name', ({ plan }) => {
  const scenarios = CRASH_SCENARIOS.filter(({ name }) => wanted.some(part => name.includes(part)))
  test.each(scenarios)('$name', async scenario => {
    const whole = new FaultyDisk({ ground: GROUND })
    await play(scenario, new World(), whole)
    const wrong: string[] = []
    let broken = 0
    for (const [at, step] of whole.steps.entries()) {
      if (plan(at + 1)(step, at + 1) === undefined) continue
      broken++
      const problems = await breakAt(scenario, plan(at + 1))
      wrong.push(...problems.map(problem => `step ${at + 1} (${step.kind}): ${problem}`))
    }
    expect(broken).toBeGreaterThan(0)
    expect(wrong).toEqual([])
  })
})

/** A process that is ended at any moment: what was acknowledged is there, and nothing is done twice. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Message } from '../../src/hooks.ts'
import type { TranscriptEntry } from '../../src/index.ts'
import { projectIn, resultsIn, unpaired } from '../support/agent-scene.ts'
import { FaultyDisk, IMAGES, type Image, type DiskStep } from './faulty-disk.ts'
import { SEED, seeded } from '../support/seed.ts'
import { CRASH_SCENARIOS } from './scenarios.ts'
import { GROUND, keyOfPath, perform, storeIn, World, type CrashScenario, type Seen } from './staged.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-crash-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const place = projectIn(base)

/** All acts, one after the other, until the disk is gone. */
async function play(scenario: CrashScenario, world: World, disk: FaultyDisk): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  for (let act = 0; act < scenario.acts.length && !disk.isCrashed; act++)
    seen.push(await perform(scenario, act, world, disk, place))
  return seen
}

interface Loaded {
  readonly entries: readonly TranscriptEntry[]
  readonly gaps: readonly object[]
}

/** All transcripts that a new process finds. */
async function transcriptsIn(disk: FaultyDisk, paths: Iterable<string>): Promise<ReadonlyMap<string, Loaded>> {
  const { jsonl } = storeIn(new World(), disk)
  const loaded = await Promise.all([...paths].map(async path => [path, await jsonl.load(keyOfPath(path))] as const))
  return new Map(loaded.flatMap(([path, found]) => (found === undefined ? [] : [[path, found]])))
}

/** What is wrong with what a new process finds. */
function lossesIn(found: ReadonlyMap<string, Loaded>, world: World): readonly string[] {
  return [...world.written.keys()].flatMap(path => {
    const acked = world.ackedIn(path)
    const there = new Set(found.get(path)?.entries.map(({ uuid }) => String(uuid)))
    const written = world.written.get(path)!.map(({ uuid }) => String(uuid))
    const lost = acked.filter(uuid => !there.has(uuid))
    const order = written.filter(uuid => there.has(uuid))
    return [
      ...lost.map(uuid => `${path}: ${uuid} was acknowledged, and is lost`),
      ...(order.join() === [...there].join() ? [] : [`${path}: what is there is not what was written, in its order`])
    ]
  })
}

/** Calls that had begun, and of which nothing else is known; a subagent knows by itself. */
function unknownIn(found: ReadonlyMap<string, Loaded>): readonly string[] {
  return [...found.values()].flatMap(({ entries }) => {
    const of = (type: string): ReadonlySet<unknown> =>
      new Set(entries.flatMap(entry => (entry.type === type ? [entry['toolUseId']] : [])))
    const [outcomes, answered] = [of('tool-outcome'), JSON.stringify(entries)]
    const atWork = new Set(entries.map(({ subtype, toolUseId }) => (subtype === 'subagent_started' ? toolUseId : '')))
    return [...of('tool-intent')]
      .map(String)
      .filter(id => !outcomes.has(id) && !atWork.has(id) && !answered.includes(`"tool_use_id":"${id}"`))
  })
}

const UNKNOWN = /may have partly or fully completed/

/** What is wrong with what a model was sent. */
function faultsIn(sent: readonly (readonly Message[])[]): readonly string[] {
  return sent.flatMap(messages => [
    ...unpaired(messages),
    ...(messages.length === 0 ? ['the model was sent nothing'] : []),
    ...(messages.at(-1)?.role === 'assistant' ? ['the model was asked to go on with its own words'] : [])
  ])
}

/** A new process continues from what is there. Gives what is wrong. */
async function goOn(scenario: CrashScenario, before: World, image: Image, prompt: string): Promise<readonly string[]> {
  const disk = new FaultyDisk({ ground: GROUND, image })
  const found = await transcriptsIn(disk, before.written.keys())
  const world = new World(
    before.starts,
    [...found.values()].flatMap(({ entries }) => entries)
  )
  const problems = [...before.problems, ...lossesIn(found, before)]
  const unknown = unknownIn(found)
  const sent: (readonly Message[])[] = []
  for (const path of before.written.keys()) {
    const { sessionId, subpath } = keyOfPath(path)
    if (subpath !== undefined) continue
    const { result, sent: asked } = await perform(scenario, { prompt, resume: sessionId }, world, disk, place)
    sent.push(...asked)
    const there = found.get(path)?.entries
    const isSilent = there?.every(({ type }) => type !== 'user') === true
    // A file into which nothing was written yet is not a session, and is reported as empty.
    const isEmpty = there?.length === 0 && found.get(path)?.gaps.length === 0
    const noSession = there === undefined ? 'E_SESSION_UNKNOWN' : isEmpty ? 'E_NOT_TRANSCRIPT' : undefined
    const isExcused = noSession === undefined ? isSilent && prompt === '' : result.error_code === noSession
    if (result.is_error && !isExcused) problems.push(`${sessionId} does not go on: ${result.result}`)
  }
  problems.push(...world.problems, ...faultsIn(sent))
  for (const [id, times] of world.starts) if (times > 1) problems.push(`${id} was started ${times} times`)
  for (const id of scenario.denied ?? []) if (world.starts.has(id)) problems.push(`${id} was refused, and started`)
  const results = new Map(sent.flatMap(resultsIn).map(({ id, text }) => [id, text]))
  for (const [id, text] of results) if (/no agent/.test(text)) problems.push(`${id} was at work, and is gone: ${text}`)
  for (const id of unknown) {
    if (world.starts.get(id) !== before.starts.get(id)) problems.push(`${id} had begun, and was begun again`)
    if (results.has(id) && !UNKNOWN.test(results.get(id)!)) problems.push(`${id} had begun: ${results.get(id)}`)
  }
  const after = await transcriptsIn(disk, before.written.keys())
  for (const [path, { entries }] of found)
    if (JSON.stringify(after.get(path)!.entries.slice(0, entries.length)) !== JSON.stringify(entries))
      problems.push(`${path}: what was there is not there any more`)
  return problems
}

/** The process ends before the step, or in the middle of it. */
const crashAt =
  (number: number, isTorn: boolean) =>
  ({ bytes }: DiskStep, at: number) =>
    at === number ? { crash: isTorn ? Math.max(1, Math.floor((bytes?.length ?? 0) / 2)) : 0 } : undefined

const counts: number[] = []

// FM30
test.each(CRASH_SCENARIOS)('$name: ended before and in each step on the disk', async scenario => {
  const whole = new FaultyDisk({ ground: GROUND })
  const dry = new World()
  const seen = await play(scenario, dry, whole)
  expect(seen.map(({ result }) => result.is_error)).not.toContain(true)
  expect(dry.problems).toEqual([])
  expect(whole.opened).toEqual([])
  const wrong: string[] = []
  let points = 0
  for (let number = 1; number <= whole.steps.length; number++)
    for (const isTorn of [false, true]) {
      const disk = new FaultyDisk({ ground: GROUND, plan: crashAt(number, isTorn) })
      const world = new World()
      const before = await play(scenario, world, disk)
      const where = `${isTorn ? 'in' : 'before'} step ${number} (${disk.steps.at(-1)!.kind})`
      wrong.push(...before.flatMap(({ sent }) => faultsIn(sent)).map(fault => `${where}: ${fault}`))
      for (const kind of IMAGES) {
        const prompt = points++ % 2 === 0 ? '' : 'and now?'
        const problems = await goOn(scenario, world, disk.image(kind, seeded(number)), prompt)
        wrong.push(...problems.map(problem => `${where}, ${kind}, ${prompt}: ${problem}`))
      }
    }
  counts.push(points)
  expect(wrong).toEqual([])
})

// FM30
test('killed, gone on with, and then the power fails', async () => {
  const wrong: string[] = []
  for (const scenario of CRASH_SCENARIOS.filter(({ acts }) => acts.length === 1)) {
    for (let number = 1, isOver = false; !isOver; number++) {
      const disk = new FaultyDisk({ ground: GROUND, plan: crashAt(number, false) })
      const world = new World()
      await play(scenario, world, disk)
      isOver = !disk.isCrashed
      const second = disk.revived()
      const after = new World(world.starts)
      await perform(scenario, { prompt: '', resume: 'first' }, after, second, place)
      const lost = new FaultyDisk({ ground: GROUND, image: second.image('synced', seeded(SEED)) })
      const found = await transcriptsIn(lost, [...world.written.keys(), ...after.written.keys()])
      for (const [path] of after.written) {
        const there = new Set(found.get(path)?.entries.map(({ uuid }) => uuid))
        const acked = [...world.ackedIn(path), ...after.ackedIn(path)]
        if (!acked.every(uuid => there.has(uuid)))
          wrong.push(
            `${scenario.name}: before step ${number}: ${keyOfPath(path).subpath ?? 'main'} lost what was acknowledged`
          )
      }
    }
  }
  expect(wrong).toEqual([])
})

test('that were thousands of points', () => {
  const points = counts.reduce((sum, each) => sum + each, 0)
  console.log(`${points} crash points in whole sessions`)
  expect(points).toBeGreaterThan(2_500)
})

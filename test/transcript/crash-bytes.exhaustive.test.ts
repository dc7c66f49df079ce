/** A process that is ended in the middle of any byte that it writes: what was acknowledged can be read. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { JsonlStore, type LoadedTranscript, type SessionKey } from '../../src/index.ts'
import { readTranscript } from './read-transcript.ts'
import { projectIn } from '../support/agent-scene.ts'
import { originalOf, silentIn, strangersIn, unpairedIn, type Original } from './checks.ts'
import { FaultyDisk, IMAGES, type Image, type DiskStep } from './faulty-disk.ts'
import { SEED, seeded } from '../support/seed.ts'
import { CRASH_SCENARIOS } from './scenarios.ts'
import { GROUND, keyOfPath, perform, PROJECTS, World, type CrashScenario } from './staged.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-bytes-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const place = projectIn(base)

/** What a session did to the disk, and what it was promised. */
interface Story {
  readonly steps: readonly DiskStep[]
  readonly acks: World['acks']
  readonly originals: ReadonlyMap<string, Original>
}

async function storyOf(scenario: CrashScenario): Promise<Story> {
  const disk = new FaultyDisk({ ground: GROUND })
  const world = new World()
  for (let act = 0; act < scenario.acts.length; act++) await perform(scenario, act, world, disk, place)
  const files = [...disk.image('cache', seeded(SEED))]
  return {
    steps: disk.steps,
    acks: world.acks,
    originals: new Map(files.map(([path, bytes]) => [path, originalOf(bytes)]))
  }
}

/** Does again what a session did, step by step. */
class Retelling {
  readonly disk = new FaultyDisk({ ground: GROUND })
  readonly #files = new Map<string, number>()

  async step({ kind, path, bytes }: DiskStep): Promise<void> {
    const { disk } = this
    const file = this.#files.get(path) ?? 0
    if (kind === 'makeFolder') disk.makeFolder(path)
    else if (kind === 'openToAppend') this.#files.set(path, disk.openToAppend(path))
    else if (kind === 'write') disk.write(file, bytes!, 0)
    else if (kind === 'sync') await disk.sync(file)
    else if (kind === 'syncFolder') await disk.syncFolder(path)
    else disk.close(file)
  }
}

/** Looks at one file after the other; what was found in the same entries before is known. */
class Verdicts {
  readonly #story: Story
  readonly #acked = new Map<string, number>()
  #known = ''
  points = 0
  readonly wrong: string[] = []

  constructor(story: Story) {
    this.#story = story
  }

  /** So many steps were done. */
  after(steps: number): void {
    for (const { after, path, count } of this.#story.acks)
      if (after === steps) this.#acked.set(path, Math.max(count, this.#acked.get(path) ?? 0))
  }

  look(
    path: string,
    bytes: Buffer,
    where: string,
    loaded: LoadedTranscript = readTranscript(bytes, keyOfPath(path))
  ): void {
    const original = this.#story.originals.get(path)!
    const { entries } = loaded
    const there = new Set(entries.map(({ seq }) => seq))
    const problems = [...strangersIn(loaded, original), ...silentIn(loaded, bytes, original)]
    for (let seq = 1; seq <= (this.#acked.get(path) ?? 0); seq++)
      if (!there.has(seq)) problems.push(`entry ${seq} was acknowledged, and is lost`)
    const which = `${path}:${[...there].join()}`
    if (which !== this.#known) problems.push(...unpairedIn(entries))
    this.#known = which
    this.points++
    this.wrong.push(...problems.map(problem => `${where}: ${problem}`))
  }

  /** What is not there must not have been promised. */
  lookForLost(image: Image, where: string): void {
    for (const [path, count] of this.#acked)
      if (count > 0 && !image.has(path)) this.wrong.push(`${where}: ${path} was acknowledged, and is gone`)
  }
}

/** Another writer appends to it: existing entries stay, and no number is used twice. */
async function writeBehind(key: SessionKey, path: string, image: Image): Promise<readonly string[]> {
  const disk = new FaultyDisk({ ground: GROUND, image: new Map([[path, image.get(path)!]]) })
  const store = new JsonlStore(PROJECTS, disk)
  const before = (await store.load(key))!
  const more = {
    type: 'user',
    sessionId: key.sessionId,
    ...(key.subpath !== undefined && { isSidechain: true }),
    uuid: 'more'
  }
  await store.append(key, [more])
  const after = (await store.load(key))!
  const kept = JSON.stringify(after.entries.slice(0, -1)) === JSON.stringify(before.entries)
  // A reader of lines finds it in a separate line.
  const line = disk.image('cache', seeded(SEED)).get(path)!.toString('utf8').split('\n').at(-2)!
  const isLast = after.entries.at(-1)?.['uuid'] === 'more' && line.startsWith('{"seq":')
  return kept && isLast && after.entries.length === before.entries.length + 1 ? [] : [`${path}: it cannot go on`]
}

const counts: number[] = []

// FM30 FM33
test.each(CRASH_SCENARIOS)('$name: torn at every byte', async scenario => {
  const story = await storyOf(scenario)
  const verdicts = new Verdicts(story)
  const retelling = new Retelling()
  for (const [number, step] of story.steps.entries()) {
    verdicts.after(number)
    for (const kind of IMAGES) {
      const image = retelling.disk.image(kind, seeded(number))
      const where = `before step ${number + 1} (${step.kind}), ${kind}`
      verdicts.lookForLost(image, where)
      for (const [path, bytes] of image) verdicts.look(path, bytes, where)
      if (step.kind === 'write' && image.has(step.path))
        verdicts.wrong.push(...(await writeBehind(keyOfPath(step.path), step.path, image)))
    }
    for (let cut = 1; cut < (step.bytes?.length ?? 0); cut++) {
      const torn = { ...step, bytes: step.bytes!.subarray(0, cut) }
      for (const kind of cut % 4 === 0 ? (['cache', 'half'] as const) : (['cache'] as const)) {
        const bytes = retelling.disk.image(kind, seeded(cut), torn).get(step.path)
        if (bytes !== undefined) verdicts.look(step.path, bytes, `in step ${number + 1} at ${cut}, ${kind}`)
      }
    }
    await retelling.step(step)
  }
  verdicts.after(story.steps.length)
  const image = retelling.disk.image('synced', seeded(0))
  for (const [path, bytes] of image) verdicts.look(path, bytes, 'at the end')
  expect([...image.keys()].toSorted()).toEqual([...story.originals.keys()].toSorted())
  counts.push(verdicts.points)
  expect(verdicts.wrong.slice(0, 20)).toEqual([])
})

test('that were a hundred thousand points', () => {
  const points = counts.reduce((sum, each) => sum + each, 0)
  console.log(`${points} crash points in the bytes of transcripts`)
  expect(points).toBeGreaterThanOrEqual(100_000)
})

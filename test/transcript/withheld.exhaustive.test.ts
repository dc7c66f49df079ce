/** An answer that a hook refuses: whenever the process ends, nothing of it is on the disk, and none of it comes back. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Message } from '../../src/hooks.ts'
import { projectIn } from '../support/agent-scene.ts'
import { seeded } from '../support/seed.ts'
import { FaultyDisk, IMAGES } from './faulty-disk.ts'
import { CRASH_SCENARIOS, WITHHELD } from './scenarios.ts'
import { GROUND, perform, World } from './staged.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-withheld-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const place = projectIn(base)
const scenario = CRASH_SCENARIOS.find(({ name }) => name.startsWith('an answer that a hook refuses'))!

/** What the model was sent, one line per message; a placeholder and the feedback belong together. */
const linesOf = (messages: readonly Message[]): readonly string[] => messages.map(message => JSON.stringify(message))

test('before and in each step on the disk', async () => {
  const whole = new FaultyDisk({ ground: GROUND })
  const dry = await perform(scenario, 0, new World(), whole, place)
  expect(dry.result).toMatchObject({ terminal_reason: 'completed', result: 'done' })
  const all = linesOf(dry.sent.at(-1)!)
  expect(all.filter(line => line.includes('Hooks withheld this answer'))).toHaveLength(3)
  const wrong: string[] = []
  let points = 0
  for (let number = 1; number <= whole.steps.length; number++)
    for (const isTorn of [false, true]) {
      const plan = ({ bytes }: { bytes?: Uint8Array }, at: number) =>
        at === number ? { crash: isTorn ? Math.max(1, Math.floor((bytes?.length ?? 0) / 2)) : 0 } : undefined
      const disk = new FaultyDisk({ ground: GROUND, plan })
      const before = await perform(scenario, 0, new World(), disk, place)
      if (JSON.stringify(before).includes(WITHHELD)) wrong.push(`step ${number}: the reader or the model has it`)
      for (const kind of IMAGES) {
        points++
        const left = new FaultyDisk({ ground: GROUND, image: disk.image(kind, seeded(number)) })
        const { sent, result } = await perform(scenario, { prompt: '', resume: 'first' }, new World(), left, place)
        const written = [disk, left]
          .flatMap(({ steps }) => steps)
          .map(({ bytes }) => Buffer.from(bytes ?? []).toString())
        if (JSON.stringify([sent, result, written]).includes(WITHHELD))
          wrong.push(`step ${number}, ${kind}: it is back`)
        // What a resumed model gets first is what it would have got without the crash, as far as it was written.
        const again = linesOf(sent[0] ?? [])
        if (again.some((line, at) => line !== all[at] && at < again.length - 1 && !line.includes('tool_result')))
          wrong.push(`step ${number}, ${kind}: other messages: ${again.join(' ')}`)
      }
    }
  expect(wrong).toEqual([])
  expect(points).toBeGreaterThan(100)
  console.log(`${points} crash points around refused answers`)
})

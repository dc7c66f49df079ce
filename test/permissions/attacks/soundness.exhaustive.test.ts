/** Commands that rules call fully known do what is predicted, and nothing else: seen by strace. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formOf } from '../../../src/lib/shell/form.ts'
import { parseShell } from '../../../src/lib/shell/parse.ts'
import { SEED, seeded } from '../../support/seed.ts'
import { hasStrace, randomCommand, soundRows, StraceFolder, violations } from './soundness.ts'

const canTrace = hasStrace()
if (!canTrace) console.warn('strace is missing: that rows are harmless is NOT tested here')
const folder = new StraceFolder()
afterAll(() => folder.close())

const COUNT = Number(process.env['CARABINER_SOUNDNESS'] ?? 2_000)

const isKnown = (command: string): boolean =>
  parseShell(command).leaves.every(({ words }) => /^(?:reads|changes)$/.test(formOf(words).does ?? ''))

test.skipIf(!canTrace)(
  'each row is run, and random commands: nothing is started or written that was not predicted',
  { timeout: 1_200_000 },
  () => {
    const random = seeded(SEED)
    const rows = soundRows()
    const found: string[] = []
    const covered = new Set<string>()
    let ran = 0
    for (let turn = 0; ran < COUNT; turn++) {
      const name = rows[turn % rows.length]!
      const command = randomCommand(name, random)
      if (!isKnown(command)) continue
      if (turn % 20 === 0 || /^(?:rm|mv|chmod|chown|git|tee|truncate|cp|ln)/.test(name)) folder.reset()
      const wrong = violations(command, folder.run(command), folder.root)
      if (wrong.length > 0) found.push(`${command}: ${wrong.join(', ')}`)
      covered.add(name)
      ran++
    }
    expect(found.slice(0, 20)).toEqual([])
    expect(rows.filter(name => !covered.has(name))).toEqual([])
  }
)

beforeAll(() => {
  if (canTrace) folder.reset()
})

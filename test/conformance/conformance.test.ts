/** One suite for every kind of hook: the same cases, the same outcomes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conformancePage } from '../../scripts/print-conformance.ts'
import { Outside } from '../../src/external.ts'
import { ANSWERS, EVENTS, type Outcome } from '../../src/hooks.ts'
import { readFileSync } from 'node:fs'
import { DRIVERS } from '../external/kit.ts'
import { CASES } from './cases.ts'
import { seen, type Expected } from './expected.ts'

const tally = new Map(DRIVERS.map(({ kind }) => [kind, { passed: 0, total: 0 }]))

function check(outcome: Outcome, { reason, ...rest }: Expected): void {
  expect(seen(outcome)).toEqual(rest)
  if (reason instanceof RegExp) expect(outcome.reason).toMatch(reason)
  else expect(outcome.reason).toBe(reason)
}

// F103-F106, F113, FM4, FM6, FM15, FM18
describe.each(DRIVERS)('a hook of the kind $kind', ({ kind, expresses, answer }) => {
  const notices: string[] = []
  let place: Outside
  beforeAll(() => {
    place = new Outside({ starter: kind === 'exec' ? 'helper' : 'self', onNotice: text => void notices.push(text) })
  })
  afterAll(() => place.close())

  const cases = CASES.filter(({ gives, event }) => expresses(gives, event))
  test.each(cases)('$event: $name', async ({ event, gives, strict, compat }) => {
    const count = tally.get(kind)!
    count.total++
    const answers = (['strict', 'compat'] as const).map(profile => answer(gives, event, profile, place))
    const [strictly, compatibly] = await Promise.all(answers)
    check(strictly!, strict)
    check(compatibly!, compat)
    count.passed++
  })

  test('nothing was out of the ordinary', () => {
    expect(cases.length).toBeGreaterThan(50)
    expect(notices).toEqual([])
  })
})

test('there are cases for every family of answers', () => {
  const families = new Set(CASES.map(({ event }) => EVENTS[event].answer))
  expect([...families].toSorted()).toEqual(Object.keys(ANSWERS).toSorted())
})

test('no two cases of an event have one name', () => {
  const names = CASES.map(({ event, name }) => `${event}: ${name}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('docs/conformance.md is what the cases say: run `node scripts/print-conformance.ts`', () => {
  expect(readFileSync('docs/conformance.md', 'utf8')).toBe(conformancePage())
})

afterAll(() => {
  const lines = [...tally].map(([kind, { passed, total }]) => `${kind.padEnd(10)} ${passed}/${total}`)
  console.log(`conformance, each case in both profiles\n${lines.join('\n')}`)
})

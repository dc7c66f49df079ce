/** One suite for every kind of hook: the same cases, the same outcomes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conformancePage } from '../../scripts/print-conformance.ts'
import { HookEnvironment } from '../../src/external.ts'
import { ANSWERS, EVENT_NAMES, EVENTS, type Outcome } from '../../src/hooks.ts'
import { readFileSync } from 'node:fs'
import { answerBy, DRIVERS, OBSTACLES } from '../support/external-kit.ts'
import { CASES } from './cases.ts'
import { MANNERS, VERDICT_CASES } from './verdict-cases.ts'
import { seen, type Expected } from './expected.ts'

const tally = new Map(DRIVERS.map(({ kind }) => [kind, { passed: 0, total: 0 }]))

function check(outcome: Outcome, { reason, ...rest }: Expected): void {
  expect(seen(outcome)).toEqual(rest)
  if (reason instanceof RegExp) expect(outcome.reason).toMatch(reason)
  else expect(outcome.reason).toBe(reason)
}

// F103-F106, F113, FM4, FM6, FM15, FM18
describe.each(DRIVERS)('a hook of the kind $kind', ({ kind, obstacle, answer }) => {
  const notices: string[] = []
  let place: HookEnvironment
  beforeAll(() => {
    place = new HookEnvironment({
      starter: kind === 'exec' ? 'helper' : 'self',
      onNotice: text => void notices.push(text)
    })
  })
  afterAll(() => place.close())

  const cases = CASES.filter(({ gives, event }) => obstacle(gives, event) === undefined)
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

// The response of a model is read in the same way for every kind of hook.
describe.each(MANNERS)('what a model says to %s', manner => {
  const cases = VERDICT_CASES.filter(({ manners }) => manners.includes(manner))
  test.each(cases)('$event: it $name', async ({ event, says, strict, compat }) => {
    check(await answerBy(manner, says, event, 'strict'), strict)
    check(await answerBy(manner, says, event, 'compat'), compat)
  })
})

test('every event has cases', () => {
  expect(EVENT_NAMES.filter(event => !CASES.some(each => each.event === event))).toEqual([])
})

test('every reason to leave a case out is given, and needed', () => {
  const given = DRIVERS.flatMap(({ obstacle }) => CASES.map(({ gives, event }) => obstacle(gives, event)))
  expect([...new Set(given)].filter(each => each !== undefined).toSorted()).toEqual(Object.keys(OBSTACLES).toSorted())
})

test('there are cases for every family of answers', () => {
  const families = new Set(CASES.map(({ event }) => EVENTS[event].answer))
  expect([...families].toSorted()).toEqual(Object.keys(ANSWERS).toSorted())
})

test('no two cases of an event have one name', () => {
  const verdicts = VERDICT_CASES.flatMap(({ event, name, manners }) =>
    manners.map(each => ({ event, name: `${name} ${each}` }))
  )
  const names = [...CASES, ...verdicts].map(({ event, name }) => `${event}: ${name}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('docs/conformance.md is what the cases say: run `node scripts/print-conformance.ts`', () => {
  expect(readFileSync('docs/conformance.md', 'utf8')).toBe(conformancePage())
})

afterAll(() => {
  const lines = [...tally].map(([kind, { passed, total }]) => `${kind.padEnd(10)} ${passed}/${total}`)
  console.log(`conformance, each case in both profiles\n${lines.join('\n')}`)
})

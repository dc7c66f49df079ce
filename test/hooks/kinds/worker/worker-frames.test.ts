/** Workers that print a line that is not an answer, or an answer to another request. */
import * as fc from '../../../support/fast-check.ts'
import { describe, expect, test, vi } from 'vitest'
import type { Outcome } from '../../../../src/hooks.ts'
import { allowStep, failed, silent, workerStage, type WorkerStage } from './worker-kit.ts'
import { POLL } from '../../../support/waiting.ts'
import { PROFILES } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: POLL.timeout })

/** Requests at once, and lines that the worker prints for each of them. */
const REQUESTS = 20
const LINES = 10
const RUNS = 50

/** One line: what it is about (a place among the requests at once, or one that is not), and what it says. */
interface Line {
  readonly about: number
  readonly says: 'deny' | 'nothing' | 'error' | 'wrong' | 'cut' | 'code' | 'noise'
  readonly noise: string
}

const noise = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '{}',
    '[]',
    'null',
    '{"id":"1"}',
    '{"id":1.5}',
    '{"id":null}',
    '{"id":0}',
    '{"id":-1}',
    '{"id":'
  ),
  fc.constantFrom(
    '{"id":999999999999999}',
    '{"id":1e400}',
    '{"ID":1}',
    '{"id":[1]}',
    '\0',
    '\uFEFF{"id":1}',
    'id',
    '🦜'
  ),
  fc.string().filter(text => !/[\r\n]|"id"/.test(text))
)
const line: fc.Arbitrary<Line> = fc.record({
  // In addition to the current requests: earlier ones, and ones that were never made.
  about: fc.oneof({ weight: 4, arbitrary: fc.nat(REQUESTS - 1) }, fc.constantFrom(-3, -1, 5000, 70_000)),
  says: fc.constantFrom('deny', 'nothing', 'error', 'wrong', 'cut', 'code', 'noise', 'noise'),
  noise
})
const batch = fc.array(fc.array(line, { minLength: LINES, maxLength: LINES }), {
  minLength: REQUESTS,
  maxLength: REQUESTS
})

const textOf = ({ about, says, noise: text }: Line, first: number, reason: string): string =>
  ({
    deny: `{"id":${first + about},"reply":{"decision":"deny","reason":"${reason}"}}`,
    nothing: `{"id":${first + about}}`,
    error: `{"id":${first + about},"error":"${reason}"}`,
    wrong: `{"id":${first + about},"decision":"allow"}`,
    cut: `{"id":${first + about},"reply":{"decision":"all`,
    code: `{"id":${first + about},"code":2,"stderr":"${reason}"}`,
    noise: text
  })[says]

/** The expected outcome: the first line with a number decides, and all others are dropped. */
function model(lines: readonly { line: Line; reason: string }[]): { answers: Map<number, string>; dropped: number } {
  const answers = new Map<number, string>()
  let dropped = 0
  for (const {
    line: { about, says },
    reason
  } of lines) {
    if (says === 'noise' || about < 0 || about >= REQUESTS || answers.has(about)) dropped++
    else
      answers.set(
        about,
        { deny: reason, code: reason, nothing: 'nothing', error: 'threw', wrong: 'reply', cut: 'reply' }[says]
      )
  }
  return { answers, dropped }
}

const outcomeText = ({ failures, reason }: Outcome): string => failures[0]?.kind ?? reason ?? 'nothing'

// FM24: 10,000 lines in each profile.
test.each(PROFILES)('only an answer with the right number counts, and only once (%s)', async profile => {
  const setting = workerStage({ profile, timeout: 4, heartbeat: 1000 })
  const { ask, hook, clock } = setting
  await ask([silent])
  let [first, dropped] = [2, 0]
  await fc.assert(
    fc.asyncProperty(batch, async requests => {
      const lines = requests.flatMap((list, place) =>
        list.map((each, at) => ({ line: each, reason: `${place}.${at}` }))
      )
      const fired = requests.map((list, place) =>
        ask(list.map((each, at) => ({ say: textOf(each, first, `${place}.${at}`) })))
      )
      await ask([silent])
      await clock.advance(4)
      const expected = model(lines)
      const outcomes = await Promise.all(fired)
      expect(outcomes.map(outcomeText)).toEqual(requests.map((_, place) => expected.answers.get(place) ?? 'timeout'))
      for (const outcome of outcomes) expect(outcome.decision).not.toBe('allow')
      first += REQUESTS + 1
      dropped += expected.dropped
      expect(hook.status()).toMatchObject({ state: 'running', restarts: 0, strays: dropped })
    }),
    { numRuns: RUNS, endOnFailure: true }
  )
})

test('what is dropped is told, though not without end', async () => {
  const { ask, notices, hook } = workerStage()
  await ask([{ say: 'Loading the model …' }, { say: '{"id":7}' }, silent, { say: '{"id":1}' }])
  await ask([silent])
  expect(notices).toEqual([
    expect.stringMatching(/^gate: a line that is not a frame was dropped, since .*: "Loading the model …"$/),
    expect.stringContaining('dropped an answer to 7'),
    expect.stringContaining('dropped an answer to 1')
  ])
  await ask([...Array.from({ length: 500 }, () => ({ say: 'noise' })), silent])
  expect(notices).toHaveLength(101)
  expect(notices.at(-1)).toContain('further notices of this kind are not shown')
  expect(hook.status().strays).toBe(503)
})

const reply = (inside: string): string => `{"id":#id,"reply":{"decision":"allow",${inside}}}`
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe.each(PROFILES)('an answer that no one should read (%s)', profile => {
  // FM16
  test.each([
    ['is nested too deep', reply(`"a":${nested(64)}`), 'deeper than 64'],
    ['is nested far too deep', reply(`"a":${nested(100_000)}`), 'deeper than 64'],
    ['has too many keys', reply(Array.from({ length: 10_001 }, (_, key) => `"k${key}":0`).join(',')), 'keys'],
    ['has a key twice', reply('"reason":"a","reason":"b"'), 'twice'],
    ['has its number twice', '{"id":#id,"reply":{"decision":"allow"},"id":9}', 'twice'],
    ['has __proto__', reply('"__proto__":{"decision":"deny"}'), '__proto__']
  ])('fails at once: it %s', async (_, say, words) => {
    const { ask, hook } = workerStage({ profile })
    expect(await ask([{ say }])).toMatchObject(failed('reply', profile, words))
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
    expect(hook.status().restarts).toBe(0)
  })

  // FM16
  test('fails at once: it is longer than a line may be', async () => {
    const { ask, clock } = workerStage({ profile })
    const say = reply(`"reason":"${'x'.repeat(1024 * 1024)}"`)
    expect(await ask([{ say }])).toMatchObject(failed('output', profile, 'output cap'))
    await clock.advance(0.1)
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
  })

  // FM15
  test('is any proper part of one', async () => {
    const { ask, clock } = workerStage({ profile, timeout: 4, heartbeat: 1000 })
    const say = reply(`"reason":"${'x'.repeat(1990)}"`)
    const length = say.length - '#id'.length + 4
    expect(length).toBeGreaterThan(2040)
    // Numbers of four digits, so that all are equally long.
    for (let id = 1; id < 1000; id++) void ask([silent])
    const fired = Array.from({ length: length - 1 }, (_, cut) => ask([{ say, cut }]))
    const whole = ask([{ say, cut: length }])
    await ask([silent])
    await clock.advance(4)
    for (const [cut, outcome] of (await Promise.all(fired)).entries()) {
      const kind = cut <= '{"id":1234'.length ? 'timeout' : 'reply'
      expect(outcome, `the first ${cut} characters`).toMatchObject(failed(kind, profile))
    }
    expect(await whole).toMatchObject({ decision: 'allow', failures: [] })
  })

  // FM14
  test.each([
    ['a byte that never stands in UTF-8', reply('"reason":"\xFF"'), 'reply'],
    ['a sequence that is cut off', reply('"reason":"\xE2\x82"'), 'reply'],
    ['half of a pair', reply('"reason":"\xED\xA0\x80"'), 'reply'],
    ['an overlong sequence', reply('"reason":"\xC0\xAF"'), 'reply'],
    ['a NUL', reply('"reason":"\0"'), 'reply'],
    ['bytes before it', `\xFE${reply('"reason":"a"')}`, 'timeout'],
    ['two marks of the byte order', `\xEF\xBB\xBF\xEF\xBB\xBF${reply('"reason":"a"')}`, 'timeout'],
    ['UTF-16', Array.from(reply('"reason":"a"')).join('\0'), 'timeout'],
    ['UTF-16 with a mark', `\xFF\xFE${Array.from(reply('"reason":"a"')).join('\0')}`, 'timeout']
  ])('is not plain UTF-8: %s', async (_, bytes, kind) => {
    const { ask, clock } = workerStage({ profile, timeout: 4 })
    const fired = ask([{ bytes: `${bytes}\n` }])
    await ask([silent])
    await clock.advance(4)
    expect(await fired).toMatchObject(failed(kind, profile))
  })

  // FM14: every byte that cannot begin a character.
  test('is not plain UTF-8: any byte out of place', async () => {
    const { ask } = workerStage({ profile })
    const bytes = Array.from({ length: 128 }, (_, index) => String.fromCharCode(128 + index))
    const outcomes = await Promise.all(bytes.map(byte => ask([{ bytes: `${reply(`"reason":"${byte}"`)}\n` }])))
    for (const outcome of outcomes) expect(outcome).toMatchObject(failed('reply', profile, 'not UTF-8'))
  })
})

// FM14
test('a byte order mark is accepted once, at the beginning', async () => {
  const { ask, clock } = workerStage({ timeout: 4 })
  const marked = { bytes: '\xEF\xBB\xBF{"id":#id,"reply":{"decision":"allow"}}\n' }
  expect(await ask([marked])).toMatchObject({ decision: 'allow' })
  const again = ask([marked])
  await ask([silent])
  await clock.advance(4)
  expect(await again).toMatchObject(failed('timeout', 'strict'))
})

test('characters and lines may come in pieces', async () => {
  const { ask } = workerStage()
  const text = Buffer.from('{"id":#id,"reply":{"decision":"deny","reason":"größer 🦜"}}\r\n').toString('latin1')
  const pieces = Array.from(text.replace('#id', '1'), byte => ({ bytes: byte }))
  expect(await ask(pieces)).toMatchObject({ reason: 'größer 🦜' })
})

const FLOODS: readonly (readonly [string, string])[] = [
  ['one line', `tr '\\0' x < /dev/zero`],
  ['many lines', 'yes'],
  ['answers that nobody asked for', `yes '{"id":99}'`],
  ['standard error', 'yes >&2'],
  ['both streams', 'yes >&2 & yes']
]

describe.each(PROFILES)('a worker that prints without end (%s)', profile => {
  // FM12
  test.each(FLOODS)('is ended: %s', async (_, command) => {
    const { ask, hook, running } = workerStage({ profile, command, args: undefined })
    const before = process.memoryUsage.rss()
    expect(await ask([])).toMatchObject(failed('output', profile, 'output cap'))
    expect(hook.status().state).toBe('waiting')
    await expect.poll(running, POLL).toEqual([])
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
  })
})

// FM12
test('a worker that prints without end while no one waits is ended, too', async () => {
  const setting: WorkerStage = workerStage({ command: `read -r line; echo '{"id":1}'; exec yes >&2`, args: undefined })
  const { ask, hook, running, notices } = setting
  expect(await ask([])).toMatchObject({ failures: [] })
  await expect.poll(() => hook.status().state, POLL).toBe('stopped')
  await expect.poll(running, POLL).toEqual([])
  expect(notices.at(-1)).toContain('output cap')
  expect(notices.length).toBeLessThan(103)
})

test('a log that grows slowly is no flood', async () => {
  const { ask, clock, hook } = workerStage({ heartbeat: 1000 })
  for (let round = 0; round < 8; round++) {
    await ask([silent, { stderr: 'x'.repeat(200_000) }, { stderr: '\n' }])
    await clock.advance(11)
  }
  await ask([allowStep])
  expect(hook.status()).toMatchObject({ restarts: 0 })
})

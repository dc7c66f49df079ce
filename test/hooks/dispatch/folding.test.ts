import { describe, expect, test } from 'vitest'
import {
  allow,
  ask,
  block,
  defer,
  deny,
  HookRegistry,
  type Decision,
  type Precedence,
  type Reply
} from '../../../src/hooks.ts'
import { saying } from '../../support/hook-kit.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

const SAYINGS = { none: undefined, allow: allow(), ask: ask('ask'), deny: deny('deny'), defer: defer() } as const
type Saying = keyof typeof SAYINGS
const NAMES = Object.keys(SAYINGS) as Saying[]

/** Weakest first. */
const ORDERS: Record<Precedence, readonly Saying[]> = {
  'allow-over-ask': ['none', 'ask', 'allow', 'defer', 'deny'],
  'ask-over-allow': ['none', 'allow', 'ask', 'defer', 'deny']
}

const stronger = (order: Precedence, a: Saying, b: Saying): Decision | undefined => {
  const winner = ORDERS[order].indexOf(a) > ORDERS[order].indexOf(b) ? a : b
  return winner === 'none' ? undefined : winner
}

// F64
describe.each(['allow-over-ask', 'ask-over-allow'] as const)('two decisions, %s', precedence => {
  const pairs = NAMES.flatMap(a => NAMES.map(b => [a, b] as const))
  test.each(pairs)('%s and %s', async (a, b) => {
    const expected = stronger(precedence, a, b)
    for (const [first, second] of [
      [a, b],
      [b, a]
    ] as const) {
      const ways: Record<string, (reply: Reply | undefined) => Reply | undefined | Promise<Reply | undefined>> = {
        sync: reply => reply,
        async: async reply => reply
      }
      for (const way of Object.values(ways)) {
        for (const concurrent of [false, true]) {
          const hooks = new HookRegistry({ precedence })
          hooks.register({ events: 'PreToolUse', concurrent, run: () => way(SAYINGS[first]) })
          hooks.register({ events: 'PreToolUse', concurrent, run: () => way(SAYINGS[second]) })
          const outcome = await hooks.fire('PreToolUse', bash())
          expect(outcome.decision).toBe(expected)
          expect(outcome.blocked).toBe(expected === 'deny')
          expect(outcome.reasons).toHaveLength([first, second].filter(name => name !== 'none').length)
        }
      }
    }
  })
})

// F64
test('without a word about it, allow wins over ask', async () => {
  expect(await saying(ask(), allow()).fire('PreToolUse', bash())).toMatchObject({ decision: 'allow' })
})

// F59
test('one block makes the outcome a block, with its reason', async () => {
  const outcome = await saying(undefined, block('Dangerous command'), {}).fire('PreToolUse', bash())
  expect(outcome).toMatchObject({ decision: 'deny', blocked: true, reason: 'Dangerous command', continue: undefined })
})

// F59, F64
test('a deny keeps its own reason beside an allow, in either order', async () => {
  const yes = { decision: 'allow', reason: 'trusted' } as const
  for (const replies of [
    [yes, deny('dangerous')],
    [deny('dangerous'), yes]
  ]) {
    expect(await saying(...replies).fire('PreToolUse', bash())).toMatchObject({ decision: 'deny', reason: 'dangerous' })
  }
})

test('the first reason leads, and all are kept', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => deny('low'), { name: 'low', priority: 1 })
  hooks.on('PreToolUse', () => deny(), { name: 'top', priority: 100 })
  hooks.on('PreToolUse', () => deny('high'), { name: 'high', priority: 50 })
  hooks.on('PreToolUse', () => allow(), { name: 'kind' })
  const { reason, reasons } = await hooks.fire('PreToolUse', bash())
  expect(reason).toBe('high')
  expect(reasons).toEqual([
    { by: 'top', decision: 'deny', reason: undefined },
    { by: 'high', decision: 'deny', reason: 'high' },
    { by: 'low', decision: 'deny', reason: 'low' },
    { by: 'kind', decision: 'allow', reason: undefined }
  ])
})

// F68
test('higher priority runs first, equal priority in registration order', async () => {
  const hooks = new HookRegistry()
  const ran: string[] = []
  for (const [name, priority] of [
    ['a', 0],
    ['b', 1],
    ['c', 100],
    ['d', -3],
    ['e', 1],
    ['f', 0.5],
    ['g', 100]
  ] as const) {
    hooks.on('PreToolUse', () => void ran.push(name), { name, priority })
  }
  await hooks.fire('PreToolUse', bash())
  expect(ran.join('')).toBe('cgbefad')
})

test('a deny does not keep other hooks from running', async () => {
  const hooks = new HookRegistry()
  const ran: string[] = []
  hooks.on('PreToolUse', () => deny('no'), { priority: 9 })
  hooks.on('PreToolUse', () => void ran.push('audit'))
  await hooks.fire('PreToolUse', bash())
  expect(ran).toEqual(['audit'])
})

// F63
test('the outcome is that of the hooks that matched', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', () => deny('bash'))
  hooks.on('PreToolUse', 'Read', () => allow())
  expect(await hooks.fire('PreToolUse', callOf('Read'))).toMatchObject({ decision: 'allow' })
  expect(await hooks.fire('PreToolUse', callOf('Write'))).toMatchObject({ decision: undefined, reasons: [] })
})

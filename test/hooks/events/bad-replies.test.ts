import { describe, expect, it } from 'vitest'
import { deny, HookRegistry, type HookFunction, type Reply } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { bash, loose } from '../../support/hook-inputs.ts'

const nested = (depth: number): unknown => {
  let value: unknown = 'bottom'
  for (let level = 0; level < depth; level++) value = { inner: value }
  return value
}
const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index]))
/** Made once, since making it takes longer than refusing it. */
const many = keys(100_000)
const polluting = (): Record<string, unknown> =>
  JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>
const cycle = (): object => {
  const value: { self?: object } = {}
  value.self = value
  return value
}

/** Replies whose meaning cannot be determined. */
const SHAPES: readonly [string, () => unknown][] = [
  ['true', () => true],
  ['false', () => false],
  ['zero', () => 0],
  ['a number', () => 42],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 1n],
  ['empty text', () => ''],
  ['text', () => 'deny'],
  ['JSON text', () => '{"decision":"allow"}'],
  ['a symbol', () => Symbol('deny')],
  ['a function', () => () => deny('no')],
  ['an empty list', () => []],
  ['a list of replies', () => [deny('no')]],
  ['an unknown decision', () => ({ decision: 'maybe' })],
  ['a decision that is a flag', () => ({ decision: false })],
  ['a decision that is null', () => ({ decision: null })],
  ['a decision that is a list', () => ({ decision: ['deny'] })],
  ['a reason that is a number', () => ({ decision: 'allow', reason: 5 })],
  ['continue as text', () => ({ continue: 'false' })],
  ['continue as a number', () => ({ continue: 0 })],
  ['continue as null', () => ({ continue: null })],
  ['continueExecution as text', () => ({ continue_execution: 'false' })],
  ['stopReason as a list', () => ({ stopReason: ['x'] })],
  ['suppressOutput as text', () => ({ suppressOutput: 'yes' })],
  ['systemMessage as an object', () => ({ decision: 'allow', systemMessage: { text: 'x' } })],
  ['a specific output that is a list', () => ({ hookSpecificOutput: [] })],
  ['a specific output that is text', () => ({ hookSpecificOutput: 'deny' })],
  ['a specific output that is null', () => ({ hookSpecificOutput: null })],
  ['a specific output for another event', () => ({ hookSpecificOutput: { hookEventName: 'Stop' } })],
  ['an unknown permission decision', () => ({ hookSpecificOutput: { permissionDecision: 'no' } })],
  ['a permission decision that is null', () => ({ hookSpecificOutput: { permissionDecision: null } })],
  ['context that is a number', () => ({ hookSpecificOutput: { additionalContext: 5 } })],
  ['an input that is a list', () => ({ decision: 'allow', updatedInput: ['ls'] })],
  ['an input that is text', () => ({ updatedInput: 'ls' })],
  ['asyncTimeout as text', () => ({ async: true, asyncTimeout: '5' })],
  ['async as text', () => ({ async: 'yes' })],
  ['a key __proto__', () => polluting()],
  ['__proto__ deeper down', () => ({ decision: 'allow', updatedInput: { deep: polluting() } })],
  ['__proto__ in the specific output', () => ({ hookSpecificOutput: { updatedInput: polluting() } })],
  ['depth 10,000', () => ({ decision: 'allow', updatedInput: nested(10_000) })],
  ['depth 10,000 under an unknown key', () => ({ decision: 'allow', extra: nested(10_000) })],
  ['depth 65', () => ({ updatedInput: nested(65) })],
  ['too many keys in two parts', () => ({ updatedInput: keys(9_000), hookSpecificOutput: { extra: keys(9_000) } })],
  ['a cycle', () => ({ updatedInput: cycle() })],
  [
    'a getter that throws',
    () => ({
      get decision() {
        throw new Error('boo')
      }
    })
  ],
  [
    'a getter then that throws',
    () => ({
      get then() {
        throw new Error('boo')
      }
    })
  ],
  [
    'a proxy that throws',
    () =>
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('boo')
          }
        }
      )
  ],
  ['an error', () => new Error('should not run')],
  ['a key in another case', () => ({ Continue: false })],
  ['a key with a slip of the pen', () => ({ decison: 'block' })],
  ['a map', () => new Map([['decision', 'deny']])],
  ['a date', () => new Date(0)],
  ['bytes', () => new Uint8Array([1, 2])]
]

/** The same, but so large that once is enough. */
const LARGE: readonly [string, () => unknown][] = [
  ['a hundred thousand keys', () => many],
  ['an input of a hundred thousand keys', () => ({ decision: 'allow', updatedInput: many })],
  ['a list of a million', () => ({ updatedInput: { list: Array.from({ length: 1_000_000 }) } })]
]

const expectClosed = async (hook: HookFunction<'PreToolUse'>, concurrent: boolean): Promise<void> => {
  const hooks = new HookRegistry()
  const seen: string[] = []
  hooks.register({ name: 'odd', events: 'PreToolUse', concurrent, run: hook })
  hooks.on('PreToolUse', () => void seen.push('next'))
  const outcome = await hooks.fire('PreToolUse', bash('ls'))
  expect(outcome).toMatchObject({ decision: 'deny', blocked: true, updatedInput: undefined, failures: [{ by: 'odd' }] })
  expect(outcome.reason).toContain('odd')
  expect(seen).toEqual(['next'])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
}

// FM1, FM16
describe.each(SHAPES)('a gate that answers with %s', (_, make) => {
  it('closes', async () => {
    await expectClosed(() => loose(make()), false)
  })

  it('closes, when it takes its time', async () => {
    await expectClosed(async () => loose(make()), false)
  })

  it('closes, side by side with others', async () => {
    await expectClosed(() => loose(make()), true)
  })
})

// FM16
it.each(LARGE)('a gate that answers with %s closes', async (_, make) => {
  await expectClosed(() => loose(make()), false)
})

describe('what is in bounds', () => {
  it.each<[string, Reply]>([
    ['depth 60', { updatedInput: nested(60) as Record<string, unknown> }],
    ['9,000 keys', { updatedInput: keys(9_000) }]
  ])('%s', async (_, reply) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => reply)
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ failures: [], updatedInput: reply.updatedInput })
  })

  it('keys that objects have anyway are only unknown', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () =>
      loose(JSON.parse('{"constructor":{},"toString":1,"hasOwnProperty":2,"decision":"deny"}'))
    )
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: 'deny', failures: [] })
  })

  it('an object without a prototype', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => Object.assign(Object.create(null) as Reply, deny('mine')))
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: 'deny', reason: 'mine', failures: [] })
  })
})

describe('a change in place that cannot be trusted', () => {
  it.each<[string, (input: Record<string, unknown>) => object]>([
    ['depth 10,000', input => Object.assign(input, { deep: nested(10_000) })],
    ['a hundred thousand keys', input => Object.assign(input, many)],
    ['a cycle', input => Object.assign(input, { self: input })],
    ['__proto__', () => polluting()],
    ['an empty __proto__', () => JSON.parse('{"__proto__": {}}') as object]
  ])('%s', async (_, change) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      ctx.toolInput = change(ctx.toolInput) as Record<string, unknown>
    })
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ blocked: true, updatedInput: undefined, failures: [{ kind: 'rewrite' }] })
  })
})

describe('a hook that throws', () => {
  it.each<[unknown, string]>([
    [new Error('plain'), 'plain'],
    [new TypeError(''), 'TypeError'],
    ['text', 'text'],
    [42, '42'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Symbol('sign'), 'sign'],
    [10n, ''],
    [{ code: 7 }, '{"code":7}'],
    [cycle(), ''],
    [Object.create(null), '{}']
  ])('%o is a failure with words', async (thrown, words) => {
    for (const run of [
      () => {
        throw thrown
      },
      async () => {
        throw thrown
      }
    ]) {
      const hooks = new HookRegistry()
      hooks.on('PreToolUse', run, { name: 'thrower' })
      const outcome = await hooks.fire('PreToolUse', bash('ls'))
      expect(outcome).toMatchObject({ blocked: true, failures: [{ by: 'thrower', kind: 'threw' }] })
      expect(outcome.failures[0]!.message).toContain(words)
      expect(outcome.failures[0]!.message).not.toBe('')
    }
  })
})

describe('a hook that settles twice', () => {
  /** Promises of other libraries do not always keep the rules. */
  const twice = (first: Reply, second: Reply): PromiseLike<Reply> => {
    const then = (resolve: (reply: Reply) => void): void => {
      resolve(first)
      resolve(second)
    }
    return { then } as PromiseLike<Reply>
  }
  const thenThrows = (): PromiseLike<Reply> => {
    const then = (resolve: (reply: Reply) => void): void => {
      resolve({})
      throw new Error('after all')
    }
    return { then } as PromiseLike<Reply>
  }

  it.each([false, true])('its first answer counts (concurrent: %s)', async concurrent => {
    const hooks = new HookRegistry()
    hooks.register({ events: 'PreToolUse', concurrent, run: () => twice(deny('first'), { decision: 'allow' }) })
    hooks.register({ events: 'PreToolUse', concurrent, run: () => ({ additionalContext: 'other' }) })
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({
      decision: 'deny',
      reason: 'first',
      additionalContext: 'other'
    })
  })

  it.each<[string, () => PromiseLike<Reply>]>([
    ['answers twice', () => twice({}, {})],
    ['answers and then throws', thenThrows]
  ])('a neighbour that denies is still waited for when it %s', async (_, run) => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.register({ events: 'PreToolUse', concurrent: true, run })
    hooks.register({
      events: 'PreToolUse',
      concurrent: true,
      run: async () => {
        await new Promise<void>(resolve => clock.after(1_000, resolve))
        return deny('took a second')
      }
    })
    const outcome = Promise.resolve(hooks.fire('PreToolUse', bash('ls')))
    await clock.advance(1)
    expect(await outcome).toMatchObject({ blocked: true, reason: 'took a second' })
  })
})

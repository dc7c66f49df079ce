/** Forty and more ways in which a hook can be broken. None of them may be taken for a yes. */

const deep = (levels: number): unknown => {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level++) value = { inner: value }
  return value
}

const cyclic = (): object => {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}

export const manyKeys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const refuse = (): never => {
  throw new Error('trap')
}

const endless = (): number => 1 + endless()

/** An error with an unexpected message. */
const errorSaying = (message: unknown): Error => Object.assign(new Error('replaced'), { message })

const raise = (thrown: unknown): (() => never) => {
  return () => {
    throw thrown
  }
}

const give = (value: unknown): (() => unknown) => {
  return () => value
}

/** Looks harmless the first time one asks whether it is a promise. */
const twoFaced = (): object => {
  let asked = 0
  return {
    get then() {
      return ++asked > 1 ? refuse() : undefined
    }
  }
}

const THROWN: readonly (readonly [string, () => unknown])[] = [
  ['throws an Error', raise(new Error('kaput'))],
  ['throws an Error without words', raise(new Error(''))],
  ['throws text', raise('kaput')],
  ['throws empty text', raise('')],
  ['throws a number', raise(0)],
  ['throws undefined', raise(undefined)],
  ['throws null', raise(null)],
  ['throws a symbol', raise(Symbol('kaput'))],
  ['throws a bigint', raise(1n)],
  ['throws a function', raise(() => undefined)],
  ['throws an object without prototype', raise(Object.create(null))],
  ['throws something cyclic', raise(cyclic())],
  ['throws a revoked proxy', raise(revoked())],
  ['throws a reply', raise({ decision: 'allow' })],
  [
    'throws an Error whose message cannot be read',
    raise(Object.defineProperty(new Error('x'), 'message', { get: refuse }))
  ],
  ['throws an Error whose message is a symbol', raise(errorSaying(Symbol('kaput')))],
  ['throws an Error whose message cannot be printed', raise(errorSaying({ toString: refuse }))],
  ['never returns from a recursion', endless]
]

const PROMISED: readonly (readonly [string, () => unknown])[] = [
  ['rejects with an Error', async () => refuse()],
  ['rejects with nothing', () => Promise.reject()],
  ['rejects with an unprintable Error', () => Promise.reject(errorSaying({ toString: refuse }))],
  ['never settles', () => new Promise(() => undefined)],
  ['gives a thenable that never answers', () => ({ then: () => undefined })],
  ['gives a thenable that throws', () => ({ then: refuse })],
  ['gives a thenable that rejects', () => ({ then: (_: unknown, no: (why: unknown) => void) => no('kaput') })],
  ['gives an object whose then cannot be read', () => Object.defineProperty({}, 'then', { get: refuse })],
  ['resolves to an object whose then cannot be read', async () => Object.defineProperty({}, 'then', { get: refuse })],
  ['gives an object whose then turns bad', twoFaced],
  ['resolves to an object whose then turns bad', async () => twoFaced()],
  [
    'gives a promise whose maker cannot be read',
    () => Object.defineProperty(Promise.resolve(), 'constructor', { get: refuse })
  ],
  ['resolves to text', async () => 'deny'],
  ['resolves to false', async () => false],
  ['resolves to a proxy that refuses', async () => new Proxy({}, { getPrototypeOf: refuse, ownKeys: refuse })]
]

const WRONG: readonly (readonly [string, () => unknown])[] = [
  ['returns true', give(true)],
  ['returns false', give(false)],
  ['returns zero', give(0)],
  ['returns NaN', give(Number.NaN)],
  ['returns text', give('deny')],
  ['returns empty text', give('')],
  ['returns a bigint', give(2n)],
  ['returns a symbol', give(Symbol('deny'))],
  ['returns a function', give(() => ({ decision: 'deny' }))],
  ['returns an empty list', give([])],
  ['returns a list of replies', give([{ decision: 'deny' }])],
  ['returns an Error', () => new Error('deny')],
  ['returns a Map', () => new Map([['decision', 'deny']])],
  ['returns a Set', () => new Set(['deny'])],
  ['returns a Date', () => new Date()],
  ['returns a RegExp', () => /deny/],
  ['returns bytes', () => new Uint8Array([1, 2])],
  ['returns boxed text', () => Object('deny')],
  [
    'is a generator',
    function* () {
      yield { decision: 'deny' }
    }
  ],
  [
    'is an async generator',
    async function* () {
      yield { decision: 'deny' }
    }
  ],
  ['returns a revoked proxy', revoked],
  ['returns a proxy that refuses to be read', () => new Proxy({}, { get: refuse })],
  ['returns a proxy that refuses to be listed', () => new Proxy({}, { ownKeys: refuse })],
  ['returns a proxy that hides what it is', () => new Proxy({}, { getPrototypeOf: refuse })]
]

const FIELDS: readonly (readonly [string, unknown])[] = [
  ['an unknown decision', { decision: 'yes' }],
  ['a decision in capitals', { decision: 'DENY' }],
  ['a decision that is true', { decision: true }],
  ['a decision that is an object', { decision: { behavior: 'deny' } }],
  ['a reason that is no text', { reason: 42 }],
  ['a reason that is no text, beside an allow', { decision: 'allow', reason: {} }],
  ['continue as text', { continue: 'false' }],
  ['continue as a number', { continue: 0 }],
  ['continue_execution as text', { continue_execution: 'false' }],
  ['a stop reason that is no text', { stopReason: [] }],
  ['a system message that is no text', { systemMessage: { text: 'hi' } }],
  ['suppressOutput as text', { suppressOutput: 'yes' }],
  ['async as text', { async: 'true' }],
  ['an asyncTimeout as text', { async: true, asyncTimeout: '5s' }],
  ['hookSpecificOutput as text', { hookSpecificOutput: 'deny' }],
  ['hookSpecificOutput as a list', { hookSpecificOutput: [] }],
  ['hookSpecificOutput of another event', { hookSpecificOutput: { hookEventName: 'PostCompact' } }],
  ['a key that reaches prototypes', JSON.parse('{ "__proto__": { "decision": "allow" } }')],
  ['such a key further in', { hookSpecificOutput: JSON.parse('{ "__proto__": { "x": 1 } }') }],
  ['a depth of 10,000', { hookSpecificOutput: deep(10_000) }],
  ['thousands of keys', manyKeys(20_000)],
  ['thousands of keys further in', { hookSpecificOutput: manyKeys(20_000) }],
  ['thousands of items', { hookSpecificOutput: { watchPaths: Array.from({ length: 20_000 }, String) } }],
  ['a circle', { hookSpecificOutput: cyclic() }],
  ['a decision that cannot be read', Object.defineProperty({}, 'decision', { get: refuse, enumerable: true })]
]

export const SHAPES = [
  ...THROWN,
  ...PROMISED,
  ...WRONG,
  ...FIELDS.map(([words, reply]) => [`replies with ${words}`, give(reply)] as const)
]

import { expect, test } from 'vitest'
import { allow, ask, block, deny, goesOn, HookRegistry, transform, type Reply } from '../../../src/hooks.ts'
import { harness } from '../../../src/testing.ts'
import { saying } from '../../support/hook-kit.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

// F70
test.each([
  [[undefined, undefined], undefined],
  [[true, undefined], undefined],
  [[true, false], false],
  [[false, true], false],
  [[false, false], false]
])('continue %j folds to %s', async (flags, expected) => {
  const hooks = new HookRegistry()
  for (const flag of flags) hooks.on('PostToolUse', () => ({ continue: flag }))
  expect((await harness(hooks).fire('PostToolUse')).continue).toBe(expected)
})

// F70
test.each([
  [[undefined, true], true],
  [[true, true], true],
  [[true, false], false],
  [[false, true], false]
])('continue %j on Stop folds to %s', async (flags, expected) => {
  const hooks = new HookRegistry()
  for (const flag of flags) hooks.on('Stop', () => ({ continue: flag }))
  expect((await harness(hooks).fire('Stop')).continue).toBe(expected)
})

// F70
test.each([
  ['nothing', [], false],
  ['a block', [deny('tests fail')], true],
  ['a context', [{ additionalContext: 'one more thing' }], true],
  ['continue: true', [{ continue: true }], true],
  ['a block and continue: false', [deny('tests fail'), { continue: false }], false],
  ['a system message alone', [{ systemMessage: 'bye' }], false]
] as const)('an agent that would stop continues or not: %s', async (_, replies, expected) => {
  const hooks = new HookRegistry()
  for (const reply of replies) hooks.on('Stop', () => reply)
  expect(goesOn(await harness(hooks).fire('Stop'))).toBe(expected)
})

// F71
test('the latest stop reason stands', async () => {
  const hooks = saying({ stopReason: 'one' }, { stopReason: 'two' }, { stop_reason: null } as Reply, {})
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ stopReason: 'two', decision: undefined })
})

// F72
test('one hook is enough to suppress', async () => {
  const hooks = saying({ suppressOutput: true }, { suppressOutput: false }, { suppressLogging: true }, {})
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ suppressOutput: true, suppressLogging: true })
  expect(await saying({ suppressOutput: false }).fire('PreToolUse', bash())).toMatchObject({ suppressOutput: false })
})

// F73
test('the latest system message stands, and all are delivered in order', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => ({ systemMessage: 'one' }), { name: 'a' })
  hooks.on('PreToolUse', () => ({ systemMessage: 'two' }), { name: 'b' })
  hooks.on('PreToolUse', () => ({}))
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({
    systemMessage: 'two',
    systemMessages: [
      { by: 'a', text: 'one', to: 'model' },
      { by: 'b', text: 'two', to: 'model' }
    ]
  })
})

// F60, F74
test('each hook sees what earlier ones made of the input, and the last one is what runs', async () => {
  const hooks = new HookRegistry()
  const seen: unknown[] = []
  hooks.on('PreToolUse', ctx => {
    if (ctx.rejudge) return
    seen.push(ctx.toolInput)
    return transform({ n: 1 })
  })
  hooks.on('PreToolUse', ctx => {
    if (ctx.rejudge) return
    seen.push({ ...ctx.toolInput })
    ctx.toolInput['m'] = 2
  })
  hooks.on('PreToolUse', ctx => void seen.push({ ...ctx.toolInput }))
  const outcome = await hooks.fire('PreToolUse', callOf('Any', { n: 0 }))
  expect(seen).toEqual([{ n: 0 }, { n: 1 }, { n: 1, m: 2 }])
  expect(outcome.updatedInput).toEqual({ n: 1, m: 2 })
})

// F74
test('whoever judged an older input is asked again, whoever made the last change is not', async () => {
  const hooks = new HookRegistry()
  const asked: string[] = []
  for (const name of ['gate', 'first', 'last', 'behind']) {
    hooks.on('PreToolUse', ctx => {
      asked.push(name)
      return name === 'first' || name === 'last' ? { updatedInput: { ...ctx.toolInput, [name]: true } } : undefined
    })
  }
  expect((await hooks.fire('PreToolUse', callOf('Any'))).updatedInput).toEqual({ first: true, last: true })
  expect(asked).toEqual(['gate', 'first', 'last', 'behind', 'gate', 'first'])
})

// F74
test('of hooks side by side, the one that alone changed the input is not asked again', async () => {
  const hooks = new HookRegistry()
  const asked: string[] = []
  for (const name of ['gate', 'author', 'beside']) {
    const run = (): Reply | undefined => {
      asked.push(name)
      return name === 'author' ? { updatedInput: { changed: true } } : undefined
    }
    hooks.register({ name, events: 'PreToolUse', concurrent: true, run })
  }
  await hooks.fire('PreToolUse', callOf('Any'))
  expect(asked).toEqual(['gate', 'author', 'beside', 'gate', 'beside'])
})

// F74
test('two hooks that change different keys lose neither', async () => {
  for (const concurrent of [false, true]) {
    const hooks = new HookRegistry()
    hooks.register({ events: 'PreToolUse', concurrent, run: ctx => ({ updatedInput: { ...ctx.toolInput, a: 1 } }) })
    hooks.register({ events: 'PreToolUse', concurrent, run: ctx => ({ updatedInput: { ...ctx.toolInput, b: 2 } }) })
    const outcome = await hooks.fire('PreToolUse', callOf('Any', { c: 3 }))
    expect(outcome).toMatchObject({ updatedInput: { a: 1, b: 2, c: 3 }, conflicts: [] })
  }
})

// FM27
test('two hooks side by side that change one key: the later in order wins, and it is said', async () => {
  const hooks = new HookRegistry()
  const first = Promise.withResolvers<Reply>()
  hooks.register({ name: 'slow', events: 'PreToolUse', concurrent: true, run: () => first.promise })
  hooks.register({
    name: 'quick',
    events: 'PreToolUse',
    concurrent: true,
    run: ctx => {
      if (!ctx.rejudge) queueMicrotask(() => first.resolve({ updatedInput: { path: 'a' } }))
      return { updatedInput: { path: 'b' } }
    }
  })
  const outcome = await hooks.fire('PreToolUse', callOf('Any', { path: '', gone: true }))
  expect(outcome.updatedInput).toEqual({ path: 'b' })
  expect(outcome.conflicts).toContainEqual({ key: 'path', winner: 'quick', loser: 'slow' })
})

// F75
test('contexts are joined by newlines in run order, and absent ones add nothing', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => ({ additionalContext: 'last' }), { name: 'last', priority: -1 })
  hooks.on('PreToolUse', () => allow({ context: 'first' }), { name: 'first' })
  hooks.on('PreToolUse', () => ({}))
  hooks.on('PreToolUse', async () => ({ hookSpecificOutput: { additionalContext: 'second' } }), { name: 'second' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({
    additionalContext: 'first\nsecond\nlast',
    contexts: [
      { by: 'first', text: 'first' },
      { by: 'second', text: 'second' },
      { by: 'last', text: 'last' }
    ]
  })
  expect((await saying({}).fire('PreToolUse', bash())).additionalContext).toBeUndefined()
})

// F69
test('everything at once: matched, run, merged into one outcome', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', ctx => {
    ctx.toolInput.command = 'ls -l'
    return { additionalContext: 'rewritten', suppressLogging: true }
  })
  hooks.on('PreToolUse', 'Read', () => deny('never asked'))
  hooks.on('PreToolUse', async () => ask('sure?', { systemMessage: 'careful' }))
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({
    event: 'PreToolUse',
    decision: 'ask',
    reason: 'sure?',
    updatedInput: { command: 'ls -l' },
    additionalContext: 'rewritten',
    systemMessage: 'careful',
    suppressLogging: true,
    failures: []
  })
})

// F148
test('a compaction is refused by an explicit decision only', async () => {
  const cases = [
    [{ decision: 'block', reason: 'no' }, 'deny'],
    [block('no'), undefined],
    [{ continue: false }, undefined]
  ] as const
  for (const [reply, decision] of cases) {
    const hooks = new HookRegistry()
    hooks.on('PreCompact', () => reply)
    expect(await hooks.fire('PreCompact', { trigger: 'auto', custom_instructions: null })).toMatchObject({ decision })
  }
})

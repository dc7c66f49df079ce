/** Hooks that are the same: one of them runs, and which. */
import { expect, test } from 'vitest'
import { HookRegistry, type Hook } from '../../src/hooks.ts'
import { harness } from '../../src/testing.ts'

const twin = (name: string, rank?: number, more: Partial<Hook<'PreToolUse'>> = {}): Hook<'PreToolUse'> => ({
  events: 'PreToolUse',
  name,
  identity: 'gate',
  rank,
  ...more,
  run: () => ({ additionalContext: name })
})

const ran = async (hooks: HookRegistry): Promise<readonly string[]> =>
  (await harness(hooks).fire('PreToolUse')).contexts.map(({ text }) => text)

test('the one that was declared last runs', async () => {
  const hooks = new HookRegistry()
  for (const name of ['one', 'two']) hooks.register(twin(name))
  expect(await ran(hooks)).toEqual(['two'])
})

test('a higher rank comes before that, in whatever order and scope', async () => {
  const hooks = new HookRegistry()
  hooks.register(twin('high', 1))
  hooks.register(twin('usual'))
  hooks.register(twin('low', -1))
  const inner = hooks.scope('inner')
  inner.register(twin('later', 0, { observe: true }))
  inner.group('PreToolUse', 'Bash', [{ ...twin('grouped', -5), onFailure: 'continue' }])
  expect(await ran(hooks)).toEqual(['high'])
  expect(await ran(inner)).toEqual(['high'])
  hooks.disable('high')
  expect(await ran(hooks)).toEqual(['usual'])
})

test('of one rank the last runs, in an inner scope as well', async () => {
  const hooks = new HookRegistry()
  hooks.register(twin('outer', 2))
  const inner = hooks.scope('inner')
  inner.register(twin('inner', 2))
  expect(await ran(inner)).toEqual(['inner'])
  expect(await ran(hooks)).toEqual(['outer'])
})

test('a rank that is no number is refused', () => {
  expect(() => new HookRegistry().register(twin('x', Number.NaN))).toThrow(/rank cannot be NaN/)
})

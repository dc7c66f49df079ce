import { expect, test } from 'vitest'
import { allow, deny, HookRegistry } from '../../src/hooks.ts'
import { bash } from '../support/hook-inputs.ts'

const silent = (): void => undefined

/** The file and line that called this. */
const here = (): string => /([\w-]+\.test\.ts:\d+):\d+/.exec(new Error().stack!.split('\n')[2]!)![1]!

test('a nameless hook is named after its function and the place where it was registered', () => {
  const hooks = new HookRegistry()
  const place = (hooks.on('PreToolUse', 'Bash', function noRoot() {}), here())
  const [hook] = hooks.list()
  expect(hook!.name).toBe(`noRoot (hooks/${place})`)
  expect(hook!.source).toContain(`/test/hooks/${place}:`)
})

test('a hook without a function name is named after its event', () => {
  const hooks = new HookRegistry()
  const place = (hooks.on('Stop', () => undefined), here())
  expect(hooks.list()[0]!.name).toBe(`Stop (hooks/${place})`)
})

test('register and group name hooks by their place as well', () => {
  const hooks = new HookRegistry()
  const registered = (hooks.register({ events: 'Stop', run: silent }), here())
  const grouped = (hooks.group('Stop', '', [silent]), here())
  const recorded = (hooks.callbacks({ Stop: [{ hooks: [async () => ({})] }] }), here())
  expect(hooks.list().map(hook => hook.source.replace(/.*\/|:\d+$/g, ''))).toEqual([registered, grouped, recorded])
})

test('hooks that would be named alike are told apart by number', () => {
  const hooks = new HookRegistry()
  for (let count = 0; count < 3; count++) hooks.on('PreToolUse', silent)
  const names = hooks.list().map(hook => hook.name)
  expect(names[0]).toMatch(/^silent \(hooks\/registry-names\.test\.ts:\d+\)$/)
  expect(names.slice(1)).toEqual([`${names[0]} #2`, `${names[0]} #3`])
  hooks.remove(names[1]!)
  expect(hooks.list().map(hook => hook.name)).toEqual([names[0], names[2]])
})

test('a failure of a nameless hook leads to its place', async () => {
  const hooks = new HookRegistry()
  const place = (hooks.on('PreToolUse', () => JSON.parse('{')), here())
  const outcome = await hooks.fire('PreToolUse', bash())
  expect(outcome.reason).toContain(place)
  expect(outcome.failures[0]!.by).toContain(place)
})

test('a refusal without a reason names its author', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => deny(), { name: 'no-force-push' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ reason: 'refused by no-force-push' })
})

test('a name that is taken is an error that says where the first one is', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => deny('first'), { name: 'gate' })
  const first = hooks.describe('gate').source
  const again = [
    () => hooks.on('Stop', silent, { name: 'gate' }),
    () => hooks.register({ name: 'gate', events: 'PreToolUse', run: () => allow() }),
    () => hooks.group('Stop', '', [{ name: 'gate', run: silent }]),
    () => hooks.scope('sub').on('Stop', silent, { name: 'gate' })
  ]
  for (const register of again) {
    expect(register).toThrow(expect.objectContaining({ code: 'E_HOOK_DUPLICATE' }))
    expect(register).toThrow(first)
  }
  expect(hooks.list()).toHaveLength(1)
  expect(hooks.fire('PreToolUse', bash())).toMatchObject({ reason: 'first' })
})

test('one hook object cannot be registered twice under its name', () => {
  const hook = { name: 'gate', events: 'PreToolUse', run: silent } as const
  const hooks = new HookRegistry().register(hook)
  expect(() => hooks.register(hook)).toThrow(/already registered/)
})

test('two members of a group cannot have one name, and then none of them is registered', () => {
  const hooks = new HookRegistry()
  const members = [
    { name: 'a', run: silent },
    { name: 'b', run: silent },
    { name: 'a', run: silent }
  ]
  expect(() => hooks.group('Stop', '', members)).toThrow(/"a" is already registered/)
  expect(hooks.list()).toEqual([])
})

test('a name is free again once its hook is removed', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', silent, { name: 'gate' })()
  expect(() => hooks.on('PreToolUse', silent, { name: 'gate' })).not.toThrow()
})

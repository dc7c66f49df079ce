import { expect, test } from 'vitest'
import { allow, deny, HookRegistry, type EventName } from '../../src/hooks.ts'
import { fireSample } from '../support/hook-kit.ts'
import { bash, callOf } from '../support/hook-inputs.ts'

const silent = (): void => undefined

// F58, F67
test('a new registry is empty, and an event without hooks continues', () => {
  const hooks = new HookRegistry()
  expect(hooks.list()).toEqual([])
  const outcome = hooks.fire('PreToolUse', bash())
  expect(outcome).toMatchObject({ decision: undefined, blocked: false, reasons: [], failures: [] })
})

test('an event without hooks costs nothing: the same frozen outcome comes back', () => {
  const hooks = new HookRegistry()
  const first = hooks.fire('PreToolUse', bash())
  expect(hooks.fire('PreToolUse', bash('pwd'))).toBe(first)
  expect(Object.isFrozen(first)).toBe(true)
})

// F58
test('register appends', () => {
  const hooks = new HookRegistry()
  hooks.register({ name: 'first', events: 'PreToolUse', run: silent })
  hooks.register({ name: 'second', events: 'PreToolUse', run: silent })
  expect(hooks.list().map(hook => hook.name)).toEqual(['first', 'second'])
})

// F61
test('register chains, and on gives back its own removal', () => {
  const hooks = new HookRegistry()
  const off = hooks
    .register({ name: 'a', events: 'Stop', run: silent })
    .register({ name: 'b', events: 'Stop', run: silent })
    .on('Stop', silent, { name: 'c' })
  off()
  expect(hooks.list().map(hook => hook.name)).toEqual(['a', 'b'])
})

// F61, F67, F77
test('a hook runs only for the events it lists', async () => {
  const hooks = new HookRegistry()
  const seen: EventName[] = []
  hooks.register({ name: 'start', events: 'SessionStart', run: ctx => void seen.push(ctx.event) })
  hooks.register({ name: 'both', events: ['Stop', 'SessionEnd'], run: ctx => void seen.push(ctx.event) })
  for (const event of ['SessionEnd', 'PreToolUse', 'SessionStart', 'Stop'] as const) await fireSample(hooks, event)
  expect(seen).toEqual(['SessionEnd', 'SessionStart', 'Stop'])
})

test('two logging hooks each see an event once, in registration order', () => {
  const hooks = new HookRegistry()
  const log: string[] = []
  hooks.on('PreToolUse', () => void log.push('one'))
  hooks.on('PreToolUse', () => void log.push('two'))
  void hooks.fire('PreToolUse', bash())
  expect(log).toEqual(['one', 'two'])
})

// F66
test('one hook object can be shared by two registries', async () => {
  const guard = { name: 'guard', events: 'PreToolUse', once: true, run: () => allow() } as const
  const [one, two] = [new HookRegistry().register(guard), new HookRegistry().register(guard)]
  expect(await one.fire('PreToolUse', bash())).toMatchObject({ decision: 'allow' })
  expect(one.has('guard')).toBe(false)
  expect(await two.fire('PreToolUse', bash())).toMatchObject({ decision: 'allow' })
})

test('a hook object keeps its own this', () => {
  class Counter {
    readonly name = 'counter'
    readonly events = 'PreToolUse'
    count = 0
    run(): void {
      this.count++
    }
  }
  const counter = new Counter()
  const hooks = new HookRegistry().register(counter)
  void hooks.fire('PreToolUse', bash())
  void hooks.fire('PreToolUse', bash())
  expect(counter.count).toBe(2)
})

// F83
test('a hook is found and removed by name', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => deny('no'), { name: 'gate' })
  expect(hooks.has('gate')).toBe(true)
  hooks.remove('gate')
  expect(hooks.has('gate')).toBe(false)
  expect(hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined })
})

test('removing an unknown hook is an error that suggests the nearest', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', silent, { name: 'no-force-push' })
  for (const change of ['remove', 'enable', 'disable', 'describe'] as const) {
    expect(() => hooks[change]('no-force-pish')).toThrow(/no hook is named "no-force-pish".*"no-force-push"/)
    expect(() => hooks[change]('zzz')).toThrow(expect.objectContaining({ code: 'E_HOOK_UNKNOWN' }))
  }
})

test('a removal can be called twice, and never takes out a later hook of the same name', () => {
  const hooks = new HookRegistry()
  const off = hooks.on('PreToolUse', silent, { name: 'gate' })
  off()
  off()
  hooks.on('PreToolUse', () => deny('second'), { name: 'gate' })
  off()
  expect(hooks.fire('PreToolUse', bash())).toMatchObject({ decision: 'deny', reason: 'second' })
})

// F68, F83
test('hooks are listed in the order they run, of one event or of all', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', silent, { name: 'low', priority: 1 })
  hooks.on('PreToolUse', silent, { name: 'high', priority: 100 })
  hooks.on('Stop', silent, { name: 'stop', priority: 70 })
  hooks.on('PreToolUse', silent, { name: 'middle', priority: 50 })
  expect(hooks.list('PreToolUse').map(hook => hook.name)).toEqual(['high', 'middle', 'low'])
  expect(hooks.list('Stop').map(hook => hook.name)).toEqual(['stop'])
  expect(hooks.list().map(hook => hook.name)).toEqual(['high', 'stop', 'middle', 'low'])
})

// F201
test('a hook is described with all that was said about it, and its defaults', () => {
  const hooks = new HookRegistry()
  hooks.register({
    name: 'full',
    events: ['PreToolUse', 'PostToolUse'],
    matcher: ['Edit', /^Wr/],
    priority: 7,
    timeout: 2.5,
    onFailure: 'continue',
    once: true,
    concurrent: true,
    dialect: 'contract',
    source: 'settings.json:3',
    run: silent
  })
  hooks.on('PreToolUse', silent, { name: 'plain' })
  expect(hooks.describe('full')).toEqual({
    name: 'full',
    events: ['PreToolUse', 'PostToolUse'],
    matcher: '["Edit", /^Wr/]',
    priority: 7,
    timeout: 2.5,
    onFailure: 'continue',
    once: true,
    observe: false,
    concurrent: true,
    dialect: 'contract',
    enabled: true,
    source: 'settings.json:3',
    group: undefined,
    scope: undefined
  })
  // F92
  expect(hooks.describe('plain')).toMatchObject({
    events: ['PreToolUse'],
    matcher: 'everything',
    priority: 0,
    timeout: 60,
    onFailure: 'block',
    enabled: true
  })
})

// F201
test('a disabled hook does not run until it is enabled again', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', () => deny('no'), { name: 'gate' })
  const decision = (): unknown => (hooks.fire('PreToolUse', bash()) as { decision: unknown }).decision
  expect(decision()).toBe('deny')
  hooks.disable('gate')
  expect(hooks.describe('gate').enabled).toBe(false)
  expect(decision()).toBeUndefined()
  hooks.enable('gate')
  expect(hooks.describe('gate').enabled).toBe(true)
  expect(decision()).toBe('deny')
})

// F30, F31
test('without a promise the outcome comes at once, with one it has to be awaited', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Read', () => allow())
  hooks.on('PreToolUse', 'Bash', async () => deny('slow no'))
  expect(hooks.fire('PreToolUse', callOf('Read'))).not.toBeInstanceOf(Promise)
  const fired = hooks.fire('PreToolUse', bash())
  expect(fired).toBeInstanceOf(Promise)
  expect(await fired).toMatchObject({ decision: 'deny', reason: 'slow no' })
})

test('what is fired must be an event and an object', () => {
  const hooks = new HookRegistry()
  expect(() => hooks.fire('PreToolUs' as 'PreToolUse', bash())).toThrow(/did you mean PreToolUse/)
  for (const input of [undefined, null, 'Bash', 7]) {
    expect(() => hooks.fire('PreToolUse', input as never)).toThrow(expect.objectContaining({ code: 'E_INPUT_INVALID' }))
    expect(() => hooks.fire('PreToolUse', input as never)).toThrow(/give a plain object with its fields/)
  }
})

test('the three spellings of an event reach the same hooks', () => {
  const hooks = new HookRegistry()
  hooks.on('pre_tool_use' as 'PreToolUse', () => deny('no'))
  for (const name of ['PreToolUse', 'preToolUse', 'pre_tool_use'] as const) {
    expect(hooks.fire(name as 'PreToolUse', bash())).toMatchObject({ event: 'PreToolUse', decision: 'deny' })
  }
})

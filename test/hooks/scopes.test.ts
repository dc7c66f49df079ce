import { expect, test } from 'vitest'
import { deny, HookRegistry } from '../../src/hooks.ts'
import { harness } from '../../src/testing.ts'
import { bash } from '../support/hook-inputs.ts'

/** A registry whose hooks leave their names. */
const logging = () => {
  const log: string[] = []
  const hooks = new HookRegistry()
  const add = (registry: HookRegistry, name: string, priority = 0): (() => void) =>
    registry.on('PreToolUse', () => void log.push(name), { name, priority })
  return { hooks, add, log, ran: (registry: HookRegistry) => (void registry.fire('PreToolUse', bash()), log.splice(0)) }
}

// F84
test('hooks of a scope add to the base hooks, and only there', () => {
  const { hooks, add, ran } = logging()
  add(hooks, 'base')
  const [one, two] = [hooks.scope('one'), hooks.scope('two')]
  add(one, 'own')
  expect(ran(one)).toEqual(['base', 'own'])
  expect(ran(two)).toEqual(['base'])
  expect(ran(hooks)).toEqual(['base'])
})

// F84
test('hooks of a scope vanish when it is released', () => {
  const { hooks, add, ran } = logging()
  add(hooks, 'base')
  const scope = hooks.scope('skill')
  add(scope, 'own')
  scope.release()
  expect(ran(scope)).toEqual(['base'])
  expect(scope.has('own')).toBe(false)
  expect(hooks.has('base')).toBe(true)
})

test('base hooks that come later are seen by scopes that fired before', () => {
  const { hooks, add, ran } = logging()
  const inner = hooks.scope('a').scope('b')
  expect(ran(inner)).toEqual([])
  const off = add(hooks, 'late')
  expect(ran(inner)).toEqual(['late'])
  hooks.disable('late')
  expect(ran(inner)).toEqual([])
  hooks.enable('late')
  expect(ran(inner)).toEqual(['late'])
  off()
  expect(ran(inner)).toEqual([])
})

test('a base hook that comes after a release is still obeyed by whoever holds the scope', async () => {
  const { hooks, ran } = logging()
  const scope = hooks.scope('agent')
  const inner = scope.scope('nested')
  scope.release()
  expect([ran(scope), ran(inner)]).toEqual([[], []])
  hooks.on('PreToolUse', () => deny('new policy'), { name: 'policy' })
  expect(await scope.fire('PreToolUse', bash())).toMatchObject({ reason: 'new policy' })
  expect(await inner.fire('PreToolUse', bash())).toMatchObject({ reason: 'new policy' })
})

test('scopes nest, and priority orders base and scoped hooks together', () => {
  const { hooks, add, ran } = logging()
  const outer = hooks.scope('outer')
  const inner = outer.scope('inner')
  add(inner, 'inner', 5)
  add(hooks, 'base', 1)
  add(outer, 'outer', 9)
  expect(ran(inner)).toEqual(['outer', 'inner', 'base'])
  expect(inner.list().map(({ name, scope }) => [name, scope])).toEqual([
    ['outer', 'outer'],
    ['inner', 'inner'],
    ['base', undefined]
  ])
  expect(ran(outer)).toEqual(['outer', 'base'])
})

test('a scope may have hooks of the same name as another scope', () => {
  const { hooks, add, ran } = logging()
  const [one, two] = [hooks.scope('one'), hooks.scope('two')]
  add(one, 'own')
  add(two, 'own')
  one.remove('own')
  expect([ran(one), ran(two)]).toEqual([[], ['own']])
})

test('a base hook that takes the name of a scoped one hides neither it nor its refusal', async () => {
  const hooks = new HookRegistry()
  const scope = hooks.scope('agent')
  scope.on('PreToolUse', ctx => (ctx.rejudge ? deny('not this') : undefined), { name: 'gate' })
  hooks.on('PreToolUse', () => undefined, { name: 'gate' })
  scope.on('PreToolUse', () => ({ updatedInput: { command: 'rm' } }), { name: 'rewriter', priority: -1 })
  expect(scope.list().map(hook => hook.name)).toEqual(['gate', 'gate', 'rewriter'])
  expect(await scope.fire('PreToolUse', bash())).toMatchObject({ decision: 'deny', reason: 'not this' })
})

test('a scope can switch and remove base hooks, for everyone', () => {
  const { hooks, add, ran } = logging()
  add(hooks, 'base')
  const scope = hooks.scope()
  scope.disable('base')
  expect(ran(hooks)).toEqual([])
  scope.enable('base')
  expect(ran(hooks)).toEqual(['base'])
  scope.remove('base')
  expect(hooks.has('base')).toBe(false)
})

test('the report of a scope shows base and scoped hooks, that of the base only its own', async () => {
  const { hooks, add } = logging()
  add(hooks, 'base')
  const scope = hooks.scope('agent')
  add(scope, 'own')
  expect((await harness(scope).fire('PreToolUse')).report.map(line => line.name)).toEqual(['base', 'own'])
  expect((await harness(hooks).fire('PreToolUse')).report.map(line => line.name)).toEqual(['base'])
})

test('settings and what hooks keep for a session are those of the base', async () => {
  const hooks = new HookRegistry({ sessionId: 's-9', precedence: 'ask-over-allow', profile: 'compat' })
  hooks.on('SessionStart', ctx => ctx.setMetadata('colour', 'red'))
  await hooks.fire('SessionStart', { source: 'startup' })
  const scope = hooks.scope()
  const seen: unknown[] = []
  scope.on('PreToolUse', ctx => void seen.push(ctx.sessionId, ctx.metadata['colour']))
  scope.on('PreToolUse', () => {
    throw new Error('broken')
  })
  expect(await scope.fire('PreToolUse', bash())).toMatchObject({ failures: [{ failedOpen: true }] })
  expect(seen).toEqual(['s-9', 'red'])
})

test('a hook that fires another event from a scope reaches the hooks of that scope', async () => {
  const hooks = new HookRegistry()
  const scope = hooks.scope()
  const seen: string[] = []
  hooks.on('PreToolUse', ctx => void ctx.fire('Notification', { message: 'hi', notification_type: 'note' }))
  scope.on('Notification', ctx => void seen.push(ctx.input.message))
  await scope.fire('PreToolUse', bash())
  await hooks.fire('PreToolUse', bash())
  expect(seen).toEqual(['hi'])
})

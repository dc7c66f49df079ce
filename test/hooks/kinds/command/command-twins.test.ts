/** The same command, declared more than once, runs once. */
import { expect, test, vi } from 'vitest'
import { commandHook } from '../../../../src/external.ts'
import { contextOf, hookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

const COUNT = 'echo ran >> log'
const lines = (text: string): number => text.trim().split('\n').length

test('the same command twice runs once, and the report says why', async () => {
  const { hooks, command, read } = hookScene()
  command({ name: 'first', command: COUNT })
  command({ name: 'second', command: COUNT })
  const { report } = await hooks.fire('PreToolUse', bash(), { report: true })
  expect(lines(read('log'))).toBe(1)
  expect(report).toMatchObject([
    { name: 'first', ran: false, why: 'is the same as second, which runs instead' },
    { name: 'second', ran: true }
  ])
})

test('in two groups, and in different sources, it still runs once', async () => {
  const { hooks, place, read } = hookScene()
  hooks.group('PreToolUse', 'Bash', [commandHook({ command: COUNT, source: 'user' }, place)])
  hooks.group('PreToolUse', '*', [commandHook({ command: COUNT, source: 'project' }, place)])
  const scope = hooks.scope()
  scope.group('PreToolUse', '', [commandHook({ command: COUNT }, place)])
  await scope.fire('PreToolUse', bash())
  expect(lines(read('log'))).toBe(1)
})

test('where only one of them matches, that one runs', async () => {
  const { hooks, command, read } = hookScene()
  command({ name: 'first', command: COUNT, matcher: 'Bash' })
  command({ name: 'second', command: COUNT, matcher: 'Edit' })
  await hooks.fire('PreToolUse', bash())
  expect(lines(read('log'))).toBe(1)
})

test('the options of the one declared last count', async () => {
  const { hooks, command, messages } = hookScene()
  command({ name: 'first', command: 'exit 1', statusMessage: 'first', onFailure: 'block' })
  command({ name: 'second', command: 'exit 1', statusMessage: 'second', onFailure: 'continue' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: false, failures: [{ by: 'second' }] })
  expect(messages[0]).toMatchObject({ hook_name: 'second', status_message: 'second' })
})

test('whether it is waited for is such an option', async () => {
  const { hooks, command, late } = hookScene()
  command({ name: 'first', command: contextOf('x') })
  command({ name: 'second', command: contextOf('x'), async: true })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ contexts: [] })
  await hooks.drain()
  expect(late).toMatchObject([{ by: 'second', contexts: [{ text: 'x' }] }])
})

test.each([
  ['another command', { command: `${COUNT} ` }],
  ['another condition', { command: COUNT, if: 'Bash' }],
  ['exec form', { command: COUNT, args: [] }]
])('%s is another hook', async (_, spec) => {
  const { hooks, command } = hookScene({}, { matchesRule: () => true })
  command({ name: 'first', command: COUNT })
  command({ name: 'second', ...spec })
  const { report } = await hooks.fire('PreToolUse', bash(), { report: true })
  expect(report.map(({ ran }) => ran)).toEqual([true, true])
})

test('other arguments in exec form make another hook', async () => {
  const { hooks, command, read } = hookScene()
  command({ name: 'first', command: 'sh', args: ['-c', 'echo 1 >> log'] })
  command({ name: 'second', command: 'sh', args: ['-c', 'echo 2 >> log'] })
  await hooks.fire('PreToolUse', bash())
  expect(read('log').trim().split('\n').toSorted()).toEqual(['1', '2'])
})

test('one that is disabled does not keep the other from running', async () => {
  const { hooks, command, read } = hookScene()
  command({ name: 'first', command: COUNT })
  command({ name: 'second', command: COUNT })
  hooks.disable('second')
  await hooks.fire('PreToolUse', bash())
  expect(lines(read('log'))).toBe(1)
})

test('events that come one after the other each have their run', async () => {
  const { hooks, command, read } = hookScene()
  command({ command: COUNT })
  await Promise.all([1, 2, 3].map(() => hooks.fire('PreToolUse', bash())))
  expect(lines(read('log'))).toBe(3)
})

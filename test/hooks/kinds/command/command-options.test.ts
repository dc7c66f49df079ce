import { expect, test, vi } from 'vitest'
import { commandHook } from '../../../../src/external.ts'
import { HookRegistry } from '../../../../src/hooks.ts'
import { harness } from '../../../../src/testing.ts'
import { contextOf, hookScene, type HookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

const LOG = 'echo ran >> log'
const runs = ({ has, read }: HookScene): number => (has('log') ? read('log').trim().split('\n').length : 0)

// F100
test('a command has a name, events, a matcher, a timeout, and variables of its own', () => {
  const { hooks, place } = hookScene()
  const spec = { name: 'audit', command: 'audit.sh', events: ['PreToolUse', 'Stop'], matcher: 'Bash' } as const
  hooks.register(commandHook({ ...spec, timeout: 5, env: { LEVEL: '2' } }, place))
  expect(hooks.describe('audit')).toMatchObject({
    events: ['PreToolUse', 'Stop'],
    matcher: '"Bash"',
    timeout: 5,
    concurrent: true,
    dialect: 'contract'
  })
})

// F100
test.each([
  ['PreToolUse', 600],
  ['UserPromptSubmit', 30],
  ['SessionEnd', 1.5]
] as const)('on %s it may take %d seconds where it does not say', (event, seconds) => {
  const { hooks, command } = hookScene()
  command({ events: event, command: 'true' })
  expect(hooks.describe('hook').timeout).toBe(seconds)
})

// F100
test('as a hook of the library it may take 60 seconds', () => {
  const { hooks, command } = hookScene()
  command({ command: 'true', dialect: 'library' })
  expect(hooks.describe('hook').timeout).toBe(60)
})

test('without a name it is called after its command', async () => {
  const hooks = new HookRegistry()
  const { place } = hookScene()
  hooks.register(commandHook({ events: 'PreToolUse', command: 'exit 1' }, place))
  expect((await harness(hooks).fire('PreToolUse')).failures[0]!.by).toMatch(/^exit 1 /)
})

// F111
test('it runs for what its matcher fits', async () => {
  const where = hookScene()
  where.command({ command: LOG, matcher: 'Edit|Write' })
  await where.hooks.fire('PreToolUse', bash())
  expect(runs(where)).toBe(0)
  await where.hooks.fire('PreToolUse', { ...bash(), tool_name: 'Write' })
  expect(runs(where)).toBe(1)
})

test('shown to people while it runs is told when it starts', async () => {
  const where = hookScene()
  where.command({ command: 'true', statusMessage: 'Checking the command' })
  await where.hooks.fire('PreToolUse', bash())
  expect(where.messages[0]).toMatchObject({ subtype: 'hook_started', status_message: 'Checking the command' })
})

test('once: it runs until it has run well, and then never again', async () => {
  const where = hookScene()
  where.command({ command: `${LOG}; test -e ready || exit 1`, once: true })
  await where.hooks.fire('PreToolUse', bash())
  where.write('ready', '')
  for (let time = 0; time < 3; time++) await where.hooks.fire('PreToolUse', bash())
  expect(runs(where)).toBe(2)
})

test('once: of two events at the same time, one runs it, except that a gate is asked by both', async () => {
  const ran = async (event: 'PostToolUse' | 'PreToolUse'): Promise<number> => {
    const where = hookScene()
    where.command({ command: LOG, events: event, once: true })
    const call = { ...bash(), tool_response: 'done' }
    await Promise.all([where.hooks.fire(event, call), where.hooks.fire(event, call)])
    return runs(where)
  }
  expect(await ran('PostToolUse')).toBe(1)
  expect(await ran('PreToolUse')).toBe(2)
})

test('observe: it sees what happens, decides nothing, and its failure is a warning', async () => {
  const where = hookScene()
  where.command({ command: `${LOG}; exit 2`, observe: true })
  where.command({ name: 'broken', command: 'exit 1', observe: true })
  const outcome = await where.hooks.fire('PreToolUse', bash())
  expect(outcome).toMatchObject({ blocked: false, failures: [{ by: 'broken', failedOpen: false }] })
  expect(runs(where)).toBe(1)
})

test.each([
  ['strict', 'continue', { blocked: false, failedOpen: true }],
  ['compat', 'block', { blocked: true, failedOpen: false }]
] as const)('in %s, onFailure: %s says what a failure means', async (profile, onFailure, expected) => {
  for (const command of ['exit 1', 'no-such-program', 'echo "{"', `echo '{"decision":"approve"}'; exit 3`]) {
    const where = hookScene({ profile })
    where.command({ command, onFailure })
    expect(await where.hooks.fire('PreToolUse', bash()), command).toMatchObject(expected)
  }
})

test('onFailure: block does not make a hook that broke keep an agent from stopping', async () => {
  const where = hookScene()
  where.command({ events: ['Stop', 'PostToolUse'], command: 'exit 1', onFailure: 'block' })
  const stop = await where.hooks.fire('Stop', { stop_hook_active: false })
  expect(stop).toMatchObject({ blocked: false, failures: [{ kind: 'exit' }] })
})

// F111
test('a higher priority runs first, whatever its kind', async () => {
  const where = hookScene()
  where.command({ name: 'low', command: contextOf('low'), priority: -1 })
  where.command({ name: 'high', command: contextOf('high'), priority: 1 })
  where.hooks.on('PreToolUse', () => ({ additionalContext: 'function' }))
  expect((await where.hooks.fire('PreToolUse', bash())).contexts.map(({ text }) => text)).toEqual([
    'high',
    'function',
    'low'
  ])
})

test('a command may speak as a hook of the library: a message for the model', async () => {
  const where = hookScene()
  where.command({ command: `echo '{"systemMessage":"remember"}'`, dialect: 'library' })
  where.command({ name: 'file', command: `echo '{"systemMessage":"look"}' #` })
  expect((await where.hooks.fire('PreToolUse', bash())).systemMessages).toMatchObject([
    { text: 'remember', to: 'model' },
    { text: 'look', to: 'user' }
  ])
})

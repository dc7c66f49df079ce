/** `if`: a rule that says for which inputs a command runs. What rules mean is handed in. */
import { expect, test, vi } from 'vitest'
import { commandHook, HookEnvironment, type HookEnvironmentOptions } from '../../../../src/external.ts'
import { EVENT_NAMES } from '../../../../src/hooks.ts'
import { fireSample } from '../../../support/hook-kit.ts'
import { hookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

/** Rules of the form `Bash(git *)`, as far as these tests need them. */
const matchesRule: NonNullable<HookEnvironmentOptions['matchesRule']> = (rule, { tool_name, tool_input }) => {
  const [, tool, pattern = ''] = /^(\w+)(?:\((.*)\))?$/.exec(rule) ?? []
  if (tool === undefined) throw new Error(`${rule} is not a rule`)
  const { command = '' } = tool_input as { command?: string }
  return tool === tool_name && command.startsWith(pattern.replace(/\*$/, ''))
}

const guarded = (rule: string, registry = {}) =>
  hookScene(registry, { matchesRule }).command({ command: 'cat >> asked; echo no >&2; exit 2', if: rule })

test.each([
  ['Bash(git *)', 'git push', true],
  ['Bash(git *)', 'ls', false],
  ['Bash', 'ls', true],
  ['Read', 'ls', false],
  ['', 'ls', true]
])('if %j, the command %j: asked %s', async (rule, command, asked) => {
  const { hooks, has } = guarded(rule)
  const outcome = await hooks.fire('PreToolUse', bash(command), { report: true })
  expect(has('asked')).toBe(asked)
  expect(outcome.blocked).toBe(asked)
  expect(outcome.report[0]).toMatchObject(
    asked ? { ran: true } : { ran: false, status: 'skipped', why: `condition ${rule} does not hold` }
  )
})

test('without a function that knows rules it is refused at once', () => {
  const place = new HookEnvironment()
  expect(() => commandHook({ events: 'PreToolUse', command: 'true', if: 'Bash(git *)' }, place)).toThrow(/matchesRule/)
  expect(() => commandHook({ events: 'PreToolUse', command: 'true', if: '' }, place)).not.toThrow()
})

test('on events that are not about a tool it is never asked', async () => {
  const asked: string[] = []
  for (const event of EVENT_NAMES) {
    const { hooks, command, has } = hookScene({}, { matchesRule: () => true })
    command({ events: event, command: 'touch asked', if: 'Bash' })
    await fireSample(hooks, event)
    if (has('asked')) asked.push(event)
  }
  expect(asked).toEqual(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'])
})

test('where it cannot be told whether the rule fits, the command runs', async () => {
  const { hooks, has } = guarded('not a rule!')
  const outcome = await hooks.fire('PreToolUse', bash(), { report: true })
  expect(has('asked')).toBe(true)
  expect(outcome.report[0]!.notes).toEqual([expect.stringContaining('not a rule! failed, so it runs')])
})

// FM28
test('a rewrite that makes the condition true has the command asked', async () => {
  const { hooks, read } = guarded('Bash(git push*)')
  hooks.on('PreToolUse', () => ({ updatedInput: { command: 'git push --force' } }), { priority: -1 })
  const outcome = await hooks.fire('PreToolUse', bash('git status'))
  expect(outcome).toMatchObject({ blocked: true, reason: 'no' })
  expect(JSON.parse(read('asked'))).toMatchObject({ tool_input: { command: 'git push --force' }, rejudge: true })
})

// FM28
test('an allow for an input that was rewritten since, for which the condition does not hold, is void', async () => {
  const { hooks, command } = hookScene({}, { matchesRule })
  command({ command: `echo '{"decision":"approve"}'`, if: 'Bash(ls*)' })
  expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: 'allow' })
  hooks.on('PreToolUse', () => ({ updatedInput: { command: 'rm -r x' } }), { priority: -1 })
  expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({
    decision: undefined,
    updatedInput: { command: 'rm -r x' }
  })
})

test('in compat it is asked about the input it was first shown, and no more', async () => {
  const { hooks, has } = guarded('Bash(git push*)', { profile: 'compat' })
  hooks.on('PreToolUse', () => ({ updatedInput: { command: 'git push --force' } }), { priority: -1 })
  await hooks.fire('PreToolUse', bash('git status'))
  expect(has('asked')).toBe(false)
})

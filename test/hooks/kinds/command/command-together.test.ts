/** Commands beside functions, and beside one another. */
import { expect, test, vi } from 'vitest'
import { commandHook } from '../../../../src/external.ts'
import { HookRegistry } from '../../../../src/hooks.ts'
import { contextOf, hookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

// F79
test('in one group, functions run in order, and then commands, told in order', async () => {
  const { hooks, place, has, folder } = hookScene()
  const order: string[] = []
  const note = (name: string) => () => {
    order.push(has('began') ? `${name}, after a command` : name)
    return { additionalContext: name }
  }
  const command = (name: string, pause: number) =>
    commandHook({ name, command: `touch '${folder}/began'; sleep ${pause}; ${contextOf(name)}` }, place)
  hooks.group('PreToolUse', 'Bash', [command('slow', 0.3), note('one'), command('fast', 0), note('two')])
  const { contexts } = await hooks.fire('PreToolUse', bash())
  expect(order).toEqual(['one', 'two'])
  expect(contexts.map(({ text }) => text)).toEqual(['one', 'two', 'slow', 'fast'])
})

// F79
test('sequential: commands of a group run one after the other', async () => {
  const { hooks, place, read } = hookScene()
  const members = [1, 2, 3].map(n =>
    commandHook({ command: `echo begin ${n} >> log; sleep 0.05; echo end ${n} >> log` }, place)
  )
  hooks.group('PreToolUse', '', members, { sequential: true })
  await hooks.fire('PreToolUse', bash())
  expect(read('log')).toBe([1, 2, 3].map(n => `begin ${n}\nend ${n}\n`).join(''))
})

// F111
test('continue: false of a function skips the commands of its group, and of a command those that stand behind it', async () => {
  const { hooks, place, has } = hookScene({ profile: 'strict' })
  hooks.group('PreToolUse', '', [() => ({ continue: false }), commandHook({ command: 'touch skipped' }, place)])
  await hooks.fire('PreToolUse', bash())
  expect(has('skipped')).toBe(false)
  const others = new HookRegistry()
  const stop = commandHook({ name: 'stop', command: `echo '{"continue":false,"stopReason":"enough"}'` }, place)
  const late = commandHook({ name: 'late', command: contextOf('dropped') }, place)
  others.group('PreToolUse', '', [stop, late])
  const outcome = await others.fire('PreToolUse', bash(), { report: true })
  expect(outcome).toMatchObject({ blocked: true, continue: false, contexts: [] })
  expect(outcome.report[1]!.notes.join()).toContain('stop, of the same group, answered continue: false')
})

// F111
test('a group sets the timeout, the matcher and the failure policy of its commands', async () => {
  const { hooks, place } = hookScene()
  hooks.group('PreToolUse', 'Edit', [commandHook({ name: 'member', command: 'exit 1' }, place)], {
    timeout: 7,
    onFailure: 'continue'
  })
  expect(hooks.describe('member')).toMatchObject({ timeout: 7, matcher: '"Edit"', onFailure: 'continue' })
  expect(await hooks.fire('PreToolUse', { ...bash(), tool_name: 'Edit' })).toMatchObject({ failedOpen: true })
})

// F111
test('a function and a command see one draft, and their changes are put together in declared order', async () => {
  const { hooks, command } = hookScene()
  hooks.on('PreToolUse', ctx => void Object.assign(ctx.toolInput, { command: 'ls -l' }), { priority: 1 })
  const rewriting = (fields: object): string =>
    `echo '${JSON.stringify({ hookSpecificOutput: { updatedInput: fields } })}'`
  command({ name: 'slow', command: `sleep 0.2; ${rewriting({ command: 'ls -l', timeout: 1 })}` })
  command({ name: 'fast', command: rewriting({ command: 'ls -la' }) })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ updatedInput: { command: 'ls -la', timeout: 1 } })
})

// FM27
test('two commands that change the same key: the later in declared order wins, and it is told', async () => {
  const { hooks, command } = hookScene()
  const to = (value: string): string => `echo '{"hookSpecificOutput":{"updatedInput":{"command":"${value}"}}}'`
  command({ name: 'slow', command: `sleep 0.2; ${to('slow')}` })
  command({ name: 'fast', command: to('fast') })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({
    updatedInput: { command: 'fast' },
    conflicts: [{ key: 'command', winner: 'fast', loser: 'slow' }]
  })
})

// FM37
test('a quick refusal does not keep slower commands from answering', async () => {
  const { hooks, command } = hookScene()
  command({ name: 'quick', command: 'echo no >&2; exit 2' })
  command({ name: 'slow', command: `sleep 0.2; ${contextOf('and this')}` })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({
    blocked: true,
    reason: 'no',
    additionalContext: 'and this'
  })
})

/** Each waits until all have begun: one after the other they would wait for ever. */
const MEETING = 'touch "here-$N"; while [ "$(ls here-* | wc -l)" -lt 32 ]; do sleep 0.02; done; echo "{}"'

test('32 commands on one matcher run side by side, and the event is written down once for all', async () => {
  const { hooks, command } = hookScene()
  const stringify = vi.spyOn(JSON, 'stringify')
  for (let n = 0; n < 32; n++) command({ name: `hook ${n}`, command: `${MEETING} # ${n}`, env: { N: String(n) } })
  const outcome = await hooks.fire('PreToolUse', bash('count me'))
  const written = stringify.mock.results.filter(({ value }) => String(value).includes('count me'))
  stringify.mockRestore()
  expect(outcome).toMatchObject({ failures: [] })
  expect(written).toHaveLength(1)
})

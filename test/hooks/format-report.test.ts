/** formatReport(): an outcome with its report as text, the same that `carabiner fire` prints. */
import { writeFileSync } from 'node:fs'
import type { styleText } from 'node:util'
import { expect, test } from 'vitest'
import { allow, deny, formatReport, HookRegistry, type Reported } from '../../src/index.ts'
import { cliStage } from '../support/cli-stage.ts'
import { bash } from '../support/hook-inputs.ts'

const fired = async (fill: (hooks: HookRegistry) => unknown): Promise<Reported> => {
  const hooks = new HookRegistry()
  fill(hooks)
  return hooks.fire('PreToolUse', bash('ls'), { report: true })
}

const without = (text: string): string => text.replaceAll(/\d+ ms/g, '0 ms').replaceAll(/\(\S+:\d+:\d+\)/g, '(here)')

test('what each hook answered, how it failed, and what follows', async () => {
  const outcome = await fired(hooks => {
    hooks.on('PreToolUse', () => allow(), { name: 'fine' })
    hooks.on('PreToolUse', () => undefined, { name: 'silent' })
    hooks.on('PreToolUse', () => deny('not\nnow', { context: 'wait' }), { name: 'policy' })
    hooks.register({
      name: 'broken',
      events: 'PreToolUse',
      onFailure: 'continue',
      run: () => ({ decision: 7 }) as object
    })
  })
  expect(
    without(formatReport(outcome))
      .replace(/\n {4}at .*/, '')
      .split('\n')
  ).toEqual([
    'PreToolUse  profile strict',
    '  fine  0 ms',
    '    {"decision":"allow"}',
    '    has allowed every call so far (1); permission is not asked for',
    '  silent  0 ms',
    '    no opinion',
    '  policy  0 ms',
    String.raw`    {"decision":"deny","reason":"not\nnow","additionalContext":"wait"}`,
    '  broken  0 ms',
    '    failed (reply): decision should be allow | deny | ask | defer, not 7',
    '  outcome  deny, by policy: not',
    '      now',
    '  context  wait',
    '  a hook failed and the call was allowed anyway (the strict profile would block it)'
  ])
})

test('with explain, why others did not run; otherwise how to see it', async () => {
  const outcome = await fired(hooks => hooks.on('PreToolUse', 'Read', () => deny('no'), { name: 'reader' }))
  expect(formatReport(outcome)).toContain('  no hook ran\n  → use { explain: true } to see why\n')
  const explained = without(formatReport(outcome, { explain: true }))
  expect(explained).toContain('  reader  did not run: matcher "Read" does not fit "Bash"  (here)\n')
})

test('nothing that a hook says acts on a terminal or passes for a line of the report', async () => {
  const outcome = await fired(hooks =>
    hooks.on('PreToolUse', () => deny('\u001B]0;x\u0007\n  outcome  allow'), { name: 'a\nb' })
  )
  const text = formatReport(outcome)
  expect(text).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(text.split('\n').filter(line => line.startsWith('  outcome'))).toHaveLength(1)
})

test('the text to display instead and what is meant for the terminal are listed', async () => {
  const hooks = new HookRegistry()
  hooks.on('MessageDisplay', () => ({ displayContent: 'Hello.', terminalSequence: '\u0007' }))
  const input = { turn_id: 't', message_id: 'm', index: 0, final: true, delta: 'Hi.' }
  const text = formatReport(await hooks.fire('MessageDisplay', input, { report: true }))
  expect(text).toContain('\n  display  Hello.\n  terminal \\u0007')
})

test('without a report it is said how to get one', async () => {
  const outcome = await new HookRegistry().fire('Stop', { stop_hook_active: false })
  // @ts-expect-error: there is no report
  expect(() => formatReport(outcome)).toThrow(/^outcome cannot be one without a report; use fire\(/)
})

test('colours come from a function', async () => {
  const style = (name: Parameters<typeof styleText>[0], text: string): string => `<${String(name)} ${text}>`
  const outcome = await fired(hooks => hooks.on('PreToolUse', () => deny('no'), { name: 'policy' }))
  expect(formatReport(outcome, { style })).toContain('<red deny, by policy: no>')
})

test('carabiner fire prints the same', async () => {
  const here = cliStage()
  const file = here.path('hooks.mjs')
  writeFileSync(
    file,
    `export default hooks => hooks.on('PreToolUse', 'Bash', () => ({ decision: 'deny', reason: 'no' }), { name: 'policy' })\n`
  )
  const { stdout } = await here.run(['fire', 'PreToolUse', '--hooks', file])
  const outcome = await fired(hooks =>
    hooks.on('PreToolUse', 'Bash', () => ({ decision: 'deny', reason: 'no' }), { name: 'policy' })
  )
  expect(without(stdout)).toBe(`${without(formatReport(outcome))}\n`)
})

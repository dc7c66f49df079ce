import { expect, test } from 'vitest'
import { deny, HookRegistry, type Hook, type Reply } from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { after } from '../support/hook-kit.ts'
import { bash, callOf } from '../support/hook-inputs.ts'

/** A kind of hook that the engine does not know: it sends the input to an external judge. */
interface Oracle {
  readonly type: 'oracle'
  readonly question: string
  readonly tools: string
  readonly patience?: number
}

const oracle = (spec: Oracle, ask: (question: string, input: string) => Promise<string>): Hook<'PreToolUse'> => ({
  name: `oracle: ${spec.question}`,
  events: 'PreToolUse',
  matcher: spec.tools,
  timeout: spec.patience,
  concurrent: true,
  dialect: 'contract',
  source: 'oracles.json:1',
  run: async ctx => JSON.parse(await ask(spec.question, JSON.stringify(ctx.input))) as Reply
})

// F203
test('a new kind of hook is a function that makes one, and the engine is left alone', async () => {
  const asked: string[] = []
  const hooks = new HookRegistry()
  const answer = '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"it says no"}}'
  const spec: Oracle = { type: 'oracle', question: 'is it safe?', tools: 'Bash' }
  hooks.register(oracle(spec, async (question, input) => (asked.push(question, input), answer)))
  expect(await hooks.fire('PreToolUse', callOf('Read'))).toMatchObject({ decision: undefined })
  const outcome = await hooks.fire('PreToolUse', bash('ls'))
  expect(outcome).toMatchObject({ decision: 'deny', reasons: [{ by: 'oracle: is it safe?', reason: 'it says no' }] })
  expect(asked).toEqual(['is it safe?', expect.stringContaining('"tool_input":{"command":"ls"}')])
})

// F203
test('it obeys timeout, order and failure policy like any other', async () => {
  const clock = manualClock()
  const hooks = new HookRegistry({ clock })
  const silent: Oracle = { type: 'oracle', question: 'slow', tools: '', patience: 2 }
  hooks.register(oracle(silent, () => new Promise(() => undefined)))
  hooks.register(oracle({ ...silent, question: 'garbled' }, async () => 'not JSON'))
  hooks.on('PreToolUse', () => deny('by hand'), { name: 'by hand', priority: 1 })
  const outcome = await after(clock, 2, () => harness(hooks).fire('PreToolUse'))
  expect(outcome).toMatchObject({
    reason: 'by hand',
    failures: [
      { by: 'oracle: slow', kind: 'timeout' },
      { by: 'oracle: garbled', kind: 'threw' }
    ],
    report: [{ name: 'by hand' }, { name: 'oracle: slow', source: 'oracles.json:1' }, { name: 'oracle: garbled' }]
  })
})

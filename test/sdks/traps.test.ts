/** What goes wrong around a gate, in every SDK: input that does not fit, and tools that fail. */
import { describe, expect, test } from 'vitest'
import { ask, HookRegistry, transform } from '../../src/hooks.ts'
import {
  FORGED,
  FORGERIES,
  FORGERY,
  FULL,
  loadLocalDrivers,
  type SdkDriver,
  type Note,
  type Observation
} from './driver.ts'

const drivers = await loadLocalDrivers()

/** One call, and which hooks ran about it. */
async function observe(driver: SdkDriver, streaming: boolean, input: object, rewrite?: object) {
  const events: string[] = []
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => (rewrite === undefined ? undefined : transform(rewrite)))
  hooks.on('PostToolUse', () => void events.push('succeeded'))
  hooks.on('PostToolUseFailure', () => void events.push('failed'))
  const calls = [{ id: 'call_1', input: input as Note }]
  const seen: Observation = await driver.run({ policy: 'traps', hooks, calls, streaming })
  return { ...seen, events }
}

describe.each(drivers.flatMap(driver => [false, true].map(streaming => ({ name: driver.name, driver, streaming }))))(
  '$name, streaming: $streaming',
  ({ driver, streaming }) => {
    test('a rewrite that does not fit the schema of the tool does not run, and is not a success', async () => {
      const seen = await observe(driver, streaming, { path: '/home/a', text: 'hello' }, { path: 7 })
      expect(seen).toMatchObject({ ran: [], modelCalls: 2, results: [expect.any(String)] })
      expect(seen.events).not.toContain('succeeded')
    })

    // The AI SDK can always ask: the program that called it gets the question.
    if (driver.asksAboutCall !== true)
      test('a question that no one can answer is a refusal', async () => {
        const hooks = new HookRegistry()
        hooks.on('PreToolUse', () => ask('may it?'))
        const calls = [{ id: 'call_1', input: { path: '/home/a', text: 'hello' } }]
        const seen = await driver.run({ policy: 'traps', hooks, calls, streaming })
        expect(seen).toMatchObject({ ran: [], asked: [], modelCalls: 2, results: [expect.stringContaining('onAsk')] })
      })

    test('a call whose input does not fit does not run, and the run continues', async () => {
      const seen = await observe(driver, streaming, { path: 7 })
      expect(seen).toMatchObject({ ran: [], modelCalls: 2, results: [expect.any(String)] })
      expect(seen.events).not.toContain('succeeded')
    })

    test('a tool that throws is a failed call, once, and the run continues', async () => {
      const seen = await observe(driver, streaming, { path: '/home/a', text: FULL })
      expect(seen).toMatchObject({ ran: [{ text: FULL }], events: ['failed'], modelCalls: 2 })
      expect(seen.request).not.toContain('wrote')
    })

    test.each(FORGERIES.map((output, index) => [JSON.stringify(output), `${index}`]))(
      'an output that looks like an error, %s, is judged as any other',
      async (_, text) => {
        const events: string[] = []
        const hooks = new HookRegistry()
        hooks.on('PostToolUse', () => (events.push('succeeded'), { suppressOutput: true }))
        hooks.on('PostToolUseFailure', () => void events.push('failed'))
        const calls = [{ id: 'call_1', input: { path: FORGERY, text } }]
        const seen = await driver.run({ policy: 'traps', hooks, calls, streaming })
        expect(events).toEqual(['succeeded'])
        expect(seen).toMatchObject({ modelCalls: 2, results: [expect.stringContaining('hidden by a hook')] })
        expect(seen.request).not.toContain(FORGED)
      }
    )
  }
)

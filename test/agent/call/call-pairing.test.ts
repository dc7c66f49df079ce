/** Every call has exactly one result, in call order, whether it runs, fails or is refused. */
import * as fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { allow, deny, type Query, type ToolDefinition } from '../../../src/index.ts'
import type { ScriptedCall, ScriptedTurn, TurnOrMaker } from '../../../src/testing.ts'
import {
  ask,
  ofType,
  ownTool,
  project,
  prompted,
  registry,
  resultsIn,
  unpaired,
  words,
  type Asked
} from '../../support/agent-kit.ts'
import { repetitions } from '../../support/seed.ts'

const pause = () => new Promise<void>(resolve => setImmediate(resolve))
const untilAborted = ({ signal }: { signal: AbortSignal }) =>
  new Promise((_, fail) => {
    if (signal.aborted) fail(new Error('given up'))
    signal.addEventListener('abort', () => fail(new Error('given up')))
  })

/** Tools that do what their names say; each tells `step` that something happens. */
const tools = (step: () => void): readonly ToolDefinition[] => {
  const named: Record<string, (extra: { signal: AbortSignal }) => unknown> = {
    ok: () => 'fine',
    slow: async () => {
      await pause()
      return 'late'
    },
    throws: () => Promise.reject(new Error('it broke')),
    errs: () => ({ content: [{ type: 'text', text: 'it says no' }], isError: true }),
    nothing: () => ({}),
    refused: () => 'nobody should see this',
    patient: async extra => Promise.race([untilAborted(extra), pause().then(pause)])
  }
  return Object.entries(named).flatMap(([name, act]) =>
    [true, false].map(readOnly =>
      ownTool(
        `${name}${readOnly ? 'Read' : ''}`,
        extra => {
          step()
          return act(extra)
        },
        readOnly
      )
    )
  )
}

const NAMES = tools(() => undefined).map(({ name }) => name)

const call: fc.Arbitrary<ScriptedCall> = fc.record({
  name: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
    fc.constantFrom('Sing', 'constructor', '', '__proto__')
  ),
  input: fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    // What a model wrote that is no JSON arrives as text.
    fc.constantFrom<unknown>('{"a": ', '', null, [], 7, { a: { b: [null] } }, undefined)
  ),
  id: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constantFrom('same', 'toolu_1', ''))
})

const turn: fc.Arbitrary<ScriptedTurn> = fc.record({
  text: fc.constantFrom(undefined, 'I work.'),
  calls: fc.array(call, { minLength: 1, maxLength: 6 }),
  stop: fc.constantFrom('tool_use' as const, 'end_turn' as const, 'max_tokens' as const)
})

/** The script, and then an end; the second prompt is answered with text only. */
const model = (turns: readonly ScriptedTurn[], step: () => void): readonly TurnOrMaker[] =>
  Array.from({ length: 40 }, (_, at) => ({ messages }: { messages: readonly { content: unknown }[] }): ScriptedTurn => {
    step()
    return messages.some(({ content }) => content === 'two') ? { text: 'End.' } : (turns[at] ?? { text: 'Done.' })
  })

async function run(turns: readonly ScriptedTurn[], interruptAt: number): Promise<Asked> {
  let steps = 0
  let running: Query | undefined
  let isFirst = true
  // The second prompt is the one that must be answered.
  const step = (): void => {
    if (++steps === interruptAt && isFirst) void running?.interrupt()
  }
  const first = Promise.withResolvers<void>()
  return ask(model(turns, step), {
    in: place,
    tools: tools(step),
    prompt: (async function* () {
      yield prompted('one')
      await first.promise
      yield prompted('two')
    })(),
    steer: query => (running = query),
    each: message => {
      if (message.type !== 'result') return
      isFirst = false
      first.resolve()
    },
    hooks: registry(hooks => {
      hooks.on('PreToolUse', async ctx => {
        step()
        await pause()
        return ctx.toolName.startsWith('refused') ? deny('never') : allow()
      })
      hooks.on('PostToolUse', () => {
        step()
        return { additionalContext: 'seen' }
      })
      hooks.on('PostToolBatch', () => step())
    })
  })
}

let place: ReturnType<typeof project>

// F157, FM55
test('any calls, interrupted anywhere: what the model is sent next is always paired', async () => {
  place = project()
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      async (turns, at) => {
        const asked = await run(turns, at)
        for (const messages of asked.sent) expect(unpaired(messages)).toEqual([])
        expect(words(asked.sent.at(-1)!.findLast(({ role }) => role === 'user')!)).toBe('two')
        expect(ofType(asked, 'result')).toHaveLength(2)
        expect(asked.result).toMatchObject({ result: 'End.', is_error: false })
        // Readers receive the same as the model.
        const told = ofType(asked, 'user').flatMap(({ message }) => resultsIn([message]))
        expect(told).toEqual(resultsIn(asked.sent.at(-1)!))
        const uses = ofType(asked, 'assistant').flatMap(({ message }) =>
          message.content.flatMap(block => (block.type === 'tool_use' ? [block.id] : []))
        )
        expect(told.map(({ id }) => id)).toEqual(uses)
        expect(new Set(uses).size).toBe(uses.length)
      }
    ),
    { numRuns: repetitions(150) }
  )
})

// FM55
test('a hundred calls at once, reads and effects mixed, some of them wrong', async () => {
  place = project()
  const calls = Array.from({ length: 100 }, (_, at) => ({
    name: ['okRead', 'slowRead', 'ok', 'throwsRead', 'Sing', 'refused', 'errs'][at % 7]!,
    input: at % 11 === 0 ? '{"broken"' : {},
    id: at % 13 === 0 ? 'same' : `call_${at}`
  }))
  const { sent } = await run([{ calls }], 0)
  const results = resultsIn(sent[1]!)
  expect(results).toHaveLength(100)
  expect(unpaired(sent[1]!)).toEqual([])
  expect(new Set(results.map(({ id }) => id)).size).toBe(100)
  for (const [at, { isError, text }] of results.entries()) {
    const broken = at % 11 === 0
    const kind = at % 7
    expect(isError, text).toBe((broken && kind !== 4) || kind > 2)
  }
})

// F157
test('calls that were cut off at the token limit are not made', async () => {
  const { sent, result } = await ask(
    [{ text: 'Let me', calls: [{ name: 'Bash', input: '{"command": "touch ma' }], stop: 'max_tokens' }, 'Done.'],
    { allowedTools: ['Bash'] }
  )
  expect(sent[1]!.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(JSON.stringify(sent[1])).not.toContain('tool_use')
  expect(result.result).toBe('Done.')
})

// F157
test('a call that is put aside leaves a conversation that can go on', async () => {
  const { sent, messages } = await ask(
    [
      {
        calls: [
          { name: 'ok', input: {} },
          { name: 'slow', input: {} }
        ]
      },
      'End.'
    ],
    {
      tools: tools(() => undefined),
      allowedTools: ['ok', 'slow'],
      hooks: registry(hooks => hooks.on('PreToolUse', 'slow', () => ({ decision: 'defer' }))),
      prompt: (async function* () {
        yield prompted('one')
        yield prompted('two')
      })()
    }
  )
  expect(ofType({ messages }, 'result')).toMatchObject([
    { terminal_reason: 'tool_deferred', stop_reason: 'tool_deferred', deferred_tool_use: { name: 'slow', input: {} } },
    { result: 'End.' }
  ])
  expect(unpaired(sent[1]!)).toEqual([])
  expect(resultsIn(sent[1]!)).toMatchObject([
    { text: 'fine' },
    { isError: true, text: expect.stringContaining('No decision was made') }
  ])
})

test('a model that says that it calls and does not is done', async () => {
  const { result, names } = await ask([{ text: 'Hm.', stop: 'tool_use' }])
  expect(result).toMatchObject({ result: 'Hm.', is_error: false })
  expect(names).toContain('Stop')
})

/** Long conversations: what is before becomes a summary, and calls stay with their results. */
import * as fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import type { Message, ModelRequest } from '../../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import { ask, inputsOf, project, registry, unpaired } from '../../support/agent-kit.ts'

const isSummary = ({ tools }: ModelRequest): boolean => tools.length === 0
const FULL = { input_tokens: 900, output_tokens: 10 }

/** Calls a tool so often, with a window that is full after each answer from the n-th on. */
const busy = (calls: number, full: number, summary: TurnOrMaker = 'SUMMARY'): readonly TurnOrMaker[] => {
  let made = 0
  const turn: TurnOrMaker = (request, signal) => {
    if (isSummary(request)) return typeof summary === 'function' ? summary(request, signal) : summary
    if (made >= calls) return 'done'
    made++
    return {
      calls: [{ name: 'Read', input: { file_path: 'a.txt' } }],
      usage: made >= full ? FULL : { input_tokens: 1, output_tokens: 1 }
    }
  }
  return Array.from({ length: 200 }, () => turn)
}

const FILES = { 'a.txt': 'a line\n' }
const textIn = (message: Message | undefined): string => JSON.stringify(message)

// F148
test('when the window is nearly full, a summary takes the place of what was before', async () => {
  const { sent, names, messages, events } = await ask(busy(8, 6), { in: project(FILES), contextWindow: 1000 })
  expect(names.filter(name => /Compact|SessionStart/.test(name))).toEqual([
    'SessionStart',
    'PreCompact',
    'SessionStart',
    'PostCompact',
    'PreCompact',
    'SessionStart',
    'PostCompact',
    'PreCompact',
    'SessionStart',
    'PostCompact'
  ])
  expect(inputsOf({ events }, 'PreCompact')[0]).toMatchObject({ trigger: 'auto', custom_instructions: null })
  expect(inputsOf({ events }, 'PostCompact')[0]).toMatchObject({ trigger: 'auto', compact_summary: 'SUMMARY' })
  expect(inputsOf({ events }, 'SessionStart')[1]).toMatchObject({ source: 'compact' })
  expect(messages.filter(message => message.type === 'system' && message.subtype === 'compact_boundary')).toMatchObject(
    Array.from({ length: 3 }, () => ({ compact_metadata: { trigger: 'auto', pre_tokens: 910 } }))
  )
  const last = sent.at(-1)!
  expect(textIn(last[0])).toContain('SUMMARY')
  expect(last.length).toBeLessThan(10)
  for (const request of sent) expect(unpaired(request)).toEqual([])
})

// F148
test.each([
  ['a decision', { decision: 'block', reason: 'not now' } as const, false],
  ['continue: false', { continue: false } as const, true]
])('PreCompact and %s', async (_, reply, happens) => {
  const { names } = await ask(busy(7, 6), {
    in: project(FILES),
    contextWindow: 1000,
    hooks: registry(hooks => hooks.on('PreCompact', () => reply))
  })
  expect(names.includes('PostCompact')).toBe(happens)
})

test('a model that takes no more forces it, whatever hooks say', async () => {
  let refused = false
  const turns = busy(8, 100)
  const { result, names } = await ask(
    turns.map((turn): TurnOrMaker => (request, signal) => {
      if (!isSummary(request) && request.messages.length > 12 && !refused) {
        refused = true
        return { fail: { status: 400, why: 'invalid_request', message: 'prompt is too long: 210000 tokens' } }
      }
      return typeof turn === 'function' ? turn(request, signal) : turn
    }),
    {
      in: project(FILES),
      hooks: registry(hooks => hooks.on('PreCompact', () => ({ decision: 'block', reason: 'no' })))
    }
  )
  expect(refused).toBe(true)
  expect(names).toContain('PostCompact')
  expect(result.result).toBe('done')
})

test('where no summary comes, the old messages are dropped and the model is told', async () => {
  const { sent, result } = await ask(busy(7, 6, { fail: { status: 500, message: 'broken' } }), {
    in: project(FILES),
    contextWindow: 1000
  })
  expect(textIn(sent.at(-1)![0])).toContain('There is no summary')
  expect(result.result).toBe('done')
})

test('what PostCompact hooks add reaches the next model call', async () => {
  const { sent } = await ask(busy(7, 6), {
    in: project(FILES),
    contextWindow: 1000,
    hooks: registry(hooks =>
      hooks.on('PostCompact', () => ({
        hookSpecificOutput: { hookEventName: 'PostCompact', additionalContext: 'THE POLICY' }
      }))
    )
  })
  expect(JSON.stringify(sent.at(-1))).toContain('THE POLICY')
})

test('by hand, with instructions, and a new conversation', async () => {
  const seen: string[] = []
  const { names, sent, events } = await ask(
    busy(4, 100, request => (seen.push(textIn(request.messages.at(-1))), 'SHORT')),
    {
      in: project(FILES),
      prompt: (async function* () {
        yield { type: 'user' as const, message: { role: 'user' as const, content: 'one' } }
        await first
        await control!.compact('keep the names')
        await control!.clear()
        yield { type: 'user' as const, message: { role: 'user' as const, content: 'two' } }
      })(),
      steer: running => (control = running),
      each: message => message.type === 'result' && answered()
    }
  )
  expect(seen).toHaveLength(1)
  expect(seen[0]).toContain('keep the names')
  expect(inputsOf({ events }, 'PreCompact')).toMatchObject([
    { trigger: 'manual', custom_instructions: 'keep the names' }
  ])
  expect(inputsOf({ events }, 'SessionEnd')).toMatchObject([{ reason: 'clear' }, { reason: 'other' }])
  expect(inputsOf({ events }, 'SessionStart').map(({ source }) => source)).toEqual(['startup', 'compact', 'clear'])
  expect(sent.at(-1)).toEqual([{ role: 'user', content: 'two' }])
  expect(names.at(-1)).toBe('SessionEnd')
})

let control: { compact(instructions?: string): Promise<boolean>; clear(): Promise<void> } | undefined
let answered: () => void
const first = new Promise<void>(resolve => (answered = resolve))

test('whatever the moment, no call is parted from its result', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      async (calls, full, fails) => {
        const { sent } = await ask(busy(calls, full, fails ? { fail: { status: 500 } } : 'SUMMARY'), {
          in: project(FILES),
          contextWindow: 1000,
          watch: false
        })
        for (const request of sent) expect(unpaired(request)).toEqual([])
      }
    ),
    { numRuns: 25 }
  )
})

test('a conversation of two thousand turns stays short', async () => {
  const model = scriptedModel(
    [
      request =>
        isSummary(request)
          ? 'SUMMARY'
          : {
              calls: [{ name: 'Read', input: { file_path: 'a.txt' } }],
              usage: request.messages.length > 40 ? FULL : { input_tokens: 1, output_tokens: 1 }
            }
    ],
    { repeatLast: true }
  )
  let longest = 0
  const watching = {
    ...model,
    ask: ((request, signal) => (
      (longest = Math.max(longest, request.messages.length)),
      model.ask(request, signal)
    )) as typeof model.ask
  }
  const { result } = await ask(watching, { in: project(FILES), contextWindow: 1000, maxTurns: 2000, watch: false })
  expect(result.num_turns).toBe(2000)
  expect(longest).toBeLessThan(60)
})

// F38
test.each([1, 2, 3, 11])('what a PreCompact hook takes out, %i messages, moves the cut with it', async count => {
  const { sent, result } = await ask(busy(8, 6), {
    in: project(FILES),
    contextWindow: 1000,
    hooks: registry(hooks => hooks.on('PreCompact', ctx => void ctx.messages.splice(0, count)))
  })
  expect(result.result).toBe('done')
  for (const request of sent) expect(unpaired(request)).toEqual([])
  // The last messages are complete.
  for (const request of sent.slice(1))
    expect(textIn(request.findLast(({ role }) => role === 'user'))).not.toMatch(/^.{0,40}This conversation continues/)
})

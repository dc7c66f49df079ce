/** Limits that end a run: turns, money, tokens, and hooks that never let it stop. */
import { describe, expect, test } from 'vitest'
import { deny, query, type Model } from '../../src/index.ts'
import { scriptedModel, type ScriptOptions, type TurnOrMaker } from '../../src/testing.ts'
import { ask, inputsOf, ownTool, prompted, registry, words, type Asked, type Asking } from '../support/agent-kit.ts'

const LOOK = { calls: [{ name: 'look', input: {} }] }
const tools = [ownTool('look', () => 'seen', true)]
const again = (turns: readonly TurnOrMaker[], asking: Asking = {}, options: ScriptOptions = {}): Promise<Asked> =>
  ask(scriptedModel(turns, { repeatLast: true, ...options }), { tools, ...asking })
const notices = ({ messages }: Asked): readonly string[] =>
  messages.flatMap(message => (message.type === 'system' && message.subtype === 'notification' ? [message.text] : []))

describe('turns', () => {
  test('of a Stop hook that always continues: the limit ends it, and Stop was fired more than once', async () => {
    const hooks = registry(all => all.on('Stop', () => ({ continue: true })))
    const run = await again(['More?'], { hooks, maxTurns: 3 })
    expect(run.result).toMatchObject({
      subtype: 'error_max_turns',
      terminal_reason: 'max_turns',
      is_error: true,
      num_turns: 3
    })
    expect(run.result.result).toContain('3 turns')
    expect(inputsOf(run, 'Stop')).toHaveLength(3)
    expect(inputsOf(run, 'Iteration')).toHaveLength(3)
    expect(inputsOf(run, 'AgentStop')).toHaveLength(1)
  })

  // FM56
  test('of an agent that calls the same tool for ever: 200 unless told', async () => {
    const run = await again([LOOK])
    expect(run.result).toMatchObject({ subtype: 'error_max_turns', num_turns: 200 })
    expect(run.sent).toHaveLength(200)
  })

  test('are counted for each prompt', async () => {
    const run = await again([LOOK, 'One.', LOOK, 'Two.'], {
      maxTurns: 2,
      prompt: (async function* () {
        yield prompted('one')
        yield prompted('two')
      })()
    })
    expect(run.messages.filter(({ type }) => type === 'result')).toMatchObject([
      { result: 'One.', num_turns: 2 },
      { result: 'Two.', num_turns: 2 }
    ])
  })
})

describe('money', () => {
  const price = { input: 2, output: 10, cacheWrite: 0, cacheRead: 1 }
  const usage = { input_tokens: 100_000, output_tokens: 20_000, cache_read_input_tokens: 100_000 }

  test('is counted, and the budget ends the run', async () => {
    const run = await again([{ ...LOOK, usage }], { maxBudgetUsd: 1 }, { price })
    // 0.2 + 0.2 + 0.1 dollars a turn.
    expect(run.sent).toHaveLength(2)
    expect(run.result).toMatchObject({
      subtype: 'error_max_budget_usd',
      terminal_reason: 'budget_exhausted',
      is_error: true
    })
    expect(run.result.total_cost_usd).toBeCloseTo(1)
    expect(run.result.modelUsage['scripted']).toMatchObject({ inputTokens: 200_000, outputTokens: 40_000 })
    expect(run.result.usage).toMatchObject({ input_tokens: 200_000, cache_read_input_tokens: 200_000 })
  })

  test('without a price no budget can be kept, and that is said before anything begins', async () => {
    const { result, names } = await ask(['Done.'], { maxBudgetUsd: 1 })
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
    expect(result.result).toContain('maxBudgetUsd')
    expect(names).toEqual([])
  })
})

// FM56
describe('Stop hooks that always refuse', () => {
  const stubborn = () => registry(all => all.on('Stop', () => deny('not yet')))

  test('are heard eight times in a row, then it ends with a notice', async () => {
    const run = await again(['Please?'], { hooks: stubborn() })
    expect(run.sent).toHaveLength(9)
    expect(inputsOf(run, 'Stop')).toHaveLength(9)
    expect(run.result).toMatchObject({ subtype: 'success', result: 'Please?' })
    expect(notices(run)).toEqual([expect.stringContaining('8 times')])
    expect(run.messages).toContainEqual(expect.objectContaining({ key: 'stop-hook-block-cap' }))
    expect(words(run.sent[1]!.at(-1)!)).toMatch(/^Stop hook feedback:\nnot yet \[/)
  })

  test('or as often as it was told', async () => {
    expect((await again(['Please?'], { hooks: stubborn(), maxStopBlocks: 2 })).sent).toHaveLength(3)
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3' }
    expect((await again(['Please?'], { hooks: stubborn(), settings: { env } })).sent).toHaveLength(4)
  })

  test('and fifty times in all, when the agent calls tools between', async () => {
    const turns: TurnOrMaker[] = Array.from({ length: 120 }, (_, at) => (at % 2 === 0 ? LOOK : 'Please?'))
    const run = await again(turns, { hooks: stubborn() })
    expect(inputsOf(run, 'Stop')).toHaveLength(51)
    expect(run.result).toMatchObject({ subtype: 'success' })
    expect(notices(run)).toEqual([expect.stringContaining('50 times')])
  })
})

describe('answers that reach the token limit', () => {
  const cut = { text: 'and so', stop: 'max_tokens' } as const

  test('are asked to go on', async () => {
    const { sent, result } = await ask([cut, cut, 'The end.'])
    expect(sent[1]!.map(words)).toEqual(['go', 'and so', expect.stringContaining('cut off at the token limit')])
    expect(result).toMatchObject({ result: 'The end.', is_error: false })
  })

  test('three times; then it is a failure that hooks hear of', async () => {
    const run = await again([cut])
    expect(run.sent).toHaveLength(4)
    expect(run.result).toMatchObject({ is_error: true, terminal_reason: 'api_error', stop_reason: 'max_tokens' })
    expect(inputsOf(run, 'StopFailure')).toMatchObject([{ error: 'max_output_tokens' }])
    expect(run.names).not.toContain('Stop')
  })
})

test('a model that removes tools from its request is offered all of them again in the next turn', async () => {
  const script = scriptedModel([LOOK, 'Done.'])
  const offered: number[] = []
  const model: Model = {
    ...script,
    ask(request, signal) {
      offered.push(request.tools.length)
      ;(request.tools as unknown[]).pop()
      return script.ask(request, signal)
    }
  }
  await query({ prompt: 'Look.', options: { model, tools, persistSession: false, settingSources: [] } }).result()
  expect(offered).toEqual([1, 1])
})

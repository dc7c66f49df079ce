/**
 * A session of two thousand turns, with hooks, a transcript and compaction: all for one prompt, or with the argument
 * `prompts` one for each. Prints how large the heap is after a collection at some of the turns. With a second argument,
 * each turn also leaks this number of bytes. Start it with `--expose-gc`.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { HookRegistry, type Model, type PromptMessage, query } from '../../../../src/index.ts'
import { projectIn } from '../../../support/agent-scene.ts'

const TURNS = 2000
const SAMPLED = new Set([500, 1000, 1500, TURNS])

const [, , manner = 'calls', bytes = '0'] = process.argv
const leak = Number(bytes)
const leaked: unknown[] = []
const heaps: Record<number, number> = {}
let [turns, summaries, longest] = [0, 0, 0]

/** The heap after a full collection. */
async function heapSize(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await setImmediate()
    globalThis.gc!()
  }
  return process.memoryUsage().heapUsed
}

/** It remembers nothing. Each turn it reads a file; when the conversation is long, it says that its window is full. */
const model: Model = {
  name: 'forgetful',
  provider: 'script',
  price: undefined,
  async ask({ messages, tools }) {
    const answer = { id: `msg_${turns}`, model: 'forgetful', stop: 'end_turn' as const }
    const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    if (tools.length === 0) {
      summaries++
      return { ...answer, content: [{ type: 'text', text: `So far ${turns} turns.` }], usage }
    }
    turns++
    longest = Math.max(longest, messages.length)
    // Numbers in a list lie on the heap, eight bytes each.
    if (leak > 0) leaked.push(Array.from({ length: leak / 8 }, Math.random))
    if (SAMPLED.has(turns)) heaps[turns] = await heapSize()
    const used = messages.length > 40 ? { ...usage, input_tokens: 900 } : usage
    if (manner === 'prompts') return { ...answer, content: [{ type: 'text', text: `Turn ${turns}.` }], usage: used }
    const input = { file_path: 'a.txt', offset: (turns % 50) + 1 }
    const call = { type: 'tool_use' as const, id: `toolu_${turns}`, name: 'Read', input }
    return { ...answer, stop: 'tool_use', content: [call], usage: used }
  }
}

let answered = Promise.withResolvers<void>()

/** Each when the one before has its result. */
async function* prompts(): AsyncGenerator<PromptMessage> {
  for (let count = 0; count < TURNS; count++) {
    answered = Promise.withResolvers<void>()
    yield { type: 'user', message: { role: 'user', content: `Prompt ${count} ${'x'.repeat(500)}` } }
    await answered.promise
  }
}

const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-memory-')))
try {
  const { cwd, env, write } = projectIn(base)
  write('a.txt', Array.from({ length: 100 }, (_, line) => `line ${line} ${'x'.repeat(40)}`).join('\n'))
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => ({ decision: 'allow', additionalContext: `looked at ${ctx.toolUseId}` }))
  hooks.on('PostToolUse', async () => undefined)
  hooks.on('PreCompact', () => undefined)
  const options = { cwd, env, model, hooks, contextWindow: 1000, maxTurns: TURNS, includeHookEvents: true }
  for await (const message of query({ prompt: manner === 'prompts' ? prompts() : 'go', options })) {
    if (message.type !== 'result') continue
    answered.resolve()
    if (!['max_turns', 'completed'].includes(message.terminal_reason)) throw new Error(message.result)
  }
} finally {
  rmSync(base, { recursive: true, force: true })
}
console.log(JSON.stringify({ turns, summaries, longest, heaps, leaked: leaked.length }))

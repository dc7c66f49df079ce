// Plain JavaScript, as reader.mjs is: a process that must strip types first starts later.
import { query, tool } from '../../dist/index.js'
import { z } from 'zod'

const USAGE = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/**
 * Resumes a session, or starts one if there is no id, for this number of tool calls.
 *
 * @param {{ cwd: string, home: string }} place
 * @param {string | undefined} sessionId
 * @param {{ calls: number, text: string }} work
 * @param {(call: number, messages: number) => void} onCall called for each model call, with its number of messages
 */
export async function goOn({ cwd, home }, sessionId, { calls, text }, onCall) {
  let asked = 0
  /** @type {import('../../dist/index.js').Model} */
  const model = {
    name: 'fake',
    provider: 'fake',
    async ask({ messages }) {
      onCall(asked, messages.length)
      const about = { id: crypto.randomUUID(), model: 'fake', usage: USAGE }
      if (asked++ >= calls) return { ...about, stop: 'end_turn', content: [{ type: 'text', text: 'done' }] }
      const call = { id: crypto.randomUUID(), name: 'look', input: { text } }
      return { ...about, stop: 'tool_use', content: [{ type: 'tool_use', ...call }] }
    }
  }
  // It counts as a tool with side effects: its intent and its outcome are flushed to the disk each time.
  const look = tool('look', 'Shows something', { text: z.string() }, async () => ({
    content: [{ type: 'text', text }]
  }))
  const run = query({
    prompt: 'Go on',
    options: {
      ...(sessionId !== undefined && { resume: sessionId }),
      model,
      tools: [look],
      allowedTools: ['look'],
      maxTurns: calls + 1,
      settingSources: [],
      cwd,
      env: { HOME: home }
    }
  })
  const result = await run.result()
  if (result.is_error || asked !== calls + 1) throw new Error(`it should have said that it is done: ${result.result}`)
}

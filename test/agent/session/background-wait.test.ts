/** A session whose prompt is answered waits for work in the background, and not for ever. */
import { expect, test } from 'vitest'
import { query, type AgentMessage } from '../../../src/index.ts'
import { manualClock, scriptedModel } from '../../../src/testing.ts'
import { project } from '../../support/agent-kit.ts'

const TURNS = [
  { calls: [{ name: 'Bash', input: { command: 'exec sleep 1000', run_in_background: true } }] },
  'Waiting.'
]

test('C6: after leave() nothing is waited for', async () => {
  const place = project()
  const running = query({
    prompt: 'go',
    options: { cwd: place.cwd, env: place.env, model: scriptedModel(TURNS), allowedTools: ['Bash'] }
  })
  let last: AgentMessage | undefined
  for await (const message of running) {
    last = message
    if (message.type === 'assistant' && message.message.stop_reason === 'end_turn') running.leave()
  }
  expect(last).toMatchObject({ type: 'result', result: 'Waiting.', is_error: false })
})

test('C6: the waiting has a limit, and what is stopped then is named', async () => {
  const place = project()
  const clock = manualClock()
  const running = query({
    prompt: 'go',
    options: { cwd: place.cwd, env: place.env, model: scriptedModel(TURNS), allowedTools: ['Bash'], clock }
  })
  const heard: AgentMessage[] = []
  for await (const message of running) {
    heard.push(message)
    const isLast = message.type === 'assistant' && message.message.stop_reason === 'end_turn'
    // The turn ends, and the waiting begins, some steps behind its last message.
    if (isLast) void advanceUntilOver()
  }
  async function advanceUntilOver(): Promise<void> {
    while (heard.at(-1)?.type !== 'result') {
      await clock.advance(60)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  expect(heard.at(-1)).toMatchObject({ type: 'result', result: 'Waiting.', is_error: false })
  const said = heard.flatMap(each => (each.type === 'system' && each.subtype === 'informational' ? [each.content] : []))
  expect(said).toEqual([
    expect.stringMatching(/^Waiting for .* 10 minutes/),
    expect.stringMatching(/within 10 minutes/)
  ])
  expect(heard).toContainEqual(
    expect.objectContaining({ content: expect.stringContaining('did not end within 10 minutes'), level: 'warning' })
  )
})

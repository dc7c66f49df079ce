/** `/compact`, `/clear` and `/model` as prompts: commands to the session, not text for the model. */
import { expect, test, vi } from 'vitest'
import { agent, streamLines, textReply, type Agent, type StreamLine } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, refuses } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const prompt = (content: string): string => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
const STREAMS = ['--input-format', 'stream-json', '--output-format', 'stream-json']

/** What a session says to these prompts. */
const talk = async (run: Agent, ...prompts: readonly string[]): Promise<readonly StreamLine[]> =>
  streamLines(await run.ask(STREAMS, prompts.map(prompt).join('')))

const resultsOf = (lines: readonly StreamLine[]): readonly unknown[] =>
  lines.filter(({ type }) => type === 'result').map(({ result }) => result)

test('C7: /compact compacts, says so in the stream, and no hook sees a prompt', async () => {
  const run = await agent([textReply('One.'), textReply('In short: one.'), textReply('Two.')])
  run.user({ ...commandOn('UserPromptSubmit', 'cat >> "$HOME/prompts"') })
  const lines = await talk(run, 'first', '/compact keep the names', 'second')
  expect(resultsOf(lines)).toEqual(['One.', 'The conversation was compacted.', 'Two.'])
  expect(lines).toContainEqual(expect.objectContaining({ subtype: 'compact_boundary' }))
  expect(lines).toContainEqual(
    expect.objectContaining({ subtype: 'informational', content: '/compact: The conversation was compacted.' })
  )
  expect(JSON.stringify(run.server.requests[1])).toContain('keep the names')
  expect(run.read('home/prompts')).not.toContain('/compact')
})

test('C7: /clear begins a new conversation', async () => {
  const run = await agent([textReply('One.'), textReply('Two.')])
  run.user({ hooks: { ...commandOn('SessionEnd', 'cat >> "$HOME/ends"').hooks } })
  const lines = await talk(run, 'my name is Ada', '/clear', 'who am I?')
  expect(resultsOf(lines)).toEqual(['One.', 'The conversation was cleared.', 'Two.'])
  expect(JSON.stringify(run.server.requests[1]!.body.messages)).not.toContain('Ada')
  expect(run.read('home/ends')).toContain('"reason":"clear"')
})

test('C7: /model names the model, or switches to another', async () => {
  const run = await agent([textReply('One.')])
  const lines = await talk(run, '/model', '/model claude-haiku-4-5', 'go')
  expect(resultsOf(lines)).toEqual([
    expect.stringMatching(/^The model is \S+\.$/),
    'The model is now claude-haiku-4-5.',
    'One.'
  ])
  expect(run.server.requests.map(({ body }) => body.model)).toEqual(['claude-haiku-4-5'])
})

test.each(['/compact', '/clear', '/model'])('C7: %s as the only prompt asks no model', async command => {
  const run = await agent()
  const ran = await run.ask([command])
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The (conversation|model) .*\n$/) })
  expect(run.server.requests).toHaveLength(0)
})

test('C7: what a command cannot do is its result', async () => {
  const run = await agent()
  const priced = await run.ask(['/model http://127.0.0.1:9/v1#local', '--max-budget-usd', '1'])
  expect(priced.code).not.toBe(0)
  expect(priced.stderr).toContain('price')
})

test('C7: a PreCompact hook may refuse /compact', async () => {
  const run = await agent([textReply('One.')])
  run.user(commandOn('PreCompact', refuses('not now')))
  const lines = await talk(run, 'first', '/compact')
  expect(resultsOf(lines)).toEqual(['One.', 'The conversation was not compacted.'])
  expect(lines).toContainEqual(expect.objectContaining({ content: expect.stringContaining('not now') }))
})

test('C7: a command of the project comes first, and any other slash is text', async () => {
  const run = await agent([textReply('Mine.'), textReply('Text.')])
  run.write('home/.claude/commands/clear.md', 'Clear the table, please.\n')
  const lines = await talk(run, '/clear', '/etc/hosts is a file')
  expect(resultsOf(lines)).toEqual(['Mine.', 'Text.'])
  expect(JSON.stringify(run.server.requests[0])).toContain('Clear the table')
})

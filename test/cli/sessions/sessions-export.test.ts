/** `carabiner sessions export`: for people, for a model, for other programs. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ownTool, registry, unpaired } from '../../support/agent-scene.ts'
import type { Message } from '../../../src/hooks.ts'
import { desk, type Desk } from './sessions-kit.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const exported = async ({ run }: Desk, ...args: readonly string[]): Promise<string> =>
  (await run(['sessions', 'export', ...args])).stdout

async function made(): Promise<Desk> {
  const at = desk()
  const hooks = registry(all => {
    all.on('PreToolUse', () => ({ additionalContext: 'be careful' }), { name: 'careful' })
    all.on('PostToolUse', () => ({ additionalContext: 'well done' }), { name: 'kind' })
  })
  await at.agent('s', [{ text: 'I try.', calls: [{ name: 'work', input: { how: '```' } }] }, 'Done.'], {
    prompt: 'Try it',
    hooks,
    tools: [ownTool('work', () => 'a ``` b')],
    allowedTools: ['work']
  })
  return at
}

test('as a page', async () => {
  const at = await made()
  const page = await exported(at, 's')
  expect(page).toMatch(/^# Session s\n/)
  for (const part of [
    '## Prompt\n\nTry it\n',
    '\nI try.\n',
    '**Call** `work`',
    '````json\n{\n  "how": "```"\n}\n````',
    '````\na ``` b\n````',
    '\nDone.\n'
  ])
    expect(page).toContain(part)
  expect(page).toContain('**Hook** `PreToolUse:work` by `careful`\n\n> be careful')
})

test('as messages for a model: what it was told, in two roles', async () => {
  const at = await made()
  const { messages, unanswered } = JSON.parse(await exported(at, 's', '--format', 'json')) as {
    messages: readonly Message[]
    unanswered: readonly string[]
  }
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user', 'assistant'])
  expect(unpaired(messages)).toEqual([])
  expect(unanswered).toEqual([])
  expect(messages[3]!.content).toContain('<system-reminder>')
  // The next run is sent the same, and what comes then.
  const { sent } = await at.agent('s', ['Yes.'], { prompt: 'More', tools: [] })
  expect(sent[0]!.slice(0, 3)).toEqual(messages.slice(0, 3))
  expect(sent[0]).toHaveLength(messages.length + 1)
})

test('calls that wait are named', async () => {
  const at = await made()
  at.cut('s', ({ type }) => type === 'tool-intent')
  expect(JSON.parse(await exported(at, 's', '--json'))).toMatchObject({ unanswered: ['toolu_1'] })
})

test('as lines of Claude Code, from which the same can be read', async () => {
  const at = await made()
  const text = await exported(at, 's', '--format', 'jsonl')
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(['user', 'assistant', 'attachment']))
  for (const [place, line] of lines.entries()) {
    expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['crc']))
    expect(line['parentUuid']).toBe(place === 0 ? null : lines[place - 1]!['uuid'])
  }
  at.write('project/lines.jsonl', text)
  const [ours, theirs] = [await exported(at, 's', '--json'), await exported(at, 'lines.jsonl', '--json')]
  expect((JSON.parse(theirs) as { messages: unknown }).messages).toEqual(
    (JSON.parse(ours) as { messages: unknown }).messages
  )
})

test('of Claude Code, and of a subagent', async () => {
  const { run } = desk()
  const env = { CLAUDE_CONFIG_DIR: join(import.meta.dirname, '../../fixtures/claude-transcripts') }
  const { stdout } = await run(['sessions', 'export', '1111', '--json'], { env })
  expect(JSON.parse(stdout)).toMatchObject({ unanswered: ['toolu_4'] })
  const agent = await run(['sessions', 'export', '3333', '--agent', 'f19'], { env })
  expect(agent.stdout).toContain('Nobody sells figs.')
})

test('a format that there is not', async () => {
  const { code, stderr } = await desk().run(['sessions', 'export', 'x', '--format', 'pdf'])
  expect([code, stderr]).toEqual([64, expect.stringContaining('markdown, json, jsonl')])
})

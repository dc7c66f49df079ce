/** Messages of hooks in the stream, as clients of Claude Code read them; the last line is the result. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import peer from '../fixtures/peer-payloads.json' with { type: 'json' }
import { agent, callReply, streamLines, textReply, type StreamLine } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, decides, refuses, rule } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const GLOB = callReply(['Glob', { pattern: '*' }])

/** The messages about hooks while an agent with these hooks runs. */
async function heard(hooks: object, ...flags: readonly string[]): Promise<readonly StreamLine[]> {
  const { ask, user } = await agent([GLOB, textReply('Done.')])
  user({ hooks })
  return streamLines(await ask(['Go', '--output-format', 'stream-json', '--include-hook-events', ...flags]))
}

const responses = (lines: readonly StreamLine[]): readonly StreamLine[] =>
  lines.filter(({ subtype }) => subtype === 'hook_response')

test('C5: hook_name is the event and what matchers test, and our name stands beside it', async () => {
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop']
  const named = (event: string): object => ({ [event]: [rule('true', '', { name: `my ${event}` })] })
  const lines = await heard(Object.assign({}, ...events.map(named)) as object)
  const told = lines.filter(({ subtype }) => subtype === 'hook_started' || subtype === 'hook_response')
  expect([...new Set(told.map(({ hook_name }) => hook_name))]).toEqual([
    'SessionStart:startup',
    'UserPromptSubmit',
    'PreToolUse:Glob',
    'PostToolUse:Glob',
    'PostToolBatch',
    'Stop'
  ])
  for (const { hook_label, hook_event } of told) expect(hook_label).toBe(`my ${String(hook_event)}`)
})

test('C5: every key of the recorded messages of hooks is there', async () => {
  const lines = await heard({ SessionStart: [rule('true')] })
  for (const recorded of peer.mainStreamHookSample.slice(0, 2)) {
    const ours = lines.find(({ subtype }) => subtype === recorded.subtype)!
    const { __t: _, hook_id: _id, uuid: _uuid, session_id: _session, ...facts } = recorded
    expect(ours).toMatchObject({ ...facts, hook_id: expect.any(String), uuid: expect.any(String) })
  }
})

test('C5: exit code 2 is an error, with what stands on stderr and no invented answer', async () => {
  const [response] = responses(await heard({ PreToolUse: [rule(refuses('not this one'))] }))
  expect(response).toMatchObject({ outcome: 'error', exit_code: 2, stdout: '', stderr: 'not this one\n' })
  expect(response!['output']).toBe('not this one\n')
})

test('C5: exit code 2 stays an error beside JSON, and exit code 0 with a deny is a success', async () => {
  const json = `echo '{"systemMessage":"hm"}'; echo no >&2; exit 2`
  const both = responses(await heard({ PreToolUse: [rule(json), rule(decides('deny'))] }))
  expect(both.map(({ outcome, exit_code }) => [outcome, exit_code])).toEqual([
    ['error', 2],
    ['success', 0]
  ])
})

/** A server that answers `{}`. */
async function server(): Promise<string> {
  const made = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{}'))
  await new Promise<void>(resolve => made.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void made.close())
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/`
}

test.each([
  [
    'a timeout',
    async () => rule('trap "exit 3" TERM; while :; do sleep 0.05; done', '', { timeout: 0.5 }),
    'cancelled'
  ],
  ['a signal', async () => rule('kill -9 $$'), 'error'],
  ['a server', async () => ({ hooks: [{ type: 'http', url: await server() }] }), 'success']
])('C5: there is no exit_code on %s', async (_, made, outcome) => {
  const [response] = responses(await heard({ PostToolUse: [await made()] }))
  expect(response).toMatchObject({ outcome })
  expect(response).not.toHaveProperty('exit_code')
})

test.each([
  ['SessionEnd hooks', { SessionEnd: [rule('echo bye')] }],
  ['SessionEnd hooks that fail', { SessionEnd: [rule('exit 7'), rule('sleep 60')] }],
  ['hooks that are still at work', { PostToolUse: [rule('sleep 600', '', { async: true })] }]
])('C5: the last line is the result, with %s', async (_, hooks) => {
  const lines = await heard(hooks, '--verbose')
  expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1)
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Done.' })
  if ('SessionEnd' in hooks) expect(responses(lines)[0]).toMatchObject({ hook_event: 'SessionEnd' })
})

test('C5: the last line is the result where prompts come as a stream, too', async () => {
  const { ask, user } = await agent([textReply('One.'), textReply('Two.')])
  user(commandOn('SessionEnd', 'echo bye; exit 7'))
  const prompt = (content: string): string => JSON.stringify({ type: 'user', message: { role: 'user', content } })
  const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--include-hook-events']
  const lines = streamLines(await ask(flags, `${prompt('a')}\n${prompt('b')}\n`))
  expect(lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual(['One.', 'Two.'])
  expect(lines.at(-1)).toMatchObject({ type: 'result' })
})

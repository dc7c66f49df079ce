/** False refusals: a typical session of 200 calls, with the hook files that people have, is refused 0 times. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HANG } from '../support/waiting.ts'
import { streamLines } from '../e2e/agent.ts'
import { ordinaryDay, ordinaryRepository, PREFIX_RULES, type DayTurn } from './ordinary-day-kit.ts'

vi.setConfig({ testTimeout: HANG })

async function page(): Promise<string> {
  const server = createServer((_, response) => response.end('<h1>A page</h1>')).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const toolsIn = (turns: readonly DayTurn[]): readonly string[] =>
  turns.flatMap(turn => (typeof turn === 'string' ? [] : turn.calls.map(({ name }) => name)))

interface Block {
  readonly type: string
  readonly id?: string
  readonly input?: object
  readonly tool_use_id?: string
  readonly content?: unknown
  readonly is_error?: boolean
}

async function live(allow: readonly string[], withShellText: boolean) {
  const { run, write, read } = await ordinaryRepository(allow)
  const turns = ordinaryDay(await page(), withShellText)
  const script = write('day.json', JSON.stringify(turns))
  const ran = await run(['run', '-p', 'A day', '--model', `script:${script}`, '--output-format', 'stream-json'])
  const lines = streamLines(ran)
  const blocks = lines.flatMap(({ message }) => {
    const { content } = (message ?? {}) as { content?: unknown }
    return Array.isArray(content) ? (content as readonly Block[]) : []
  })
  const inputOf = (id: unknown): unknown => blocks.find(block => block.id === id)?.input
  const results = blocks.filter(({ type }) => type === 'tool_result')
  return {
    ran,
    tools: toolsIn(turns),
    refused: lines
      .filter(({ subtype }) => subtype === 'permission_denied')
      .map(({ tool_use_id, message }) => [inputOf(tool_use_id), message]),
    failed: results
      .filter(({ is_error }) => is_error === true)
      .map(({ tool_use_id, content }) => [inputOf(tool_use_id), content]),
    results: results.length,
    last: lines.at(-1),
    logged: read('home/calls.jsonl')
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { tool: string }).tool)
  }
}

test.each([
  ['rules for each program, simple commands and lists of them', PREFIX_RULES, false],
  ['Bash as a whole, also loops, files and substitutions', ['Bash'], true]
])('%s: nothing is refused, nothing fails, and every call passed its hooks', async (_, allow, withShellText) => {
  const { ran, tools, refused, failed, results, last, logged } = await live(allow, withShellText)
  expect(refused).toEqual([])
  expect(failed).toEqual([])
  expect(last).toMatchObject({ subtype: 'success', result: 'That was the day.', permission_denials: [] })
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(tools.length).toBeGreaterThanOrEqual(withShellText ? 200 : 190)
  expect(results).toBe(tools.length)
  expect(logged.toSorted()).toEqual(tools.toSorted())
})

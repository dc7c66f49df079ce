import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { agent, callReply, textReply, type StreamLine } from './agent.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const STREAMS = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']

/** A client that talks with the process line by line, as those written for `claude -p` do. */
class Client {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly seen: StreamLine[] = []

  constructor(child: ChildProcess) {
    this.#child = child
    this.#lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    onTestFinished(() => void child.kill('SIGKILL'))
  }

  send(message: object): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`)
  }

  say(content: string): void {
    this.send({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' })
  }

  order(request_id: string, request: object): void {
    this.send({ type: 'control_request', request_id, request })
  }

  /** Reads on until there is such a message. */
  async until(fits: (line: StreamLine) => boolean): Promise<StreamLine> {
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done === true) throw new Error(`it ended after ${JSON.stringify(this.seen.at(-1))}`)
      const line = JSON.parse(value) as StreamLine
      this.seen.push(line)
      if (fits(line)) return line
    }
  }

  /** The answer to an order. */
  async answer(request_id: string): Promise<unknown> {
    const line = await this.until(
      ({ type, response }) =>
        type === 'control_response' && (response as { request_id?: string }).request_id === request_id
    )
    return line['response']
  }

  async end(): Promise<number | null> {
    this.#child.stdin!.end()
    const [code] = (await once(this.#child, 'close')) as [number | null]
    return code
  }
}

const isResult = ({ type }: StreamLine): boolean => type === 'result'

test('a conversation: one result a prompt, one session, orders in between', async () => {
  const { begin, server, read } = await agent([
    textReply('Hello, Ada.'),
    callReply(['Write', { file_path: 'a.txt', content: 'a' }]),
    textReply('Written.')
  ])
  const client = new Client(begin(STREAMS))
  client.order('1', { subtype: 'initialize' })
  expect(await client.answer('1')).toMatchObject({ subtype: 'success' })
  client.say('I am Ada')
  expect(await client.until(isResult)).toMatchObject({ result: 'Hello, Ada.' })
  client.order('2', { subtype: 'set_permission_mode', mode: 'acceptEdits' })
  expect(await client.answer('2')).toEqual({ subtype: 'success', request_id: '2', response: {} })
  client.order('3', { subtype: 'set_permission_mode', mode: 'bypassPermissions' })
  expect(await client.answer('3')).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('not allowed here')
  })
  client.order('4', { subtype: 'make_coffee' })
  expect(await client.answer('4')).toMatchObject({ subtype: 'error', error: expect.stringContaining('make_coffee') })
  client.say('Write it down')
  expect(await client.until(isResult)).toMatchObject({ result: 'Written.', is_error: false })
  expect(await client.end()).toBe(0)
  expect(read('project/a.txt')).toBe('a')
  expect(new Set(client.seen.flatMap(line => line['session_id'] ?? [])).size).toBe(1)
  expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('Hello, Ada.')
})

test('an interrupt ends the turn, and the session continues', async () => {
  const { begin, server } = await agent([callReply(['Bash', { command: 'sleep 300' }]), textReply('Still here.')])
  const client = new Client(begin([...STREAMS, '--allowedTools', 'Bash(sleep *)']))
  client.say('Wait')
  await client.until(({ type }) => type === 'assistant')
  client.order('1', { subtype: 'interrupt' })
  expect(await client.until(isResult)).toMatchObject({ subtype: 'error_during_execution', is_error: true })
  client.say('Are you there?')
  expect(await client.until(isResult)).toMatchObject({ subtype: 'success', result: 'Still here.' })
  expect(await client.end()).toBe(0)
  const content = JSON.stringify(server.requests[1]?.body.messages)
  expect(content).toContain('tool_result')
  expect(content).toContain('Are you there?')
})

test('a line that is neither a prompt nor a control request is skipped, and reported', async () => {
  const { ask } = await agent([textReply('Hello.')])
  const prompt = JSON.stringify({ type: 'user', message: { role: 'user', content: 'Hi' } })
  const ran = await ask(STREAMS, `not json \u001B[2J\n{"type":"surprise"}\n\n${prompt}\n`)
  expect(ran.code).toBe(0)
  expect(ran.stdout).toContain('Hello.')
  expect(ran.stderr.match(/skipped a line/g)).toHaveLength(2)
  expect(ran.stderr).toContain(String.raw`not json \u001b[2J`)
})

/** Whatever ends first, no process stays behind, and no call passes without its gate. */
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cliStage } from '../../support/cli-stage.ts'
import { processesWith } from '../../support/process-table.ts'
import { eventually, gone, HANG, there } from '../../support/waiting.ts'
import { everythingAt, freePort } from '../../tools/mcp/mcp-kit.ts'
import { connect, EVERYTHING, proxied, proxyWords, SCRIPTED_SERVER } from './proxy-kit.ts'

vi.setConfig({ testTimeout: HANG })

/** All processes of a stage: its home is in their environment. */
const processesOf = (stage: { home: string }) => (): readonly number[] => processesWith(`HOME=${stage.home}\0`)

test.each([
  ['die', /the connection to the server has ended: it has ended \(SIGKILL\).*effect is unknown/],
  ['cut-off', /effect is unknown/]
])(
  'a server that ends during a call (%s): an error result, then exit code 1, and the call is not repeated',
  async (tool, words) => {
    const stage = cliStage()
    const log = stage.write('home/calls.log', '')
    const connected = await proxied(SCRIPTED_SERVER, { stage, env: { MCP_LOG: log } })
    const closed = new Promise(resolve => Object.assign(connected.client, { onclose: () => resolve('closed') }))
    expect(await connected.call(tool)).toEqual({ text: expect.stringMatching(words), isError: true })
    expect(await closed).toBe('closed')
    expect(stage.read('home/calls.log')).toBe(`call ${tool} {}\n`)
    await gone(processesOf(stage))
  }
)

test('a server that answers and then ends: the answer arrives', async () => {
  const { call } = await proxied(SCRIPTED_SERVER)
  expect(await call('answer-and-die')).toEqual({ text: 'the last thing I say', isError: false })
})

test('a server that does not start: exit code 1 and why', async () => {
  const stage = cliStage()
  const [, , ...words] = proxyWords(['--', ...SCRIPTED_SERVER, 'die-at-once'], stage)
  const child = stage.start(words)
  let errors = ''
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const code = await new Promise(resolve => child.once('close', resolve))
  expect([code, errors]).toEqual([1, expect.stringMatching(/it has ended \(exit code 3\)/)])
})

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('a proxy that gets %s takes its server with it', async signal => {
  const stage = cliStage()
  const hooks = `hooks.on('PreToolUse', 'mcp__srv__wait', () => new Promise(() => setInterval(() => 0, 1000)))`
  const [, , ...words] = proxyWords(['--', 'sh', '-c', 'sleep 1000 & exec "$@"', 'sh', ...EVERYTHING], stage, { hooks })
  const child = stage.start(words)
  onTestFinished(() => void child.kill('SIGKILL'))
  await there(() =>
    processesOf(stage)().filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'))
  )
  const ended = new Promise(resolve => child.once('exit', (code, by) => resolve(code ?? by)))
  child.kill(signal)
  expect(await ended).toBe({ SIGINT: 130, SIGTERM: 143, SIGKILL: 'SIGKILL' }[signal])
  await gone(processesOf(stage))
})

test('a client that is gone: the call in the gate never reaches the server, and nothing stays', async () => {
  const stage = cliStage()
  const log = stage.write('home/calls.log', '')
  stage.user({
    hooks: {
      PreToolUse: [
        { matcher: 'mcp__srv__echo', hooks: [{ type: 'command', command: `touch ${stage.home}/asked; sleep 1000` }] }
      ]
    }
  })
  const { client, call } = await proxied(SCRIPTED_SERVER, { stage, env: { MCP_LOG: log } })
  const lost = call('echo', { text: 'hi' }).catch(String)
  await there(() =>
    processesOf(stage)().filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'))
  )
  await client.close()
  expect(await lost).toContain('Connection closed')
  await gone(processesOf(stage))
  expect(stage.read('home/calls.log')).toBe('')
})

test('a server over HTTP that ends during a call: an error result', async () => {
  const { url, kill } = await everythingAt(await freePort())
  const stage = cliStage()
  const { client } = await connect(proxyWords(['--http', url], stage), { stage })
  let isBegun = false
  const long = client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 100, steps: 1000 } },
    { onprogress: () => (isBegun = true) }
  )
  await eventually(() => isBegun)
  await kill()
  const { content, isError } = await long
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('effect is unknown')])
})

test('a URL where nothing listens: the client learns why', async () => {
  const stage = cliStage()
  const url = `http://127.0.0.1:${await freePort()}/mcp`
  await expect(connect(proxyWords(['--http', url], stage), { stage })).rejects.toThrow(
    new RegExp(`http://127\\.0\\.0\\.1:\\d+ cannot be reached: .*ECONNREFUSED`)
  )
})

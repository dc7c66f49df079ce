/** `carabiner/worker`: what authors of workers write with. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { describe, expect, test, vi } from 'vitest'
import type { Handler, Handlers } from '../../../../src/worker.ts'
import { failed, signOfLife, workerStage, type WorkerStage } from './worker-kit.ts'
import { POLL } from '../../../support/waiting.ts'
import { fixture } from '../../../support/fixture.ts'

vi.setConfig({ testTimeout: POLL.timeout })

const POLICY = { command: process.execPath, args: [fixture('workers/policy.ts')] }

const fire = ({ hooks }: WorkerStage, command: string, more: object = {}) =>
  Promise.resolve(
    hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command, ...more }, tool_use_id: 'call' })
  )

describe('a worker that is served', () => {
  test('answers with a reply, or with nothing', async () => {
    const setting = workerStage(POLICY)
    expect(await fire(setting, 'rm')).toMatchObject({ decision: 'deny', reason: 'not with rm' })
    for (const command of ['ls', 'pwd'])
      expect(await fire(setting, command)).toMatchObject({ decision: undefined, failures: [] })
    expect(setting.hook.status()).toMatchObject({ restarts: 0, strays: 0 })
  })

  test('works on several events at once, and answers pings meanwhile', async () => {
    const setting = workerStage(POLICY)
    await fire(setting, 'ls')
    const waiting = [fire(setting, 'wait'), fire(setting, 'wait')]
    expect(await fire(setting, 'rm')).toMatchObject({ reason: 'not with rm' })
    for (let round = 0; round < 3; round++) await signOfLife(setting, () => setting.clock.advance(5))
    await fire(setting, 'free')
    for (const outcome of await Promise.all(waiting)) expect(outcome.reason).toBe('waited')
    expect(setting.hook.status()).toMatchObject({ restarts: 0, strays: 0 })
  })

  test.each([
    ['throw', 'threw', 'it broke'],
    ['reject', 'threw', 'it broke later'],
    ['word', 'threw', 'a word'],
    ['big', 'threw', 'BigInt'],
    ['text', 'reply', 'the reply in its frame is not an object'],
    ['no such thing', 'threw', 'is not a function']
  ])('fails the one event that it fails on: %s', async (command, kind, words) => {
    const setting = workerStage(POLICY)
    const [bad, good] = await Promise.all([fire(setting, command), fire(setting, 'rm')])
    expect(bad).toMatchObject(failed(kind, 'strict', words))
    expect(good).toMatchObject({ reason: 'not with rm' })
    expect(setting.hook.status()).toMatchObject({ restarts: 0 })
  })

  test('fails events that it has no function for', async () => {
    const { hooks } = workerStage(POLICY)
    const { failures } = await hooks.fire('Stop', { stop_hook_active: false })
    expect(failures).toMatchObject([{ kind: 'threw', message: 'the worker has no handler for Stop; give serve() one' }])
  })

  test('may have one function for all events', async () => {
    const { hooks } = workerStage({ ...POLICY, env: { ONE_FOR_ALL: '1' } })
    expect(await hooks.fire('Stop', { stop_hook_active: false })).toMatchObject({ systemMessage: 'Stop' })
  })

  test('may print what it likes: it goes to standard error', async () => {
    const setting = workerStage(POLICY)
    const waiting = fire(setting, 'wait')
    expect(await fire(setting, 'chatter')).toMatchObject({ reason: 'chatted' })
    await setting.heard('a log\nan info\n')
    await setting.heard('{"id":1,"reply":{"decision":"allow"}}\n')
    await fire(setting, 'free')
    expect(await waiting).toMatchObject({ reason: 'waited' })
    expect(setting.hook.status().strays).toBe(0)
  })

  test('is given megabytes', async () => {
    const setting = workerStage(POLICY)
    const payload = 'ü🦜'.repeat(2_000_000)
    expect(await fire(setting, 'size', { payload })).toMatchObject({ reason: String(payload.length) })
  })
})

/** Runs it by hand, with these lines as its whole input. */
async function byHand(...lines: readonly string[]) {
  const child = spawn(process.execPath, POLICY.args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  child.stdin.end(lines.map(line => `${line}\n`).join(''))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { stdout, stderr, ended: await ended }
}

const request = (id: number, command: string): string =>
  JSON.stringify({ id, input: { hook_event_name: 'PreToolUse', tool_input: { command } } })

describe('a worker that is run by hand', () => {
  test('ends with its input, after its last answer', async () => {
    const { stdout, ended } = await byHand(request(1, 'wait'), '{"id":2,"ping":true}', request(3, 'free'))
    expect(stdout.trim().split('\n')).toEqual([
      '{"id":2}',
      '{"id":3}',
      '{"id":1,"reply":{"decision":"deny","reason":"waited"}}'
    ])
    expect(ended).toEqual([0, null])
  })

  test('ends at once where there is no input', async () => {
    expect(await byHand()).toEqual({ stdout: '', stderr: '', ended: [0, null] })
  })

  test('complains of what is no request, and continues', async () => {
    const { stdout, stderr } = await byHand('hello?', '', request(1, 'ls'))
    expect(stdout).toBe('{"id":1}\n')
    expect(stderr).toBe('a line that is not a request was dropped: hello?\n')
  })
})

test('carabiner/worker loads nothing but what Node has', async () => {
  const { metafile } = await build({
    entryPoints: ['src/worker.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    metafile: true
  })
  expect(Object.keys(metafile.inputs).toSorted()).toEqual([
    'src/lib/hooks/kinds/worker/worker-serve.ts',
    'src/worker.ts'
  ])
  const imports = Object.values(metafile.inputs).flatMap(input => input.imports)
  for (const { path, external } of imports) expect(external !== true || path.startsWith('node:'), path).toBe(true)
})

test('functions are typed by their event', () => {
  const handlers = {
    PreToolUse: input => ({ decision: 'deny', reason: input.tool_name }),
    UserPromptSubmit: async ({ prompt }) => (prompt === '' ? { decision: 'block' } : undefined),
    // @ts-expect-error there is no prompt in it
    Stop: ({ prompt }) => void prompt
  } satisfies Handlers
  // @ts-expect-error there is no such event
  const misspelt: Handlers = { PreToolUze: () => undefined }
  // @ts-expect-error there is no such decision
  const undecided: Handler = () => ({ decision: 'perhaps' })
  expect([handlers, misspelt, undecided]).toHaveLength(3)
})

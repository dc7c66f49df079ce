/** Hooks that are workers: one process, many events. */
import { realpathSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { workerHook } from '../../../../src/external.ts'
import { unhandledDuring } from '../../../support/hook-kit.ts'
import {
  allowStep,
  countingClock,
  denyStep,
  failed,
  hang,
  signOfLife,
  silent,
  workerStage,
  type PuppetStep
} from './worker-kit.ts'
import { POLL } from '../../../support/waiting.ts'
import { PROFILES } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: POLL.timeout })

describe('a worker', () => {
  test('is started with the first event and answers all of them', async () => {
    const { ask, hook } = workerStage()
    expect(hook.status()).toEqual({ state: 'stopped', restarts: 0, strays: 0 })
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow', failures: [] })
    const { pid } = hook.status()
    expect(hook.status()).toEqual({ state: 'running', restarts: 0, strays: 0, pid: expect.any(Number) })
    expect(await ask([denyStep('not that')])).toMatchObject({ decision: 'deny', by: 'gate', reason: 'not that' })
    expect(await ask([silent])).toMatchObject({ decision: undefined, blocked: false, failures: [] })
    expect(hook.status().pid).toBe(pid)
  })

  // F102
  test('is given the number first and then the wire object, in one line', async () => {
    const { ask, hooks } = workerStage({ registry: { sessionId: 's-1' } })
    const seen: string[] = []
    hooks.register({ name: 'witness', events: 'PreToolUse', priority: 1, run: ctx => void seen.push(ctx.wire) })
    await ask([silent])
    const { reason } = await ask([{ echo: true }])
    const [, wire] = /^\{"id":2,"input":(\{.*\})\}$/.exec(reason ?? '') ?? []
    expect(JSON.parse(wire ?? '')).toMatchObject({
      session_id: 's-1',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash'
    })
    expect(wire).toBe(seen[1])
  })

  test('may be asked about several events at once, and answers them in any order', async () => {
    const { ask, hook } = workerStage()
    const words = Array.from({ length: 50 }, (_, index) => `word ${index}`)
    const held = words.map(word => ask([{ hold: denyStep(word)['say'] }]))
    await ask([silent, { release: true }])
    expect((await Promise.all(held)).map(outcome => outcome.reason)).toEqual(words)
    expect(hook.status()).toMatchObject({ restarts: 0, strays: 0 })
  })

  test('does not mix two events at once', async () => {
    const { ask, hooks } = workerStage()
    const tool = ask([{ hold: denyStep('about the tool')['say'] }])
    const stop = hooks.fire('Stop', {
      stop_hook_active: false,
      tool_input: { do: [{ hold: '{"id":#id,"reply":{"decision":"block","reason":"about the stop"}}' }] }
    } as never)
    await ask([silent, { release: true }])
    expect(await tool).toMatchObject({ event: 'PreToolUse', reason: 'about the tool' })
    expect(await stop).toMatchObject({ event: 'Stop', reason: 'about the stop' })
  })

  test('has the environment of its first event, without what belongs to one event', async () => {
    const { ask, folder } = workerStage({
      env: { OWN: 'own' },
      place: { envFile: '/tmp/variables' },
      registry: { sessionId: 's-1', env: { SHARED: 'shared' } }
    })
    const names = [
      'EVENT',
      'CLAUDE_ENV_FILE',
      'CLAUDE_PROJECT_DIR',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDECODE',
      'OWN',
      'SHARED'
    ]
    const { reason } = await ask([{ env: names }])
    expect(JSON.parse(reason ?? '')).toEqual([realpathSync(folder), null, null, folder, 's-1', '1', 'own', 'shared'])
  })

  test('may be a command line for a shell', async () => {
    const command = `while IFS= read -r line; do id=\${line#'{"id":'}; echo "{\\"id\\":\${id%%,*}}" | cat; done`
    const { ask } = workerStage({ command, args: undefined })
    expect(await ask([])).toMatchObject({ failures: [], blocked: false })
    expect(await ask([])).toMatchObject({ failures: [], blocked: false })
  })

  test.each([
    [{ command: '' }, 'command cannot be ""'],
    [{ command: 'cat', heartbeat: 0 }, 'heartbeat cannot be 0'],
    [{ command: 'cat', heartbeat: Number.NaN }, 'heartbeat cannot be NaN']
  ])('is refused when it cannot be one: %o', (spec, words) => {
    expect(() => workerHook({ events: 'PreToolUse', ...spec })).toThrow(words)
  })
})

describe('what a worker answers', () => {
  // F113
  test.each([
    ['{"id":#id,"code":0,"stdout":"","stderr":"noise"}', { decision: undefined, failures: [] }],
    [`{"id":#id,"code":0,"stdout":"{\\"decision\\":\\"approve\\"}"}`, { decision: 'allow', failures: [] }],
    ['{"id":#id,"code":2,"stderr":"no such thing"}', { decision: 'deny', reason: 'no such thing', failures: [] }],
    ['{"id":#id,"code":1,"stderr":"oh"}', failed('exit', 'strict', 'ended with exit code 1')],
    ['{"id":#id,"code":0,"stdout":"{broken"}', failed('reply', 'strict')]
  ])('may be what a command would give back: %s', async (say, outcome) => {
    const { ask } = workerStage()
    expect(await ask([{ say }])).toMatchObject(outcome)
  })

  // F161
  test('stands in the report as it came', async () => {
    const { hooks } = workerStage()
    const fire = (say: string) => {
      const input = { tool_name: 'Bash', tool_input: { do: [{ say }] }, tool_use_id: 'call' }
      return hooks.fire('PreToolUse', input, { report: true })
    }
    const raw = await fire('{"id":#id,"code":2,"stderr":"no"}')
    expect(raw.report[0]?.raw).toEqual({ stdout: '', stderr: 'no', exit_code: 2 })
    const reply = await fire('{"id":#id,"reply":{}}')
    expect(reply.report[0]?.raw).toEqual({ stdout: '{"id":2,"reply":{}}', stderr: '' })
  })

  test.each(PROFILES)('may be that it failed, for this one event only (%s)', async profile => {
    const { ask, hook } = workerStage({ profile })
    expect(await ask([{ say: '{"id":#id,"error":"the list is missing"}' }])).toMatchObject(
      failed('threw', profile, 'the list is missing')
    )
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
    expect(hook.status()).toMatchObject({ restarts: 0, strays: 0 })
  })

  test.each([
    '{"id":#id,"decision":"deny"}',
    '{"decision":"deny","id":#id}',
    '{"id":#id,"reply":null}',
    '{"id":#id,"reply":[]}',
    '{"id":#id,"reply":"allow"}',
    '{"id":#id,"reply":{"decision":"allow"},"error":"and yet"}',
    '{"id":#id,"reply":{"decision":"maybe"}}',
    '{"id":#id,"code":"2"}',
    '{"id":#id,"code":-1}',
    '{"id":#id,"code":0,"stdout":{}}',
    '{"id":#id,"stdout":"{}"}',
    '{"id":#id,"error":{}}',
    '{"id":#id,"async":false}',
    '{"id":#id,"input":{}}',
    '{"id":#id,"reply":{}} {}',
    '{"id":#id,"reply":{"decision":"allow","decision":"deny"}}',
    '{"id":#id,'
  ])('is a failure at once where it cannot be read: %s', async say => {
    const { ask } = workerStage()
    expect(await ask([{ say }])).toMatchObject(failed('reply', 'strict'))
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
  })
})

describe('an answer that comes later', () => {
  const announced = (more = ''): PuppetStep => ({ say: `{"id":#id,"async":true${more}}` })
  const note = '{"id":#id,"reply":{"hookSpecificOutput":{"additionalContext":"done now"}}}'

  // F98
  test('does not keep its event waiting, and reaches the registry', async () => {
    const { ask, hooks, late, hook } = workerStage({ profile: 'compat' })
    expect(await ask([announced(), { hold: note }])).toMatchObject({ decision: undefined, failures: [] })
    expect(late).toEqual([])
    await ask([silent, { release: true }])
    await hooks.drain()
    expect(late).toMatchObject([
      { by: 'gate', event: 'PreToolUse', contexts: [{ text: 'done now' }], failure: undefined }
    ])
    expect(hook.status().strays).toBe(0)
  })

  test('is given up after its asyncTimeout, in milliseconds', async () => {
    const { ask, hooks, late, clock, hook } = workerStage({ profile: 'compat' })
    await ask([announced(',"asyncTimeout":1500'), { hold: note }])
    await clock.advance(1.4)
    expect(late).toEqual([])
    await clock.advance(0.1)
    await hooks.drain()
    expect(late).toMatchObject([{ failure: { kind: 'timeout', message: expect.stringContaining('1500 ms') } }])
    await ask([silent, { release: true }])
    await ask([silent])
    expect(hook.status().strays).toBe(1)
  })

  test('has no end where its asyncTimeout is longer than a timer can be', async () => {
    const { ask, hooks, late } = workerStage({ profile: 'compat', place: { clock: undefined } })
    await ask([announced(',"asyncTimeout":3000000000'), { hold: note }])
    await ask([silent, { release: true }])
    await hooks.drain()
    expect(late).toMatchObject([{ contexts: [{ text: 'done now' }], failure: undefined }])
  })

  test.each([30, 1e12, '1e400'])('is waited for by a deciding event of the library dialect: %s s', async limit => {
    const { ask } = workerStage({ dialect: 'library' })
    const slow = ask([announced(`,"asyncTimeout":${limit}`), { hold: denyStep('after all')['say'] }])
    await ask([silent, { release: true }])
    expect(await slow).toMatchObject({ decision: 'deny', reason: 'after all' })
  })

  test('S3: is waited for by a gate of the strict profile', async () => {
    const { ask } = workerStage()
    const slow = ask([announced(',"asyncTimeout":60000'), { hold: denyStep('after all')['say'] }])
    await ask([silent, { release: true }])
    expect(await slow).toMatchObject({ decision: 'deny', reason: 'after all' })
  })

  test('is announced once', async () => {
    const { ask, hook, hooks, late } = workerStage({ profile: 'compat' })
    await ask([announced(), announced(), { hold: note }])
    await ask([silent, { release: true }])
    await hooks.drain()
    expect(late).toMatchObject([{ contexts: [{ text: 'done now' }] }])
    expect(hook.status().strays).toBe(1)
  })

  test('may fail when no one is interested any more', async () => {
    const { hooks, place, clock } = workerStage({ profile: 'compat', events: ['Stop'] })
    const reply = (name: string, say: string) =>
      workerHook(
        {
          name,
          command: 'sh',
          args: ['-c', `read -r line; echo '${say}'; ${name === 'slow' ? 'read -r line; exit 1' : 'cat'}`]
        },
        place
      )
    const slow = reply('slow', '{"id":1,"async":true,"asyncTimeout":60000}')
    hooks.group('PreToolUse', '*', [reply('first', '{"id":1,"reply":{"continue":false}}'), slow])
    const rejected = await unhandledDuring(async () => {
      const call = { tool_name: 'Bash', tool_input: {}, tool_use_id: 'call' }
      expect(await hooks.fire('PreToolUse', call)).toMatchObject({ continue: false, failures: [] })
      slow.restart()
      await clock.advance(60)
    })
    expect(rejected).toEqual([])
  })

  test('fails when the worker ends', async () => {
    const { ask, hooks, late } = workerStage({ profile: 'compat' })
    await ask([announced(), { hold: note }])
    await ask([{ exit: 4 }])
    await hooks.drain()
    expect(late).toMatchObject([{ failure: { kind: 'worker', message: expect.stringContaining('exit code 4') } }])
  })
})

describe('standard error of a worker', () => {
  // F107, F160
  test('is progress for whoever waits', async () => {
    const { ask, heard } = workerStage()
    const waiting = ask(hang('thinking\n'))
    await heard('thinking\n')
    await Promise.all([waiting, ask([{ say: '{"id":1}' }, silent])])
  })

  test('is a notice when no one does', async () => {
    const { ask, notices } = workerStage()
    await ask([silent, { stderr: 'tidying up\n' }])
    await expect.poll(() => notices, POLL).toContainEqual('gate: its worker printed on stderr: tidying up')
  })
})

describe('the life of a worker', () => {
  test('has no timers while no one waits', async () => {
    const own = countingClock()
    const { ask, heard } = workerStage({ place: { clock: own } })
    await ask([silent])
    expect(own.timers).toBe(0)
    const waiting = ask(hang('here'))
    await heard('here')
    expect(own.timers).toBe(1)
    await Promise.all([waiting, ask([{ say: '{"id":2}' }, silent])])
    expect(own.timers).toBe(0)
  })

  test('continues for as long as it answers pings', async () => {
    const setting = workerStage({ timeout: 100 })
    const { ask, hook, clock, heard } = setting
    const waiting = ask(hang('at work'))
    await heard('at work')
    const { pid } = hook.status()
    for (let round = 0; round < 10; round++) await signOfLife(setting, () => clock.advance(5))
    expect(hook.status()).toEqual({ state: 'running', restarts: 0, strays: 0, pid })
    await ask([{ say: '{"id":1}' }, silent])
    expect(await waiting).toMatchObject({ failures: [], decision: undefined })
  })

  test('continues although whoever is told of it throws', async () => {
    const onNotice = (): never => {
      throw new Error('the listener broke')
    }
    const { ask, hook } = workerStage({ place: { onNotice } })
    expect(await ask([{ say: 'noise' }, allowStep])).toMatchObject({ decision: 'allow' })
    expect(hook.status().strays).toBe(1)
  })

  test('can be begun anew: what it worked on fails', async () => {
    const { ask, hook, heard } = workerStage()
    const waiting = ask(hang('at work'))
    await heard('at work')
    const { pid } = hook.status()
    hook.restart()
    expect(await waiting).toMatchObject(failed('worker', 'strict', 'was restarted before it answered'))
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
    expect(hook.status()).toMatchObject({ state: 'running', restarts: 1 })
    expect(hook.status().pid).not.toBe(pid)
  })

  test.each(PROFILES)('ends with close(), and then it fails at once (%s)', async profile => {
    const { ask, hook, heard, running, notices } = workerStage({ profile })
    const waiting = ask(hang('at work'))
    await heard('at work')
    hook.close()
    expect(await waiting).toMatchObject(failed('worker', profile, 'was closed before it answered'))
    expect(await ask([allowStep])).toMatchObject(failed('worker', profile, 'is closed; call restart()'))
    expect(hook.status()).toEqual({ state: 'stopped', restarts: 0, strays: 0 })
    await expect.poll(running, POLL).toEqual([])
    expect(notices).toEqual([])
    hook.restart()
    expect(await ask([allowStep])).toMatchObject({ decision: 'allow' })
  })

  test('ends when its place is closed', async () => {
    const { ask, hook, place, running } = workerStage()
    await ask([silent])
    expect(running()).toHaveLength(1)
    await place.close()
    expect(running()).toEqual([])
    expect(hook.status().state).toBe('stopped')
    expect(await ask([allowStep])).toMatchObject(failed('worker', 'strict', 'is closed'))
  })

  // F43
  test('is not touched when an event is aborted: it settles at once, and the late answer is dropped', async () => {
    const { ask, hook, heard, notices } = workerStage()
    const stop = new AbortController()
    const waiting = ask([{ stderr: 'at work' }, { hold: allowStep['say'] }], 'call', stop.signal)
    await heard('at work')
    stop.abort()
    expect(await waiting).toMatchObject(failed('aborted', 'strict'))
    expect(await ask([{ release: true }, denyStep('still here')])).toMatchObject({ reason: 'still here' })
    expect(hook.status()).toMatchObject({ state: 'running', restarts: 0, strays: 1 })
    expect(notices).toEqual([expect.stringContaining('dropped an answer to 1')])
  })
})

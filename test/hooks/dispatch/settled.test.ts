import { describe, expect, it } from 'vitest'
import { allow, deny, HookRegistry, type HookContext, type HookMessage, type HookNotice } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { bash, loopTurn, says } from '../../support/hook-inputs.ts'

const watched = () => {
  const clock = manualClock()
  const notices: HookNotice[] = []
  const sink = (message: HookMessage): void => {
    if (message.subtype === 'hook_notice') notices.push(message)
  }
  return { clock, notices, hooks: new HookRegistry({ clock, sink, onLate: () => undefined }) }
}

type Write = (ctx: HookContext<'PreToolUse'>) => void

const WRITES: readonly [string, Write][] = [
  ['toolInput', ctx => void (ctx.toolInput = { command: 'late' })],
  ['messages', ctx => void (ctx.messages = [says('user', 'late')])]
]

describe.each(WRITES)('a write to ctx.%s after the hook has settled', (_, write) => {
  it('is dropped and reported, when the hook had answered', async () => {
    const { hooks, notices } = watched()
    let kept: HookContext<'PreToolUse'> | undefined
    hooks.on('PreToolUse', ctx => void (kept = ctx), { name: 'first' })
    hooks.on('PreToolUse', () => write(kept!))
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { messages: [says('user', 'hi')] })
    expect(() => write(kept!)).not.toThrow()
    await loopTurn()
    expect(outcome).toMatchObject({ updatedInput: undefined, messageEdits: undefined, failures: [] })
    expect(notices).toMatchObject([
      { hook_name: 'first', output: expect.stringContaining('dropped') },
      { hook_name: 'first', output: expect.stringContaining('dropped') }
    ])
  })

  it('is dropped and reported, when the hook had run out of time', async () => {
    const { clock, hooks, notices } = watched()
    const slow = async (ctx: HookContext<'PreToolUse'>): Promise<void> => {
      await new Promise<void>(resolve => clock.after(5_000, resolve))
      write(ctx)
    }
    hooks.on('PreToolUse', slow, { name: 'slow', timeout: 1, onFailure: 'continue' })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(1)
    expect(await outcome).toMatchObject({
      updatedInput: undefined,
      messageEdits: undefined,
      failures: [{ kind: 'timeout' }]
    })
    await clock.advance(5)
    await loopTurn()
    expect(notices).toContainEqual(
      expect.objectContaining({ hook_name: 'slow', output: expect.stringContaining('cannot be changed now') })
    )
  })

  it('is dropped without a sink as well', async () => {
    const hooks = new HookRegistry()
    let kept: HookContext<'PreToolUse'> | undefined
    hooks.on('PreToolUse', ctx => void (kept = ctx))
    hooks.on('PreToolUse', () => write(kept!))
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({
      updatedInput: undefined,
      messageEdits: undefined
    })
  })
})

it('a write to ctx.prompt after the hook has settled is dropped and reported', async () => {
  const { hooks, notices } = watched()
  let kept: HookContext<'UserPromptSubmit'> | undefined
  hooks.on('UserPromptSubmit', ctx => void (kept = ctx))
  hooks.on('UserPromptSubmit', () => void (kept!.prompt = 'late'))
  expect(await hooks.fire('UserPromptSubmit', { prompt: 'x' })).toMatchObject({ updatedPrompt: undefined })
  await loopTurn()
  expect(notices).toHaveLength(1)
})

describe('an input that a hook continues changing after it has settled', () => {
  const settings: readonly [string, (hooks: HookRegistry) => void][] = [
    [
      'is a copy of its own, when a later hook takes its time',
      hooks => hooks.on('PreToolUse', async ctx => void ctx.toolInput)
    ],
    [
      'is a copy of its own, when a later hook returns a promise',
      hooks =>
        hooks.on('PreToolUse', ctx => {
          void ctx.toolInput
          return loopTurn()
        })
    ]
  ]

  it.each(settings)('%s', async (_, add) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      const { toolInput } = ctx
      queueMicrotask(() => (toolInput['command'] = 'evil'))
    })
    add(hooks)
    for (const _fire of [1, 2]) expect((await hooks.fire('PreToolUse', bash('ls'))).updatedInput).toBeUndefined()
  })

  it('is a copy of its own, when a later hook takes its time only sometimes', async () => {
    const hooks = new HookRegistry()
    let calls = 0
    hooks.on('PreToolUse', ctx => {
      const { toolInput } = ctx
      queueMicrotask(() => (toolInput['command'] = 'evil'))
    })
    hooks.on('PreToolUse', ctx => {
      void ctx.toolInput
      return ++calls > 1 ? loopTurn() : undefined
    })
    for (const _fire of [1, 2]) expect((await hooks.fire('PreToolUse', bash('ls'))).updatedInput).toBeUndefined()
  })

  it('does not show what later hooks change, nor what one changed before it failed', () => {
    const hooks = new HookRegistry()
    const kept: unknown[] = []
    const keep = (ctx: HookContext<'PreToolUse'>): void => void kept.push(ctx.toolInput)
    hooks.on('PreToolUse', keep)
    hooks.on('PreToolUse', keep)
    hooks.on('PreToolUse', ctx => {
      keep(ctx)
      ctx.toolInput['command'] = 'lost'
      throw new Error('broken')
    })
    hooks.on('PreToolUse', ctx => {
      keep(ctx)
      ctx.toolInput['command'] = 'pwd'
    })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    expect(kept.map(input => (input as { command: string }).command)).toEqual(['ls', 'ls', 'lost', 'pwd'])
    expect(new Set(kept).size).toBe(4)
    expect(outcome).toMatchObject({ blocked: true, updatedInput: { command: 'pwd' } })
  })

  it('is a copy of its own, also when first looked at afterwards', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => queueMicrotask(() => (ctx.toolInput['command'] = 'evil')))
    hooks.on('PreToolUse', ctx => {
      void ctx.toolInput
      return loopTurn()
    })
    for (const _fire of [1, 2]) expect((await hooks.fire('PreToolUse', bash('ls'))).updatedInput).toBeUndefined()
  })
})

describe('hooks side by side', () => {
  const wait = (clock: ReturnType<typeof manualClock>, seconds: number): Promise<void> =>
    new Promise(resolve => clock.after(seconds * 1000, resolve))

  it('one that has answered cannot change its mind while others still run', async () => {
    const run = async (neighbour: number): Promise<unknown> => {
      const { clock, hooks } = watched()
      hooks.register({
        events: 'PreToolUse',
        concurrent: true,
        run: ctx => {
          const { toolInput, messages } = ctx
          void wait(clock, 2).then(() => {
            toolInput['command'] = 'evil'
            messages.push(says('user', 'evil'))
            ctx.toolInput = { command: 'worse' }
          })
          return allow()
        }
      })
      hooks.register({ events: 'PreToolUse', concurrent: true, run: () => wait(clock, neighbour) })
      const outcome = hooks.fire('PreToolUse', bash('ls'))
      await clock.advance(10)
      const { updatedInput, messageEdits } = await outcome
      return { updatedInput, messageEdits }
    }
    const untouched = { updatedInput: undefined, messageEdits: undefined }
    expect(await run(1)).toEqual(untouched)
    expect(await run(5)).toEqual(untouched)
  })

  it('what one replied cannot be changed while others still run', async () => {
    const { clock, hooks } = watched()
    hooks.register({
      events: 'PreToolUse',
      concurrent: true,
      run: () => {
        const reply = deny('no')
        void wait(clock, 1).then(() => Object.assign(reply, { decision: 'allow' }))
        return reply
      }
    })
    hooks.register({ events: 'PreToolUse', concurrent: true, run: () => wait(clock, 5) })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(5)
    expect(await outcome).toMatchObject({ blocked: true, reason: 'no' })
  })

  it('one that runs out of time is told at once, not when the slowest is done', async () => {
    const { clock, hooks } = watched()
    let signal: AbortSignal | undefined
    hooks.register({
      events: 'PreToolUse',
      concurrent: true,
      timeout: 1,
      run: ctx => {
        signal = ctx.signal
        return new Promise(() => undefined)
      }
    })
    hooks.register({ events: 'PreToolUse', concurrent: true, run: () => wait(clock, 30) })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(1)
    expect(signal?.aborted).toBe(true)
    await clock.advance(30)
    expect(await outcome).toMatchObject({ failures: [{ kind: 'timeout' }] })
  })
})

// FM2
describe('an answer after its time', () => {
  it.each([false, true])('changes nothing and is recorded (concurrent: %s)', async concurrent => {
    const { clock, hooks, notices } = watched()
    const run = async () => {
      await new Promise<void>(resolve => clock.after(5_000, resolve))
      return allow({ context: 'late' })
    }
    hooks.register({ name: 'slow', events: 'PreToolUse', concurrent, timeout: 1, run })
    hooks.register({ name: 'other', events: 'PreToolUse', concurrent, run: () => undefined })
    const outcome = hooks.fire('PreToolUse', bash('ls'), { report: true })
    await clock.advance(1)
    const before = await outcome
    expect(before).toMatchObject({ blocked: true, contexts: [], failures: [{ by: 'slow', kind: 'timeout' }] })
    await clock.advance(5)
    await loopTurn()
    expect(before).toMatchObject({ blocked: true, contexts: [] })
    expect(notices).toMatchObject([{ hook_name: 'slow', output: expect.stringMatching(/after its time|late/) }])
  })

  it.each([false, true])('that is an error raises nothing (concurrent: %s)', async concurrent => {
    const { clock, hooks } = watched()
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const run = async () => {
      await new Promise<void>(resolve => clock.after(5_000, resolve))
      throw new Error('too late')
    }
    hooks.register({ events: 'PreToolUse', concurrent, timeout: 1, run })
    hooks.register({ events: 'PreToolUse', concurrent, run: () => undefined })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(10)
    await outcome
    await loopTurn()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})

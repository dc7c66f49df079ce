import { describe, expect, test } from 'vitest'
import { allow, ask, deny, HookRegistry, type Outcome } from '../../../src/hooks.ts'
import { harness, manualClock } from '../../../src/testing.ts'
import { after } from '../../support/hook-kit.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

describe('what is changed during a fire affects later fires only', () => {
  // F83
  test('a hook that registers another', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => {
      if (!hooks.has('second')) hooks.on('PreToolUse', () => deny('second'), { name: 'second', priority: -1 })
    })
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined })
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ reason: 'second' })
  })

  // F83
  test('a hook that registers another while it is waited for', async () => {
    const hooks = new HookRegistry()
    const work = Promise.withResolvers<void>()
    hooks.on('PreToolUse', () => work.promise)
    const first = hooks.fire('PreToolUse', bash())
    hooks.on('PreToolUse', () => deny('second'))
    work.resolve()
    expect(await first).toMatchObject({ decision: undefined })
  })

  // F83
  test.each(['remove', 'disable'] as const)('a hook that tries to %s the gate behind it', async change => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => hooks[change]('gate'), { name: 'attacker' })
    hooks.on('PreToolUse', () => deny('closed'), { name: 'gate' })
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ reason: 'closed' })
    hooks.remove('attacker')
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined })
  })

  test('a scope that is released while it fires', async () => {
    const scope = new HookRegistry().scope()
    scope.on('PreToolUse', () => scope.release())
    scope.on('PreToolUse', () => deny('closed'))
    expect(await scope.fire('PreToolUse', bash())).toMatchObject({ reason: 'closed' })
    expect(await scope.fire('PreToolUse', bash())).toMatchObject({ decision: undefined })
  })
})

describe('fires at the same time', () => {
  // F82
  test('never mix their results, however they overlap', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    const wait = (ms: number): Promise<void> => new Promise(resolve => void clock.after(ms, resolve))
    hooks.on('PreToolUse', async ctx => {
      const { id } = ctx.toolInput as { id: number }
      await wait((id * 37) % 11)
      ctx.toolInput = { id, seen: id }
    })
    hooks.register({
      events: 'PreToolUse',
      concurrent: true,
      run: async ctx => {
        const { id } = ctx.toolInput as { id: number }
        await wait((id * 53) % 7)
        return { additionalContext: `context ${id}` }
      }
    })
    hooks.on('PreToolUse', async ctx => {
      const { id } = ctx.toolInput as { id: number }
      await wait((id * 29) % 5)
      if (id % 3 === 0) return deny(`no ${id}`)
      if (id % 3 === 1) throw new Error(`broken ${id}`)
      return allow()
    })
    const fires = Array.from({ length: 300 }, (_, id) => hooks.fire('PreToolUse', callOf('Tool', { id })))
    await clock.advance(1)
    const outcomes = await Promise.all(fires)
    outcomes.forEach((outcome, id) => {
      expect(outcome.updatedInput).toEqual({ id, seen: id })
      expect(outcome.additionalContext).toBe(`context ${id}`)
      expect(outcome.decision).toBe(id % 3 === 2 ? 'allow' : 'deny')
      expect(outcome.failures.map(failure => failure.message)).toEqual(id % 3 === 1 ? [`broken ${id}`] : [])
      if (id % 3 === 0) expect(outcome.reason).toBe(`no ${id}`)
    })
  })

  // F82
  test('of different events and sessions keep to themselves', async () => {
    const hooks = new HookRegistry()
    const session = async (ctx: { sessionId: string; metadata: Record<string, unknown> }) => {
      ctx.metadata['owner'] ??= ctx.sessionId
      await Promise.resolve()
      return { additionalContext: `${String(ctx.metadata['owner'])}=${ctx.sessionId}` }
    }
    hooks.register({ events: ['PreToolUse', 'PostToolUse'], run: session })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index): Outcome | Promise<Outcome> => {
        const input = { ...bash(), session_id: `s${index % 7}` }
        return index % 2 === 0
          ? hooks.fire('PreToolUse', input)
          : hooks.fire('PostToolUse', { ...input, tool_response: 'ok' })
      })
    )
    outcomes.forEach((outcome, index) => {
      expect(outcome.event).toBe(index % 2 === 0 ? 'PreToolUse' : 'PostToolUse')
      expect(outcome.additionalContext).toBe(`s${index % 7}=s${index % 7}`)
    })
  })

  test('of which one is cut leave the others alone', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PreToolUse', 'Slow', () => new Promise<never>(() => undefined), { timeout: 1 })
    hooks.on('PreToolUse', 'Fine', async () => {
      await new Promise<void>(resolve => void clock.after(3000, resolve))
      return ask('fine')
    })
    const slow = hooks.fire('PreToolUse', callOf('Slow'))
    const fine = await after(clock, 3, () => hooks.fire('PreToolUse', callOf('Fine')))
    expect(await slow).toMatchObject({ decision: 'deny', failures: [{ kind: 'timeout' }] })
    expect(fine).toMatchObject({ decision: 'ask', failures: [] })
  })
})

test('a hook that is sometimes quick and sometimes slow may change the input either way', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => void JSON.stringify(ctx.toolInput))
  hooks.on('PreToolUse', 'Bash', ctx => {
    if (!ctx.toolInput.command.startsWith('slow')) return void (ctx.toolInput.command = 'quick one')
    return Promise.resolve().then(() => void (ctx.toolInput.command = 'slow one'))
  })
  for (const command of ['quick', 'quick', 'slow', 'quick', 'slow']) {
    const outcome = await hooks.fire('PreToolUse', bash(command))
    expect(outcome).toMatchObject({ decision: undefined, failures: [], updatedInput: { command: `${command} one` } })
  }
})

describe('a hook that has answered changes nothing any more', () => {
  test('not through an input that it kept, while a later hook is waited for', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ({ toolInput }) => {
      queueMicrotask(() => {
        toolInput['command'] = 'rm -rf /'
      })
    })
    // No async function: only its result tells that it has to be waited for.
    hooks.on('PreToolUse', ({ toolInput }) => Promise.resolve(toolInput).then(() => undefined))
    for (let count = 0; count < 3; count++) {
      expect((await hooks.fire('PreToolUse', bash())).updatedInput).toBeUndefined()
    }
  })

  test('not the input that is run in the end', async () => {
    const hooks = new HookRegistry()
    const kept: Record<string, unknown>[] = []
    const replied = { command: 'git status' }
    hooks.on('PreToolUse', ctx => {
      kept.push(ctx.toolInput)
      ctx.toolInput['description'] = 'harmless'
    })
    hooks.on('PreToolUse', ctx => {
      kept.push(ctx.toolInput)
      return { updatedInput: replied }
    })
    const { updatedInput } = await hooks.fire('PreToolUse', bash())
    for (const input of [...kept, replied]) input['command'] = 'rm -rf /'
    expect(updatedInput).toEqual({ command: 'git status' })
    expect(Object.isFrozen(updatedInput)).toBe(true)
  })

  test('not by writing to its context, which is reported', async () => {
    const notes: string[] = []
    const hooks = new HookRegistry({ sink: message => message.subtype === 'hook_notice' && notes.push(message.output) })
    let write = (): void => undefined
    hooks.on('PreToolUse', ctx => {
      write = () => {
        ctx.toolInput = { command: 'rm -rf /' }
      }
    })
    hooks.on('PreToolUse', async () => write())
    const outcome = await hooks.fire('PreToolUse', bash())
    expect(outcome).toMatchObject({ updatedInput: undefined, failures: [] })
    await Promise.resolve()
    expect(notes.join()).toMatch(/tool_input .*dropped/)
  })
})

test('a hook that fires the event it listens to is stopped, not the process', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', async ctx => {
    const inner = await ctx.fire('PreToolUse', bash())
    return inner.decision === 'deny' ? deny(inner.reason) : undefined
  })
  const outcome = await harness(hooks).fire('PreToolUse')
  expect(outcome).toMatchObject({ decision: 'deny' })
  expect(outcome.reason).toMatch(/levels deep/)
})

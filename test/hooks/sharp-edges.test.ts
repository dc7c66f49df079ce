/** Where two rules of the engine meet: each of these once went wrong. */
import { describe, expect, it } from 'vitest'
import {
  allow,
  applyEdits,
  deny,
  HookRegistry,
  transform,
  type CallbackRecord,
  type Hook,
  type Message,
  type Reply
} from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { bash, says, toolResult, toolUse } from '../support/hook-inputs.ts'

const talk = (): Message[] => [says('user', 'Go'), toolUse('a'), toolResult('a', 'the key is 42'), toolUse('open')]

it.each([false, true])(
  'an input whose getter throws is the failure of its hook, not of the event (async: %s)',
  async wait => {
    const hooks = new HookRegistry()
    const trap = {
      get home(): string {
        throw new Error('trapped')
      }
    }
    hooks.on('PreToolUse', ctx => ((ctx.toolInput['env'] = trap), wait ? Promise.resolve() : undefined), {
      name: 'trap'
    })
    const input = { tool_name: 'put', tool_input: { env: { home: '/' } }, tool_use_id: 'a' }
    const outcome = await hooks.fire('PreToolUse', input)
    expect(outcome).toMatchObject({ blocked: true, by: 'trap', failures: [{ kind: 'threw', message: 'trapped' }] })
  }
)

it('what hooks give for the terminal is in the outcome, in order', async () => {
  const hooks = new HookRegistry()
  hooks.on('Stop', () => ({ terminalSequence: 'a' }), { name: 'one' })
  hooks.on('Stop', async () => ({ terminalSequence: 'b' }), { name: 'two' })
  const { terminalSequences } = await hooks.fire('Stop', { stop_hook_active: false })
  expect(terminalSequences).toEqual([
    { by: 'one', text: 'a' },
    { by: 'two', text: 'b' }
  ])
})

describe('the conversation', () => {
  it('edits that are legal one by one and illegal in sum are the failure of whoever makes them so', async () => {
    for (const wait of [false, true]) {
      const hooks = new HookRegistry()
      hooks.on('PreToolUse', ctx => {
        ctx.messages.push(toolUse('new'), toolResult('new'))
        return wait ? Promise.resolve() : undefined
      })
      hooks.on('PreToolUse', ctx => void ctx.messages.pop(), { name: 'half' })
      const outcome = await hooks.fire('PreToolUse', bash('ls'), { messages: talk() })
      expect(outcome).toMatchObject({ decision: 'deny', failures: [{ by: 'half', kind: 'messages' }] })
    }
  })

  it('hooks side by side that bring the same call are told apart: the second fails', async () => {
    const hooks = new HookRegistry()
    const push = (name: string): Hook<'PreToolUse'> => ({
      name,
      events: 'PreToolUse',
      concurrent: true,
      run: async ctx => void ctx.messages.push(toolUse('new'), toolResult('new'))
    })
    hooks.register(push('first')).register(push('second'))
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { messages: talk() })
    expect(outcome.failures).toMatchObject([{ by: 'second', kind: 'messages' }])
  })

  it('a result can be redacted by putting another in its place', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => void ctx.messages.splice(2, 1, toolResult('a', '[redacted]')))
    const messages = talk()
    const { failures, messageEdits } = await hooks.fire('PreToolUse', bash('ls'), { messages })
    expect(failures).toEqual([])
    expect(JSON.stringify(applyEdits(messages, messageEdits!))).not.toContain('42')
    expect(applyEdits(messages, messageEdits!)).toHaveLength(4)
  })

  it('may hold one message twice, and a hook may push a message that is there already', async () => {
    const reminder = says('user', 'Mind the tests.')
    const messages = [reminder, says('assistant', 'Yes.'), reminder]
    const hooks = new HookRegistry()
    const lengths: number[] = []
    hooks.on('PreToolUse', ctx => void lengths.push(ctx.messages.length))
    hooks.on('PreToolUse', ctx => void ctx.messages.push(reminder))
    const { failures, messageEdits } = await hooks.fire('PreToolUse', bash('ls'), { messages })
    expect([failures, lengths]).toEqual([[], [3]])
    expect(applyEdits(messages, messageEdits!)).toEqual([...messages, reminder])
  })

  it('what fires side by side put at one place stands in the order of applying', async () => {
    const messages = [says('user', 'a'), says('user', 'b')]
    const insert = async (text: string): Promise<Parameters<typeof applyEdits>[1]> => {
      const hooks = new HookRegistry()
      hooks.on('PreToolUse', ctx => void ctx.messages.splice(1, 0, says('user', text)))
      return (await hooks.fire('PreToolUse', bash('ls'), { messages })).messageEdits!
    }
    const both = applyEdits(applyEdits(messages, await insert('one')), await insert('two'))
    expect(both.map(message => message.content)).toEqual(['a', 'one', 'two', 'b'])
  })
})

describe('a decision that stands where no one reads it', () => {
  const misplaced: readonly [string, 'PreToolUse' | 'PermissionRequest' | 'UserPromptSubmit', unknown][] = [
    ['the gate’s word in a permission', 'PermissionRequest', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['the permission’s word in a gate', 'PreToolUse', { hookSpecificOutput: { decision: { behavior: 'deny' } } }],
    ['the gate’s word for a prompt', 'UserPromptSubmit', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['a misspelt word', 'PreToolUse', { hookSpecificOutput: { permisionDecision: 'deny' } }],
    ['a misspelt word at the top', 'PreToolUse', { desicion: 'deny' }],
    ['the specific word at the top', 'PreToolUse', { permissionDecision: 'deny' }],
    ['a decision of something that answers later', 'PreToolUse', { async: true, decision: 'deny' }]
  ]

  it.each(misplaced)('%s closes the gate', async (_, event, reply) => {
    const hooks = new HookRegistry()
    hooks.on(event, () => reply as Reply)
    await expect(harness(hooks).expect(event).toDeny('gate_failed:reply')).resolves.toBeDefined()
  })

  it('is only noted where nothing is decided', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => ({ hookSpecificOutput: { permissionDecision: 'deny' } }))
    const { failures, report } = await harness(hooks).fire('PostToolUse')
    expect(failures).toEqual([])
    expect(report[0]!.notes.join()).toContain('permissionDecision')
  })
})

describe('what was granted', () => {
  const grant = {
    hookSpecificOutput: { decision: { behavior: 'allow', updatedPermissions: [{ type: 'setMode' }] } }
  } as const

  it('dies with an allow that does not outlive a rewrite', async () => {
    const hooks = new HookRegistry()
    hooks.on('PermissionRequest', ctx => (ctx.rejudge ? undefined : grant))
    hooks.on('PermissionRequest', 'Bash', ctx => void (ctx.toolInput.command = 'rm -rf /'))
    const outcome = await harness(hooks).fire('PermissionRequest')
    expect([outcome.decision, outcome.fields]).toEqual([undefined, {}])
  })

  it('is void when someone else refuses', async () => {
    const hooks = new HookRegistry()
    hooks.on('PermissionRequest', () => grant)
    hooks.on('PermissionRequest', () => deny('no'))
    expect((await harness(hooks).fire('PermissionRequest')).fields).toEqual({})
  })
})

describe('an abort', () => {
  it('of the whole registry keeps neither the end of a session nor observers from their hooks', async () => {
    const hooks = new HookRegistry({ signal: AbortSignal.abort() })
    const ran: string[] = []
    hooks.on('SessionEnd', async () => void ran.push('end'))
    hooks.on('PreToolUse', async () => void ran.push('audit'), { observe: true })
    hooks.on('PreToolUse', () => void ran.push('gate'))
    await hooks.fire('SessionEnd', { reason: 'other' })
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: 'deny' })
    expect(ran).toEqual(['end', 'audit'])
  })

  it.each([false, true])('cuts off observers that wait, and calls all of them (after a wait: %s)', async waits => {
    const controller = new AbortController()
    const hooks = new HookRegistry()
    const called: string[] = []
    const never = (): Promise<never> => new Promise(() => undefined)
    if (waits) hooks.on('PreToolUse', async () => undefined)
    hooks.on('PreToolUse', () => (queueMicrotask(() => controller.abort()), called.push('first'), never()), {
      name: 'first',
      observe: true,
      timeout: 1
    })
    hooks.on('PreToolUse', () => (called.push('second'), never()), {
      name: 'second',
      observe: true,
      timeout: 1
    })
    hooks.on('PreToolUse', () => void called.push('third'), { name: 'third', observe: true })
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { signal: controller.signal })
    expect(called).toEqual(['first', 'second', 'third'])
    expect(outcome.failures).toMatchObject([
      { by: 'first', kind: 'aborted' },
      { by: 'second', kind: 'aborted' }
    ])
  })

  it('by a hook that answers at once holds for the next', async () => {
    const controller = new AbortController()
    const hooks = new HookRegistry({ signal: controller.signal })
    hooks.on('PreToolUse', () => controller.abort())
    hooks.on('PreToolUse', () => allow())
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: 'deny' })
  })
})

it('a promise that answers twice does not swallow the next answer', async () => {
  const hooks = new HookRegistry()
  const twice = Promise.resolve()
  twice.then = ((answer: (value: undefined) => void) => {
    answer(undefined)
    answer(undefined)
  }) as typeof twice.then
  hooks.on('PreToolUse', () => twice)
  hooks.on('PreToolUse', async () => deny('no'))
  expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: 'deny', reason: 'no' })
})

it('what a hook changes when it is asked again is void, even where it could not stand', async () => {
  const hooks = new HookRegistry()
  const accept = (draft: unknown): boolean => typeof (draft as { path?: unknown }).path === 'string'
  hooks.on('PreToolUse', ctx => {
    const { file, ...rest } = ctx.toolInput
    return transform({ ...rest, path: file })
  })
  hooks.on('PreToolUse', ctx => void (ctx.toolInput['checked'] = true))
  const input = { tool_name: 'Open', tool_input: { file: 'a.txt' }, tool_use_id: '1' }
  const outcome = await hooks.fire('PreToolUse', input, { accept })
  expect(outcome).toMatchObject({ decision: undefined, updatedInput: { path: 'a.txt', checked: true } })
})

it('an input that is large already may be changed in place', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => void (ctx.toolInput['x'] = 2))
  const tool_input = { items: Array.from({ length: 20_000 }, (_, index) => index), x: 1 }
  const outcome = await hooks.fire('PreToolUse', { tool_name: 'Sum', tool_input, tool_use_id: '1' })
  expect(outcome).toMatchObject({ decision: undefined, updatedInput: { x: 2 } })
})

it('in compat, continue: false lets only tools run', async () => {
  const hooks = new HookRegistry({ profile: 'compat' })
  const stop = [{ hooks: [() => ({ continue: false })] }]
  hooks.callbacks({ PreToolUse: stop, UserPromptSubmit: stop } satisfies CallbackRecord)
  const { fire } = harness(hooks)
  expect(await fire('PreToolUse')).toMatchObject({ blocked: false, failedOpen: true, continue: false })
  expect(await fire('UserPromptSubmit')).toMatchObject({ blocked: true, continue: false })
})

it('a hook that runs once, and whose answer was dropped, runs again', async () => {
  const hooks = new HookRegistry()
  let stop = true
  let runs = 0
  hooks.group('PreToolUse', '', [
    { concurrent: true, run: () => (stop ? { continue: false } : undefined) },
    { name: 'once', once: true, concurrent: true, run: () => void runs++ }
  ])
  await hooks.fire('PreToolUse', bash('ls'))
  stop = false
  await hooks.fire('PreToolUse', bash('ls'))
  expect([runs, hooks.has('once')]).toEqual([2, false])
})

it('registries that share a signal share its listener', async () => {
  let listeners = 0
  const { signal } = new AbortController()
  const add = signal.addEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++
    add(...args)
  }
  const clock = manualClock()
  for (let index = 0; index < 20; index++) {
    const hooks = new HookRegistry({ signal, clock })
    hooks.on('PreToolUse', async () => undefined)
    await hooks.fire('PreToolUse', bash('ls'))
  }
  expect(listeners).toBe(1)
})

it('a stale answer is not shown as what a hook said', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => (ctx.rejudge ? undefined : allow()), { name: 'first' })
  hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command = 'pwd'), { name: 'second' })
  const { report, decision } = await harness(hooks).fire('PreToolUse')
  expect(decision).toBeUndefined()
  expect(report[0]).toMatchObject({ name: 'first', rejudged: true, reply: undefined })
  expect(report[1]).toMatchObject({ name: 'second', rewrote: true })
})

it('options that no one reads are errors that say what was meant', () => {
  const wrong: readonly (() => unknown)[] = [
    () => new HookRegistry({ profle: 'strict' } as object),
    () => new HookRegistry({ sink: 5 } as object),
    () => new HookRegistry().on('Stop', () => undefined, { priorty: 3 } as object),
    () => new HookRegistry().register({ events: 'Stop', run: () => undefined, timeuot: 3 } as Hook<'Stop'>)
  ]
  for (const make of wrong) expect(make).toThrow(expect.objectContaining({ code: 'E_OPTION_INVALID' }))
})

it('thousands of nameless hooks from one place are told apart', () => {
  const hooks = new HookRegistry()
  for (let index = 0; index < 3_000; index++) hooks.on('Stop', () => undefined)
  expect(hooks.list()).toHaveLength(3_000)
})

it.each([null, 'Stop', { Stop: [null] }, { Stop: {} }, { Stop: [{ hooks: 'x' }] }])(
  'callbacks(%j) is an error that says what is needed',
  record => {
    const hooks = new HookRegistry()
    expect(() => hooks.callbacks(record as object)).toThrow(expect.objectContaining({ code: 'E_HOOK_INVALID' }))
    expect(hooks.list()).toEqual([])
  }
)

it('a fault outside any hook, such as a clock that breaks, rejects the fire instead of leaving it hanging', async () => {
  const clock = manualClock()
  let broken = false
  const now = (): number => {
    if (broken) throw new Error('the clock broke')
    return clock.now()
  }
  const hooks = new HookRegistry({ clock: { ...clock, now } })
  hooks.on('PreToolUse', async () => {
    broken = true
  })
  await expect(hooks.fire('PreToolUse', bash('ls'), { report: true })).rejects.toThrow('the clock broke')
})

/**
 * Dialect 004: a runner built from a map of events to matchers, each with callbacks `(input, toolUseId, signal)`
 * and a timeout; outputs are JSON, sync or async. Here: `callbacks(record)` takes that map as it is, with the
 * meaning that outputs have there; `on` and `group` give the same hooks the meaning of library hooks.
 */
import { describe, expect, test } from 'vitest'
import {
  goesOn,
  guard,
  HookRegistry,
  later,
  type Callback,
  type HookMessage,
  type Outcome,
  type Reply,
  type SpecificOutput
} from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { bash } from '../support/hook-inputs.ts'

const tool = (tool_name: string) => ({ tool_name, tool_input: {}, tool_use_id: 'toolu_1' })
const never = () => new Promise<undefined>(() => undefined)

/** A registry with one callback that answers PreToolUse with `output`. */
const answering = (output: unknown) => {
  const hooks = new HookRegistry()
  hooks.callbacks({ PreToolUse: [{ hooks: [() => output as Reply] }] })
  return hooks
}

describe('callbacks', () => {
  // F34, F23
  test('get the whole typed input, the id of the call and a signal', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry({ sessionId: 's-1', cwd: '/project', transcriptPath: '/t.jsonl' })
    hooks.callbacks({
      PreToolUse: [
        { hooks: [async (input, toolUseId, { signal }) => void seen.push(input, toolUseId, signal.aborted)] }
      ]
    })
    await hooks.fire('PreToolUse', bash('ls'))
    expect(seen).toEqual([
      expect.objectContaining({
        session_id: 's-1',
        transcript_path: '/t.jsonl',
        cwd: '/project',
        permission_mode: 'default',
        hook_event_name: 'PreToolUse',
        ...bash('ls')
      }),
      'toolu_1',
      false
    ])
  })

  // F34
  test('get no id on events without a tool', async () => {
    const ids: unknown[] = []
    const hooks = new HookRegistry()
    hooks.callbacks({ Stop: [{ hooks: [(_, toolUseId) => void ids.push(toolUseId)] }] })
    await hooks.fire('Stop', { stop_hook_active: false })
    expect(ids).toEqual([undefined])
  })

  // F27
  test('a loose input arrives complete, and what was given stays as given', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry({ sessionId: 's-1' })
    hooks.callbacks({ Notification: [{ hooks: [input => void seen.push(input)] }] })
    await hooks.fire('Notification', { message: 'hi', notification_type: 'info', session_id: 's-2' })
    expect(seen).toMatchObject([{ session_id: 's-2', cwd: '', message: 'hi', hook_event_name: 'Notification' }])
  })

  // F76
  test('an empty map means no hooks, and no error', async () => {
    const hooks = new HookRegistry()
    hooks.callbacks({})
    expect(hooks.list()).toEqual([])
    expect((await hooks.fire('PreToolUse', bash('ls'))).decision).toBeUndefined()
  })

  // F77, F78
  test('all matchers that fit have a say, in order, and only for their event', async () => {
    const seen: string[] = []
    const say =
      (word: string): Callback =>
      () =>
        void seen.push(word)
    const hooks = new HookRegistry()
    hooks.callbacks({
      PreToolUse: [
        { matcher: 'Bash', hooks: [say('a'), say('b')] },
        { matcher: 'Write', hooks: [say('not this')] },
        { hooks: [say('c')] }
      ],
      PostToolUse: [{ hooks: [say('nor this')] }]
    })
    await hooks.fire('PreToolUse', bash('ls'))
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('a callback is listed under its own name, or its event’s, with the place it was added', () => {
    const hooks = new HookRegistry()
    const scan: Callback = () => undefined
    hooks.callbacks({ PreToolUse: [{ hooks: [scan, () => undefined] }] })
    const [named, nameless] = hooks.list().map(hook => hook.name)
    expect(named).toMatch(/^scan \(.*004-runner\.test\.ts:\d+\)$/)
    expect(nameless).toMatch(/^PreToolUse \(.*004-runner\.test\.ts:\d+\)$/)
  })

  // F62
  test('a map with an invalid matcher is refused, and nothing of it was added', () => {
    const hooks = new HookRegistry()
    const quiet: Callback = () => undefined
    expect(() =>
      hooks.callbacks({ Stop: [{ hooks: [quiet] }], PreToolUse: [{ matcher: '(Bash', hooks: [quiet] }] })
    ).toThrow(/matcher "\(Bash" is not valid/)
    expect(hooks.list()).toEqual([])
  })

  // F83
  test('what comes back removes them all', async () => {
    const hooks = new HookRegistry()
    const remove = hooks.callbacks({
      PreToolUse: [{ hooks: [() => ({ decision: 'block' })] }, { hooks: [() => undefined] }]
    })
    remove()
    expect(hooks.list()).toEqual([])
  })
})

describe('matchers', () => {
  const fits = async (matcher: string | undefined, name: string): Promise<boolean> => {
    const hooks = new HookRegistry()
    hooks.callbacks({ PreToolUse: [{ matcher, hooks: [() => ({ decision: 'block' })] }] })
    return (await hooks.fire('PreToolUse', tool(name))).blocked
  }

  // F85, F88, F89, F91
  test.each([
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Bash', 'bash', false],
    ['mcp__*', 'mcp__files__read', true],
    ['mcp__*', 'Bash', false],
    ['', 'Anything', true],
    [undefined, 'Anything', true]
  ])('%s on %s: %s', async (matcher, name, expected) => {
    expect(await fits(matcher, name)).toBe(expected)
  })

  // F90
  test('events without a tool ignore them', async () => {
    const hooks = new HookRegistry()
    hooks.callbacks({ Stop: [{ matcher: 'Bash', hooks: [() => ({ decision: 'block', reason: 'not yet' })] }] })
    expect((await hooks.fire('Stop', { stop_hook_active: false })).reason).toBe('not yet')
  })
})

describe('sync outputs', () => {
  // F52
  test.each([
    ['approve', 'allow'],
    ['block', 'deny'],
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['', undefined]
  ])('decision %j means %s', async (decision, expected) => {
    expect((await answering({ decision }).fire('PreToolUse', bash('ls'))).decision).toBe(expected)
  })

  // F49, F57
  test('every field arrives in the outcome', async () => {
    const outcome = await answering({
      continue: false,
      stopReason: 'enough',
      decision: 'block',
      reason: 'not allowed',
      systemMessage: 'told the user',
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'for the model' }
    }).fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({
      continue: false,
      stopReason: 'enough',
      decision: 'deny',
      reason: 'not allowed',
      systemMessages: [{ text: 'told the user', to: 'user' }],
      additionalContext: 'for the model'
    })
  })

  // F51
  test.each([[{}], [undefined], [null]])('%j says nothing', async output => {
    await harness(answering(output)).tool('Bash', { command: 'ls' }).toBeSilent()
  })

  // F53
  test('the part of PreToolUse decides, gives its reason, rewrites and adds context', async () => {
    const outcome = await answering({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        permissionDecisionReason: 'listed',
        updatedInput: { command: 'ls -la' },
        additionalContext: 'the folder is big'
      }
    }).fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({
      decision: 'allow',
      reason: 'listed',
      updatedInput: { command: 'ls -la' },
      additionalContext: 'the folder is big'
    })
  })

  // F54, F147
  test('the part of PostToolUse adds context, and replaces results of MCP tools only', async () => {
    const hooks = new HookRegistry()
    const hookSpecificOutput = {
      hookEventName: 'PostToolUse',
      additionalContext: 'seen',
      updatedMCPToolOutput: 'redacted'
    }
    hooks.callbacks({ PostToolUse: [{ hooks: [() => ({ hookSpecificOutput })] }] })
    const contexts: string[] = []
    const run = (name: string) => guard(hooks, name, () => 'secret', { onContext: text => contexts.push(text) })
    expect(await run('mcp__vault__read')({})).toBe('redacted')
    expect(await run('Read')({})).toBe('secret')
    expect(contexts).toEqual(['seen', 'seen'])
  })

  // F55
  test.each([
    'PostToolUseFailure',
    'SessionStart',
    'SubagentStart',
    'Setup',
    'Notification',
    'UserPromptSubmit'
  ] as const)('the part of %s adds context', async event => {
    const output: SpecificOutput = { hookEventName: event, additionalContext: 'by the way' }
    const hooks = new HookRegistry()
    hooks.callbacks({ [event]: [{ hooks: [() => ({ hookSpecificOutput: output })] }] })
    await harness(hooks).expect(event).toAddContext('by the way')
  })

  // F56
  test('a part meant for another event is a failure that names both', async () => {
    const outcome = await answering({
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'x' }
    }).fire('PreToolUse', bash('ls'))
    expect(outcome.additionalContext).toBeUndefined()
    expect(outcome.failures[0]?.message).toMatch(/PostToolUse.*PreToolUse/)
    expect(outcome.decision).toBe('deny')
  })
})

describe('groups', () => {
  const run = (log: string[], word: string, reply?: Reply) => () => {
    log.push(word)
    return reply
  }

  // F80
  test('continue: false skips the rest of its group, and no other', async () => {
    const log: string[] = []
    const hooks = new HookRegistry()
    hooks.group('PostToolUse', 'Bash', [run(log, 'a'), run(log, 'b', { continue: false }), run(log, 'c')])
    hooks.group('PostToolUse', 'Bash', [run(log, 'd')])
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    expect(log).toEqual(['a', 'b', 'd'])
    expect(outcome.continue).toBe(false)
  })

  // F80
  test('continue: true skips nothing', async () => {
    const log: string[] = []
    const hooks = new HookRegistry()
    hooks.group('PostToolUse', 'Bash', [run(log, 'a', { continue: true }), run(log, 'b')])
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    expect(log).toEqual(['a', 'b'])
  })

  // F80
  test('callbacks run side by side: what stands after a continue: false has run, and is dropped', async () => {
    const context = (text: string): Reply => ({ hookSpecificOutput: { additionalContext: text } })
    const hooks = new HookRegistry()
    hooks.callbacks({
      PostToolUse: [
        { hooks: [() => context('before'), () => ({ continue: false, ...context('with') }), () => context('after')] },
        { hooks: [() => context('another group')] }
      ]
    })
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' }, { report: true })
    expect(outcome.additionalContext).toBe('before\nwith\nanother group')
    expect(outcome.report[2]?.notes.join()).toContain('dropped')
  })

  // F79
  test('members that may run side by side come after those that may not', async () => {
    const log: string[] = []
    const beside = (word: string) => ({ run: run(log, word), concurrent: true })
    const hooks = new HookRegistry()
    hooks.group('PreToolUse', '', [
      beside('command 1'),
      run(log, 'function 1'),
      beside('command 2'),
      run(log, 'function 2')
    ])
    await hooks.fire('PreToolUse', bash('ls'))
    expect(log).toEqual(['function 1', 'function 2', 'command 1', 'command 2'])
  })

  // F93
  test('a matcher’s timeout holds for its hooks: each is cancelled, and the caller continues', async () => {
    const clock = manualClock()
    const signals: AbortSignal[] = []
    const hooks = new HookRegistry({ clock })
    const slow: Callback<'PreToolUse'> = (_input, _id, { signal }) => {
      signals.push(signal)
      return never()
    }
    hooks.callbacks({ PreToolUse: [{ matcher: 'Bash', hooks: [slow, slow], timeout: 2 }] })
    let outcome: Outcome | undefined
    void Promise.resolve(hooks.fire('PreToolUse', bash('ls'))).then(done => (outcome = done))

    await clock.advance(1.9)
    expect(outcome).toBeUndefined()
    await clock.advance(0.1)
    expect(outcome?.failures.map(failure => failure.kind)).toEqual(['timeout', 'timeout'])
    expect(signals.map(signal => signal.aborted)).toEqual([true, true])
  })

  // F95
  test('one that fails neither crashes nor skips the others', async () => {
    const log: string[] = []
    const hooks = new HookRegistry()
    hooks.callbacks({
      PostToolUse: [{ hooks: [() => Promise.reject(new Error('broken')), async () => void log.push('ran')] }]
    })
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    expect(log).toEqual(['ran'])
    expect(outcome.failures).toMatchObject([{ kind: 'threw', message: 'broken' }])
  })
})

describe('async outputs', () => {
  const slowly = (clock: ReturnType<typeof manualClock>, seconds: number, reply: Reply) =>
    new Promise<Reply>(resolve => void clock.after(seconds * 1000, () => resolve(reply)))

  // F97, F50
  test('the answer counts when it comes within asyncTimeout', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PreToolUse', () =>
      later(slowly(clock, 3, { decision: 'deny', reason: 'found something' }), { asyncTimeout: 5 })
    )
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(3)
    expect((await outcome).reason).toBe('found something')
  })

  // F97, F99
  test('after asyncTimeout that hook has timed out, others count, and a late answer changes nothing', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PreToolUse', () => later(slowly(clock, 9, { decision: 'allow' }), { asyncTimeout: 5 }), { name: 'slow' })
    hooks.on('PreToolUse', () => ({ additionalContext: 'from another' }))
    const firing = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(5)
    const outcome = await firing
    expect(outcome.failures).toMatchObject([{ by: 'slow', kind: 'timeout' }])
    expect(outcome).toMatchObject({ decision: 'deny', additionalContext: 'from another' })
    await clock.advance(5)
    expect(outcome.decision).toBe('deny')
  })

  // F97
  test('an event that decides nothing does not wait; what comes later is handed over', async () => {
    const clock = manualClock()
    const given: string[] = []
    const hooks = new HookRegistry({
      clock,
      onLate: answer => given.push(...answer.contexts.map(context => context.text))
    })
    hooks.on('PostToolUse', () => later(slowly(clock, 3, { additionalContext: 'lint is clean' }), { asyncTimeout: 5 }))
    expect(hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })).not.toBeInstanceOf(Promise)
    await clock.advance(3)
    await hooks.drain()
    expect(given).toEqual(['lint is clean'])
  })

  // F50
  test('a callback that resolves to async: true decides nothing, and is not called again', async () => {
    let calls = 0
    const hooks = new HookRegistry()
    hooks.callbacks({
      PreToolUse: [{ hooks: [async () => (calls++, { async: true, asyncTimeout: 5000, decision: 'block' as const })] }]
    })
    expect((await hooks.fire('PreToolUse', bash('ls'))).decision).toBeUndefined()
    expect(calls).toBe(1)
  })
})

describe('stopping', () => {
  const stop = { stop_hook_active: false }

  // F9
  test('continue: true keeps the agent going, and its message goes with it', async () => {
    const hooks = new HookRegistry()
    hooks.on('Stop', ctx =>
      ctx.input.stop_hook_active ? undefined : { continue: true, systemMessage: 'run the tests first' }
    )
    const outcome = await hooks.fire('Stop', stop)
    expect(goesOn(outcome)).toBe(true)
    expect(outcome.systemMessages).toMatchObject([{ text: 'run the tests first', to: 'model' }])
    expect(goesOn(await hooks.fire('Stop', { stop_hook_active: true }))).toBe(false)
  })

  test('without it the agent stops', async () => {
    const hooks = new HookRegistry()
    hooks.on('Stop', () => undefined)
    expect(goesOn(await hooks.fire('Stop', stop))).toBe(false)
  })

  test('any true is enough, and an explicit false beats it', async () => {
    const hooks = new HookRegistry()
    hooks.on('Stop', () => ({ continue: true }))
    hooks.on('Stop', () => undefined)
    expect(goesOn(await hooks.fire('Stop', stop))).toBe(true)
    hooks.on('Stop', () => ({ continue: false }))
    expect(goesOn(await hooks.fire('Stop', stop))).toBe(false)
  })

  test('from a callback continue: true is neutral, as its authors mean it; a block continues', async () => {
    const polite = new HookRegistry()
    polite.callbacks({ Stop: [{ hooks: [() => ({ continue: true })] }] })
    expect(goesOn(await polite.fire('Stop', stop))).toBe(false)

    const firm = new HookRegistry()
    firm.callbacks({ Stop: [{ hooks: [() => ({ decision: 'block', reason: 'tests are red' })] }] })
    const outcome = await firm.fire('Stop', stop)
    expect(goesOn(outcome)).toBe(true)
    expect(outcome.reason).toBe('tests are red')
  })
})

describe('results of PreToolUse', () => {
  const outcomeOf = (...decisions: readonly Reply['decision'][]) => {
    const hooks = new HookRegistry()
    for (const decision of decisions) hooks.on('PreToolUse', () => ({ decision, reason: `${decision}!` }))
    return hooks.fire('PreToolUse', bash('ls'))
  }

  // F154
  test('the first deny wins, else the first allow, else ask', async () => {
    expect((await outcomeOf('ask', 'allow', 'deny')).reason).toBe('deny!')
    expect((await outcomeOf('ask', 'allow')).decision).toBe('allow')
    expect((await outcomeOf('ask')).decision).toBe('ask')
  })

  // F146
  test('suppressOutput of a later hook hides what the tool gave; the tool has run', async () => {
    let ran = 0
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => ({ suppressOutput: true }))
    const result = await guard(hooks, 'Bash', () => (ran++, 'the secret'))({})
    expect(ran).toBe(1)
    expect(result).not.toContain('secret')
  })
})

describe('messages', () => {
  // F159
  test('each run of a hook is announced and answered', async () => {
    const messages: HookMessage[] = []
    const hooks = new HookRegistry({ sessionId: 's-1', sink: message => messages.push(message) })
    hooks.on('PreToolUse', () => undefined, { name: 'a' })
    hooks.on('PreToolUse', () => Promise.reject(new Error('broken')), { name: 'b' })
    await hooks.fire('PreToolUse', bash('ls'))
    await Promise.resolve()

    expect(messages.map(message => [message.subtype, message.hook_name])).toEqual([
      ['hook_started', 'a'],
      ['hook_response', 'a'],
      ['hook_started', 'b'],
      ['hook_response', 'b']
    ])
    expect(messages[0]).toMatchObject({ type: 'system', hook_event: 'PreToolUse', session_id: 's-1' })
    expect(messages[0]?.hook_id).toBe(messages[1]?.hook_id)
    expect(messages[3]).toMatchObject({ outcome: 'error', output: 'broken' })
  })

  // F162
  test('a sink that hangs or throws holds no one up', () => {
    for (const sink of [never, () => Promise.reject(new Error('full'))]) {
      const hooks = new HookRegistry({ sink })
      hooks.on('PreToolUse', () => ({ decision: 'deny' }))
      const outcome = hooks.fire('PreToolUse', bash('ls'))
      expect(outcome).toMatchObject({ blocked: true })
    }
  })

  // F82
  test('fires that overlap do not mix', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    const wait = (seconds: number) => new Promise<void>(resolve => void clock.after(seconds * 1000, resolve))
    hooks.callbacks({
      PreToolUse: [
        {
          hooks: [
            async input => {
              const command = String(input.tool_input['command'])
              await wait(Number(command))
              return { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: `waited ${command}` } }
            }
          ]
        }
      ]
    })
    const fires = ['3', '1', '2'].map(async command => hooks.fire('PreToolUse', bash(command)))
    await clock.advance(3)
    const outcomes = await Promise.all(fires)
    expect(outcomes.map(outcome => outcome.additionalContext)).toEqual(['waited 3', 'waited 1', 'waited 2'])
  })
})

// F81
test('anything that can fire stands in for the registry', async () => {
  const ask = async (hooks: Pick<HookRegistry, 'fire'>) => (await hooks.fire('PreToolUse', bash('ls'))).blocked
  const silent = new HookRegistry()
  expect(await ask(silent)).toBe(false)
  const neutral = await silent.fire('PreToolUse', bash('ls'), { report: true })
  const fire = () => ({ ...neutral, blocked: true })
  expect(await ask({ fire })).toBe(true)
})

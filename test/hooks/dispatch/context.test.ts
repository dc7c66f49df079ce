import { describe, expect, it } from 'vitest'
import {
  deny,
  EVENT_NAMES,
  EVENTS,
  HookRegistry,
  type Callback,
  type Hook,
  type HookMessage
} from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { bash, loopTurn } from '../../support/hook-inputs.ts'

describe('what a context holds', () => {
  type View = Record<
    | 'toolName'
    | 'toolInput'
    | 'toolUseId'
    | 'toolResponse'
    | 'error'
    | 'prompt'
    | 'request'
    | 'response'
    | 'subagentId',
    unknown
  >
  const view = async (event: (typeof EVENT_NAMES)[number], extra: object = {}): Promise<Partial<View>> => {
    const hooks = new HookRegistry()
    let seen: Partial<View> = {}
    const look: Hook = {
      events: EVENT_NAMES,
      run: ({ toolName, toolInput, toolUseId, toolResponse, error, prompt, request, response, subagentId }) => {
        const all: View = { toolName, toolInput, toolUseId, toolResponse, error, prompt, request, response, subagentId }
        seen = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
      }
    }
    await hooks.register(look).fire(event, { ...EVENTS[event].sample, ...extra } as never)
    return seen
  }

  const TOOL = { toolName: 'Bash', toolInput: { command: 'git status' }, toolUseId: 'toolu_sample' }

  // F26, F35, F41
  it.each([
    ['PreToolUse', TOOL],
    ['PostToolUse', { ...TOOL, toolResponse: { stdout: 'nothing to commit', stderr: '', interrupted: false } }],
    ['PostToolUseFailure', { ...TOOL, error: 'Exit code 1' }],
    ['PermissionRequest', { toolName: 'Bash', toolInput: { command: 'git status' } }],
    ['UserPromptSubmit', { prompt: 'Tidy the build folder' }],
    ['PreModelRequest', { request: EVENTS.PreModelRequest.sample.request }],
    ['PostModelResponse', { response: EVENTS.PostModelResponse.sample.response }],
    ['SubagentStart', { subagentId: 'agent-1' }],
    ['SubagentStop', { subagentId: 'agent-1' }],
    ['Stop', {}],
    ['SessionStart', {}],
    ['SessionEnd', {}],
    ['PreCompact', {}],
    ['AgentStart', {}]
  ] as const)('%s shows its own fields and no others', async (event, fields) => {
    expect(await view(event)).toEqual(fields)
  })

  // F26, F35
  it('stray fields in an input do not make an event look like another', async () => {
    const stray = { tool_name: 'Bash', tool_input: {}, tool_use_id: 'x', tool_response: 1, prompt: 'p', error: 'e' }
    expect(await view('SessionEnd', stray)).toEqual({})
    expect(await view('PreToolUse', { error: 'e', prompt: 'p', tool_response: 1 })).toEqual(TOOL)
  })

  // F42
  it('made from a session id alone: a live signal, no cwd, no environment', async () => {
    const hooks = new HookRegistry({ sessionId: 's1' })
    const seen: unknown[] = []
    hooks.on('Stop', ctx => void seen.push(ctx.sessionId, ctx.signal.aborted, ctx.cwd, ctx.env, ctx.agent))
    await hooks.fire('Stop', { stop_hook_active: false })
    expect(seen).toEqual(['s1', false, undefined, {}, {}])
  })

  // F40, F42
  it('each of them can be set, and the agent shows itself', async () => {
    const agent = { id: 'a0', depth: 1, session: { title: 'Ship' }, config: { model: 'small' } }
    const hooks = new HookRegistry({ sessionId: 's1', cwd: '/repo', env: { CI: '1' }, agent })
    const seen: unknown[] = []
    hooks.on('Stop', ctx => void seen.push(ctx.cwd, ctx.env, ctx.agent))
    await hooks.fire('Stop', { stop_hook_active: false })
    await hooks.fire('Stop', { stop_hook_active: false, cwd: '/sub' }, { agent: { id: 'a1' } })
    expect(seen).toEqual(['/repo', { CI: '1' }, agent, '/sub', { CI: '1' }, { id: 'a1' }])
  })
})

// F39
describe('metadata', () => {
  it('set in one hook, is seen by later hooks and events of the session, and by no other session', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => ctx.setMetadata('count', 1))
    hooks.on('PreToolUse', ctx => void seen.push(ctx.metadata['count']))
    hooks.on('Stop', ctx => void seen.push(ctx.metadata['count']))
    await hooks.fire('PreToolUse', { ...bash('ls'), session_id: 'a' })
    await hooks.fire('Stop', { stop_hook_active: false, session_id: 'a' })
    await hooks.fire('Stop', { stop_hook_active: false, session_id: 'b' })
    expect(seen).toEqual([1, 1, undefined])
  })

  it('stays when its hook fails or denies, and is forgotten with the session', async () => {
    const hooks = new HookRegistry({ sessionId: 's' })
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => {
      ctx.metadata['failed'] = true
      throw new Error('after writing')
    })
    hooks.on('PreToolUse', ctx => {
      ctx.setMetadata('denied', true)
      return deny()
    })
    hooks.register({ events: ['Stop', 'SessionEnd'], run: ctx => void seen.push({ ...ctx.metadata }) })
    await hooks.fire('PreToolUse', bash('ls'))
    await hooks.fire('SessionEnd', { reason: 'other' })
    await hooks.fire('Stop', { stop_hook_active: false })
    expect(seen).toEqual([{ failed: true, denied: true }, {}])
  })

  it('may be the caller’s own object', async () => {
    const metadata: Record<string, unknown> = { visits: 1 }
    const hooks = new HookRegistry()
    hooks.on('Stop', ctx => ctx.setMetadata('visits', Number(ctx.metadata['visits']) + 1))
    await hooks.fire('Stop', { stop_hook_active: false }, { metadata })
    expect(metadata).toEqual({ visits: 2 })
  })
})

describe('firing from within a hook', () => {
  it('goes through the same hooks, with the same session', async () => {
    const hooks = new HookRegistry({ sessionId: 's1', cwd: '/repo' })
    const seen: unknown[] = []
    hooks.on('Notification', ctx => void seen.push(ctx.sessionId, ctx.cwd, ctx.input.message))
    hooks.on('PreToolUse', async ctx => {
      await ctx.fire('Notification', { message: 'about to run', notification_type: 'note' })
    })
    await hooks.fire('PreToolUse', { ...bash('ls'), session_id: 's2', cwd: '/sub' })
    expect(seen).toEqual(['s2', '/sub', 'about to run'])
  })

  it('keeps the other base fields of the input too', async () => {
    const base = { transcript_path: '/t/s2.jsonl', permission_mode: 'plan', agent_id: 'a1', agent_type: 'Explore' }
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('Notification', ctx => void seen.push(ctx.input))
    hooks.on('PreToolUse', ctx => void ctx.fire('Notification', { message: 'hm', notification_type: 'note' }))
    await hooks.fire('PreToolUse', { ...bash('ls'), ...base })
    expect(seen[0]).toMatchObject(base)
  })

  it('without end is stopped with an error, and the gate closes', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      const { failures } = ctx.fire('PreToolUse', bash('ls')) as { failures: readonly { message: string }[] }
      if (failures.length > 0) throw new Error(failures[0]!.message)
    })
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ blocked: true, reason: expect.stringContaining('levels deep') })
  })
})

// F43
describe('the signal', () => {
  it('when aborted, ends a hook that is running, and the gate stays shut', async () => {
    const stop = new AbortController()
    const hooks = new HookRegistry()
    let own: AbortSignal | undefined
    hooks.on('PreToolUse', ctx => {
      own = ctx.signal
      return new Promise(() => undefined)
    })
    const outcome = hooks.fire('PreToolUse', bash('ls'), { signal: stop.signal })
    await loopTurn()
    expect(own?.aborted).toBe(false)
    stop.abort()
    expect(await outcome).toMatchObject({ blocked: true, failures: [{ kind: 'aborted' }] })
    expect(own?.aborted).toBe(true)
  })

  it('ends hooks that run side by side as well', async () => {
    const stop = new AbortController()
    const hooks = new HookRegistry({ signal: stop.signal })
    const signals: AbortSignal[] = []
    const hang: Callback = (_, __, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    hooks.callbacks({ PreToolUse: [{ hooks: [hang, hang] }] })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await loopTurn()
    stop.abort()
    expect(await outcome).toMatchObject({ blocked: true, failures: [{ kind: 'aborted' }, { kind: 'aborted' }] })
    expect(signals.map(signal => signal.aborted)).toEqual([true, true])
  })

  it('tells a hook that has run out of time', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    let own: AbortSignal | undefined
    const hang = (ctx: { signal: AbortSignal }): Promise<undefined> => {
      own = ctx.signal
      return new Promise(() => undefined)
    }
    hooks.on('Stop', hang, { timeout: 2 })
    const outcome = hooks.fire('Stop', { stop_hook_active: false })
    await clock.advance(2)
    expect(await outcome).toMatchObject({ failures: [{ kind: 'timeout' }] })
    expect(own?.aborted).toBe(true)
  })

  it('aborted before the fire: no hook is asked, and the gate is shut', async () => {
    const hooks = new HookRegistry()
    let calls = 0
    hooks.on('PreToolUse', () => void calls++)
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ blocked: true, failures: [{ kind: 'aborted' }] })
    expect(calls).toBe(0)
  })
})

it('progress of a hook goes to whoever watches', async () => {
  const messages: HookMessage[] = []
  const hooks = new HookRegistry({ sink: message => messages.push(message) })
  hooks.on('PreToolUse', ctx => ctx.progress('half way'), { name: 'slow' })
  await hooks.fire('PreToolUse', bash('ls'))
  await loopTurn()
  expect(messages.map(message => message.subtype)).toEqual(['hook_started', 'hook_progress', 'hook_response'])
  expect(messages[1]).toMatchObject({ hook_name: 'slow', output: 'half way' })
})

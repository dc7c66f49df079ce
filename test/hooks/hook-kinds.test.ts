import { describe, expect, it } from 'vitest'
import { deny, HookRegistry, type Callback } from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { bash } from '../support/hook-inputs.ts'

describe('what can be a hook', () => {
  // F29, F30
  it('an object with run(ctx) that answers or fails', async () => {
    class Guard {
      readonly events = 'PreToolUse'
      calls = 0
      run(): undefined {
        this.calls++
        throw new Error('not today')
      }
    }
    const guard = new Guard()
    const outcome = await new HookRegistry().register(guard).fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'threw', message: 'not today' }] })
    expect(guard.calls).toBe(1)
  })

  // F30
  it('a plain function, synchronous or not', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ({ additionalContext: 'sync' }))
    hooks.on('PreToolUse', async () => ({ additionalContext: 'async' }))
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ additionalContext: 'sync\nasync' })
  })

  // F31
  it('a synchronous hook needs no promise, and the next one sees its effect', () => {
    const hooks = new HookRegistry()
    const seen: string[] = []
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'ls -l'
    })
    hooks.on('PreToolUse', 'Bash', ctx => void seen.push(ctx.toolInput.command))
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).not.toBeInstanceOf(Promise)
    expect(outcome).toMatchObject({ updatedInput: { command: 'ls -l' } })
    expect(seen).toEqual(['ls -l'])
  })

  // F31
  it('work that a hook spawns is not waited for by fire, and not lost', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    const done: string[] = []
    hooks.on('PostToolUse', ctx => {
      ctx.spawn(new Promise<void>(resolve => clock.after(5_000, resolve)).then(() => void done.push('uploaded')))
      ctx.spawn(Promise.reject(new Error('lost')))
    })
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    expect(done).toEqual([])
    const drained = hooks.drain()
    await clock.advance(5)
    await drained
    expect(done).toEqual(['uploaded'])
  })

  // F32
  it('a hook object has sensible defaults', () => {
    const hooks = new HookRegistry().register({ name: 'plain', events: ['PreToolUse', 'Stop'], run: () => undefined })
    expect(hooks.describe('plain')).toMatchObject({
      events: ['PreToolUse', 'Stop'],
      matcher: 'everything',
      timeout: 60,
      priority: 0,
      once: false,
      observe: false,
      enabled: true
    })
  })

  // F32
  it('a hook object runs on all its events and no other', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry().register({
      events: ['Stop', 'SessionStart'],
      run: ctx => void seen.push(ctx.event)
    })
    for (const event of ['SessionStart', 'SessionEnd', 'Stop', 'PreToolUse'] as const) await harness(hooks).fire(event)
    expect(seen).toEqual(['SessionStart', 'Stop'])
  })

  // F33
  it('a function becomes one with name, priority, timeout and matcher', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', () => deny('no'), { name: 'no-bash', priority: 5, timeout: 2 })
    expect(hooks.describe('no-bash')).toMatchObject({
      events: ['PreToolUse'],
      matcher: '"Bash"',
      priority: 5,
      timeout: 2
    })
  })

  // F34
  it('a callback gets the input, the real id of the call and a signal', async () => {
    const seen: unknown[][] = []
    const callback: Callback = (input, toolUseId, { signal }) =>
      void seen.push([input.hook_event_name, toolUseId, signal instanceof AbortSignal && !signal.aborted])
    const hooks = new HookRegistry()
    hooks.callbacks({
      PreToolUse: [{ hooks: [callback] }],
      PostToolUse: [{ matcher: 'Bash', hooks: [callback] }],
      Stop: [{ hooks: [callback] }]
    })
    await hooks.fire('PreToolUse', bash('ls'))
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '', tool_use_id: 'toolu_2' })
    await hooks.fire('Stop', { stop_hook_active: false })
    expect(seen).toEqual([
      ['PreToolUse', 'toolu_1', true],
      ['PostToolUse', 'toolu_2', true],
      ['Stop', undefined, true]
    ])
  })

  it('what a callback scribbles on its input reaches no one', async () => {
    const call = bash('ls')
    const seen: unknown[] = []
    const hooks = new HookRegistry()
    const scribble: Callback<'PreToolUse'> = input => {
      input.tool_input['command'] = 'rm'
    }
    hooks.callbacks({ PreToolUse: [{ hooks: [scribble, input => void seen.push(input.tool_input)] }] })
    const outcome = await hooks.fire('PreToolUse', call)
    expect(seen).toEqual([{ command: 'ls' }])
    expect(outcome.updatedInput).toBeUndefined()
    expect(call.tool_input).toEqual({ command: 'ls' })
  })
})

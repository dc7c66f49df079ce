import { describe, expect, test } from 'vitest'
import { allow, deny, later, type HookMessage } from '../../src/hooks.ts'
import { after, fireSample, watchedRegistry } from '../support/hook-kit.ts'
import { bash, loopTurn } from '../support/hook-inputs.ts'

describe('each run of a hook', () => {
  // F159
  test('is told as started and then as response, with id, name, event and session', async () => {
    const { hooks, messages } = watchedRegistry({ sessionId: 's-1' })
    hooks.on('PreToolUse', () => deny('no'), { name: 'gate' })
    await hooks.fire('PreToolUse', bash())
    await loopTurn()
    const common = {
      type: 'system',
      hook_id: expect.any(String),
      hook_name: 'gate',
      hook_target: 'Bash',
      hook_event: 'PreToolUse',
      session_id: 's-1'
    }
    expect(messages).toEqual([
      { ...common, subtype: 'hook_started' },
      { ...common, subtype: 'hook_response', outcome: 'success', output: JSON.stringify(deny('no')), duration_ms: 0 }
    ])
    expect(messages[0]!.hook_id).toBe(messages[1]!.hook_id)
  })

  // F159
  test('has an id of its own, and the session of its fire', async () => {
    const { hooks, messages } = watchedRegistry({ sessionId: 's-1' })
    hooks.on('PreToolUse', () => undefined, { name: 'gate' })
    await hooks.fire('PreToolUse', bash())
    await hooks.fire('PreToolUse', { ...bash(), session_id: 's-2' })
    await loopTurn()
    expect(messages.map(message => message.session_id)).toEqual(['s-1', 's-1', 's-2', 's-2'])
    expect(new Set(messages.map(message => message.hook_id)).size).toBe(2)
  })

  // F159
  test('comes in the order of running, with progress in between', async () => {
    const { clock, hooks, told, messages } = watchedRegistry()
    hooks.on(
      'PreToolUse',
      async ctx => {
        ctx.progress('half')
        await new Promise<void>(resolve => void clock.after(1000, resolve))
        ctx.progress('whole')
      },
      { name: 'slow' }
    )
    hooks.on('PreToolUse', () => allow(), { name: 'quick' })
    await after(clock, 1, () => hooks.fire('PreToolUse', bash()))
    await loopTurn()
    expect(told()).toEqual([
      'slow started',
      'slow progress',
      'slow progress',
      'slow response',
      'quick started',
      'quick response'
    ])
    expect(messages.filter(message => message.subtype === 'hook_progress').map(message => message.output)).toEqual([
      'half',
      'whole'
    ])
  })

  test('is not told for hooks that have no part', async () => {
    const { hooks, told } = watchedRegistry()
    hooks.on('PreToolUse', 'Read', () => undefined, { name: 'other tool' })
    hooks.on('PostToolUse', () => undefined, { name: 'other event' })
    hooks.on('PreToolUse', () => undefined, { name: 'disabled' })
    hooks.disable('disabled')
    await hooks.fire('PreToolUse', bash())
    await loopTurn()
    expect(told()).toEqual([])
  })

  test('that fails is an error, and one that is cut is cancelled', async () => {
    const { clock, hooks, messages } = watchedRegistry()
    hooks.on('PostToolUse', () => JSON.parse('{'), { name: 'throws' })
    hooks.on('PostToolUse', () => 'text' as never, { name: 'wrong' })
    hooks.on('PostToolUse', () => new Promise<never>(() => undefined), { name: 'slow', timeout: 1 })
    await after(clock, 1, () => fireSample(hooks, 'PostToolUse'))
    await loopTurn()
    const responses = messages.flatMap(message => (message.subtype === 'hook_response' ? [message] : []))
    expect(responses.map(({ hook_name, outcome }) => [hook_name, outcome])).toEqual([
      ['throws', 'error'],
      ['wrong', 'error'],
      ['slow', 'cancelled']
    ])
    expect(responses.map(({ output }) => output)).toEqual([
      expect.stringMatching(/JSON/),
      expect.stringMatching(/object or nothing/),
      'gave no answer within 1 s'
    ])
  })

  test('that is asked again about the final input has two ids', async () => {
    const { hooks, messages, told } = watchedRegistry()
    hooks.on('PreToolUse', () => allow(), { name: 'gate' })
    hooks.on('PreToolUse', () => ({ updatedInput: { command: 'ls -l' } }), { name: 'rewriter' })
    await hooks.fire('PreToolUse', bash())
    await loopTurn()
    expect(told()).toEqual([
      'gate started',
      'gate response',
      'rewriter started',
      'rewriter response',
      'gate started',
      'gate response'
    ])
    expect(new Set(messages.map(message => message.hook_id)).size).toBe(3)
  })

  // F159
  test('has exactly one start and one response, whatever becomes of it', async () => {
    const { clock, hooks, messages } = watchedRegistry()
    const wait = <T>(value: T): Promise<T> => new Promise(resolve => void clock.after(1000, () => resolve(value)))
    hooks.on('PostToolUse', () => wait(allow()), { name: 'late', timeout: 0.5 })
    hooks.group('PostToolUse', '', [
      { name: 'stopper', concurrent: true, run: () => ({ continue: false }) },
      { name: 'dropped', concurrent: true, run: async () => ({}) }
    ])
    hooks.on('PostToolUse', () => JSON.parse('{'), { name: 'observer', observe: true })
    await after(clock, 5, () => fireSample(hooks, 'PostToolUse'))
    await loopTurn()
    expect(pairs(messages)).toEqual({ late: PAIR, stopper: PAIR, dropped: PAIR, observer: PAIR })
  })

  // F159
  test('that answers later has one response, when it has answered', async () => {
    const { clock, hooks, messages } = watchedRegistry()
    hooks.on('PostToolUse', () => later(new Promise(resolve => void clock.after(1000, () => resolve(null)))), {
      name: 'later'
    })
    await fireSample(hooks, 'PostToolUse')
    await loopTurn()
    expect(pairs(messages)).toEqual({ later: ['hook_started'] })
    await clock.advance(1)
    expect(pairs(messages)).toEqual({ later: PAIR })
  })

  // F159
  test('that was aborted before it began is not told as a run', async () => {
    const { hooks, messages } = watchedRegistry()
    hooks.on('PreToolUse', () => undefined, { name: 'never' })
    await fireSample(hooks, 'PreToolUse', { signal: AbortSignal.abort() })
    await loopTurn()
    expect(pairs(messages)).toEqual({})
  })
})

const PAIR = ['hook_started', 'hook_response']

/** The messages about each hook, without progress and notices. */
function pairs(messages: readonly HookMessage[]): Record<string, string[]> {
  const told: Record<string, string[]> = {}
  for (const { hook_name, subtype } of messages) {
    if (subtype === 'hook_started' || subtype === 'hook_response') (told[hook_name] ??= []).push(subtype)
  }
  return told
}

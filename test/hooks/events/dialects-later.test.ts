import { describe, expect, it } from 'vitest'
import { allow, deny, HookRegistry, later } from '../../../src/hooks.ts'
import type { Dialect, Hook, LateAnswer, Reply } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { bash, loopTurn } from '../../support/hook-inputs.ts'

const DIALECTS = ['library', 'contract'] as const

// F50
describe('asyncTimeout', () => {
  const setup = (dialect: Dialect, event: 'PreToolUse' | 'PostToolUse') => {
    const clock = manualClock()
    const late: LateAnswer[] = []
    const hooks = new HookRegistry({ clock, onLate: answer => late.push(answer) })
    let answer: (reply: Reply) => void = () => undefined
    let calls = 0
    const hook: Hook<typeof event> = {
      name: 'slow',
      events: event,
      dialect,
      timeout: 1,
      run: () => {
        calls++
        return later(new Promise<Reply>(resolve => (answer = resolve)), { asyncTimeout: 30 })
      }
    }
    hooks.register(hook)
    return { clock, hooks, late, answer: (reply: Reply) => answer(reply), calls: () => calls }
  }

  it('of a library hook is in seconds, and a deciding event waits that long', async () => {
    const { clock, hooks, answer, calls } = setup('library', 'PreToolUse')
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toBeInstanceOf(Promise)
    await clock.advance(29)
    answer(deny('in time'))
    expect(await outcome).toMatchObject({ decision: 'deny', reason: 'in time', failures: [] })
    expect(calls()).toBe(1)
  })

  it('of a library hook that runs out is a failure', async () => {
    const { clock, hooks, answer } = setup('library', 'PreToolUse')
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(30)
    expect(await outcome).toMatchObject({
      blocked: true,
      failures: [{ kind: 'timeout', message: expect.stringContaining('30 s') }]
    })
    answer(allow())
    await loopTurn()
    expect(await outcome).toMatchObject({ blocked: true })
  })

  it('of a contract hook is never waited for, and what it decides is void', async () => {
    const { hooks, late, answer } = setup('contract', 'PreToolUse')
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ decision: undefined, failures: [] })
    answer({ decision: 'block', reason: 'too late', hookSpecificOutput: { additionalContext: 'for the next call' } })
    await hooks.drain()
    expect(await outcome).toMatchObject({ decision: undefined })
    expect(late).toMatchObject([
      { by: 'slow', event: 'PreToolUse', contexts: [{ by: 'slow', text: 'for the next call' }] }
    ])
  })

  it('of a contract hook does not cut it off', async () => {
    const { clock, hooks, late, answer } = setup('contract', 'PostToolUse')
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    await clock.advance(1_000)
    answer({ systemMessage: 'done at last' })
    await hooks.drain()
    expect(late).toMatchObject([{ systemMessages: [{ text: 'done at last', to: 'user' }], failure: undefined }])
  })

  it('of a library hook on an event that decides nothing: late context goes to onLate', async () => {
    const { hooks, late, answer } = setup('library', 'PostToolUse')
    expect(hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })).not.toBeInstanceOf(Promise)
    answer({ additionalContext: 'formatted' })
    await hooks.drain()
    expect(late).toMatchObject([{ by: 'slow', contexts: [{ text: 'formatted' }] }])
  })

  it.each(DIALECTS)(
    'an answer of a %s hook that resolves to async: true has nothing left to wait for',
    async dialect => {
      const hooks = new HookRegistry()
      hooks.register({ events: 'PreToolUse', dialect, run: async () => ({ async: true, asyncTimeout: 5000 }) })
      expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: undefined, failures: [] })
    }
  )
})

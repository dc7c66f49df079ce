import { describe, expect, test } from 'vitest'
import { HookRegistry } from '../../../src/hooks.ts'
import { fireSample, patientRegistry, unhandledDuring } from '../../support/hook-kit.ts'
import { bash } from '../../support/hook-inputs.ts'

describe('ctx.spawn', () => {
  // F31
  test('continues after the hook has answered, and drain waits for it', async () => {
    const { clock, hooks, wait } = patientRegistry()
    const done: string[] = []
    hooks.on('PostToolUse', ctx => {
      ctx.spawn(wait(5, 'upload').then(name => done.push(name)))
    })
    expect(fireSample(hooks, 'PostToolUse')).not.toBeInstanceOf(Promise)
    let drained = false
    void hooks.drain().then(() => (drained = true))
    await clock.advance(4)
    expect([done, drained]).toEqual([[], false])
    await clock.advance(1)
    expect([done, drained]).toEqual([['upload'], true])
  })

  test('that is begun by other such work is waited for as well', async () => {
    const { clock, hooks, wait } = patientRegistry()
    const done: number[] = []
    hooks.on('PostToolUse', ctx => {
      const step = async (n: number): Promise<void> => {
        await wait(1, n)
        done.push(n)
        if (n < 3) ctx.spawn(step(n + 1))
      }
      ctx.spawn(step(1))
    })
    await fireSample(hooks, 'PostToolUse')
    const drained = hooks.drain()
    await clock.advance(10)
    await drained
    expect(done).toEqual([1, 2, 3])
  })

  test('that fails harms no one, and is told', async () => {
    const { hooks, messages } = patientRegistry()
    const unhandled = await unhandledDuring(async () => {
      hooks.on('PreToolUse', ctx => {
        ctx.spawn(Promise.reject(new Error('disk full')))
        ctx.spawn({
          then: () => {
            throw new Error('no promise')
          }
        })
      })
      expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined, failures: [] })
      await hooks.drain()
    })
    expect(unhandled).toEqual([])
    const notices = messages.flatMap(message => (message.subtype === 'hook_notice' ? [message.output] : []))
    expect(notices).toEqual([expect.stringContaining('disk full'), expect.stringContaining('no promise')])
  })

  test('in a scope is drained by the base', async () => {
    const { clock, hooks, wait } = patientRegistry()
    const done: string[] = []
    const scope = hooks.scope()
    scope.on('PostToolUse', ctx => ctx.spawn(wait(1, 'scoped').then(name => done.push(name))))
    await fireSample(scope, 'PostToolUse')
    const drained = hooks.drain()
    await clock.advance(1)
    await drained
    expect(done).toEqual(['scoped'])
  })

  test('nothing left to wait for: drain is done at once', async () => {
    await new HookRegistry().drain()
  })
})

import { describe, expect, it } from 'vitest'
import { deny, HookRegistry, later, transform, type HookContext, type HookMessage } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { bash, loose, loopTurn } from '../../support/hook-inputs.ts'

describe('discarded changes', () => {
  type Change = (ctx: HookContext<'PreToolUse'>) => void
  const change: Change = ctx => void (ctx.toolInput['command'] = 'rm -rf /')
  const open = { onFailure: 'continue' } as const

  const DISCARDED: readonly [string, (hooks: HookRegistry) => void][] = [
    [
      'throws',
      hooks => {
        const run = (ctx: HookContext<'PreToolUse'>): undefined => {
          change(ctx)
          throw new Error('broken')
        }
        hooks.on('PreToolUse', run, open)
      }
    ],
    [
      'rejects',
      hooks => {
        const run = async (ctx: HookContext<'PreToolUse'>): Promise<undefined> => {
          change(ctx)
          await undefined
          throw new Error('broken')
        }
        hooks.on('PreToolUse', run, open)
      }
    ],
    [
      'is late',
      hooks => {
        const run = (ctx: HookContext<'PreToolUse'>): Promise<undefined> => {
          change(ctx)
          return new Promise(() => undefined)
        }
        hooks.on('PreToolUse', run, { ...open, timeout: 1 })
      }
    ],
    [
      'answers what cannot be read',
      hooks => {
        const run = (ctx: HookContext<'PreToolUse'>) => {
          change(ctx)
          return loose({ decision: 'perhaps' })
        }
        hooks.on('PreToolUse', run, open)
      }
    ],
    [
      'answers later',
      hooks => {
        const run = (ctx: HookContext<'PreToolUse'>) => {
          change(ctx)
          return later(Promise.resolve(undefined))
        }
        hooks.register({ events: 'PreToolUse', dialect: 'contract', run })
      }
    ],
    [
      'denies',
      hooks => {
        hooks.on('PreToolUse', ctx => {
          change(ctx)
          return deny('no', { updatedInput: { command: 'rm' } })
        })
      }
    ],
    [
      'denies, asynchronously',
      hooks => {
        hooks.on('PreToolUse', async ctx => {
          change(ctx)
          return deny('no')
        })
      }
    ]
  ]

  it.each(DISCARDED)('of a hook that %s', async (_, add) => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => void ctx.toolInput)
    add(hooks)
    hooks.on('PreToolUse', ctx => void seen.push({ ...ctx.toolInput }))
    hooks.on('PreToolUse', ctx => void seen.push(ctx.input.tool_input))
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(1)
    expect((await outcome).updatedInput).toBeUndefined()
    expect(seen).toEqual([{ command: 'ls' }, { command: 'ls' }])
  })

  it('of an observer, which sees the final input', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    const watch = (ctx: HookContext<'PreToolUse'>) => {
      seen.push({ ...ctx.toolInput }, ctx.outcome?.updatedInput)
      change(ctx)
      return transform({ command: 'rm' })
    }
    hooks.on('PreToolUse', watch, { observe: true })
    hooks.on('PreToolUse', watch, { observe: true })
    hooks.on('PreToolUse', () => transform({ command: 'ls -l' }))
    const { updatedInput } = await hooks.fire('PreToolUse', bash('ls'))
    expect(updatedInput).toEqual({ command: 'ls -l' })
    expect(seen).toEqual([updatedInput, updatedInput, updatedInput, updatedInput])
  })

  it('on events where nothing can be rewritten, and it is said', async () => {
    const messages: HookMessage[] = []
    const hooks = new HookRegistry({ sink: message => messages.push(message) })
    const seen: unknown[] = []
    hooks.on('PostToolUse', ctx => void Object.assign(ctx, { toolInput: { command: 'x' } }))
    hooks.on('PostToolUse', ctx => void Object.assign(ctx.toolInput, { command: 'y' }))
    hooks.on('PostToolUse', ctx => void seen.push(ctx.toolInput))
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    await loopTurn()
    expect(outcome).toMatchObject({ updatedInput: undefined, failures: [] })
    expect(seen).toEqual([{ command: 'ls' }])
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'hook_notice', output: expect.stringContaining('tool_input') })
    )
  })
})

import { describe, expect, test } from 'vitest'
import { allow, deny, HookRegistry } from '../../src/hooks.ts'
import { fireSample, unhandledDuring, watchedRegistry } from '../support/hook-kit.ts'
import { bash, callOf, loopTurn } from '../support/hook-inputs.ts'

describe('a notice', () => {
  test('tells of keys that no one knows, fields without effect and writes that come too late', async () => {
    const { hooks, messages } = watchedRegistry()
    let write = (): void => undefined
    hooks.on(
      'PostToolUse',
      ctx => {
        write = () => Object.assign(ctx, { messages: [] })
        return { decison: 'deny', retry: true } as never
      },
      { name: 'typo' }
    )
    await fireSample(hooks, 'PostToolUse')
    write()
    await loopTurn()
    const notices = messages.flatMap(message => (message.subtype === 'hook_notice' ? [message.output] : []))
    expect(notices).toEqual([
      expect.stringMatching(/decison/),
      expect.stringMatching(/retry has no effect on PostToolUse/),
      expect.stringMatching(/messages .*dropped/)
    ])
  })

  test('progress after the answer is not told', async () => {
    const { hooks, told } = watchedRegistry()
    let progress: (text: string) => void = () => undefined
    hooks.on('PostToolUse', ctx => void (progress = text => ctx.progress(text)), { name: 'gate' })
    await fireSample(hooks, 'PostToolUse')
    progress('too late')
    await loopTurn()
    expect(told()).toEqual(['gate started', 'gate response'])
  })
})

describe('the sink', () => {
  // F162
  test('is called after the caller has gone on', async () => {
    const { hooks, messages } = watchedRegistry()
    hooks.on('PreToolUse', () => allow())
    expect(hooks.fire('PreToolUse', bash())).toMatchObject({ decision: 'allow' })
    expect(messages).toEqual([])
    await loopTurn()
    expect(messages).toHaveLength(2)
  })

  // F162
  test.each([
    [
      'throws',
      () => {
        throw new Error('full')
      }
    ],
    [
      'rejects',
      async () => {
        throw new Error('full')
      }
    ],
    ['never answers', () => new Promise(() => undefined)],
    [
      'gives a thenable that throws',
      () => ({
        then() {
          throw new Error('full')
        }
      })
    ]
  ])('that %s blocks no one, and gets every message', async (_, sink) => {
    let calls = 0
    const unhandled = await unhandledDuring(async () => {
      const hooks = new HookRegistry({ sink: () => (calls++, sink()) })
      hooks.on('PreToolUse', async () => deny('no'))
      for (let count = 0; count < 3; count++)
        expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ reason: 'no' })
    })
    expect([calls, unhandled]).toEqual([6, []])
  })

  // F162
  test('changes nothing about the outcome by being there', async () => {
    const fireWith = async (options: ConstructorParameters<typeof HookRegistry>[0]) => {
      const hooks = new HookRegistry(options)
      hooks.on('PreToolUse', () => ({ systemMessage: 'hey', additionalContext: 'more' }), { name: 'a' })
      hooks.on('PreToolUse', async () => deny('no'), { name: 'b' })
      return hooks.fire('PreToolUse', bash())
    }
    expect(await fireWith({})).toEqual(await fireWith({ sink: () => undefined }))
  })

  test('may fire hooks itself', async () => {
    const events: string[] = []
    const hooks: HookRegistry = new HookRegistry({
      sink: async message => {
        events.push(`${message.hook_event} ${message.subtype}`)
        if (message.hook_event === 'PreToolUse' && message.subtype === 'hook_response') {
          await hooks.fire('Notification', { message: 'done', notification_type: 'note' })
        }
      }
    })
    hooks.register({ events: ['PreToolUse', 'Notification'], run: () => undefined })
    await hooks.fire('PreToolUse', callOf('Read'))
    await loopTurn()
    expect(events).toEqual([
      'PreToolUse hook_started',
      'PreToolUse hook_response',
      'Notification hook_started',
      'Notification hook_response'
    ])
  })

  test('hears of scopes as well', async () => {
    const { hooks, told } = watchedRegistry()
    const scope = hooks.scope('agent')
    scope.on('PreToolUse', () => undefined, { name: 'scoped' })
    await scope.fire('PreToolUse', bash())
    await loopTurn()
    expect(told()).toEqual(['scoped started', 'scoped response'])
  })
})

import { describe, expect, it } from 'vitest'
import { allow, deny, HookRegistry, type HookFunction, type HookOptions, type Outcome } from '../../../src/hooks.ts'
import { manualClock, type ManualClock } from '../../../src/testing.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

type Member = HookFunction<'PreToolUse'>

/** Hooks that run side by side, named by their place. */
const together = (members: readonly Member[], clock?: ManualClock, options: HookOptions = {}): HookRegistry => {
  const hooks = new HookRegistry({ clock })
  members.forEach((run, index) => {
    hooks.register({ name: `hook ${index}`, events: 'PreToolUse', concurrent: true, ...options, run })
  })
  return hooks
}

const set =
  (values: Record<string, unknown>): Member =>
  async ctx =>
    void Object.assign(ctx.toolInput, values)

describe('hooks that run side by side', () => {
  // FM27
  it('see the same draft, and their changes are put together', async () => {
    const seen: unknown[] = []
    const look =
      (key: string): Member =>
      async ctx => {
        ctx.toolInput[key] = true
        await undefined
        seen.push({ ...ctx.toolInput }, ctx.input.tool_input)
      }
    const outcome = await together([look('a'), look('b')]).fire('PreToolUse', bash('ls'))
    expect(seen.slice(0, 4)).toEqual([
      { command: 'ls', a: true },
      { command: 'ls' },
      { command: 'ls', b: true },
      { command: 'ls' }
    ])
    expect(outcome).toMatchObject({ updatedInput: { command: 'ls', a: true, b: true }, conflicts: [] })
  })

  // FM27
  it('a second change of the same key wins, and is reported as a conflict', async () => {
    const outcome = await together([set({ a: 1, x: 0 }), set({ b: 1 }), set({ a: 2 }), set({ a: 3 })]).fire(
      'PreToolUse',
      bash('ls')
    )
    expect(outcome.updatedInput).toEqual({ command: 'ls', a: 3, b: 1, x: 0 })
    expect(outcome.conflicts).toEqual([
      { key: 'a', winner: 'hook 2', loser: 'hook 0' },
      { key: 'a', winner: 'hook 3', loser: 'hook 2' }
    ])
  })

  it('a deletion counts as a change', async () => {
    const remove: Member = async ctx => void delete ctx.toolInput['timeout']
    const apart = await together([remove, set({ command: 'x' })]).fire('PreToolUse', bash('ls', { timeout: 5 }))
    expect(apart).toMatchObject({ updatedInput: { command: 'x' }, conflicts: [] })
    expect(apart.updatedInput).not.toHaveProperty('timeout')
    const clash = await together([set({ timeout: 9 }), remove]).fire('PreToolUse', bash('ls', { timeout: 5 }))
    expect(clash.updatedInput).toEqual({ command: 'ls' })
    expect(clash.conflicts).toEqual([{ key: 'timeout', winner: 'hook 1', loser: 'hook 0' }])
  })

  it('an input that was replaced as a whole counts by its differences', async () => {
    const replace: Member = async () => ({ updatedInput: { command: 'new' } })
    const outcome = await together([set({ timeout: 9 }), replace]).fire('PreToolUse', bash('ls', { mode: 'fast' }))
    expect(outcome.updatedInput).toEqual({ command: 'new', timeout: 9 })
    expect(outcome.conflicts).toEqual([])
  })

  it('changes within one value clash at its top key', async () => {
    const deep =
      (key: string): Member =>
      async ctx =>
        void Object.assign(ctx.toolInput['options'] as object, { [key]: true })
    const outcome = await together([deep('a'), deep('b')]).fire('PreToolUse', callOf('Multi', { options: {} }))
    expect(outcome.updatedInput).toEqual({ options: { b: true } })
    expect(outcome.conflicts).toMatchObject([{ key: 'options' }])
  })

  it('prompts that both changed clash', async () => {
    const hooks = new HookRegistry()
    for (const word of ['one', 'two']) {
      hooks.register({
        name: word,
        events: 'UserPromptSubmit',
        concurrent: true,
        run: async ctx => void (ctx.prompt += ` ${word}`)
      })
    }
    const outcome = await hooks.fire('UserPromptSubmit', { prompt: 'go' })
    expect(outcome).toMatchObject({ updatedPrompt: 'go two', conflicts: [{ winner: 'two', loser: 'one' }] })
  })

  // FM27
  it('are settled in declared order, whoever finishes first', async () => {
    const fire = async (delays: readonly number[]): Promise<Outcome> => {
      const clock = manualClock()
      const member =
        (delay: number, index: number): Member =>
        async ctx => {
          await new Promise<void>(resolve => clock.after(delay * 1000, resolve))
          ctx.toolInput['a'] = index
          ctx.toolInput[`from ${index}`] = true
          return { additionalContext: `c${index}` }
        }
      const outcome = together(delays.map(member), clock).fire('PreToolUse', bash('ls'))
      await clock.advance(20)
      return outcome
    }
    const [first, ...others] = await Promise.all(
      [
        [1, 2, 3],
        [3, 2, 1],
        [2, 3, 1],
        [2, 1, 3],
        [0.1, 9, 0.1]
      ].map(fire)
    )
    expect(first!.updatedInput).toEqual({ command: 'ls', a: 2, 'from 0': true, 'from 1': true, 'from 2': true })
    expect(first!.additionalContext).toBe('c0\nc1\nc2')
    for (const other of others) expect(other).toEqual(first)
  })

  it('the change of one that fails, is late or denies is left out, and the others stay', async () => {
    const clock = manualClock()
    const hang: Member = ctx => {
      ctx.toolInput['late'] = true
      return new Promise(() => undefined)
    }
    const broken: Member = async ctx => {
      ctx.toolInput['broken'] = true
      throw new Error('broken')
    }
    const hooks = together([hang, set({ a: 1 }), broken], clock, { timeout: 1, onFailure: 'continue' })
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    await clock.advance(1)
    expect(await outcome).toMatchObject({ failures: [{ kind: 'timeout' }, { kind: 'threw' }] })
    expect((await outcome).updatedInput).toEqual({ command: 'ls', a: 1 })
  })

  // FM37
  it('a deny is never lost, whatever the others say', async () => {
    const no: Member = async ctx => {
      ctx.toolInput['denied'] = true
      return deny('no')
    }
    const yes: Member = async () => allow({ updatedInput: { command: 'x' } })
    for (const members of [
      [no, yes, yes],
      [yes, no, yes],
      [yes, yes, no]
    ]) {
      const outcome = await together(members).fire('PreToolUse', bash('ls'))
      expect(outcome).toMatchObject({ blocked: true, reason: 'no' })
      expect(outcome.updatedInput).not.toHaveProperty('denied')
    }
  })

  it('changes that do not fit together are the failure of the later hook', async () => {
    const accept = (draft: unknown): boolean | string => {
      const { from = 0, to = 9 } = draft as { from?: number; to?: number }
      return from <= to || 'from is behind to'
    }
    const hooks = together([set({ from: 5 }), set({ to: 3 })], undefined, { onFailure: 'continue' })
    const outcome = await hooks.fire('PreToolUse', callOf('Range', { from: 1, to: 9 }), { accept })
    expect(outcome.updatedInput).toEqual({ from: 5, to: 9 })
    expect(outcome.failures).toMatchObject([
      { by: 'hook 1', kind: 'rewrite', message: expect.stringContaining('from is behind to') }
    ])
  })

  it('a hook behind them sees what came of it, and one of another priority stands apart', async () => {
    const hooks = together([set({ a: 1 }), set({ b: 1 })])
    const seen: unknown[] = []
    hooks.register({
      events: 'PreToolUse',
      concurrent: true,
      priority: -1,
      run: ctx => void seen.push({ ...ctx.toolInput })
    })
    hooks.on('PreToolUse', ctx => void seen.push({ ...ctx.toolInput }), { priority: 1 })
    await hooks.fire('PreToolUse', bash('ls'))
    expect(seen.slice(0, 2)).toEqual([{ command: 'ls' }, { command: 'ls', a: 1, b: 1 }])
  })

  it('a change without effect is no change', async () => {
    const outcome = await together([set({ command: 'ls' }), set({ a: 1 }), set({ a: 1 })]).fire(
      'PreToolUse',
      bash('ls', { a: 1 })
    )
    expect(outcome).toMatchObject({ updatedInput: undefined, conflicts: [] })
  })
})

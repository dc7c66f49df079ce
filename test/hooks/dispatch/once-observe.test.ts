import { describe, expect, test } from 'vitest'
import { allow, ask, deny, HookRegistry, type Outcome } from '../../../src/hooks.ts'
import { harness, manualClock } from '../../../src/testing.ts'
import { after } from '../../support/hook-kit.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

describe('a hook that runs once', () => {
  test('is gone after its first run', async () => {
    const hooks = new HookRegistry()
    let runs = 0
    hooks.on('PreToolUse', 'Bash', () => void runs++, { name: 'once', once: true })
    await hooks.fire('PreToolUse', callOf('Read'))
    expect(hooks.has('once')).toBe(true)
    await hooks.fire('PreToolUse', bash())
    await hooks.fire('PreToolUse', bash())
    expect([runs, hooks.has('once')]).toEqual([1, false])
  })

  test('stays until it neither fails nor denies', async () => {
    const hooks = new HookRegistry()
    const replies = [() => deny('not yet'), () => JSON.parse('{'), () => allow()]
    let runs = 0
    hooks.on('PreToolUse', () => replies[runs++]!(), { name: 'once', once: true })
    const decisions: unknown[] = []
    for (let count = 0; count < 5; count++) decisions.push((await hooks.fire('PreToolUse', bash())).decision)
    expect(decisions).toEqual(['deny', 'deny', 'allow', undefined, undefined])
    expect(runs).toBe(3)
  })

  test('runs once for all its events', async () => {
    const hooks = new HookRegistry()
    const seen: string[] = []
    hooks.register({ name: 'once', events: ['PreToolUse', 'Stop'], once: true, run: ctx => void seen.push(ctx.event) })
    await harness(hooks).fire('Stop')
    await harness(hooks).fire('PreToolUse')
    expect(seen).toEqual(['Stop'])
  })

  test('runs once in fires at the same time, and the report says why the second went without', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    let runs = 0
    const work = Promise.withResolvers<void>()
    hooks.on('PostToolUse', () => (runs++, work.promise), { name: 'once', once: true })
    const { fire } = harness(hooks)
    const first = fire('PostToolUse')
    const second = await fire('PostToolUse')
    expect(second.report[0]).toMatchObject({ matched: true, ran: false, why: expect.stringContaining('once') })
    work.resolve()
    await first
    expect([runs, hooks.has('once')]).toEqual([1, false])
  })

  // FM36
  test('on a gate, another call is not let pass while it has not answered', async () => {
    const hooks = new HookRegistry()
    const answers = [deny('not this'), allow()].map(answer => Promise.resolve(answer))
    let runs = 0
    hooks.on('PreToolUse', () => answers[runs++]!, { name: 'once', once: true })
    const [one, two] = await Promise.all([hooks.fire('PreToolUse', bash()), hooks.fire('PreToolUse', bash())])
    expect([one.decision, two.decision, runs, hooks.has('once')]).toEqual(['deny', 'allow', 2, false])
    expect((await hooks.fire('PreToolUse', bash())).decision).toBeUndefined()
  })

  test('does not run a second time because a fire beside it was aborted', async () => {
    const hooks = new HookRegistry()
    let runs = 0
    const work = Promise.withResolvers<void>()
    hooks.on('PostToolUse', () => (runs++, work.promise), { name: 'once', once: true })
    const { fire } = harness(hooks)
    const first = fire('PostToolUse')
    await fire('PostToolUse', {}, { signal: AbortSignal.abort() })
    const third = fire('PostToolUse')
    work.resolve()
    await Promise.all([first, third])
    expect(runs).toBe(1)
  })

  test('takes only itself out, not a hook that has its name by now', async () => {
    const hooks = new HookRegistry()
    const work = Promise.withResolvers<void>()
    hooks.on('PreToolUse', () => work.promise, { name: 'gate', once: true })
    const first = hooks.fire('PreToolUse', bash())
    hooks.remove('gate')
    hooks.on('PreToolUse', () => deny('the new gate'), { name: 'gate' })
    work.resolve()
    await first
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ reason: 'the new gate' })
  })
})

describe('an observer', () => {
  test('runs last, whatever its priority, and sees the final input and what was decided', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    const look = (ctx: { toolInput: object; outcome: Outcome | undefined }): void => {
      seen.push(ctx.toolInput, ctx.outcome?.decision, ctx.outcome?.reason, ctx.outcome?.updatedInput)
    }
    hooks.on('PreToolUse', 'Bash', look, { observe: true, priority: 1000 })
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'ls -l'
      return ask('sure?')
    })
    await hooks.fire('PreToolUse', bash())
    expect(seen).toEqual([{ command: 'ls -l' }, 'ask', 'sure?', { command: 'ls -l' }])
  })

  test('sees a refusal, and the failure of another hook', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => void seen.push(ctx.outcome?.decision, ctx.outcome?.failures.length), {
      observe: true
    })
    hooks.on('PreToolUse', () => JSON.parse('{'))
    hooks.on('PreToolUse', () => deny('no'))
    await hooks.fire('PreToolUse', bash())
    expect(seen).toEqual(['deny', 1])
  })

  test('sees an outcome also when no one said anything, and other hooks see none', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', ctx => void seen.push(ctx.outcome?.decision ?? 'nothing', ctx.outcome?.event), {
      observe: true
    })
    hooks.on('PreToolUse', ctx => void seen.push(ctx.outcome))
    await hooks.fire('PreToolUse', bash())
    expect(seen).toEqual([undefined, 'nothing', 'PreToolUse'])
  })

  test.each([false, true])('decides, changes and adds nothing (async: %s)', async late => {
    const hooks = new HookRegistry()
    const meddle = (ctx: { toolInput: { command: string } }) => {
      ctx.toolInput.command = 'rm -rf /'
      const reply = deny('no', { context: 'hello', systemMessage: 'hey', suppressOutput: true })
      return late ? Promise.resolve(reply) : reply
    }
    hooks.on('PreToolUse', 'Bash', meddle, { observe: true })
    hooks.on('PreToolUse', 'Bash', meddle, { observe: true })
    await harness(hooks).tool('Bash', { command: 'ls' }).toBeSilent()
    const { report, suppressOutput, continue: goOn } = await harness(hooks).fire('PreToolUse')
    expect([suppressOutput, goOn]).toEqual([false, undefined])
    expect(report[0]!.notes.join()).toMatch(/decide nothing/)
  })

  test('only warns when it fails, also on a gate and with onFailure: block', async () => {
    const hooks = new HookRegistry()
    const broken = (): never => {
      throw new Error('disk full')
    }
    hooks.on('PreToolUse', broken, { name: 'audit', observe: true, onFailure: 'block' })
    hooks.on('PreToolUse', () => allow())
    const outcome = await hooks.fire('PreToolUse', bash())
    expect(outcome).toMatchObject({ decision: 'allow', blocked: false })
    expect(outcome.failures).toEqual([{ by: 'audit', kind: 'threw', message: 'disk full', failedOpen: false }])
  })

  test('that hangs is left after its timeout', async () => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.on('PreToolUse', () => new Promise<never>(() => undefined), { observe: true, timeout: 2 })
    expect(await after(clock, 2, () => hooks.fire('PreToolUse', bash()))).toMatchObject({
      decision: undefined,
      failures: [{ kind: 'timeout', failedOpen: false }]
    })
  })
})

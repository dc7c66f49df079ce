import { describe, expect, it } from 'vitest'
import {
  allow,
  ask,
  deny,
  HookRegistry,
  later,
  transform,
  type HookContext,
  type HookResult
} from '../../../src/hooks.ts'
import { bash } from '../../support/hook-inputs.ts'

/** A gate that writes down what it was asked about. */
class Gate {
  readonly asked: string[] = []
  readonly #judge: (command: string, ctx: HookContext<'PreToolUse'>) => HookResult

  constructor(judge: (command: string, ctx: HookContext<'PreToolUse'>) => HookResult = () => undefined) {
    this.#judge = judge
  }

  readonly run = (ctx: HookContext<'PreToolUse'>): HookResult => {
    const command = String(ctx.toolInput['command'])
    this.asked.push(command)
    return this.#judge(command, ctx)
  }
}

const rewrite = (): HookResult => transform({ command: 'rm -rf /' })

// FM28
describe('a rewrite is judged again', () => {
  it('by hooks that judged an older draft, once', async () => {
    const hooks = new HookRegistry()
    const [before, behind] = [new Gate(), new Gate()]
    hooks.on('PreToolUse', before.run)
    hooks.on('PreToolUse', rewrite)
    hooks.on('PreToolUse', behind.run)
    await hooks.fire('PreToolUse', bash('ls'))
    expect(before.asked).toEqual(['ls', 'rm -rf /'])
    expect(behind.asked).toEqual(['rm -rf /'])
  })

  it('so that a guard that stands first still guards', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', new Gate(command => (command.startsWith('rm') ? deny('dangerous') : allow())).run)
    hooks.on('PreToolUse', rewrite)
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ blocked: true, reason: 'dangerous' })
  })

  it('a stale allow dies, even when the hook has nothing more to say', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', new Gate(command => (command === 'ls' ? allow() : undefined)).run)
    hooks.on('PreToolUse', rewrite)
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: undefined, reasons: [] })
  })

  it('the second decision replaces the first, in its place', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', new Gate(command => (command === 'ls' ? allow() : ask('again?'))).run, { name: 'first' })
    hooks.on('PreToolUse', () => ask('mine?', { updatedInput: { command: 'x' } }), { name: 'second' })
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ decision: 'ask', reason: 'again?' })
    expect(outcome.reasons.map(verdict => verdict.by)).toEqual(['first', 'second'])
  })

  it('what the hook said beside its first decision stays', async () => {
    const hooks = new HookRegistry()
    hooks.on(
      'PreToolUse',
      new Gate((_, { rejudge }) => (rejudge ? undefined : allow({ context: 'once', systemMessage: 'm' }))).run
    )
    hooks.on('PreToolUse', rewrite)
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({
      decision: undefined,
      additionalContext: 'once',
      systemMessage: 'm'
    })
  })

  it('the hook is told, in its context and on the wire', async () => {
    const hooks = new HookRegistry()
    const told: unknown[] = []
    const gate = new Gate(
      (_, ctx) => void told.push(ctx.rejudge, (ctx.input as { rejudge?: boolean }).rejudge, ctx.input.tool_input)
    )
    hooks.on('PreToolUse', gate.run)
    hooks.on('PreToolUse', rewrite)
    await hooks.fire('PreToolUse', bash('ls'))
    expect(told).toEqual([false, undefined, { command: 'ls' }, true, true, { command: 'rm -rf /' }])
  })

  it('rewrites and context of the second answer are void, and that is reported', async () => {
    const hooks = new HookRegistry()
    const again = new Gate((_, ctx) => {
      if (ctx.rejudge) ctx.toolInput['command'] = 'in place'
      return ctx.rejudge ? allow({ context: 'twice', updatedInput: { command: 'replied' } }) : undefined
    })
    hooks.on('PreToolUse', again.run, { name: 'again' })
    hooks.on('PreToolUse', rewrite)
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { report: true })
    expect(outcome).toMatchObject({ decision: 'allow', updatedInput: { command: 'rm -rf /' }, contexts: [] })
    expect(outcome.report[0]).toMatchObject({
      name: 'again',
      rejudged: true,
      notes: [expect.stringContaining('no effect')]
    })
  })

  it('a change in place by one who is asked again does not reach the next', async () => {
    const hooks = new HookRegistry()
    const [first, second] = [
      new Gate((_, ctx) => void (ctx.rejudge && (ctx.toolInput['command'] = 'mine'))),
      new Gate()
    ]
    hooks.on('PreToolUse', first.run)
    hooks.on('PreToolUse', second.run)
    hooks.on('PreToolUse', rewrite)
    expect((await hooks.fire('PreToolUse', bash('ls'))).updatedInput).toEqual({ command: 'rm -rf /' })
    expect(second.asked).toEqual(['ls', 'rm -rf /'])
  })

  it('a failure of the second judgement closes the gate', async () => {
    const hooks = new HookRegistry()
    const frail = new Gate((command, { rejudge }) => {
      if (rejudge) throw new Error(`cannot judge ${command}`)
      return allow()
    })
    hooks.on('PreToolUse', frail.run)
    hooks.on('PreToolUse', rewrite)
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ blocked: true, failures: [{ kind: 'threw', message: 'cannot judge rm -rf /' }] })
    expect(outcome.reasons.map(verdict => verdict.decision)).toEqual(['deny'])
  })

  it('what runs is what every gate judged last', async () => {
    const hooks = new HookRegistry()
    const gates = [0, 1, 2, 3].map(
      place =>
        new Gate((command, { rejudge }) =>
          rejudge || place % 2 === 0 ? undefined : transform({ command: `${command}+${place}` })
        )
    )
    gates.forEach(gate => hooks.on('PreToolUse', gate.run))
    const { updatedInput } = await hooks.fire('PreToolUse', bash('ls'))
    expect(updatedInput).toEqual({ command: 'ls+1+3' })
    expect(gates.slice(0, 3).map(gate => gate.asked.at(-1))).toEqual(['ls+1+3', 'ls+1+3', 'ls+1+3'])
  })

  it('prompts too', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => (ctx.prompt.includes('secret') ? deny('secret') : undefined))
    hooks.on('UserPromptSubmit', ctx => void (ctx.prompt += ' secret'))
    expect(await hooks.fire('UserPromptSubmit', { prompt: 'tell' })).toMatchObject({ blocked: true, reason: 'secret' })
  })
})

describe('who is asked again', () => {
  it('not the author of the last change, but the author of an earlier one', async () => {
    const hooks = new HookRegistry()
    const one = new Gate(command => (command === 'ls' ? transform({ command: 'one' }) : undefined))
    const two = new Gate(command => (command === 'one' ? transform({ command: 'two' }) : undefined))
    hooks.on('PreToolUse', one.run)
    hooks.on('PreToolUse', two.run)
    await hooks.fire('PreToolUse', bash('ls'))
    expect([one.asked, two.asked]).toEqual([['ls', 'two'], ['one']])
  })

  it('hooks marked once', async () => {
    const hooks = new HookRegistry()
    const gate = new Gate(command => (command.startsWith('rm') ? deny('dangerous') : undefined))
    hooks.on('PreToolUse', gate.run, { once: true })
    hooks.on('PreToolUse', rewrite)
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ blocked: true })
    expect(gate.asked).toEqual(['ls', 'rm -rf /'])
  })

  it('not observers, which see the final input once', async () => {
    const hooks = new HookRegistry()
    const watcher = new Gate()
    hooks.on('PreToolUse', watcher.run, { observe: true })
    hooks.on('PreToolUse', rewrite)
    await hooks.fire('PreToolUse', bash('ls'))
    expect(watcher.asked).toEqual(['rm -rf /'])
  })

  it('not hooks that answer later', async () => {
    const hooks = new HookRegistry()
    const slow = new Gate(() => later(Promise.resolve(undefined)))
    hooks.register({ events: 'PreToolUse', dialect: 'contract', run: slow.run })
    hooks.on('PreToolUse', rewrite)
    await hooks.fire('PreToolUse', bash('ls'))
    expect(slow.asked).toEqual(['ls'])
  })

  it('not hooks that have failed', async () => {
    const hooks = new HookRegistry()
    const broken = new Gate(() => {
      throw new Error('broken')
    })
    hooks.on('PreToolUse', broken.run, { onFailure: 'continue' })
    hooks.on('PreToolUse', rewrite)
    await hooks.fire('PreToolUse', bash('ls'))
    expect(broken.asked).toEqual(['ls'])
  })

  it('no one, when the call is refused already', async () => {
    const hooks = new HookRegistry()
    const gate = new Gate()
    hooks.on('PreToolUse', gate.run)
    hooks.on('PreToolUse', rewrite)
    hooks.on('PreToolUse', () => deny('no'))
    await hooks.fire('PreToolUse', bash('ls'))
    expect(gate.asked).toEqual(['ls'])
  })

  it('no one, in the compat profile', async () => {
    const hooks = new HookRegistry({ profile: 'compat' })
    const gate = new Gate(() => allow())
    hooks.on('PreToolUse', gate.run)
    hooks.on('PreToolUse', rewrite)
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({
      decision: 'allow',
      updatedInput: { command: 'rm -rf /' }
    })
    expect(gate.asked).toEqual(['ls'])
  })

  it('no one, when only the conversation changed', async () => {
    const hooks = new HookRegistry()
    const gate = new Gate()
    hooks.on('PreToolUse', gate.run)
    hooks.on('PreToolUse', ctx => void ctx.messages.push({ role: 'user', content: 'x' }))
    await hooks.fire('PreToolUse', bash('ls'))
    expect(gate.asked).toEqual(['ls'])
  })

  it('of hooks side by side, all but a single author', async () => {
    const run = async (...authors: readonly boolean[]): Promise<readonly number[]> => {
      const hooks = new HookRegistry()
      const gates = authors.map(
        (author, index) => new Gate((_, ctx) => void (author && !ctx.rejudge && (ctx.toolInput[`key ${index}`] = true)))
      )
      gates.forEach(gate => hooks.register({ events: 'PreToolUse', concurrent: true, run: gate.run }))
      await hooks.fire('PreToolUse', bash('ls'))
      return gates.map(gate => gate.asked.length)
    }
    expect(await run(false, true, false)).toEqual([2, 1, 2])
    expect(await run(true, true, false)).toEqual([2, 2, 2])
    expect(await run(false, false)).toEqual([1, 1])
  })
})

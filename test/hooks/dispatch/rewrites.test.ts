import { describe, expect, it } from 'vitest'
import { allow, ask, HookRegistry, transform } from '../../../src/hooks.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

describe('one draft', () => {
  // F36
  it('a tool gets what a hook replaced', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput = { command: 'ls -l' }
    })
    expect(await hooks.fire('PreToolUse', bash('ls', { timeout: 5 }))).toMatchObject({
      updatedInput: { command: 'ls -l' }
    })
  })

  // F36
  it('a tool gets what a hook changed in place, at any depth', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      const { edits, options } = ctx.toolInput as { edits: string[]; options: { dry?: boolean } }
      edits.push('c')
      delete options.dry
    })
    const outcome = await hooks.fire('PreToolUse', callOf('Multi', { edits: ['a', 'b'], options: { dry: true } }))
    expect(outcome.updatedInput).toEqual({ edits: ['a', 'b', 'c'], options: {} })
  })

  // F36
  it('what no one touched stays the original', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => void ctx.toolInput)
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command += ''
    })
    hooks.on('PreToolUse', () => transform({ timeout: 5, command: 'ls' }))
    expect((await hooks.fire('PreToolUse', bash('ls', { timeout: 5 }))).updatedInput).toBeUndefined()
  })

  // F37
  it('a prompt can be replaced', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => {
      ctx.prompt = `${ctx.prompt}, please`
    })
    hooks.on('UserPromptSubmit', ctx => {
      ctx.prompt = ctx.prompt.toUpperCase()
    })
    const outcome = await hooks.fire('UserPromptSubmit', { prompt: 'Tidy up' })
    expect(outcome).toMatchObject({ updatedPrompt: 'TIDY UP, PLEASE', updatedInput: undefined, failures: [] })
  })

  it('a prompt may become empty', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => {
      ctx.prompt = ''
    })
    expect((await hooks.fire('UserPromptSubmit', { prompt: 'Tidy up' })).updatedPrompt).toBe('')
  })

  it('two rewriters both count: each hook sees what earlier ones changed', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'ls -l'
    })
    hooks.on('PreToolUse', 'Bash', ctx => transform({ ...ctx.toolInput, timeout: 9 }))
    hooks.on('PreToolUse', ctx => void seen.push({ ...ctx.toolInput }, ctx.input.tool_input))
    const { updatedInput } = await hooks.fire('PreToolUse', bash('ls'))
    expect(updatedInput).toEqual({ command: 'ls -l', timeout: 9 })
    expect(seen).toEqual([updatedInput, updatedInput])
  })

  it('higher priority changes first', async () => {
    const hooks = new HookRegistry()
    for (const priority of [1, 100, 50]) {
      hooks.on('UserPromptSubmit', ctx => void (ctx.prompt += ` ${priority}`), { priority })
    }
    expect((await hooks.fire('UserPromptSubmit', { prompt: '' })).updatedPrompt).toBe(' 100 50 1')
  })

  it('updatedInput in a reply beats a change in place', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'in place'
      return allow({ updatedInput: { command: 'replied' } })
    })
    expect((await hooks.fire('PreToolUse', bash('ls'))).updatedInput).toEqual({ command: 'replied' })
  })

  it('updatedInput that says what the input already is undoes a change in place', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'in place'
      return allow({ updatedInput: { command: 'ls' } })
    })
    const seen: string[] = []
    hooks.on('PreToolUse', 'Bash', ctx => void seen.push(ctx.toolInput.command))
    expect((await hooks.fire('PreToolUse', bash('ls'))).updatedInput).toBeUndefined()
    expect(seen).toEqual(['ls'])
  })

  it('goes with allow, ask and no decision', async () => {
    for (const reply of [allow(), ask('sure?'), {}]) {
      const hooks = new HookRegistry()
      hooks.on('PreToolUse', () => ({ ...reply, updatedInput: { command: 'x' } }))
      expect((await hooks.fire('PreToolUse', bash('ls'))).updatedInput).toEqual({ command: 'x' })
    }
  })

  it('an equal object in place of the input is no change, and a change of it in place is one', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => void (ctx.toolInput = { ...ctx.toolInput }))
    expect(hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ updatedInput: undefined, failures: [] })
    hooks.on('PreToolUse', ctx => {
      ctx.toolInput = { ...ctx.toolInput }
      ctx.toolInput['command'] = 'pwd'
    })
    expect(hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ updatedInput: { command: 'pwd' }, failures: [] })
  })

  it('updatedInput null keeps the input', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ({ updatedInput: null }))
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ updatedInput: undefined, failures: [] })
  })

  it.each([
    ['a list', []],
    ['text', 'ls'],
    ['a number', 7],
    ['null', null],
    ['nothing', undefined]
  ])('%s in place of the input is a failure, and the gate closes', async (_, value) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      Object.assign(ctx, { toolInput: value })
    })
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).toMatchObject({ blocked: true, updatedInput: undefined, failures: [{ kind: 'rewrite' }] })
  })

  it('a prompt that is no text is a failure', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => void Object.assign(ctx, { prompt: 5 }))
    const outcome = await hooks.fire('UserPromptSubmit', { prompt: 'x' })
    expect(outcome).toMatchObject({ blocked: true, updatedPrompt: undefined, failures: [{ kind: 'rewrite' }] })
  })
})

describe('the caller’s object', () => {
  it('is never changed and never frozen', async () => {
    const call = callOf('Multi', { edits: [{ text: 'a' }], options: { dry: true }, plain: 1 })
    const before = structuredClone(call)
    const parts = [call, call.tool_input, call.tool_input['edits'], call.tool_input['options']]
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => {
      const { edits } = ctx.toolInput as { edits: { text: string }[] }
      edits[0]!.text = 'changed'
      edits.push({ text: 'new' })
    })
    hooks.on('PreToolUse', ctx => void (ctx.toolInput['plain'] = 2))
    hooks.on('PreToolUse', ctx => transform({ ...ctx.toolInput, plain: 3 }))
    await hooks.fire('PreToolUse', call)
    expect(call).toEqual(before)
    expect(parts.map(Object.isFrozen)).toEqual([false, false, false, false])
  })

  it('is not frozen by hooks that run side by side either', async () => {
    const call = callOf('Multi', { edits: [{ text: 'a' }], plain: 1 })
    const hooks = new HookRegistry()
    const add = (key: string): void => {
      hooks.register({ events: 'PreToolUse', concurrent: true, run: ctx => void (ctx.toolInput[key] = true) })
    }
    add('one')
    add('two')
    const { updatedInput } = await hooks.fire('PreToolUse', call)
    expect(updatedInput).toEqual({ edits: [{ text: 'a' }], plain: 1, one: true, two: true })
    const parts = [call, call.tool_input, call.tool_input['edits'], (call.tool_input['edits'] as object[])[0]]
    expect(parts.map(Object.isFrozen)).toEqual([false, false, false, false])
  })

  it('shares nothing with the result, and neither does the hook', async () => {
    const mine = { command: 'x', list: [1] }
    const call = bash('ls')
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => transform(mine))
    const { updatedInput } = await hooks.fire('PreToolUse', call)
    mine.list.push(2)
    call.tool_input['command'] = 'later'
    expect(updatedInput).toEqual({ command: 'x', list: [1] })
  })

  // FM28
  it('the result is frozen through and through', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => transform({ deep: { list: [{ a: 1 }] } }))
    const { updatedInput } = await hooks.fire('PreToolUse', bash('ls'))
    const { deep } = updatedInput as { deep: { list: object[] } }
    expect([updatedInput, deep, deep.list, deep.list[0]].map(Object.isFrozen)).toEqual([true, true, true, true])
  })
})

describe('accept', () => {
  const needsCommand = (draft: unknown): boolean | string =>
    typeof (draft as { command?: unknown }).command === 'string' || 'command is missing'

  it('lays a part that it refuses over the whole, and says so', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => transform({ timeout: 5 }))
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { accept: needsCommand, report: true })
    expect(outcome).toMatchObject({ updatedInput: { command: 'ls', timeout: 5 }, failures: [] })
    expect(outcome.report[0]!.notes).toEqual([expect.stringContaining('command is missing')])
  })

  it('takes an input as a whole where it can', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => transform({ command: 'x' }))
    const outcome = await hooks.fire('PreToolUse', bash('ls', { timeout: 5 }), { accept: needsCommand })
    expect(outcome.updatedInput).toEqual({ command: 'x' })
  })

  it.each([
    ['false', () => false],
    ['a reason', () => 'never'],
    [
      'an error',
      () => {
        throw new Error('never')
      }
    ]
  ])('a refusal of both is the failure of that hook alone: %s', async (_, accept) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => transform({ a: 1 }), { name: 'bad' })
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { accept })
    expect(outcome).toMatchObject({
      blocked: true,
      updatedInput: undefined,
      failures: [{ by: 'bad', kind: 'rewrite' }]
    })
  })

  it('a change in place that it refuses is a failure, not a merge', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => void delete ctx.toolInput['command'], { onFailure: 'continue' })
    hooks.on('PreToolUse', ctx => transform({ ...ctx.toolInput, timeout: 5 }))
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { accept: needsCommand })
    expect(outcome).toMatchObject({
      blocked: false,
      updatedInput: { command: 'ls', timeout: 5 },
      failures: [{ kind: 'rewrite', message: expect.stringContaining('command is missing'), failedOpen: true }]
    })
  })

  it('is asked about prompts too', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => void (ctx.prompt = 'x'.repeat(9)))
    const accept = (draft: unknown): boolean => String(draft).length < 5
    const outcome = await hooks.fire('UserPromptSubmit', { prompt: 'ok' }, { accept })
    expect(outcome).toMatchObject({ blocked: true, updatedPrompt: undefined, failures: [{ kind: 'rewrite' }] })
  })

  it('is not asked when no one rewrites', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => void ctx.toolInput)
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { accept: () => 'never' })
    expect(outcome).toMatchObject({ blocked: false, failures: [] })
  })
})

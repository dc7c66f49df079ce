/**
 * Dialect 002: dialect 001 with hooks that are plain synchronous functions; what takes time is spawned.
 * Here both kinds are hooks, and `ctx.spawn` keeps hold of the work.
 */
import { describe, expect, test } from 'vitest'
import { allow, ask, deny, guard, HookRegistry, type Outcome, type Reply } from '../../src/hooks.ts'
import { harness } from '../../src/testing.ts'
import { bash } from '../support/hook-inputs.ts'

describe('the demo agent’s hooks', () => {
  const forkBomb = /:\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:/
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', ctx => {
    const { command } = ctx.toolInput
    return command.includes('rm -rf /') || forkBomb.test(command) ? deny('Dangerous command blocked') : undefined
  })
  hooks.on('PreToolUse', '^(Read|Glob|Grep)$', () => allow())

  // F184, F189
  test.each(['rm -rf /', 'sudo rm -rf / --no-preserve-root', ':(){ :|:& };:'])('%s is denied', async command => {
    await harness(hooks).tool('Bash', { command }).toDeny('Dangerous command blocked')
  })

  // F184
  test.each(['ls', 'rm -r build', 'git status'])('%s is not its business', async command => {
    await harness(hooks).tool('Bash', { command }).toBeSilent()
  })

  // F187, F189, F87
  test('the anchored pattern approves exactly Read, Glob and Grep', async () => {
    await harness(hooks).tool('Read', { file_path: '/a' }).toAllow()
    await harness(hooks).tool('Glob', { pattern: '*' }).toAllow()
    await harness(hooks).tool('Grep', { pattern: 'x' }).toAllow()
    for (const other of ['ReadMany', 'NotGrep', 'read', 'Write']) await harness(hooks).tool(other, {}).toBeSilent()
  })
})

describe('synchronous hooks', () => {
  // F31
  test('the outcome is there at once, without a promise', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => deny('no'))
    const outcome = hooks.fire('PreToolUse', bash('ls'))
    expect(outcome).not.toBeInstanceOf(Promise)
    expect((outcome as Outcome).reason).toBe('no')
  })

  // F31, F36
  test('what one hook changes the next one sees', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command += ' --dry-run'))
    hooks.on('PreToolUse', 'Bash', ctx => void seen.push(ctx.toolInput.command))
    const outcome = await hooks.fire('PreToolUse', bash('deploy'))
    expect(seen).toEqual(['deploy --dry-run'])
    expect(outcome.updatedInput).toEqual({ command: 'deploy --dry-run' })
  })

  // F37
  test('the prompt can be changed in place, and refused', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => {
      ctx.prompt = ctx.prompt.trim()
      return ctx.prompt === '' ? deny('say something') : undefined
    })
    expect((await hooks.fire('UserPromptSubmit', { prompt: ' hi ' })).updatedPrompt).toBe('hi')
    expect(await hooks.fire('UserPromptSubmit', { prompt: ' ' })).toMatchObject({
      blocked: true,
      reason: 'say something'
    })
  })

  // F31
  test('work that was spawned is not waited for, and not lost', async () => {
    const log: string[] = []
    let send = (): void => undefined
    const sent = new Promise<void>(resolve => (send = resolve))
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', ctx => ctx.spawn(sent.then(() => log.push('sent'))))

    expect(hooks.fire('PreToolUse', bash('ls'))).not.toBeInstanceOf(Promise)
    expect(log).toEqual([])
    send()
    await hooks.drain()
    expect(log).toEqual(['sent'])
  })
})

describe('later events', () => {
  // F136
  test('a deny after the fact leaves the result as it is, and its reason stands beside it', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => deny('too late'))
    const beside: string[] = []
    const run = guard(hooks, 'Echo', (input: { text: string }) => input.text, { onContext: text => beside.push(text) })
    expect(await run({ text: 'hello' })).toBe('hello')
    expect(beside).toEqual(['too late'])
  })

  // F135, F136
  test('a failure is told to its own hooks only, and stays a failure', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => void seen.push('success'))
    hooks.on('PostToolUseFailure', ctx => {
      seen.push(ctx.error)
      return deny('noted')
    })
    const run = guard(hooks, 'Fail', (_: object): string => {
      throw new Error('disk full')
    })
    await expect(run({})).rejects.toThrow('disk full')
    expect(seen).toEqual(['disk full'])
  })
})

describe('combination', () => {
  const replies: Record<string, Reply | undefined> = { deny: deny('no'), allow: allow(), ask: ask(), none: undefined }
  const order = ['deny', 'allow', 'ask', 'none']
  const pairs = order.flatMap(first => order.map(second => [first, second] as const))

  // F64
  test.each(pairs)('%s and %s: the stronger of deny, allow, ask, none', async (first, second) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => replies[first])
    hooks.on('PreToolUse', () => replies[second])
    const stronger = order.find(word => word === first || word === second)
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome.decision ?? 'none').toBe(stronger)
  })
})

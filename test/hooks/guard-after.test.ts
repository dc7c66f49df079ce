import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { allow, deny, guard, HookRegistry, type GuardOptions } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { shell } from '../support/hook-kit.ts'

interface Input {
  command: string
}

describe('after the tool', () => {
  const failing = (log: string[], options: GuardOptions<[], string> = {}) => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => void log.push('post'))
    hooks.on('PostToolUseFailure', ctx => void log.push(`failure ${ctx.error} ${String(ctx.input.is_interrupt)}`))
    const execute = async ({ command }: Input): Promise<string> => {
      if (command === 'throw') throw new Error('boom')
      if (command === 'throw text') throw 'text'
      return command
    }
    return guard(hooks, 'Bash', execute, options)
  }

  // F135
  test('PostToolUse comes of success, PostToolUseFailure of a throw, never both', async () => {
    const log: string[] = []
    const run = failing(log)
    await run({ command: 'fine' })
    expect(log.splice(0)).toEqual(['post'])
    await expect(run({ command: 'throw' })).rejects.toThrow('boom')
    expect(log.splice(0)).toEqual(['failure boom false'])
    await expect(run({ command: 'throw text' })).rejects.toBe('text')
    expect(log).toEqual(['failure text false'])
  })

  // F135
  test('an error that the tool returned is a failure too, and stays its result', async () => {
    const log: string[] = []
    const run = failing(log, { errorIn: result => (result.startsWith('error') ? result : undefined) })
    expect(await run({ command: 'error: no such file' })).toBe('error: no such file')
    expect(await run({ command: 'fine' })).toBe('fine')
    expect(log).toEqual(['failure error: no such file false', 'post'])
  })

  test.each([null, ''])('%j of errorIn is no error: hooks judge the result', async none => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => ({ updatedToolOutput: '[hidden]' }))
    expect(await guard(hooks, 'Bash', () => 'the key', { errorIn: () => none })({})).toBe('[hidden]')
  })

  test('a tool that throws at once is a failure like any other', async () => {
    const hooks = new HookRegistry()
    const log: string[] = []
    hooks.on('PostToolUseFailure', ctx => void log.push(ctx.error))
    const execute = (): string => {
      throw new Error('at once')
    }
    await expect(guard(hooks, 'Bash', execute)({})).rejects.toThrow('at once')
    expect(log).toEqual(['at once'])
  })

  // F136
  test('a block by a post hook leaves the result, and its reason goes to the model', async () => {
    const texts: string[] = []
    const { hooks, run } = shell({ onContext: text => void texts.push(text) })
    hooks.on('PostToolUse', () => deny('lint failed', { context: 'see line 3' }))
    expect(await run({ command: 'ls' })).toBe('ran ls')
    expect(texts.toSorted()).toEqual(['lint failed', 'see line 3'])
  })

  test('a post hook that breaks leaves the result', async () => {
    const { hooks, run } = shell()
    hooks.on('PostToolUse', () => JSON.parse('{'))
    expect(await run({ command: 'ls' })).toBe('ran ls')
  })

  test.each([undefined, 'block'] as const)('a post hook that breaks is reported; onFailure %s', async onFailure => {
    const failures: unknown[] = []
    const { hooks, run } = shell({ onFailure: failure => void failures.push(failure) })
    hooks.on('PostToolUse', () => Promise.reject(new Error('redactor down')), { name: 'redact', onFailure })
    expect(await run({ command: 'ls' })).toBe(onFailure === 'block' ? '[The output was hidden by a hook.]' : 'ran ls')
    expect(failures).toMatchObject([{ by: 'redact', kind: 'threw', message: 'redactor down' }])
  })

  test('without onFailure, the process warns of a hook that broke and was no gate', async () => {
    const { hooks, run } = shell()
    hooks.on('PostToolUse', () => Promise.reject(new Error('redactor down')), { name: 'redact' })
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    await run({ command: 'ls' })
    expect(warn.mock.calls).toEqual([['the hook redact failed: redactor down', 'CarabinerWarning']])
  })

  test('a gate that breaks is a refusal, which says so itself', async () => {
    const failures: unknown[] = []
    const { hooks, run } = shell({ onFailure: failure => void failures.push(failure) })
    hooks.on('PreToolUse', () => Promise.reject(new Error('down')), { name: 'gate' })
    await expect(run({ command: 'ls' })).rejects.toThrow('gate_failed:threw: hook gate')
    expect(failures).toEqual([])
  })

  test('a hook that breaks on a failure does not hide the tool’s own error', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUseFailure', () => JSON.parse('{'))
    await expect(guard(hooks, 'Bash', () => Promise.reject(new Error('boom')))({})).rejects.toThrow('boom')
  })

  // F146
  test('suppressOutput puts a placeholder in its place; the tool ran', async () => {
    const { hooks, log, run } = shell()
    hooks.on('PostToolUse', () => ({ suppressOutput: true }))
    const shown = await run({ command: 'cat secrets' })
    expect(shown).toMatch(/hidden/)
    expect(shown).not.toContain('secrets')
    expect(log).toEqual(['run cat secrets'])
  })

  test('updatedToolOutput replaces the result, the last one wins', async () => {
    const { hooks, run } = shell()
    hooks.on('PostToolUse', () => ({ hookSpecificOutput: { updatedToolOutput: 'first' } }))
    hooks.on('PostToolUse', () => ({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'redacted' }
    }))
    expect(await run({ command: 'ls' })).toBe('redacted')
  })

  // F147
  test('updatedMCPToolOutput replaces the result of MCP tools only', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => ({ hookSpecificOutput: { updatedMCPToolOutput: 'replaced' } }))
    expect(await guard(hooks, 'mcp__fs__read', () => 'own')({})).toBe('replaced')
    expect(await guard(hooks, 'Read', () => 'own')({})).toBe('own')
  })

  test('a hook cannot change the result in place', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', ctx => {
      ;(ctx.toolResponse as { text: string }).text = 'changed'
    })
    expect(await guard(hooks, 'Read', () => ({ text: 'own' }))({})).toEqual({ text: 'own' })
  })
})

describe('what hooks say to the agent', () => {
  // F145
  test('context and system messages of all three events reach it, those for the user do not', async () => {
    const texts: string[] = []
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ({ additionalContext: 'pre', systemMessage: 'pre system' }))
    hooks.on('PostToolUse', () => ({ additionalContext: 'post' }))
    hooks.on('PostToolUseFailure', () => ({ additionalContext: 'failure' }))
    hooks.callbacks({ PreToolUse: [{ hooks: [async () => ({ systemMessage: 'for the user' })] }] })
    const onContext = (text: string): void => void texts.push(text)
    await guard(hooks, 'Bash', () => 'ok', { onContext })({})
    await guard(hooks, 'Bash', () => Promise.reject(new Error('no')), { onContext })({}).catch(() => undefined)
    expect(texts).toEqual(['pre', 'pre system', 'post', 'pre', 'pre system', 'failure'])
  })

  test('continue: false tells that the run should end', async () => {
    const stops: unknown[] = []
    const { hooks, run } = shell({ onStop: reason => void stops.push(reason) })
    hooks.on('PostToolUse', () => ({ continue: false, stopReason: 'enough' }))
    expect(await run({ command: 'ls' })).toBe('ran ls')
    hooks.on('PreToolUse', () => ({ continue: false }))
    await expect(run({ command: 'ls' })).rejects.toThrow()
    expect(stops).toEqual(['enough', undefined])
  })
})

describe('an abort', () => {
  test('while a hook is asked refuses the call', async () => {
    const controller = new AbortController()
    const hooks = new HookRegistry({ clock: manualClock() })
    const log: string[] = []
    hooks.on('PreToolUse', () => new Promise<never>(() => undefined))
    const run = guard(hooks, 'Bash', () => log.push('ran'), { signal: controller.signal })({})
    controller.abort()
    await expect(run).rejects.toMatchObject({ code: 'E_REFUSED', message: expect.stringContaining('aborted') })
    expect(log).toEqual([])
  })

  test('while the tool runs is a failure marked as interrupt, and its hooks still run', async () => {
    const controller = new AbortController()
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PreToolUse', () => allow())
    hooks.on('PostToolUseFailure', async ctx => void seen.push(ctx.error, ctx.input.is_interrupt))
    const execute = async (): Promise<never> => {
      controller.abort()
      throw new Error('interrupted')
    }
    await expect(guard(hooks, 'Bash', execute, { signal: controller.signal })({})).rejects.toThrow('interrupted')
    expect(seen).toEqual(['interrupted', true])
  })

  // F135
  test('while the tool runs to its end does not keep hooks from seeing the result', async () => {
    const controller = new AbortController()
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => ({ hookSpecificOutput: { updatedToolOutput: 'redacted' } }))
    const execute = async (): Promise<string> => {
      controller.abort()
      return 'secret'
    }
    expect(await guard(hooks, 'Bash', execute, { signal: controller.signal })({})).toBe('redacted')
  })
})

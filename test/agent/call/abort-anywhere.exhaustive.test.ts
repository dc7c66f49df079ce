/** An abort at any moment: it settles, nothing is left behind, every call has its result. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ABORT_SCENARIOS } from './drivers/abort-scenarios.ts'
import { ask, ownTool, registry, resultsIn, type Asked, type Asking } from '../../support/agent-kit.ts'
import { HANG } from '../../support/waiting.ts'

const DRIVER = fileURLToPath(new URL('drivers/abort.ts', import.meta.url))
// FM59, F139, F157
describe.skipIf(!existsSync('/proc/self/environ'))('aborted at every step and between', () => {
  test.each(Object.keys(ABORT_SCENARIOS))(
    '%s: settles, leaves no process and no handle, answers every call, ends once',
    async name => {
      const { stdout } = await promisify(execFile)(process.execPath, [DRIVER, name], { timeout: HANG })
      const { points, problems } = JSON.parse(stdout) as { points: number; problems: readonly string[] }
      expect(problems).toEqual([])
      expect(points).toBeGreaterThan(30)
    },
    300_000
  )
})

// FM59
describe('an abort ends a run although', () => {
  const never = () => new Promise<never>(() => undefined)
  const call = { calls: [{ name: 'own', input: {} }] }
  /** Aborts once someone who will not listen was reached. */
  const deaf = async (make: (reached: () => Promise<never>) => Asking): Promise<Asked> => {
    const abortController = new AbortController()
    const reached = (): Promise<never> => {
      setImmediate(() => abortController.abort())
      return never()
    }
    return ask([call, 'Done.'], {
      tools: [ownTool('own', () => 'x')],
      allowedTools: ['own'],
      abortController,
      ...make(reached)
    })
  }

  test.each([
    'Setup',
    'SessionStart',
    'UserPromptSubmit',
    'AgentStart',
    'Iteration',
    'PreToolUse',
    'PostToolUse',
    'PostToolBatch',
    'Stop',
    'AgentStop'
  ] as const)('a hook on %s never answers', async event => {
    const { result, names } = await deaf(reached => ({
      setup: 'init',
      hooks: registry(hooks => hooks.on(event, reached))
    }))
    expect(names.filter(name => name === 'SessionEnd')).toHaveLength(1)
    expect(result.type).toBe('result')
    if (event !== 'AgentStop' && event !== 'Stop') expect(result.is_error).toBe(true)
  })

  test('a tool never ends', async () => {
    const { result, messages } = await deaf(reached => ({ tools: [ownTool('own', reached)] }))
    expect(result).toMatchObject({ terminal_reason: 'aborted_tools', is_error: true })
    const told = messages.flatMap(message => (message.type === 'user' ? resultsIn([message.message]) : []))
    expect(told).toMatchObject([{ isError: true, text: expect.stringContaining('how far it got is not known') }])
  })

  test('a person never answers', async () => {
    const { result, messages } = await deaf(reached => ({ allowedTools: [], canUseTool: reached }))
    expect(result).toMatchObject({ terminal_reason: 'aborted_tools', permission_denials: [] })
    // The question stays open, for when the session continues.
    expect(messages.filter(({ type }) => type === 'user')).toEqual([])
  })

  test('a model never answers', async () => {
    const { result } = await deaf(reached => ({ model: { name: 'deaf', provider: 'test', ask: reached } }))
    expect(result).toMatchObject({ terminal_reason: 'aborted_streaming', is_error: true })
  })
})

test('an abort before anything has begun ends in a result, too', async () => {
  const abortController = new AbortController()
  abortController.abort()
  const { result, sent, names } = await ask(['Done.'], { abortController })
  expect(result).toMatchObject({ terminal_reason: 'aborted_streaming', is_error: true })
  expect(sent).toEqual([])
  expect(names.filter(name => name === 'SessionEnd')).toHaveLength(1)
  const closed = await ask(['Done.'], { steer: running => running.close() })
  expect(closed.result).toMatchObject({ terminal_reason: 'aborted_streaming', is_error: true })
})

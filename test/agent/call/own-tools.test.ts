/** Tools of one's own at the gate: what hooks and people see and change, and what the handler gets. */
import { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { createSdkMcpServer, tool, transform, type CanUseTool, type Shape } from '../../../src/index.ts'
import {
  ask,
  informed,
  inputsOf,
  project,
  registry,
  resultsIn,
  type Asked,
  type Asking
} from '../../support/agent-kit.ts'

/** Calls a tool with this schema and this input; gives what its handler got, too. */
async function call(schema: Shape, input: object, asking: Asking = {}): Promise<Asked & { readonly got: unknown[] }> {
  const got: unknown[] = []
  const own = tool('own', 'own', schema, given => {
    got.push(given)
    return { content: [{ type: 'text', text: 'ran' }] }
  })
  const run = await ask([{ calls: [{ name: 'own', input }] }, 'Done.'], {
    tools: [own],
    ...(asking.canUseTool === undefined && { allowedTools: ['own'] }),
    ...asking
  })
  return { ...run, got }
}

const answerOf = ({ sent }: Asked): string => resultsIn(sent[1]!)[0]!.text

describe('transforms', () => {
  const schema = { n: z.string().transform(Number), word: z.string().transform(word => `${word}!`), a: z.string() }
  const input = { n: '5', word: 'hi', a: 'x' }

  test('are for the handler; whoever judges sees what the model said', async () => {
    const seen: unknown[] = []
    const canUseTool: CanUseTool = async (_, given) => (seen.push({ ...given }), { behavior: 'allow' })
    const run = await call(schema, input, { canUseTool })
    expect(run.got).toEqual([{ n: 5, word: 'hi!', a: 'x' }])
    expect(seen).toEqual([input])
    for (const event of ['PreToolUse', 'PermissionRequest', 'PostToolUse'] as const)
      expect(inputsOf(run, event)).toMatchObject([{ tool_input: input }])
  })

  test('are made once, though a person gives the input back', async () => {
    const canUseTool: CanUseTool = async (_, given) => ({ behavior: 'allow', updatedInput: given })
    const run = await call(schema, input, { canUseTool })
    expect(answerOf(run)).toBe('ran')
    expect(run.got).toEqual([{ n: 5, word: 'hi!', a: 'x' }])
  })

  test('are made once, though hooks change something else', async () => {
    const hooks = registry(all => {
      all.on('PreToolUse', ctx => transform({ ...ctx.toolInput, a: 'y' }))
      all.on('PreToolUse', ctx => transform({ ...ctx.toolInput, word: 'ho' }))
    })
    const run = await call(schema, input, { hooks })
    expect(answerOf(run)).toBe('ran')
    expect(run.got).toEqual([{ n: 5, word: 'ho!', a: 'y' }])
  })

  test('are made once after a session went on: what is written down is what was shown', async () => {
    const place = project()
    const got: unknown[] = []
    const own = tool('own', 'own', schema, given => (got.push(given), { content: [] }))
    const options = { in: place, tools: [own], allowedTools: ['own'], persistSession: true, sessionId: 's' }
    const hooks = registry(all => all.on('PreToolUse', () => ({ decision: 'defer' })))
    await ask([{ calls: [{ name: 'own', input }] }, 'Done.'], { ...options, hooks })
    expect(got).toEqual([])
    const { sessionId, ...later } = options
    await ask(['Done.'], { ...later, resume: sessionId, prompt: '' })
    expect(got).toEqual([{ n: 5, word: 'hi!', a: 'x' }])
  })

  test('are made where a server of this process has the tool', async () => {
    const got: unknown[] = []
    const tools = [tool('own', 'own', schema, given => (got.push(given), { content: [] }))]
    const canUseTool: CanUseTool = async (_, given) => ({ behavior: 'allow', updatedInput: given })
    const mcpServers = { house: createSdkMcpServer({ name: 'house', tools }) }
    await ask([{ calls: [{ name: 'mcp__house__own', input }] }, 'Done.'], { mcpServers, canUseTool })
    expect(got).toEqual([{ n: 5, word: 'hi!', a: 'x' }])
  })
})

describe('a part of an input', () => {
  const schema = { a: z.string(), b: z.string() }
  const input = { a: 'model', b: 'model' }

  test('is laid over the whole, as with other tools', async () => {
    const hooks = registry(all => all.on('PreToolUse', () => transform({ a: 'hook' })))
    const run = await call(schema, input, { hooks })
    expect(run.got).toEqual([{ a: 'hook', b: 'model' }])
  })

  test('that does not fit is the fault of its hook', async () => {
    const wrong = (onFailure?: 'continue') =>
      registry(all => all.on('PreToolUse', () => transform({ a: 1 }), { name: 'wrong', onFailure }))
    const strict = await call(schema, input, { hooks: wrong() })
    expect(strict.got).toEqual([])
    expect(answerOf(strict)).toMatch(/\[wrong\]: gate_failed:rewrite: the hook wrong failed/)
    const lax = await call(schema, input, { hooks: wrong('continue') })
    expect(lax.got).toEqual([input])
    expect(informed(lax)).toContainEqual(expect.stringMatching(/hook wrong failed: .*allowed anyway/))
  })
})

test('a schema that cannot be used ends the query with words that name the tool', async () => {
  const { result } = await call({ a: z.coerce.date() }, {})
  expect(result).toMatchObject({ is_error: true, error_code: 'E_OPTION_INVALID' })
  expect(result.result).toContain('the schema of the tool own cannot be printed as JSON Schema')
})

/** Guarded tools keep their types in each SDK, and wrong use is a compile error. Compiled by test/sdks/sdk-types.exhaustive.test.ts. */
import { Agent as MastraAgent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { Agent as OpenAiAgent, tool as openAiTool } from '@openai/agents'
import { Agent as StrandsAgent, tool as strandsTool } from '@strands-agents/sdk'
import { createAgent, tool as langChainTool, type AgentMiddleware } from 'langchain'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { gate } from '../../../examples/sdks/langchain.ts'
import { guardTools as guardMastra } from '../../../examples/sdks/mastra.ts'
import { guardTools as guardOpenAi } from '../../../examples/sdks/openai-agents.ts'
import { addGate } from '../../../examples/sdks/strands.ts'
import { guard, HookRegistry } from '../../../src/hooks.ts'

const hooks = new HookRegistry()
const schema = z.object({ path: z.string(), size: z.number() })
interface Input {
  path: string
  size: number
}

// OpenAI Agents: a tuple of tools stays that tuple.
{
  const count = openAiTool({ name: 'count', description: 'x', parameters: schema, execute: ({ size }) => size })
  const echo = openAiTool({ name: 'echo', description: 'x', parameters: z.object({}), execute: () => 'x' })
  const { tools, toolUseBehavior } = guardOpenAi(hooks, [count, echo])
  expectTypeOf(tools).toEqualTypeOf<[typeof count, typeof echo]>()
  expectTypeOf(new OpenAiAgent({ name: 'x', tools, toolUseBehavior })).toEqualTypeOf<OpenAiAgent>()

  openAiTool({
    name: 'count',
    description: 'x',
    parameters: schema,
    execute: guard(hooks, 'count', ({ size }: Input) => size)
  })
  // @ts-expect-error the tool has no such input
  openAiTool({ name: 'x', description: 'x', parameters: schema, execute: guard(hooks, 'x', (_: { url: string }) => 1) })
  // @ts-expect-error this is not a registry
  guardOpenAi({}, [count])
  // @ts-expect-error these are not tools
  guardOpenAi(hooks, ['count'])
  // @ts-expect-error there is no such option
  guardOpenAi(hooks, [count], { onask: () => true })
}

// LangChain: the agent has its own tools, the gate is a middleware.
{
  const count = langChainTool(({ size }: Input) => size, { name: 'count', description: 'x', schema })
  const middleware = gate(hooks, { onAsk: ({ toolName }) => toolName === 'count' })
  expectTypeOf(middleware).toEqualTypeOf<AgentMiddleware>()
  const agent = createAgent({ model: 'x', tools: [count], middleware: [middleware] })
  expectTypeOf((await agent.invoke({ messages: 'x' })).messages).toBeArray()
  // @ts-expect-error this is not a registry
  gate(undefined)
  // @ts-expect-error an answer is true or false
  gate(hooks, { onAsk: () => 'yes' })
}

// Mastra: a record of tools stays that record.
{
  const count = createTool({
    id: 'count',
    description: 'x',
    inputSchema: schema,
    outputSchema: z.object({ total: z.number() }),
    execute: async ({ size }) => ({ total: size })
  })
  const { tools } = guardMastra(hooks, { count })
  expectTypeOf(tools).toEqualTypeOf<{ count: typeof count }>()
  type Execute = NonNullable<(typeof tools)['count']['execute']>
  expectTypeOf<Parameters<Execute>[0]>().toEqualTypeOf<Input>()
  expectTypeOf<{ total: number }>().toExtend<Awaited<ReturnType<Execute>>>()
  expectTypeOf(new MastraAgent({ id: 'x', name: 'x', instructions: 'x', model: 'openai/gpt-5', tools })).toBeObject()
  // @ts-expect-error a tool has an id
  guardMastra(hooks, { count: { execute: async () => 1 } })
  // @ts-expect-error there is no such option
  guardMastra(hooks, { count }, { onDeny: () => 1 })
}

// Strands: tools are left as they are; a guarded generator keeps what it yields and what it returns.
{
  const own = async function* ({ size }: Input): AsyncGenerator<string, number, never> {
    yield 'counting'
    return size
  }
  const run = guard(hooks, 'count', own, { returns: true })
  expectTypeOf(run).parameter(0).toEqualTypeOf<Input>()
  expectTypeOf(run({ path: 'x', size: 1 })).toEqualTypeOf<AsyncGenerator<string, number>>()
  const count = strandsTool({ name: 'count', description: 'x', inputSchema: schema, callback: run })
  const unguarded = strandsTool({ name: 'count', description: 'x', inputSchema: schema, callback: own })
  expectTypeOf(count).toEqualTypeOf<typeof unguarded>()
  addGate(new StrandsAgent({ tools: [count] }), hooks)
  // @ts-expect-error the agent comes first
  addGate(hooks, new StrandsAgent())
  // @ts-expect-error a refusal has the type of a result
  guard(hooks, 'count', own, { returns: true, onDeny: () => 'no' })
}

/** One call of a tool `t` whose result is more than a text, in the SDKs whose tools can return such results. */
import { Agent as MastraAgent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import {
  Agent as StrandsAgent,
  TextBlock,
  Tool,
  tool as strandsTool,
  ToolResultBlock,
  ToolStreamEvent
} from '@strands-agents/sdk'
import { AIMessage, createAgent, fakeModel, tool as langChainTool, ToolMessage } from 'langchain'
import { z } from 'zod'
import { gate } from '../../../examples/sdks/langchain.ts'
import { guardTools } from '../../../examples/sdks/mastra.ts'
import { scriptedModel } from '../../../examples/sdks/models/mastra.ts'
import { ScriptedModel } from '../../../examples/sdks/models/strands.ts'
import { addGate } from '../../../examples/sdks/strands.ts'
import type { HookRegistry } from '../../../src/hooks.ts'
import type { OwnResult } from '../own-results.test.ts'

const CALL = { id: 'call_1', name: 't', input: {} }
const SECRET = 'the secret'

/** A message of the tool itself, with parts that only the program sees. */
const ownMessage = (status: 'success' | 'error'): ToolMessage =>
  new ToolMessage({
    content: SECRET,
    status,
    artifact: { raw: SECRET },
    tool_call_id: CALL.id,
    name: 't'
  })

/** LangChain brings it, and does not export its classes. */
const LANGGRAPH = '@langchain/langgraph'
interface LangGraph {
  readonly Command: new (parts: { update: object }) => object
}

const LANGCHAIN: Readonly<Record<string, () => unknown>> = {
  message: () => ownMessage('success'),
  'failed message': () => ownMessage('error')
}

export async function langchainResult(hooks: HookRegistry, returned: string): Promise<OwnResult> {
  const { Command } = (await import(LANGGRAPH)) as LangGraph
  const commands: Readonly<Record<string, () => unknown>> = {
    command: () => new Command({ update: { messages: [ownMessage('success')] } }),
    'command of tuples': () => new Command({ update: [['messages', [ownMessage('success')]]] }),
    'command without a message': () => new Command({ update: {} })
  }
  const make = { ...LANGCHAIN, ...commands }[returned] ?? (() => SECRET)
  const model = fakeModel()
    .respondWithTools([{ id: CALL.id, name: 't', args: {} }])
    .respond(new AIMessage('Done.'))
  const own = langChainTool(() => make() as string, { name: 't', description: 'x', schema: z.object({}) })
  const agent = createAgent({ model, tools: [own], middleware: [gate(hooks)] })
  const { messages } = await agent.invoke({ messages: 'go' })
  return {
    modelCalls: model.callCount,
    shown: JSON.stringify(messages.filter(each => ToolMessage.isInstance(each)))
  }
}

class FailedTool extends Tool {
  override readonly name = 't'
  override readonly description = 'x'
  override readonly toolSpec = { name: 't', description: 'x', inputSchema: { type: 'object' as const } }
  override async *stream(): ReturnType<Tool['stream']> {
    yield new ToolStreamEvent({ data: 'begun' })
    return new ToolResultBlock({ toolUseId: CALL.id, status: 'error', content: [new TextBlock(SECRET)] })
  }
}

export async function strandsResult(hooks: HookRegistry, returned: string): Promise<OwnResult> {
  const plain = strandsTool({ name: 't', description: 'x', inputSchema: z.object({}), callback: () => SECRET })
  const model = new ScriptedModel([CALL])
  const agent = new StrandsAgent({
    model,
    tools: [returned === 'failed message' ? new FailedTool() : plain],
    printer: false
  })
  addGate(agent, hooks)
  await agent.invoke('go')
  const blocks = agent.messages.flatMap(({ content }) => content).filter(block => block.type === 'toolResultBlock')
  return { modelCalls: model.requests.length, shown: JSON.stringify(blocks) }
}

/** The key of the tool is `t`, and its id another. */
export async function mastraResult(hooks: HookRegistry, returned: string): Promise<OwnResult> {
  const own = createTool({
    id: 'other-id',
    description: 'x',
    inputSchema: z.object({}),
    execute: async () => ({ public: returned === 'broken' ? undefined : 'a part', secret: SECRET }),
    toModelOutput: output => ({ type: 'text', value: (output as { public: string }).public.toUpperCase() })
  })
  const model = scriptedModel([CALL])
  const { tools, stopWhen } = guardTools(hooks, { t: own })
  const agent = new MastraAgent({ id: 'x', name: 'x', instructions: 'x', model, tools })
  await agent.generate('go', { stopWhen })
  const parts = (model.requests[1]?.prompt ?? []).flatMap(({ role, content }) => (role === 'tool' ? content : []))
  return { modelCalls: model.requests.length, shown: JSON.stringify(parts) }
}

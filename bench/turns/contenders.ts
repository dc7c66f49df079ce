import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@earendil-works/pi-agent-core'
import { createAssistantMessageEventStream, Type, type AssistantMessage } from '@earendil-works/pi-ai'
import { generateText, stepCountIs, tool as aiTool } from 'ai'
import { z } from 'zod'
import type * as carabiner from '../../dist/index.js'
import type { Dist } from '../report.ts'

/** Called at each model call: the n-th, from 0. */
export type OnCall = (call: number) => void

/** Whether the hooks before and after a call are functions that return promises. */
export type Hooks = 'synchronous' | 'asynchronous'

export interface Work {
  readonly turns: number
  readonly hooks: Hooks
  readonly onCall: OnCall
  /** Carabiner only: the transcript is kept, in memory. */
  readonly store?: boolean
  /** Carabiner only: called before query(). */
  readonly onStart?: () => void
}

/** An agent that calls one tool `turns` times and then says that it is done. */
export type Contender = (work: Work) => Promise<Counts>

export interface Counts {
  models: number
  tools: number
  before: number
  after: number
  text: string
}

const none = (): Counts => ({ models: 0, tools: 0, before: 0, after: 0, text: '' })

const INPUT = { path: 'src/app.ts', line: 12 }
const RESULT = 'const answer = 42'

const ours =
  (library: typeof carabiner): Contender =>
  async ({ turns, hooks: kind, onCall, store, onStart }) => {
    const { HookRegistry, MemoryStore, query, tool } = library
    const counts = none()
    const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    const model: carabiner.Model = {
      name: 'fake',
      provider: 'fake',
      async ask() {
        onCall(counts.models)
        const n = counts.models++
        return n < turns
          ? {
              id: `m${n}`,
              model: 'fake',
              stop: 'tool_use',
              usage,
              content: [{ type: 'tool_use', id: `t${n}`, name: 'look', input: INPUT }]
            }
          : { id: `m${n}`, model: 'fake', stop: 'end_turn', usage, content: [{ type: 'text', text: 'done' }] }
      }
    }
    const { before, after } = counters(counts)
    const hooks = new HookRegistry()
    for (let index = 0; index < 3; index++)
      if (kind === 'synchronous') {
        hooks.on('PreToolUse', 'look', ctx => before(ctx.toolName))
        hooks.on('PostToolUse', 'look', ctx => after(ctx.toolName))
      } else {
        hooks.on('PreToolUse', 'look', async ctx => before(ctx.toolName))
        hooks.on('PostToolUse', 'look', async ctx => after(ctx.toolName))
      }
    const look = tool('look', 'Shows a line', { path: z.string(), line: z.number() }, async () => {
      counts.tools++
      return { content: [{ type: 'text', text: RESULT }] }
    })
    onStart?.()
    const run = query({
      prompt: 'look',
      options: {
        model,
        hooks,
        tools: [look],
        allowedTools: ['look'],
        maxTurns: turns + 1,
        ...(store ? { sessionStore: new MemoryStore() } : { persistSession: false }),
        settingSources: [],
        cwd: HOME,
        env: { HOME }
      }
    })
    for await (const message of run) if (message.type === 'result') counts.text = message.result
    return counts
  }

/** Three hooks in the one place that others have for them. Synchronous ones leave nothing to wait for. */
const three = (kind: Hooks, hook: (name: string) => void, name: string): Promise<void> | undefined => {
  if (kind === 'asynchronous') return threePromises(async () => hook(name))
  for (let index = 0; index < 3; index++) hook(name)
  return undefined
}

async function threePromises(hook: () => Promise<void>): Promise<void> {
  for (let index = 0; index < 3; index++) await hook()
}

const counters = (counts: Counts) => ({
  before: (name: string): void => void (counts.before += name.length > 0 ? 1 : 0),
  after: (name: string): void => void (counts.after += name.length > 0 ? 1 : 0)
})

const HOME = realpathSync(mkdtempSync(join(tmpdir(), 'bench-turns-')))

async function pi({ turns, hooks, onCall, onStart }: Work): Promise<Counts> {
  const counts = none()
  const { before, after } = counters(counts)
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost }
  const model = {
    id: 'fake',
    name: 'fake',
    api: 'fake',
    provider: 'fake',
    baseUrl: '',
    reasoning: false,
    input: ['text' as const],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1_000_000,
    maxTokens: 1000
  }
  onStart?.()
  const agent = new Agent({
    initialState: {
      systemPrompt: 'Look.',
      model,
      tools: [
        {
          name: 'look',
          label: 'look',
          description: 'Shows a line',
          parameters: Type.Object({ path: Type.String(), line: Type.Number() }),
          async execute() {
            counts.tools++
            return { content: [{ type: 'text', text: RESULT }], details: undefined }
          }
        }
      ]
    },
    streamFn() {
      onCall(counts.models)
      const n = counts.models++
      const last = n >= turns
      const message: AssistantMessage = {
        role: 'assistant',
        api: 'fake',
        provider: 'fake',
        model: 'fake',
        usage,
        timestamp: 0,
        stopReason: last ? 'stop' : 'toolUse',
        content: last
          ? [{ type: 'text', text: 'done' }]
          : [{ type: 'toolCall', id: `t${n}`, name: 'look', arguments: INPUT }]
      }
      const stream = createAssistantMessageEventStream()
      stream.push({ type: 'start', partial: message })
      stream.push({ type: 'done', reason: last ? 'stop' : 'toolUse', message })
      return stream
    },
    async beforeToolCall({ toolCall }) {
      const later = three(hooks, before, toolCall.name)
      if (later !== undefined) await later
      return undefined
    },
    async afterToolCall({ toolCall }) {
      const later = three(hooks, after, toolCall.name)
      if (later !== undefined) await later
      return undefined
    }
  })
  agent.subscribe(event => {
    if (event.type === 'message_end' && event.message.role === 'assistant') {
      const [block] = event.message.content
      if (block?.type === 'text') counts.text = block.text
    }
  })
  await agent.prompt('look')
  return counts
}

async function aiSdk({ turns, hooks, onCall }: Work): Promise<Counts> {
  const counts = none()
  const { before, after } = counters(counts)
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 }
  }
  const { text } = await generateText({
    model: {
      specificationVersion: 'v4',
      provider: 'fake',
      modelId: 'fake',
      supportedUrls: {},
      async doGenerate() {
        onCall(counts.models)
        const n = counts.models++
        const last = n >= turns
        return {
          content: last
            ? [{ type: 'text', text: 'done' }]
            : [{ type: 'tool-call', toolCallId: `t${n}`, toolName: 'look', input: JSON.stringify(INPUT) }],
          finishReason: { unified: last ? 'stop' : 'tool-calls', raw: undefined },
          usage,
          warnings: []
        }
      },
      async doStream() {
        throw new Error('not used')
      }
    },
    prompt: 'look',
    stopWhen: stepCountIs(turns + 1),
    tools: {
      look: aiTool({
        description: 'Shows a line',
        inputSchema: z.object({ path: z.string(), line: z.number() }),
        execute: async () => {
          const earlier = three(hooks, before, 'look')
          if (earlier !== undefined) await earlier
          counts.tools++
          const later = three(hooks, after, 'look')
          if (later !== undefined) await later
          return RESULT
        }
      })
    }
  })
  counts.text = text
  return counts
}

export async function contendersFor(dists: readonly Dist[]): Promise<Readonly<Record<string, Contender>>> {
  const built = await Promise.all(
    dists.map(async ({ name, url }) => [name, ours(await import(`${url}index.js`))] as const)
  )
  return { ...Object.fromEntries(built), [PI]: pi, 'AI SDK generateText': aiSdk }
}

export const PI = 'pi-agent-core'

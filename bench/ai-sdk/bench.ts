/**
 * What `guardTools()` adds to a call of a tool of the AI SDK: `toolApproval` and the guarded `execute`, with three hooks,
 * against the bare `execute`. CPU time of the process; the goal is 5 µs for each call.
 *
 *     node bench/ai-sdk/bench.ts [--rounds 40] [--json]
 */
import { tool, type ToolSet } from 'ai'
import { z } from 'zod'
import { allow, HookRegistry } from '../../dist/hooks.js'
import { guardTools } from '../../dist/ai-sdk.js'
import { benchOptions, digits, median, printReport, ratioOf, type Table } from '../report.ts'

const { rounds, json } = benchOptions(40)
const CALLS = 5_000

const write = tool({
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  execute: async ({ path }: { path: string; text: string }) => `wrote ${path}`
})

/** Three hooks: one that is silent, one that reads and replies, one after the call. */
function hooksOf(isAsync: boolean): HookRegistry {
  const hooks = new HookRegistry()
  const reads = (ctx: { toolInput: object }): ReturnType<typeof allow> | undefined =>
    'path' in ctx.toolInput ? allow() : undefined
  hooks.on('PreToolUse', isAsync ? async () => undefined : () => undefined)
  hooks.on('PreToolUse', 'write', isAsync ? async ctx => reads(ctx) : reads)
  hooks.on('PostToolUse', isAsync ? async () => undefined : () => undefined)
  return hooks
}

type Call = (id: string, input: { path: string; text: string }) => Promise<unknown>

const run = (tools: ToolSet, toolCallId: string, input: object): Promise<unknown> =>
  Promise.resolve(tools['write']?.execute?.(input as never, { toolCallId, messages: [] } as never))

function guarded(hooks: HookRegistry): Call {
  const { tools, toolApproval } = guardTools({ write }, hooks)
  return async (toolCallId, input) => {
    const toolCall = { type: 'tool-call', toolName: 'write', toolCallId, input } as const
    await toolApproval({ toolCall, tools, toolsContext: {}, runtimeContext: {}, messages: [] })
    return run(tools, toolCallId, input)
  }
}

const CONTENDERS: Readonly<Record<string, Call>> = {
  bare: (id, input) => run({ write }, id, input),
  'no hooks': guarded(new HookRegistry()),
  'three hooks': guarded(hooksOf(false)),
  'three async hooks': guarded(hooksOf(true))
}

let id = 0

/** Microseconds of processor time for one call. */
async function timeOf(call: Call): Promise<number> {
  const start = process.cpuUsage()
  for (let turn = 0; turn < CALLS; turn++) await call(`call-${++id}`, { path: `/notes/${turn}`, text: 'hello' })
  const { user, system } = process.cpuUsage(start)
  return (user + system) / CALLS
}

const times = new Map(Object.keys(CONTENDERS).map(name => [name, [] as number[]]))
for (let round = -5; round < rounds; round++)
  for (const [name, call] of Object.entries(CONTENDERS)) {
    const time = await timeOf(call)
    if (round >= 0) times.get(name)!.push(time)
  }

const bare = times.get('bare')!
const scenes = Object.keys(CONTENDERS).filter(name => name !== 'bare')
const addedBy = (name: string): readonly number[] => times.get(name)!.map((time, round) => time - bare[round]!)

const table: Table = {
  head: ['one call', 'CPU time', 'over the bare tool', 'goal'],
  rows: [
    ['bare tool', `${digits(median(bare))} µs`, '', ''],
    ...scenes.map(name => [
      name,
      `${digits(median(times.get(name)!))} µs`,
      `${digits(median(addedBy(name)))} µs`,
      '5 µs'
    ])
  ]
}

printReport(
  {
    about: `CPU time of one call, medians of ${rounds} rounds of ${CALLS.toLocaleString('en')} calls`,
    tables: [table],
    scenes: scenes.map(name => ({
      scene: name,
      dist: 'carabiner',
      of: 'bare tool',
      ...ratioOf(times.get(name)!, bare)
    }))
  },
  json
)

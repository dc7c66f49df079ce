import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  HookRegistry,
  query,
  tool,
  type Mode,
  type QueryOptions,
  type ResultMessage,
  type ToolExtra,
  type ToolInputs,
  type ToolOutputs
} from '../../src/index.ts'

// A mode is one of those that there are.
expectTypeOf<QueryOptions['permissionMode']>().toEqualTypeOf<Mode | undefined>()
// @ts-expect-error there is no such mode
void query({ prompt: 'x', options: { permissionMode: 'plann' } })

// The schema of the answer types its value; without one, the caller may.
const Count = z.object({ n: z.number(), unit: z.string().optional() })
type Counted = { n: number; unit?: string | undefined } | undefined
const ofSchema = await query({ prompt: 'x', options: { outputFormat: Count } }).result()
expectTypeOf(ofSchema.structured_output).toEqualTypeOf<Counted>()
const nested = await query({ prompt: 'x', options: { outputFormat: { type: 'json_schema', schema: Count } } }).result()
expectTypeOf(nested.structured_output).toEqualTypeOf<Counted>()
const plain = await query({ prompt: 'x', options: { outputFormat: { type: 'json_schema', schema: {} } } }).result()
expectTypeOf(plain.structured_output).toEqualTypeOf<unknown>()
// @ts-expect-error a schema is no text
void query({ prompt: 'x', options: { outputFormat: 'json' } })

// What hooks made of a call is typed by the name of its tool.
const hooks = new HookRegistry()
const bash = await hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' })
expectTypeOf(bash.updatedInput).toEqualTypeOf<Readonly<ToolInputs['Bash']> | undefined>()
const other = await hooks.fire('PreToolUse', { tool_name: 'Other', tool_input: {}, tool_use_id: 't' })
expectTypeOf(other.updatedInput).toEqualTypeOf<Readonly<Record<string, unknown>> | undefined>()
const reported = await hooks.fire(
  'PreToolUse',
  { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' },
  { report: true }
)
expectTypeOf(reported.report.length).toEqualTypeOf<number>()

// What a tool gave back is typed by the matcher.
hooks.on('PostToolUse', 'Bash', ctx => {
  expectTypeOf(ctx.toolResponse).toEqualTypeOf<ToolOutputs['Bash']>()
})
hooks.on('PostToolUse', 'Glob|Grep', ctx => {
  expectTypeOf(ctx.toolResponse.filenames).toEqualTypeOf<string[]>()
})
hooks.on('PostToolUse', 'mcp__*', ctx => {
  expectTypeOf(ctx.toolResponse).toEqualTypeOf<unknown>()
})

// The caller, who knows the schema, gives the type of the structured output.
const counted = await query<{ files: number }>({ prompt: 'x' }).result()
expectTypeOf(counted.structured_output).toEqualTypeOf<{ files: number } | undefined>()
expectTypeOf<ResultMessage['structured_output']>().toEqualTypeOf<unknown>()

// A handler knows what it is given beside its input.
tool('t', 'd', {}, (_, extra) => {
  expectTypeOf(extra).toEqualTypeOf<ToolExtra>()
  expectTypeOf(extra.signal).toEqualTypeOf<AbortSignal>()
  expectTypeOf(extra.toolUseId).toEqualTypeOf<string>()
  extra.progress('half')
  return { content: [] }
})
// One that was written for another SDK does not look.
tool('t', 'd', {}, async (_: unknown, _extra: unknown) => ({ content: [] }))

import { nearest, print } from '../errors.ts'
import { fault } from '../faults.ts'
import { checkObject, invalidOption, rowsIn } from '../schema/check.ts'
import { own, type FieldTable } from '../schema/table.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { after } from '../util/attempt.ts'
import { presentContent, toolResultOf, resultText, type HandlerResult } from './content.ts'
import { checkedBy, jsonSchemaOf, madeOf, wholeSchema } from './own-schema.ts'
import type { ToolInputOf, Shape, StandardSchema } from './own-schema.ts'
import type { Tool, ToolCall } from './tool.ts'

/** What a handler gets besides its input. */
export interface ToolExtra extends Pick<ToolCall, 'signal' | 'fire' | 'progress'> {
  readonly toolUseId: string
}

/** A user-defined tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: Shape | StandardSchema
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined; readonly [more: string]: unknown } | undefined
  handler(input: never, extra: ToolExtra): Promise<HandlerResult> | HandlerResult
}

/** Defines a tool: a name, a description for the model, the schema of its input, and a handler. */
export function tool<const S extends Shape | StandardSchema>(
  name: string,
  description: string,
  inputSchema: S,
  handler: (input: ToolInputOf<S>, extra: ToolExtra) => Promise<HandlerResult> | HandlerResult,
  extras: { readonly annotations?: ToolDefinition['annotations'] } = {}
): ToolDefinition {
  const misplaced = Object.keys(extras).find(key => nearest(key, HINTS) !== undefined)
  if (misplaced !== undefined)
    throw invalidOption('a key of tool()', misplaced, `{ annotations: { ${nearest(misplaced, HINTS)} } }`)
  const definition = { name, description, inputSchema, handler, annotations: extras.annotations }
  checkObject(DEFINITION, { ...extras, ...definition }, 'tool()', {
    prefix: 'tool(): ',
    open: true,
    nullIsAbsent: true
  })
  return definition
}

const ANNOTATIONS = {
  'readOnlyHint?': 'boolean',
  'destructiveHint?': 'boolean',
  'idempotentHint?': 'boolean',
  'openWorldHint?': 'boolean'
} as const satisfies FieldTable

const HINTS = rowsIn(ANNOTATIONS).map(({ name }) => name)

/** A misspelt hint, or one outside `annotations`, would have no effect. Other keys are ignored. */
const DEFINITION = {
  name: own<string>(
    'letters, digits, _ and -, at most 128',
    name => typeof name === 'string' && /^[\w-]{1,128}$/.test(name)
  ),
  description: { type: 'string', expected: 'a description for the model' },
  inputSchema: own<object>('an object of zod schemas', schema => isObject(schema) || typeof schema === 'function'),
  handler: own<ToolDefinition['handler']>('a function', value => typeof value === 'function'),
  'annotations?': { object: ANNOTATIONS, open: true }
} as const satisfies FieldTable

export async function customTool(definition: ToolDefinition, name = definition.name): Promise<Tool> {
  const { description, annotations } = definition
  const schema = await wholeSchema(definition.inputSchema, name)
  const inputSchema = await jsonSchemaOf(schema, `the schema of the tool ${name}`)
  return {
    name,
    description,
    inputSchema,
    check: input => checkedBy(schema, input, inputSchema),
    readOnly: () => annotations?.readOnlyHint === true && annotations['destructiveHint'] !== true,
    async run(input, { signal, id, fire, progress }) {
      return toolResultOf(await handle(definition, schema, input, { signal, toolUseId: id, fire, progress }))
    },
    present: presentContent
  }
}

/** Calls a tool for a hook, and returns its text. This call passes no gate: hooks themselves are the gate. */
export async function callForHook(
  definition: ToolDefinition,
  input: PlainObject,
  signal: AbortSignal
): Promise<string> {
  const schema = await wholeSchema(definition.inputSchema, definition.name)
  const extra = { signal, toolUseId: 'hook', fire: async () => undefined, progress: () => undefined }
  return resultText(await handle(definition, schema, input, extra))
}

/** Only the handler gets the input after the schema's transforms. */
function handle(
  definition: ToolDefinition,
  schema: StandardSchema,
  input: PlainObject,
  extra: ToolExtra
): Promise<HandlerResult> | HandlerResult {
  return after(madeOf(schema, input), made => {
    if ('problem' in made) throw new Error(`the input of ${definition.name} is not valid: ${made.problem}`)
    return definition.handler(made.value as never, extra)
  })
}

/** User-defined tools under one server name, as the Claude Agent SDK takes them in `mcpServers`. */
export interface SdkMcpServer {
  readonly type: 'sdk'
  readonly name: string
  readonly version: string
  readonly tools: readonly ToolDefinition[]
}

const isDefinition = (value: unknown): boolean =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['handler'] === 'function'

export function createSdkMcpServer(options: {
  readonly name: string
  readonly version?: string
  readonly tools?: readonly ToolDefinition[]
}): SdkMcpServer {
  const { name, tools = [] } = isObject(options) ? options : {}
  if (typeof name !== 'string' || name === '' || !Array.isArray(tools) || !tools.every(isDefinition))
    throw fault(
      'E_OPTION_INVALID',
      'the argument of createSdkMcpServer()',
      print(options),
      '{ name, tools: [tool(…)] }'
    )
  return { type: 'sdk', name: options.name, version: options.version ?? '1.0.0', tools: options.tools ?? [] }
}

import { nearest, print } from '../errors.ts'
import { fault } from '../faults.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
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
  const checks = [
    ['name', name, typeof name === 'string' && /^[\w-]{1,128}$/.test(name), 'letters, digits, _ and -, at most 128'],
    ['description', description, typeof description === 'string', 'words for the model'],
    [
      'inputSchema',
      inputSchema,
      isObject(inputSchema) || typeof inputSchema === 'function',
      'an object of zod schemas'
    ],
    ['handler', handler, typeof handler === 'function', 'a function']
  ] as const
  const wrong = checks.find(([, , isRight]) => !isRight)
  if (wrong !== undefined) throw fault('E_OPTION_INVALID', `${wrong[0]} of tool()`, print(wrong[1]), wrong[3])
  checkHints(extras, ['annotations', ...HINTS], ['annotations'])
  checkHints(extras.annotations ?? {}, HINTS, HINTS)
  return { name, description, inputSchema, handler, annotations: extras.annotations }
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

/** A misspelt hint, or one outside `annotations`, would have no effect. Other keys are ignored. */
function checkHints(given: object, known: readonly string[], here: readonly string[]): void {
  for (const key of Object.keys(given)) {
    const meant = here.includes(key) ? undefined : nearest(key, known)
    if (meant === undefined) continue
    const allowed = here.includes(meant) ? meant : `{ annotations: { ${meant} } }`
    throw fault('E_OPTION_INVALID', 'an option of tool()', print(key), allowed)
  }
}

export async function customTool(definition: ToolDefinition, name = definition.name): Promise<Tool> {
  const { description, annotations } = definition
  const schema = await wholeSchema(definition.inputSchema, name)
  const inputSchema = await jsonSchemaOf(schema, name)
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
async function handle(
  definition: ToolDefinition,
  schema: StandardSchema,
  input: PlainObject,
  extra: ToolExtra
): Promise<HandlerResult> {
  const made = await madeOf(schema, input)
  if ('problem' in made) throw new Error(`the input of ${definition.name} is not valid: ${made.problem}`)
  return definition.handler(made.value as never, extra)
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

import type { ZodType } from 'zod'
import { wordsOf } from '../errors.ts'
import type { JsonSchema } from '../message.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { presentContent, resultOf, textOf, type HandlerResult } from './content.ts'
import type { Checked, Tool } from './tool.ts'

/** Whatever can check a value in the way of Standard Schema: zod, valibot, arktype and others. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: { input(options: { target: string }): JsonSchema } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** An object of schemas, one a field, as the Claude Agent SDK takes them. */
export type Shape = Readonly<Record<string, StandardSchema>>

type OutputOf<S> = S extends StandardSchema<infer Output> ? Output : never

/** What the handler of a tool is given. */
export type InputOf<S extends Shape | StandardSchema> =
  S extends StandardSchema<infer Output>
    ? Output
    : { [K in keyof S as undefined extends OutputOf<S[K]> ? never : K]: OutputOf<S[K]> } & {
        [K in keyof S as undefined extends OutputOf<S[K]> ? K : never]?: OutputOf<S[K]>
      }

/** A tool of the user's own. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: Shape | StandardSchema
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined; readonly [more: string]: unknown } | undefined
  handler(input: never, extra: unknown): Promise<HandlerResult> | HandlerResult
}

/** Describes a tool of your own: a name, words for the model, the schema of its input, and what it does. */
export function tool<const S extends Shape | StandardSchema>(
  name: string,
  description: string,
  inputSchema: S,
  handler: (input: InputOf<S>, extra: unknown) => Promise<HandlerResult> | HandlerResult,
  extras: { readonly annotations?: ToolDefinition['annotations'] } = {}
): ToolDefinition {
  return { name, description, inputSchema, handler, annotations: extras.annotations }
}

/** Makes a tool that the agent can call of one that the user has described. */
export async function customTool(definition: ToolDefinition, name = definition.name): Promise<Tool> {
  const { description, annotations } = definition
  const schema = await wholeSchema(definition)
  const inputSchema = await jsonSchemaOf(schema, name)
  return {
    name,
    description,
    inputSchema,
    async check(input) {
      return checkedBy(schema, input)
    },
    readOnly: () => annotations?.readOnlyHint === true,
    async run(input, { signal, id, fire, progress }) {
      return resultOf(await definition.handler(input as never, { signal, toolUseId: id, fire, progress }))
    },
    present: presentContent
  }
}

/** Calls one for a hook, and gives its text. Nothing judges that: hooks are what judges. */
export async function callForHook(
  definition: ToolDefinition,
  input: PlainObject,
  signal: AbortSignal
): Promise<string> {
  const checked = await checkedBy(await wholeSchema(definition), input)
  if ('problem' in checked) throw new Error(`the input of ${definition.name} is not valid: ${checked.problem}`)
  const extra = { signal, toolUseId: 'hook', fire: async () => undefined, progress: () => undefined }
  return textOf(await definition.handler(checked.input as never, extra))
}

/** An object of schemas is one for zod to put together. */
async function wholeSchema({ name, inputSchema }: ToolDefinition): Promise<StandardSchema> {
  if (isSchema(inputSchema)) return inputSchema
  const { z } = await import('zod')
  try {
    return z.object(inputSchema)
  } catch (error) {
    throw new TypeError(`the input of the tool ${name} is no schema: ${wordsOf(error)}`, { cause: error })
  }
}

const isSchema = (value: unknown): value is StandardSchema =>
  typeof value === 'object' && value !== null && '~standard' in value

async function jsonSchemaOf(schema: StandardSchema, name: string): Promise<JsonSchema> {
  const standard = schema['~standard']
  if (standard.jsonSchema !== undefined) return standard.jsonSchema.input({ target: 'draft-2020-12' })
  if (standard.vendor !== 'zod')
    throw new TypeError(`the schema of the tool ${name} (${standard.vendor}) cannot be printed as JSON Schema`)
  const { z } = await import('zod')
  return z.toJSONSchema(schema as unknown as ZodType, { io: 'input' })
}

async function checkedBy(schema: StandardSchema, input: unknown): Promise<Checked> {
  let result: StandardResult<unknown>
  try {
    result = await schema['~standard'].validate(input)
  } catch (error) {
    return { problem: `its schema could not check it: ${wordsOf(error)}` }
  }
  if (result.issues === undefined)
    return isObject(result.value) ? { input: result.value } : { problem: 'it is not an object' }
  return { problem: result.issues.map(({ message, path }) => `${pathOf(path)}${message}`).join('; ') }
}

const pathOf = (path: readonly unknown[] | undefined): string =>
  path === undefined || path.length === 0
    ? ''
    : `${path.map(part => String(isObject(part) ? part['key'] : part)).join('.')}: `

/** Tools of the user's own under one name, as the Claude Agent SDK takes them in `mcpServers`. */
export interface SdkMcpServer {
  readonly type: 'sdk'
  readonly name: string
  readonly version: string
  readonly tools: readonly ToolDefinition[]
}

export function createSdkMcpServer(options: {
  readonly name: string
  readonly version?: string
  readonly tools?: readonly ToolDefinition[]
}): SdkMcpServer {
  return { type: 'sdk', name: options.name, version: options.version ?? '1.0.0', tools: options.tools ?? [] }
}

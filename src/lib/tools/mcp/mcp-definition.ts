import type { JsonSchema } from '../../message.ts'
import { isObject, same, type PlainObject } from '../../util/plain.ts'
import { escapedLines } from '../../util/escape.ts'

/** A tool as its server describes it. An approval covers all of this. */
export interface Definition {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | undefined
  readonly annotations: Readonly<PlainObject>
}

export const DEEPEST = 100

/** Whether data is nested too deeply. Does not recurse itself. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true
    level = level.flatMap(item => (typeof item === 'object' && item !== null ? (Object.values(item) as unknown[]) : []))
  }
  return false
}

export function definitionOf(given: {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
  readonly annotations?: object | undefined
}): Definition {
  const { name, title, description = '', inputSchema, outputSchema, annotations = {} } = given
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as JsonSchema,
    outputSchema: outputSchema as JsonSchema | undefined,
    annotations: annotations as PlainObject
  }
}

const LONGEST_DESCRIPTION = 8000

/** The description, with invisible characters escaped. */
export const shownDescription = ({ description, title, name }: Definition): string =>
  escapedLines(clipped(description || title || name, LONGEST_DESCRIPTION))

const WORDS: ReadonlySet<string> = new Set(['description', 'title', '$comment'])

/** The schema, with invisible characters in its texts escaped; its meaning is unchanged. */
export function shownSchema(schema: JsonSchema): JsonSchema {
  return shownIn(schema) as JsonSchema
}

function shownIn(value: unknown, key?: string): unknown {
  if (typeof value === 'string') return key !== undefined && WORDS.has(key) ? escapedLines(value) : value
  if (Array.isArray(value)) return value.map(item => shownIn(item))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shownIn(item, name)]))
}

/** Why these tools of a server cannot be called, if several have the name that hooks and rules see. */
export const sharedNameProblem = (name: string, tools: readonly string[]): string | undefined =>
  tools.length > 1
    ? `hooks and rules cannot tell ${escapedLines(tools.join(' and '))} apart: both are ${name}`
    : undefined

const PARTS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

export function definitionChange(approved: Definition, now: Definition | undefined): string | undefined {
  if (now === undefined) return 'its server no longer offers it'
  const changed = PARTS.filter(part => !same(approved[part], now[part]))
  if (changed.length === 0) return undefined
  return changed.map(part => `its ${part} was ${excerpts(approved[part], now[part])}`).join('; ')
}

function excerpts(before: unknown, after: unknown): string {
  const [old, fresh] = [textOf(before), textOf(after)]
  let at = 0
  while (at < old.length && old[at] === fresh[at]) at++
  const from = Math.max(0, at - 30)
  const excerpt = (text: string): string => escapedLines(`${from > 0 ? '…' : ''}${clipped(text.slice(from), 200)}`)
  return `${excerpt(old)} and is ${excerpt(fresh)}`
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

const clipped = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`)

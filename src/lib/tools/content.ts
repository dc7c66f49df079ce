import type { Block } from '../message.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import type { ToolResult } from './tool.ts'
import { escapedLines } from '../util/escape.ts'

/** A tool result in MCP format. */
export interface HandlerResult {
  readonly content: readonly HandlerContent[]
  readonly isError?: boolean | undefined
  readonly structuredContent?: unknown
}

export type HandlerContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: string; readonly [more: string]: unknown }

/** In place of an output for which a hook gave something that is no result. */
export const UNUSABLE = '[The output was hidden: a hook put something in its place that cannot be shown.]'

export const isResult = (value: unknown): value is HandlerResult =>
  isObject(value) && Array.isArray(value['content']) && value['content'].every(isObject)

export function toolResultOf(result: unknown): ToolResult {
  if (!isResult(result))
    throw new TypeError('the tool gave back no result: { content: [{ type: "text", text }] } was expected')
  const content = contentOf(result)
  const { structuredContent } = result
  const output = structuredContent === undefined ? result.content : { content: result.content, structuredContent }
  if (result.isError !== true) return { content, output }
  return { content, output, error: textsIn(content) || 'the tool failed' }
}

const textsIn = (content: readonly Block[]): string =>
  content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')

/** The text of a result, for a hook. Throws for a failed call. */
export function resultText(result: unknown): string {
  const { content, error } = toolResultOf(result)
  if (error !== undefined) throw new Error(error)
  return typeof content === 'string' ? content : textsIn(content)
}

export function presentContent(output: unknown): string | readonly Block[] | undefined {
  const given = Array.isArray(output) ? { content: output } : output
  return typeof given === 'string' ? given : isResult(given) ? contentOf(given) : undefined
}

const contentOf = ({ content }: HandlerResult): readonly Block[] => content.map(blockOf)

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

function blockOf(part: HandlerContent): Block {
  const { type, text, data, mimeType, resource } = part as PlainObject
  if (type === 'text' && typeof text === 'string') return { type: 'text', text }
  if (type === 'image' && typeof data === 'string') return pictureOf(data, mimeType)
  if (type === 'audio' && typeof data === 'string') return note(`sound (${String(mimeType)}), which is not played`)
  if (type === 'resource' && isObject(resource)) return resourceOf(resource)
  if (type === 'resource_link') return linkOf(part)
  return { type: 'text', text: JSON.stringify(part) }
}

const note = (text: string): Block => ({ type: 'text', text: `[${escapedLines(text)}]` })

const pictureOf = (data: string, mimeType: unknown): Block =>
  PICTURES.has(String(mimeType))
    ? { type: 'image', source: { type: 'base64', media_type: String(mimeType), data } }
    : note(`picture (${String(mimeType)}), which cannot be shown`)

function resourceOf({ uri, mimeType, text, blob }: PlainObject): Block {
  if (typeof text === 'string') return { type: 'text', text: `[${escapedLines(`resource ${String(uri)}`)}]\n${text}` }
  if (typeof blob === 'string' && PICTURES.has(String(mimeType))) return pictureOf(blob, mimeType)
  return note(`resource ${String(uri)} (${String(mimeType)}), which is not shown`)
}

function linkOf({ uri, name, description }: PlainObject): Block {
  const words = typeof description === 'string' ? `: ${description}` : ''
  return note(`link to the resource ${String(uri)} (${String(name)})${words}`)
}

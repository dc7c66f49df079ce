import type { Block, Message } from '../../message.ts'
import type { Kept } from '../../transcript/entry.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

/** The content of a transcript may have any shape. Returns what can be sent to a model; the rest is left out. */
export function contentIn(content: unknown): string | Block[] | undefined {
  return Array.isArray(content) ? blocksIn(content) : typeof content === 'string' ? content : undefined
}

export function blocksIn(content: readonly unknown[]): Block[] {
  const ids = new Set<unknown>()
  return content.filter(isObject).flatMap(block => {
    const { type, id } = block
    if (type !== 'tool_use') return blockIn(block) ?? []
    const isCall = typeof id === 'string' && typeof block['name'] === 'string' && !ids.has(id)
    ids.add(id)
    return isCall ? (block as unknown as Block) : []
  })
}

function blockIn(block: PlainObject): Block | undefined {
  const { type, content } = block
  if (type === 'tool_result') {
    if (typeof block['tool_use_id'] !== 'string') return undefined
    return { ...block, content: contentIn(content) ?? '' } as unknown as Block
  }
  const isOne =
    (type === 'text' && typeof block['text'] === 'string') ||
    (type === 'thinking' && typeof block['thinking'] === 'string') ||
    (type === 'redacted_thinking' && typeof block['data'] === 'string') ||
    (type === 'image' && isObject(block['source']))
  return isOne ? (block as unknown as Block) : undefined
}

export const keptIn = (value: unknown): readonly Kept[] =>
  arrayIn(value).flatMap(each => {
    const { uuid, message } = isObject(each) ? each : {}
    if (typeof uuid !== 'string' || !isObject(message)) return []
    const content = contentIn(message['content'])
    return content === undefined || !isRole(message['role'])
      ? []
      : { uuid, message: { role: message['role'], content } }
  })

export const hasResults = (content: Message['content']): boolean =>
  typeof content !== 'string' && content.some(({ type }) => type === 'tool_result')

const isRole = (role: unknown): role is Message['role'] => role === 'user' || role === 'assistant' || role === 'system'

export const arrayIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textsIn = (value: unknown): readonly string[] => arrayIn(value).filter(each => typeof each === 'string')

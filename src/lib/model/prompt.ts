import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions
} from '@ai-sdk/provider'
import type { Block, ImageBlock, Message, ToolResultBlock } from '../message.ts'
import { isObject, wellFormed } from '../util/plain.ts'
import { metadataOf } from './partial-block.ts'

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

/** Marks the end of the prompt prefix that the provider caches. */
export const CACHE: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }

export interface ConvertedPrompt {
  /** Messages that a request has used are never changed in place, only replaced by longer ones. */
  readonly prompt: LanguageModelV4Prompt
  readonly tools: Map<string, string>
}

interface State extends ConvertedPrompt {
  readonly source: Message[]
}

/**
 * Converts conversations. The same array, grown, costs only what is new; an array that was changed in another way is
 * converted anew. With `imagesApart`, pictures in results of tools follow in a message of the user.
 */
export function converter(imagesApart: boolean): (messages: readonly Message[]) => ConvertedPrompt {
  const known = new WeakMap<readonly Message[], State>()
  return messages => {
    let state = known.get(messages)
    if (state === undefined || !isGrownFrom(messages, state.source)) {
      state = { prompt: [], tools: new Map(), source: [] }
      known.set(messages, state)
    }
    for (let at = state.source.length; at < messages.length; at++) {
      const message = messages[at]!
      state.source.push(message)
      for (const part of convert(message, state.tools, imagesApart)) place(part, state.prompt)
    }
    return state
  }
}

function isGrownFrom(messages: readonly Message[], source: readonly Message[]): boolean {
  if (messages.length < source.length) return false
  for (let at = 0; at < source.length; at++) if (messages[at] !== source[at]) return false
  return true
}

/** The prompt of one request: system prompt first, cache mark on the last message. */
export function promptOf(system: string, { prompt }: ConvertedPrompt): LanguageModelV4Prompt {
  const out = prompt.slice()
  const last = out.at(-1)
  if (last !== undefined && last.role !== 'assistant') out[out.length - 1] = { ...last, providerOptions: CACHE }
  if (system !== '') out.unshift({ role: 'system', content: wellFormed(system), providerOptions: CACHE })
  return out
}

/** Providers require alternating turns, and results directly after their calls. */
function place(message: LanguageModelV4Message, prompt: LanguageModelV4Prompt): void {
  let at = prompt.length
  if (message.role === 'tool' && prompt[at - 1]?.role === 'user') at--
  const before = prompt[at - 1]
  if (message.role === 'user' && before?.role === 'user')
    prompt[at - 1] = { role: 'user', content: [...before.content, ...message.content] }
  else if (message.role === 'tool' && before?.role === 'tool')
    prompt[at - 1] = { role: 'tool', content: [...before.content, ...message.content] }
  else prompt.splice(at, 0, message)
}

/** At most two messages: tool results, and everything else. */
function convert(message: Message, tools: Map<string, string>, imagesApart: boolean): LanguageModelV4Message[] {
  const role = message.role
  const content = wellFormed(message.content)
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (role === 'assistant') {
    const parts = blocks.flatMap(block => assistantPart(block, tools))
    return parts.length === 0 ? [] : [{ role: 'assistant', content: parts }]
  }
  const results: LanguageModelV4ToolResultPart[] = []
  const said: UserPart[] = []
  for (const block of blocks) {
    if (block.type === 'tool_result') {
      results.push(resultPart(block, tools, imagesApart))
      if (imagesApart || block.is_error === true) said.push(...imagesIn(block).map(filePart))
    } else if (block.type === 'image') said.push(filePart(block))
    else if (block.type === 'text' && hasText(block.text))
      said.push(textPart(role === 'system' ? reminder(block.text) : block.text))
  }
  const out: LanguageModelV4Message[] = []
  if (results.length > 0) out.push({ role: 'tool', content: results })
  if (said.length > 0) out.push({ role: 'user', content: said })
  return out
}

/** Few providers accept system messages in the middle of a conversation. */
export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`

/** Providers refuse blank text blocks. */
const hasText = (text: string): boolean => text.trim() !== ''

function assistantPart(block: Block, tools: Map<string, string>): AssistantPart[] {
  const metadata = metadataOf(block)
  const providerOptions = metadata === undefined ? {} : { providerOptions: metadata }
  if (block.type === 'text') return hasText(block.text) ? [{ ...textPart(block.text), ...providerOptions }] : []
  if (block.type === 'thinking') {
    const signed = block.signature === undefined ? undefined : { anthropic: { signature: block.signature } }
    return [{ type: 'reasoning', text: block.thinking, providerOptions: { ...metadata, ...signed } }]
  }
  if (block.type === 'redacted_thinking')
    return [{ type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: block.data } } }]
  if (block.type !== 'tool_use') return []
  tools.set(block.id, block.name)
  // Providers accept only JSON objects as input, so other text is wrapped in one.
  const input = isObject(block.input) ? block.input : { invalid_input: block.input }
  return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input, ...providerOptions }]
}

function resultPart(
  block: ToolResultBlock,
  tools: ReadonlyMap<string, string>,
  imagesApart: boolean
): LanguageModelV4ToolResultPart {
  const id = block.tool_use_id
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: tools.get(id) ?? 'unknown',
    output: outputOf(block, imagesApart)
  }
}

function outputOf({ content, is_error }: ToolResultBlock, imagesApart: boolean): LanguageModelV4ToolResultOutput {
  if (typeof content !== 'string' && is_error !== true && !imagesApart && content.some(isImage)) {
    const shown = content.filter(block => isImage(block) || hasText(textOf(block)))
    return { type: 'content', value: shown.map(block => (isImage(block) ? filePart(block) : textPart(textOf(block)))) }
  }
  const value =
    typeof content === 'string'
      ? content
      : content
          .filter(block => !isImage(block))
          .map(textOf)
          .join('\n')
  return { type: is_error === true ? 'error-text' : 'text', value }
}

const isImage = (block: Block): block is ImageBlock => block.type === 'image'

const imagesIn = ({ content }: ToolResultBlock): readonly ImageBlock[] =>
  typeof content === 'string' ? [] : content.filter(isImage)

const textOf = (block: Block): string => (block.type === 'text' ? block.text : JSON.stringify(block))

const textPart = (text: string): LanguageModelV4TextPart => ({ type: 'text', text })

const filePart = ({ source }: ImageBlock): LanguageModelV4FilePart => ({
  type: 'file',
  mediaType: source.media_type,
  data: { type: 'data', data: source.data }
})

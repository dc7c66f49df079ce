import { randomUUID } from 'node:crypto'
import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Block } from '../message.ts'
import { deltaOf, emptyBlock, inputOf, wholeBlock, type PartialBlock } from './partial-block.ts'
import { cutOff, failureOf } from './failure.ts'
import { messageStart } from './stream-events.ts'
import { firstUsage, NO_TOKENS, stopOf, usageOf } from './usage.ts'
import type { Answer, BlockDelta, StreamEvent } from './model.ts'

type Part<T extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: T }>
type CallPart = Part<'tool-input-start' | 'tool-input-delta' | 'tool-input-end' | 'tool-call'>
type Metadata = SharedV4ProviderMetadata | undefined

const isOfCall = (part: LanguageModelV4StreamPart): part is CallPart =>
  part.type === 'tool-call' || part.type.startsWith('tool-input-')

interface AnswerContext {
  /** Used when the provider does not name the model that answers. */
  readonly model: string
  readonly taken: { has(id: string): boolean }
  readonly unsent: readonly string[]
  readonly onEvent: ((event: StreamEvent) => void) | undefined
}

const changeIn = (warning: Part<'stream-start'>['warnings'][number]): readonly string[] =>
  warning.type === 'unsupported'
    ? [`the model does not take ${warning.feature}: ${warning.details ?? 'it was left out'}`]
    : []

export class Receiver {
  readonly #context: AnswerContext
  readonly #blocks: PartialBlock[] = []
  /** Incomplete blocks, by kind and by the id that the adapter gives them. */
  readonly #open = new Map<string, PartialBlock>()
  readonly #ids = new Set<string>()
  readonly #ungated: { name: string; input: unknown }[] = []
  readonly #leftOut = new Set<string>()
  readonly #changed: string[] = []
  #id = ''
  #model = ''
  #usage = NO_TOKENS
  #isAnnounced = false
  #finish: Part<'finish'> | undefined

  constructor(context: AnswerContext) {
    this.#context = context
  }

  get finished(): boolean {
    return this.#finish !== undefined
  }

  /** The model is thinking and does not stream its thoughts: long silence is normal. */
  get isThinkingUnseen(): boolean {
    const last = this.#blocks.at(-1)
    return last !== undefined && !last.whole && last.kind === 'thinking' && last.text === ''
  }

  get text(): string {
    return this.#blocks.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('')
  }

  /** Returns whether the part was content. Throws what the provider reports. */
  take(part: LanguageModelV4StreamPart): boolean {
    if (part.type === 'stream-start') this.#changed.push(...part.warnings.flatMap(changeIn))
    if (part.type === 'stream-start' || part.type === 'ping' || part.type === 'raw') return false
    if (part.type === 'error') throw failureOf(part.error)
    if (isOfCall(part)) this.#takeCall(part)
    else this.#takeOther(part)
    return true
  }

  #takeCall(part: CallPart): void {
    if (part.type === 'tool-call') this.#call(part)
    else if (part.type === 'tool-input-delta')
      this.#grow(`call ${part.id}`, undefined, part.delta, part.providerMetadata)
    // Only the tool-call part that follows says that the input is complete.
    else if (part.type === 'tool-input-start' && part.providerExecuted !== true)
      this.#beginCall(part.id, part.toolName, part.providerMetadata)
  }

  #takeOther(
    part: Exclude<LanguageModelV4StreamPart, CallPart | Part<'stream-start' | 'ping' | 'raw' | 'error'>>
  ): void {
    switch (part.type) {
      case 'text-start':
        this.#begin(`text ${part.id}`, 'text', part.providerMetadata)
        break
      case 'text-delta':
        this.#grow(`text ${part.id}`, 'text', part.delta, part.providerMetadata)
        break
      case 'text-end':
        this.#end(`text ${part.id}`, part.providerMetadata)
        break
      case 'reasoning-start':
        this.#beginThinking(part)
        break
      case 'reasoning-delta':
        this.#grow(`thinking ${part.id}`, 'thinking', part.delta, part.providerMetadata)
        break
      case 'reasoning-end':
        this.#end(`thinking ${part.id}`, part.providerMetadata)
        break
      case 'response-metadata':
        this.#id = part.id ?? ''
        this.#model = part.modelId ?? ''
        break
      case 'finish':
        this.#finish = part
        break
      case 'custom':
        if (part.kind === 'anthropic.message_start') this.#usage = firstUsage(part.providerMetadata)
        else this.#leftOut.add(part.kind)
        break
      // Results and sources of tools that the provider ran are not part of the conversation.
      case 'tool-result':
      case 'source':
        break
      case 'file':
      case 'reasoning-file':
      case 'tool-approval-request':
      default:
        this.#leftOut.add(part.type)
    }
  }

  #begin(key: string, kind: PartialBlock['kind'], metadata: Metadata, known: Partial<PartialBlock> = {}): PartialBlock {
    const index = this.#blocks.length
    const empty = { id: '', name: '', text: '', signature: undefined, whole: false }
    const block: PartialBlock = { ...empty, ...known, kind, index, metadata }
    this.#blocks.push(block)
    this.#open.set(key, block)
    this.#announce()
    this.#context.onEvent?.({ type: 'content_block_start', index, content_block: emptyBlock(block) })
    return block
  }

  #beginThinking({ id, providerMetadata }: Part<'reasoning-start'>): void {
    const hidden = providerMetadata?.['anthropic']?.['redactedData']
    if (typeof hidden !== 'string') this.#begin(`thinking ${id}`, 'thinking', providerMetadata)
    else this.#begin(`thinking ${id}`, 'redacted_thinking', providerMetadata, { text: hidden })
  }

  #beginCall(key: string, name: string, metadata: Metadata): PartialBlock {
    return this.#begin(`call ${key}`, 'tool_use', metadata, { id: this.#freshId(key), name })
  }

  /** Call ids must be unique in a conversation; some models give one to two calls. */
  #freshId(wanted: string): string {
    let id = wanted === '' ? `toolu_${randomUUID()}` : wanted
    for (let n = 2; this.#ids.has(id) || this.#context.taken.has(id); n++) id = `${wanted}_${n}`
    this.#ids.add(id)
    return id
  }

  #grow(key: string, kind: 'text' | 'thinking' | undefined, piece: string, metadata: Metadata): void {
    const block = this.#open.get(key) ?? (kind && this.#begin(key, kind, undefined))
    if (block === undefined) return
    if (metadata !== undefined) block.metadata = { ...block.metadata, ...metadata }
    if (piece !== '') {
      block.text += piece
      this.#tellDelta(block, deltaOf(block, piece))
    }
    const signature = metadata?.['anthropic']?.['signature']
    if (block.kind !== 'thinking' || typeof signature !== 'string') return
    block.signature = signature
    this.#tellDelta(block, { type: 'signature_delta', signature })
  }

  #tellDelta({ index }: PartialBlock, delta: BlockDelta | undefined): void {
    if (delta !== undefined) this.#context.onEvent?.({ type: 'content_block_delta', index, delta })
  }

  #end(key: string, metadata: Metadata): void {
    const block = this.#open.get(key)
    if (block === undefined) return
    this.#open.delete(key)
    if (metadata !== undefined) block.metadata = { ...block.metadata, ...metadata }
    block.whole = true
    this.#context.onEvent?.({ type: 'content_block_stop', index: block.index })
  }

  #call({ toolCallId, toolName, input, providerExecuted, providerMetadata }: LanguageModelV4ToolCall): void {
    if (providerExecuted === true) {
      this.#ungated.push({ name: toolName, input: inputOf(input, false) })
      return
    }
    const key = `call ${toolCallId}`
    const block = this.#open.get(key) ?? this.#beginCall(toolCallId, toolName, providerMetadata)
    if (block.text === '' && input !== '') this.#tellDelta(block, deltaOf(block, input))
    // Adapters turn an input of which nothing arrived into "{}".
    if (block.text !== '' || input !== '{}') block.text = input
    this.#end(key, providerMetadata)
  }

  #announce(): void {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    if (this.#id === '') this.#id = `msg_${randomUUID()}`
    if (this.#model === '') this.#model = this.#context.model
    this.#context.onEvent?.(messageStart(this.#id, this.#model, this.#usage))
  }

  answer(): Answer {
    const finish = this.#finish
    if (finish === undefined) throw cutOff('the stream ended without a finish event')
    const hasCalls = this.#blocks.some(block => block.kind === 'tool_use')
    const stop = stopOf(finish.finishReason, hasCalls)
    if (stop === undefined) throw cutOff('it was interrupted')
    if (this.#blocks.some(block => !block.whole)) throw cutOff('it ended in the middle of a block')

    this.#announce()
    const usage = usageOf(finish.usage)
    const changed = [...this.#context.unsent, ...this.#changed]
    const content = this.#wholeBlocks(stop === 'max_tokens')
    this.#context.onEvent?.({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage })
    this.#context.onEvent?.({ type: 'message_stop' })
    return {
      id: this.#id,
      model: this.#model,
      content,
      stop,
      usage,
      ...(this.#ungated.length > 0 && { ungated: this.#ungated }),
      ...(this.#leftOut.size > 0 && { leftOut: [...this.#leftOut] }),
      ...(changed.length > 0 && { changed })
    }
  }

  /** Providers refuse empty text blocks, so they are dropped. */
  #wholeBlocks(ranOut: boolean): readonly Block[] {
    const last = this.#blocks.at(-1)
    return this.#blocks
      .filter(({ kind, text }) => kind !== 'text' || text !== '')
      .map(block => wholeBlock(block, ranOut && block === last))
  }
}

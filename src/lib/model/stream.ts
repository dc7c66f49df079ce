import { randomUUID } from 'node:crypto'
import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Block } from '../message.ts'
import { deltaOf, emptyBlock, inputOf, wholeBlock, type Draft } from './partial-block.ts'
import { cutOff, failureOf } from './failure.ts'
import { firstUsage, NO_TOKENS, stopOf, usageOf } from './usage.ts'
import type { Answer, BlockDelta, StreamEvent } from './model.ts'

type Part<T extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: T }>
type CallPart = Part<'tool-input-start' | 'tool-input-delta' | 'tool-input-end' | 'tool-call'>
type Metadata = SharedV4ProviderMetadata | undefined

const isOfCall = (part: LanguageModelV4StreamPart): part is CallPart =>
  part.type === 'tool-call' || part.type.startsWith('tool-input-')

/** What is known before the first part. */
interface Circumstances {
  /** The name of the model, where the provider does not say which one answers. */
  readonly model: string
  /** Ids of calls that the conversation holds already. */
  readonly taken: { has(id: string): boolean }
  /** What of the request was not sent, in words. */
  readonly unsent: readonly string[]
  readonly onEvent: ((event: StreamEvent) => void) | undefined
}

/** What an adapter did not send as it was told. */
const changeIn = (warning: Part<'stream-start'>['warnings'][number]): readonly string[] =>
  warning.type === 'unsupported'
    ? [`the model does not take ${warning.feature}: ${warning.details ?? 'it was left out'}`]
    : []

/** Receives the parts of one answer, tells of them as they come, and puts them together. */
export class Receiver {
  readonly #circumstances: Circumstances
  readonly #drafts: Draft[] = []
  /** Blocks that are not whole yet, by kind and by the id that the provider's adapter gives them. */
  readonly #open = new Map<string, Draft>()
  readonly #ids = new Set<string>()
  readonly #ungated: { name: string; input: unknown }[] = []
  readonly #leftOut = new Set<string>()
  readonly #changed: string[] = []
  #id = ''
  #model = ''
  #usage = NO_TOKENS
  #isAnnounced = false
  #finish: Part<'finish'> | undefined

  constructor(circumstances: Circumstances) {
    this.#circumstances = circumstances
  }

  /** Whether all has been said. */
  get finished(): boolean {
    return this.#finish !== undefined
  }

  /** Whether it thinks where nobody can see it: then nothing comes for long. */
  get ponders(): boolean {
    const last = this.#drafts.at(-1)
    return last !== undefined && !last.whole && last.kind === 'thinking' && last.text === ''
  }

  /** The words that have come so far. */
  get text(): string {
    return this.#drafts.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('')
  }

  /** Takes the next part, and says whether it was content. Throws what the provider reports. */
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
    // That the input is complete, only the call says that follows.
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
      // What a tool of the provider gave back, and where its words come from, is the provider's own.
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

  #begin(key: string, kind: Draft['kind'], metadata: Metadata, call = { id: '', name: '' }, text = ''): Draft {
    const index = this.#drafts.length
    const draft: Draft = { kind, index, ...call, text, signature: undefined, metadata, whole: false }
    this.#drafts.push(draft)
    this.#open.set(key, draft)
    this.#announce()
    this.#circumstances.onEvent?.({ type: 'content_block_start', index, content_block: emptyBlock(draft) })
    return draft
  }

  #beginThinking({ id, providerMetadata }: Part<'reasoning-start'>): void {
    const hidden = providerMetadata?.['anthropic']?.['redactedData']
    if (typeof hidden !== 'string') this.#begin(`thinking ${id}`, 'thinking', providerMetadata)
    else this.#begin(`thinking ${id}`, 'redacted_thinking', providerMetadata, undefined, hidden)
  }

  #beginCall(key: string, name: string, metadata: Metadata): Draft {
    return this.#begin(`call ${key}`, 'tool_use', metadata, { id: this.#freshId(key), name })
  }

  /** Results are told apart by the id of their call. Some models give the same to two calls. */
  #freshId(wanted: string): string {
    let id = wanted === '' ? `toolu_${randomUUID()}` : wanted
    for (let n = 2; this.#ids.has(id) || this.#circumstances.taken.has(id); n++) id = `${wanted}_${n}`
    this.#ids.add(id)
    return id
  }

  #grow(key: string, kind: 'text' | 'thinking' | undefined, piece: string, metadata: Metadata): void {
    const draft = this.#open.get(key) ?? (kind && this.#begin(key, kind, undefined))
    if (draft === undefined) return
    if (metadata !== undefined) draft.metadata = { ...draft.metadata, ...metadata }
    if (piece !== '') {
      draft.text += piece
      this.#tellDelta(draft, deltaOf(draft, piece))
    }
    const signature = metadata?.['anthropic']?.['signature']
    if (draft.kind !== 'thinking' || typeof signature !== 'string') return
    draft.signature = signature
    this.#tellDelta(draft, { type: 'signature_delta', signature })
  }

  #tellDelta({ index }: Draft, delta: BlockDelta | undefined): void {
    if (delta !== undefined) this.#circumstances.onEvent?.({ type: 'content_block_delta', index, delta })
  }

  #end(key: string, metadata: Metadata): void {
    const draft = this.#open.get(key)
    if (draft === undefined) return
    this.#open.delete(key)
    if (metadata !== undefined) draft.metadata = { ...draft.metadata, ...metadata }
    draft.whole = true
    this.#circumstances.onEvent?.({ type: 'content_block_stop', index: draft.index })
  }

  #call({ toolCallId, toolName, input, providerExecuted, providerMetadata }: LanguageModelV4ToolCall): void {
    if (providerExecuted === true) {
      this.#ungated.push({ name: toolName, input: inputOf(input, false) })
      return
    }
    const key = `call ${toolCallId}`
    const draft = this.#open.get(key) ?? this.#beginCall(toolCallId, toolName, providerMetadata)
    if (draft.text === '' && input !== '') this.#tellDelta(draft, deltaOf(draft, input))
    // Adapters make "{}" of an input of which nothing has come.
    if (draft.text !== '' || input !== '{}') draft.text = input
    this.#end(key, providerMetadata)
  }

  #announce(): void {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    if (this.#id === '') this.#id = `msg_${randomUUID()}`
    if (this.#model === '') this.#model = this.#circumstances.model
    const message = {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: this.#usage
    } as const
    this.#circumstances.onEvent?.({ type: 'message_start', message })
  }

  /** The answer. Throws when it is not whole. */
  answer(): Answer {
    const finish = this.#finish
    if (finish === undefined) throw cutOff('it ended without saying that it ends')
    const hasCalls = this.#drafts.some(draft => draft.kind === 'tool_use')
    const stop = stopOf(finish.finishReason, hasCalls)
    if (stop === undefined) throw cutOff('it was interrupted')
    if (this.#drafts.some(draft => !draft.whole)) throw cutOff('it ended in the middle of a block')

    this.#announce()
    const usage = usageOf(finish.usage)
    const changed = [...this.#circumstances.unsent, ...this.#changed]
    const content = this.#blocks(stop === 'max_tokens')
    this.#circumstances.onEvent?.({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage })
    this.#circumstances.onEvent?.({ type: 'message_stop' })
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

  /** Texts without a word are dropped: providers refuse to be sent them. */
  #blocks(ranOut: boolean): readonly Block[] {
    const last = this.#drafts.at(-1)
    return this.#drafts
      .filter(({ kind, text }) => kind !== 'text' || text !== '')
      .map(draft => wholeBlock(draft, ranOut && draft === last))
  }
}

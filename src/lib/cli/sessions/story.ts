import type { Rec } from '../../transcript/entry.ts'
import type { Gap } from '../../transcript/store.ts'
import { asText, isObject, type PlainObject } from '../../util/plain.ts'
import { eventIn } from './story-events.ts'

/** One thing that happened in a session, as people want to hear of it. */
export type Item = { readonly at?: string | undefined; readonly uuid?: string | undefined } & (
  | { readonly kind: 'prompt' | 'answer' | 'thought'; readonly text: string }
  /** Words that nobody typed: the model was told them. */
  | { readonly kind: 'told' | 'summary'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly input: unknown }
  | {
      readonly kind: 'result'
      readonly id: string
      readonly tool: string | undefined
      readonly text: string
      readonly isError: boolean
      /** Somebody or something refused the call. */
      readonly isRefused: boolean
      /** The call had begun, and nobody knows what it did. */
      readonly isUnknown: boolean
    }
  | { readonly kind: 'context'; readonly by: string | undefined; readonly event: string; readonly text: string }
  | {
      readonly kind: 'denied'
      readonly id: string
      readonly tool: string
      readonly by: string
      readonly reason: string
    }
  | { readonly kind: 'waiting'; readonly id: string; readonly tool: string; readonly why: string; readonly by?: string }
  | { readonly kind: 'subagent'; readonly id: string; readonly type?: string; readonly description?: string }
  | { readonly kind: 'compacted'; readonly trigger: string; readonly tokens: number; readonly text: string }
  | { readonly kind: 'cleared' }
  | { readonly kind: 'rewound'; readonly to: string }
  | { readonly kind: 'changed'; readonly event: string; readonly removed: number; readonly added: number }
  | { readonly kind: 'forked'; readonly from: string }
  | { readonly kind: 'repaired'; readonly leftOut: readonly Gap[]; readonly original: string }
  | { readonly kind: 'ungated'; readonly tool: string }
  | { readonly kind: 'gap'; readonly gap: Gap }
  /** An entry that this version does not know. */
  | { readonly kind: 'unknown'; readonly type: string }
)

/** An entry, and where it stands in its file. */
export interface Placed {
  readonly entry: Rec
  readonly offset: number
}

export interface StoryOptions {
  readonly isForeign: boolean
  /** It is the transcript of a subagent. */
  readonly isAgent: boolean
  /** The prompts that subagents began with, where their transcripts tell it, by their ids. */
  readonly agents?: ReadonlyMap<string, string>
}

/** What entries tell, in their order, with what is missing at its place. */
export function storyOf(placed: readonly Placed[], gaps: readonly Gap[], options: StoryOptions): readonly Item[] {
  const story = new Story(options)
  const left = [...gaps]
  for (const { entry, offset } of placed) {
    while (left[0] !== undefined && left[0].at <= offset) story.add({ kind: 'gap', gap: left.shift()! }, {})
    story.take(entry)
  }
  story.end()
  for (const gap of left) story.add({ kind: 'gap', gap }, {})
  return story.items
}

class Story {
  readonly items: Item[] = []
  readonly #options: StoryOptions
  /** Calls by their ids, and how far they had come. */
  readonly #calls = new Map<string, { readonly tool: string; isRefused: boolean; isOpen: boolean }>()
  /** Where those come from that were copied. */
  #origin: string | undefined

  constructor(options: StoryOptions) {
    this.#options = options
  }

  add(item: Item, { timestamp, uuid }: Partial<Rec>): void {
    this.items.push({
      ...item,
      ...(typeof timestamp === 'string' && { at: timestamp }),
      ...(typeof uuid === 'string' && { uuid })
    })
  }

  take(entry: Rec): void {
    const origin = isObject(entry['forkedFrom']) ? asText(entry['forkedFrom']['sessionId']) : undefined
    if (origin === undefined) this.end()
    this.#origin = origin
    const { type } = entry
    if (type === 'user') this.#user(entry)
    else if (type === 'assistant') this.#answer(entry)
    else if (type === 'tool-intent') this.#step(entry, true)
    else if (type === 'tool-outcome') this.#step(entry, false)
    else {
      const item = eventIn(entry, this.#options.isForeign)
      if (item?.kind === 'denied') this.#refuse(item.id)
      if (item !== undefined) this.add(item, entry)
    }
  }

  /** What follows was not copied. */
  end(): void {
    if (this.#origin !== undefined) this.add({ kind: 'forked', from: this.#origin }, {})
    this.#origin = undefined
  }

  #user(entry: Rec): void {
    const { message, isMeta, isCompactSummary, promptId } = entry
    const { isForeign, isAgent } = this.#options
    const content = isObject(message) ? message['content'] : undefined
    const blocks = blocksIn(content)
    for (const block of blocks) if (block['type'] === 'tool_result') this.#result(block, entry)
    const text = textIn(blocks)
    if (text === '') return
    const isTyped = isForeign || isAgent || promptId !== undefined || entry['forkedFrom'] !== undefined
    const kind = isCompactSummary === true ? 'summary' : isMeta === true || !isTyped ? 'told' : 'prompt'
    this.add({ kind, text }, entry)
  }

  #answer(entry: Rec): void {
    const { message } = entry
    for (const block of blocksIn(isObject(message) ? message['content'] : undefined)) {
      const { type, text, thinking, id, name, input } = block
      if (type === 'text' && text !== '') this.add({ kind: 'answer', text: asText(text) }, entry)
      if (type === 'thinking' && thinking !== '') this.add({ kind: 'thought', text: asText(thinking) }, entry)
      if (type === 'tool_use') this.#call(asText(id), asText(name), input, entry)
    }
  }

  #call(id: string, tool: string, input: unknown, entry: Rec): void {
    this.#calls.set(id, { tool, isRefused: false, isOpen: false })
    this.add({ kind: 'call', id, tool, input }, entry)
    const prompt = isObject(input) ? input['prompt'] : undefined
    for (const [agent, first] of this.#options.agents ?? [])
      if (prompt === first) this.add({ kind: 'subagent', id: agent, ...aboutIn(input) }, entry)
  }

  #result(block: PlainObject, entry: Rec): void {
    const id = asText(block['tool_use_id'])
    const call = this.#calls.get(id)
    const text = textIn(blocksIn(block['content']))
    const { isRefused = false, isOpen = false, tool } = call ?? {}
    this.add(
      { kind: 'result', id, tool, text, isError: block['is_error'] === true, isRefused, isUnknown: isOpen },
      entry
    )
    if (call !== undefined) call.isOpen = false
    const output = entry['toolUseResult']
    const agent = isObject(output) ? output['agentId'] : undefined
    if (this.#options.isForeign && typeof agent === 'string' && !this.#options.agents?.has(agent))
      this.add({ kind: 'subagent', id: agent }, entry)
  }

  #step({ toolUseId }: Rec, isOpen: boolean): void {
    const call = this.#calls.get(asText(toolUseId))
    if (call !== undefined) call.isOpen = isOpen
  }

  #refuse(id: string): void {
    const call = this.#calls.get(id)
    if (call !== undefined) call.isRefused = true
  }
}

const aboutIn = (input: unknown): { type?: string; description?: string } => {
  const { subagent_type: type, description } = isObject(input) ? input : {}
  return { ...(typeof type === 'string' && { type }), ...(typeof description === 'string' && { description }) }
}

function blocksIn(content: unknown): readonly PlainObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? (content as unknown[]).filter(isObject) : []
}

const textIn = (blocks: readonly PlainObject[]): string =>
  blocks
    .flatMap(({ type, text }) => (type === 'text' ? [asText(text)] : type === 'image' ? ['[a picture]'] : []))
    .join('\n')

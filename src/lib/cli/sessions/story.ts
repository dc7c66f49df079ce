import type { StoredSession } from './load.ts'
import { PromptQueue, queuedIn } from '../../transcript/claude/claude-queue.ts'
import { ClaudeWalk, Returns } from '../../transcript/claude/claude-walk.ts'
import { contentBlocks, messageBlocks, type Rec } from '../../transcript/entry.ts'
import type { Met } from '../../transcript/file.ts'
import { promptIn } from '../../transcript/glance.ts'
import type { Gap } from '../../transcript/store.ts'
import { asText, isObject, type PlainObject } from '../../util/plain.ts'
import { contextIn } from '../../transcript/claude/claude.ts'

export type StoryItem = { readonly at?: string | undefined; readonly uuid?: string | undefined } &
  /** `told`: the model got it, but no person typed it. */
  (
    | { readonly kind: 'prompt' | 'answer' | 'thought' | 'told' | 'summary'; readonly text: string }
    | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly input: unknown }
    | ({
        readonly kind: 'result'
        readonly id: string
        readonly tool: string | undefined
        readonly text: string
      } & Readonly<Record<'isError' | 'isRefused' | 'isUnknown', boolean>>)
    | { readonly kind: 'context'; readonly by: string | undefined; readonly event: string; readonly text: string }
    | ({ readonly kind: 'denied' } & Readonly<Record<'id' | 'tool' | 'by' | 'reason', string>>)
    | {
        readonly kind: 'waiting'
        readonly id: string
        readonly tool: string
        readonly why: string
        readonly by?: string
      }
    | { readonly kind: 'subagent'; readonly id: string; readonly type?: string; readonly description?: string }
    | { readonly kind: 'compacted'; readonly trigger: string; readonly tokens: number; readonly text: string }
    | { readonly kind: 'cleared' }
    | { readonly kind: 'rewound'; readonly to: string }
    | { readonly kind: 'changed'; readonly event: string; readonly removed: number; readonly added: number }
    | { readonly kind: 'forked'; readonly from: string }
    | { readonly kind: 'repaired'; readonly leftOut: readonly Gap[]; readonly original: string }
    | { readonly kind: 'ungated'; readonly tool: string }
    | { readonly kind: 'gap'; readonly gap: Gap }
    | { readonly kind: 'unknown'; readonly type: string }
  )

type StoryOptions = Pick<StoredSession, 'isForeign' | 'isAgent'> & Partial<Pick<StoredSession, 'only'>>

export function* storyItems(lines: Iterable<Met>, options: StoryOptions): Generator<StoryItem> {
  const story = new Story(options)
  for (const met of lines) {
    if ('gap' in met) story.add({ kind: 'gap', gap: met.gap }, {})
    else if (options.isForeign) story.takeForeign(met.entry, met.at)
    else story.take(met.entry)
    yield* story.items.splice(0)
  }
  story.end()
  yield* story.items
}

class Story {
  readonly items: StoryItem[] = []
  readonly #options: StoryOptions
  readonly #walk: ClaudeWalk
  readonly #returns = new Returns()
  readonly #queue = new PromptQueue()
  readonly #calls = new Map<string, { readonly tool: string; isRefused: boolean; isOpen: boolean }>()
  readonly #errands = new Map<string, ReturnType<typeof aboutIn>>()
  readonly #agents = new Set<string>()
  #origin: string | undefined

  constructor(options: StoryOptions) {
    this.#options = options
    this.#walk = new ClaudeWalk(options.isAgent && options.only === undefined)
  }

  add(item: StoryItem, { timestamp, uuid }: Partial<Rec>): void {
    this.items.push({
      ...item,
      ...(typeof timestamp === 'string' && { at: timestamp }),
      ...(typeof uuid === 'string' && { uuid })
    })
  }

  take(entry: Rec): void {
    const origin = isObject(entry['forkedFrom']) ? asText(entry['forkedFrom']['sessionId']) : undefined
    if (origin === undefined) this.#endCopy()
    this.#origin = origin
    const { type } = entry
    if (type === 'user') this.#user(entry)
    else if (type === 'assistant') this.#answer(entry)
    else if (type === 'tool-intent') this.#step(entry, true)
    else if (type === 'tool-outcome') this.#step(entry, false)
    else {
      const item = eventItem(entry, this.#options.isForeign)
      if (item?.kind === 'denied') this.#refuse(item.id)
      if (item !== undefined) this.add(item, entry)
    }
  }

  /** A line of Claude Code: gaps before it, and points where the user went back, come first. */
  takeForeign(entry: Rec, at: number): void {
    const { agent, missing, above = '' } = this.#walk.take(entry)
    if (agent !== this.#options.only) return this.#agent(agent, entry)
    const backTo = this.#returns.take(entry, above)
    if (missing !== undefined) this.add({ kind: 'gap', gap: { at, length: 0, why: 'missing', uuid: missing } }, {})
    if (backTo !== undefined) this.add({ kind: 'rewound', to: backTo === '' ? 'the beginning' : backTo }, {})
    const typed = entry.type === 'attachment' ? queuedIn(entry) : undefined
    for (const each of this.#queue.take(entry)) this.#user(queuedIn(each)!)
    if (typed !== undefined) this.#user(typed)
    else if (entry.type !== 'queue-operation') this.take(entry)
  }

  #agent(id: string | undefined, entry: Rec): void {
    if (id === undefined || this.#options.only !== undefined || this.#agents.has(id)) return
    this.#agents.add(id)
    this.add({ kind: 'subagent', id, ...this.#errands.get(promptIn(entry) ?? '') }, entry)
  }

  end(): void {
    for (const each of this.#queue.end()) this.#user(queuedIn(each)!)
    this.#endCopy()
  }

  #endCopy(): void {
    if (this.#origin !== undefined) this.add({ kind: 'forked', from: this.#origin }, {})
    this.#origin = undefined
  }

  #user(entry: Rec): void {
    const { isMeta, isCompactSummary, promptId } = entry
    const { isForeign, isAgent } = this.#options
    const blocks = messageBlocks(entry)
    for (const block of blocks) if (block['type'] === 'tool_result') this.#result(block, entry)
    const text = textIn(blocks)
    if (text === '') return
    const isTyped = isForeign || isAgent || promptId !== undefined || entry['forkedFrom'] !== undefined
    const kind = isCompactSummary === true ? 'summary' : isMeta === true || !isTyped ? 'told' : 'prompt'
    this.add({ kind, text }, entry)
  }

  #answer(entry: Rec): void {
    for (const block of messageBlocks(entry)) {
      const { type, text, thinking, id, name, input } = block
      if (type === 'text' && text !== '') this.add({ kind: 'answer', text: asText(text) }, entry)
      if (type === 'thinking' && thinking !== '') this.add({ kind: 'thought', text: asText(thinking) }, entry)
      if (type === 'tool_use') this.#call(asText(id), asText(name), input, entry)
    }
  }

  #call(id: string, tool: string, input: unknown, entry: Rec): void {
    this.#calls.set(id, { tool, isRefused: false, isOpen: false })
    this.add({ kind: 'call', id, tool, input }, entry)
    if (isObject(input) && typeof input['prompt'] === 'string') this.#errands.set(input['prompt'], aboutIn(input))
  }

  #result(block: PlainObject, entry: Rec): void {
    const id = asText(block['tool_use_id'])
    const call = this.#calls.get(id)
    const text = textIn(contentBlocks(block['content']))
    const { isRefused = false, isOpen = false, tool } = call ?? {}
    this.add(
      { kind: 'result', id, tool, text, isError: block['is_error'] === true, isRefused, isUnknown: isOpen },
      entry
    )
    if (call !== undefined) call.isOpen = false
    const output = entry['toolUseResult']
    const agent = isObject(output) ? output['agentId'] : undefined
    if (this.#options.isForeign && typeof agent === 'string' && !this.#agents.has(agent)) {
      this.#agents.add(agent)
      this.add({ kind: 'subagent', id: agent }, entry)
    }
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

const textIn = (blocks: readonly PlainObject[]): string =>
  blocks
    .flatMap(({ type, text }) => (type === 'text' ? [asText(text)] : type === 'image' ? ['[a picture]'] : []))
    .join('\n')

function eventItem(entry: Rec, isForeign: boolean): StoryItem | undefined {
  const { type } = entry
  if (type === 'attachment') return isObject(entry['attachment']) ? attachmentItem(entry['attachment']) : undefined
  if (type === 'system') return SYSTEM[text(entry['subtype'])]?.(entry) ?? (isForeign ? contentItem(entry) : undefined)
  if (type === 'tool-pending') {
    const { toolUseId, toolName, why, by, reason } = entry
    const who = [by, reason].filter(each => typeof each === 'string').join(': ')
    return {
      kind: 'waiting',
      id: text(toolUseId),
      tool: text(toolName),
      why: text(why),
      ...(who !== '' && { by: who })
    }
  }
  return isForeign ? undefined : { kind: 'unknown', type }
}

const SYSTEM: Readonly<Record<string, ((entry: Rec) => StoryItem) | undefined>> = {
  permission_denied: ({ toolUseId, toolName, by, reason }) => ({
    kind: 'denied',
    id: text(toolUseId),
    tool: text(toolName),
    by: text(by),
    reason: text(reason)
  }),
  subagent_started: ({ subagentId, agentType, description }) => ({
    kind: 'subagent',
    id: text(subagentId),
    type: text(agentType),
    description: text(description)
  }),
  compact_boundary({ compactMetadata, content, kept }) {
    const { trigger, pre_tokens, preTokens } = isObject(compactMetadata) ? compactMetadata : {}
    const tokens = Number(pre_tokens ?? preTokens) || 0
    // Other programs have the summary in a separate line.
    return { kind: 'compacted', trigger: text(trigger), tokens, text: kept === undefined ? '' : text(content) }
  },
  clear: () => ({ kind: 'cleared' }),
  rewound: ({ to }) => ({ kind: 'rewound', to: text(to) }),
  messages_changed({ hookEvent, removed, inserted, appended }) {
    const messages = list(inserted)
      .filter(isObject)
      .flatMap(each => list(each['messages']))
    const added = messages.length + list(appended).length
    return { kind: 'changed', event: text(hookEvent), removed: list(removed).length, added }
  },
  repaired: ({ leftOut, original }) => ({
    kind: 'repaired',
    leftOut: list(leftOut).filter(isObject) as unknown as readonly Gap[],
    original: text(original)
  }),
  ungated_tool: ({ toolName }) => ({ kind: 'ungated', tool: text(toolName) })
}

function attachmentItem(attachment: PlainObject): StoryItem | undefined {
  const { hookName, hookEvent, by, command, rendered, blockingError } = attachment
  const event = text(hookName ?? hookEvent)
  const who = typeof by === 'string' ? by : typeof command === 'string' ? command : undefined
  if (attachment['type'] === 'hook_blocking_error' && isObject(blockingError))
    return { kind: 'context', by: text(blockingError['command']), event, text: text(blockingError['blockingError']) }
  const said = contextIn(attachment) ?? (typeof rendered === 'string' ? rendered : undefined)
  return said === undefined || said === '' ? undefined : { kind: 'context', by: who, event, text: said }
}

const contentItem = ({ content }: Rec): StoryItem | undefined =>
  typeof content === 'string' && content !== '' ? { kind: 'told', text: content } : undefined

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

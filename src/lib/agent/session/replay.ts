import type { MessageEdits } from '../../hooks/dispatch/history.ts'
import type { Block, Message } from '../../message.ts'
import type { Rec } from '../../transcript/entry.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { BackgroundWork } from './background-work.ts'
import { Conversation } from './conversation.ts'
import type { OpenBatch } from '../call/open-call.ts'
import { ReplayedCalls } from './replay-calls.ts'
import { rewind, type Rewound } from './rewind.ts'
import { blocksIn, contentIn, hasResults, keptIn, arrayIn, textsIn } from './well-formed-messages.ts'

export interface SessionState {
  readonly system: readonly string[]
  readonly metadata: PlainObject
  readonly memory: PlainObject
  readonly notes: readonly string[]
  /** The name of the session's model when it last answered. */
  readonly model: string | undefined
  /** How many of its last answers hooks have withheld. */
  readonly withheld: number
}

export interface Replayed extends Omit<SessionState, 'notes'> {
  readonly conversation: Conversation
  readonly open: OpenBatch | undefined
  /** The names of the tools that could be called there, if hooks left some out. */
  readonly offered: readonly string[] | undefined
  readonly tokens: number
  /** The time of its last answer, in milliseconds. */
  readonly answered: number | undefined
  readonly unended: 'max_tokens' | 'pause_turn' | undefined
  /** Background work whose end the transcript does not show: descriptions by id. */
  readonly background: BackgroundWork['left']
  readonly last: string | null
}

/** Everything before such a line is irrelevant. */
export const isFreshStart = ({ type, subtype }: Rec): boolean =>
  type === 'system' && (subtype === 'clear' || subtype === 'compact_boundary')

/**
 * Replays a transcript up to the line with this id; nothing is fired, nothing is run. Unreadable lines are skipped.
 * Undefined if a rewind goes back to a line that is not among the entries.
 */
export function replay(entries: readonly Rec[], until?: string): Replayed | undefined {
  const rewound = rewind(entries, until)
  return rewound.isWhole ? replayRewound(rewound) : undefined
}

/** The same; a rewind to a missing line is ignored. */
export const replayAll = (entries: readonly Rec[], until?: string): Replayed => replayRewound(rewind(entries, until))

function replayRewound({ left, done }: Rewound): Replayed {
  const replaying = new Replaying()
  for (const entry of left) {
    if (done.has(entry)) replaying.takeDone(entry)
    else replaying.take(entry)
  }
  return replaying.end()
}

/**
 * The same, one message at a time, for any number of entries: those that count from a fresh start on. Later edits by
 * hooks are known only at the end; if there are any, everything is held until then.
 */
export function* replayInPieces(
  entries: Iterable<Rec>,
  { isEdited, isDone }: { readonly isEdited: boolean; readonly isDone: (index: number) => boolean }
): Generator<Message, Replayed> {
  const replaying = new Replaying()
  let index = 0
  for (const entry of entries) {
    if (isDone(index++)) replaying.takeDone(entry)
    else replaying.take(entry)
    if (!isEdited) yield* replaying.conversation.takeAllButLast()
  }
  const end = replaying.end()
  yield* end.conversation.messages
  return end
}

/** Answers that no model gave have no name, or one in brackets. */
const modelNameIn = (name: unknown): string | undefined =>
  typeof name === 'string' && /^[^<]/.test(name) ? name : undefined

const countIn = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0)

class Replaying {
  #conversation = new Conversation()
  #system: readonly string[] = []
  #metadata: PlainObject = {}
  #memory: PlainObject = {}
  #tokens = 0
  #time: unknown
  #model: string | undefined
  #withheld = 0
  #offered: readonly string[] | undefined
  #last: string | null = null
  readonly #background = new BackgroundWork()
  #answer: { uuid: string; id: unknown; isCopy: boolean; blocks: unknown[]; stop: unknown } | undefined
  #stop: unknown
  readonly #calls = new ReplayedCalls()
  #beside: { readonly content: readonly Block[]; readonly uuid: string }[] = []

  get conversation(): Conversation {
    return this.#conversation
  }

  take(entry: Rec): void {
    const { type } = entry
    const uuid = typeof entry['uuid'] === 'string' ? entry['uuid'] : undefined
    if (uuid === undefined) return
    if (type !== 'assistant') this.#settle()
    if (type === 'user') this.#user(entry, uuid)
    else if (type === 'assistant') this.#block(entry, uuid)
    else if (type === 'attachment') this.#attachment(entry, uuid)
    else if (type === 'system') this.#event(entry, uuid)
    else if (type.startsWith('tool-')) this.#calls.step(entry)
    this.#background.take(entry)
    this.#last = uuid
  }

  /** What was done after a line that was rewound to. */
  takeDone(entry: Rec): void {
    this.#settle()
    this.#calls.step(entry)
  }

  end(): Replayed {
    this.#settle()
    return {
      conversation: this.#conversation,
      system: this.#system,
      metadata: this.#metadata,
      memory: this.#memory,
      open: this.#calls.open,
      offered: this.#offered,
      background: this.#background.left,
      tokens: this.#tokens,
      model: this.#model,
      withheld: this.#withheld,
      answered: typeof this.#time === 'string' ? Date.parse(this.#time) || undefined : undefined,
      unended: this.#stop === 'max_tokens' || this.#stop === 'pause_turn' ? this.#stop : undefined,
      last: this.#last
    }
  }

  /** One line per block: the blocks of one answer are consecutive. */
  #block({ message, part, forkedFrom, timestamp, sessionModel, offered }: Rec, uuid: string): void {
    const content = isObject(message) ? message['content'] : undefined
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : arrayIn(content)
    if (!isObject(message) || content === undefined) return
    const [index] = Array.isArray(part) ? (part as number[]) : []
    const { id, stop_reason: stop, usage } = message
    let answer = index === 0 ? undefined : this.#answer
    if (answer === undefined || answer.id !== id) {
      this.#settle()
      this.#answer = answer = { uuid, id, isCopy: forkedFrom !== undefined, blocks: [], stop }
    }
    for (const block of blocks) answer.blocks.push(block)
    answer.stop = stop
    this.#time = timestamp
    this.#offered = offered === undefined ? undefined : textsIn(offered)
    if (blocks.length > 0) this.#model = modelNameIn(sessionModel ?? message['model']) ?? this.#model
    if (isObject(usage))
      this.#tokens = Object.values(usage).reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0)
  }

  /** The answer is complete, or ends here. Thinking alone is not an answer. */
  #settle(): void {
    const answer = this.#answer
    this.#answer = undefined
    const blocks = blocksIn(answer?.blocks ?? [])
    if (answer === undefined || !blocks.some(({ type }) => type === 'text' || type === 'tool_use')) return
    this.#addAnswer(blocks, answer.uuid, answer.isCopy)
    this.#stop = answer.stop
    this.#withheld = 0
  }

  #addAnswer(blocks: readonly Block[], uuid: string, isCopy: boolean): void {
    this.#close()
    this.#conversation.withOwnIds(blocks)
    this.#conversation.answer(blocks, uuid)
    this.#calls.add(blocks, isCopy)
  }

  #user({ message, toolUseResult, promptId }: Rec, uuid: string): void {
    const content = isObject(message) ? contentIn(message['content']) : undefined
    if (content === undefined) return
    const results = typeof content === 'string' ? [] : content.filter(block => block.type === 'tool_result')
    if (results.length === 0) {
      this.#close()
      this.#conversation.add({ role: 'user', content }, uuid)
      if (promptId !== undefined) this.#withheld = 0
      return
    }
    const beside = (content as Block[]).filter(block => block.type !== 'tool_result')
    if (beside.length > 0) this.#beside.push({ content: beside, uuid: `${uuid}:beside` })
    for (const result of results) this.#calls.answer(result, toolUseResult, uuid)
    if (this.#calls.areAnswered || !this.#calls.areOpen) this.#close()
  }

  /** Gives all open calls their results. Other content comes after: nothing may come between calls and results. */
  #close(): void {
    const results = this.#calls.close()
    const [first] = results
    if (first !== undefined) {
      const blocks = results.map(({ result }) => result)
      this.#conversation.close(blocks, first.uuid)
    }
    for (const { content, uuid } of this.#beside.splice(0)) this.#conversation.add({ role: 'user', content }, uuid)
  }

  #attachment({ attachment }: Rec, uuid: string): void {
    if (!isObject(attachment)) return
    const { type, rendered, system } = attachment
    if (type === 'notes') {
      this.#close()
      this.#conversation.deliverNotes(uuid)
    }
    if (typeof rendered === 'string') this.#conversation.addNote(rendered)
    if (typeof system === 'string') this.#system = [...this.#system, system]
  }

  #event(entry: Rec, uuid: string): void {
    const { subtype } = entry
    if (subtype === 'metadata' && isObject(entry['metadata'])) this.#metadata = entry['metadata']
    else if (subtype === 'tool_memory' && isObject(entry['memory'])) this.#memory = entry['memory']
    else if (subtype === 'messages_changed') this.#edit(entry, uuid)
    else if (subtype === 'subagent_started') this.#calls.startAgent(entry)
    else if (subtype === 'forked') this.#calls.isWholeCopy = true
    else if (subtype === 'saved' || subtype === 'answer_withheld') this.#addSaved(entry)
    else if (subtype === 'clear' || subtype === 'compact_boundary') this.#startAfresh(entry)
  }

  /** Saved messages, as they are. Calls without results stay open. */
  #addSaved({ kept, forkedFrom, attempt }: Rec): void {
    this.#withheld = countIn(attempt)
    for (const { uuid, message } of keptIn(kept)) {
      const { role, content } = message
      if (role === 'user' && this.#calls.areOpen && hasResults(content)) {
        this.#user({ type: 'user', message }, uuid)
        continue
      }
      if (role === 'assistant' && typeof content !== 'string') this.#addAnswer(content, uuid, forkedFrom !== undefined)
      else {
        this.#close()
        this.#conversation.add(message, uuid)
      }
    }
  }

  #startAfresh({ kept, state }: Rec): void {
    this.#conversation = new Conversation()
    this.#calls.clear()
    this.#beside = []
    this.#tokens = 0
    const { system, metadata, memory, notes, model, withheld } = isObject(state) ? state : {}
    this.#withheld = countIn(withheld)
    this.#system = textsIn(system)
    this.#metadata = isObject(metadata) ? metadata : {}
    this.#memory = isObject(memory) ? memory : {}
    this.#model = modelNameIn(model) ?? this.#model
    const messages = keptIn(kept)
    this.#conversation.restore(messages, textsIn(notes))
    for (const { message } of messages)
      if (typeof message.content !== 'string') this.#conversation.withOwnIds(message.content)
  }

  #edit({ removed, inserted, appended }: Rec, uuid: string): void {
    const conversation = this.#conversation
    const find = (id: unknown): Message | undefined => (typeof id === 'string' ? conversation.withId(id) : undefined)
    const named = (kept: unknown): Message[] =>
      keptIn(kept).map(each => {
        conversation.idOf(each.message, each.uuid)
        return each.message
      })
    const edits: MessageEdits = {
      removed: arrayIn(removed).flatMap(id => find(id) ?? []),
      inserted: arrayIn(inserted)
        .filter(isObject)
        .map(({ after, before, messages }) => ({
          after: find(after),
          before: find(before),
          messages: named(messages)
        })),
      appended: named(appended)
    }
    conversation.edit(edits, uuid)
  }
}

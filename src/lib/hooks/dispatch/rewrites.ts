import type { Message } from '../../message.ts'
import {
  applyChange,
  changeBetween,
  copyPlain,
  copyReply,
  freezeDeep,
  isObject,
  same,
  type PlainObject
} from '../../util/plain.ts'
import type { Entry } from './entry.ts'
import { applyEdits, editsBetween, type MessageEdits } from './history.ts'
import { Failed, type Conflict } from './outcome.ts'
import type { EventHooks } from './roster.ts'
import type { FireOptions } from '../registry-internals.ts'
import type { Trace } from '../trace.ts'
import type { Given } from './tally.ts'

/** What hooks that run side by side all started from, and who of them changed which key. */
interface Base {
  readonly draft: unknown
  /** Absent where nobody has changed them. */
  readonly messages: readonly Message[] | undefined
  readonly end: number
  readonly authors: Map<string, string>
}

/** A change that a hook made and that can be applied. */
interface Rewrite {
  readonly draft: { readonly value: unknown; readonly keys: readonly string[] } | undefined
  readonly messages: { readonly now: readonly Message[]; readonly edits: MessageEdits | undefined } | undefined
}

/** The fire whose draft is rewritten. */
export interface DraftOwner {
  readonly lane: EventHooks
  readonly input: PlainObject
  readonly options: FireOptions
  readonly trace: Trace | undefined
  /** From now on hooks are given this draft. */
  give(draft: unknown): void
}

const NO_MESSAGES: readonly Message[] = []

/**
 * What the hooks of one fire rewrite: the draft (a tool's input, or a prompt) and the conversation. The
 * caller's objects are never handed out: each hook works on a copy, and its changes are found by comparing.
 */
export class Rewrites {
  readonly #run: DraftOwner
  /** What has been agreed on so far. No hook ever holds it. */
  #draft: unknown
  /** Absent until somebody has changed them: a caller may have to copy many to show them. */
  #messages: readonly Message[] | undefined
  /** All edits so far, together. */
  #edits: MessageEdits | undefined
  #stage: Base | undefined
  #conflicts: Conflict[] | undefined
  /** The last change of the draft: which hooks came before it, and its one author. */
  #last: { readonly before: number; readonly author: Entry | undefined } | undefined
  #wire: { draft: unknown; rejudge: boolean; input: PlainObject; text?: string } | undefined

  constructor(run: DraftOwner) {
    this.#run = run
    this.#draft = run.lane.draftOf(run.input)
  }

  /** Whether anything is otherwise than the caller gave it. */
  get any(): boolean {
    return this.#last !== undefined || this.#edits !== undefined
  }
  get conflicts(): readonly Conflict[] | undefined {
    return this.#conflicts
  }

  history(): Message[] {
    return (this.#messages ?? this.#given()).map(freezeDeep)
  }

  /** The wire object, made once for all hooks that see the same draft. */
  wire(rejudge: boolean, make: (input: PlainObject) => PlainObject): PlainObject {
    if (this.#wire === undefined || this.#wire.draft !== this.#draft || this.#wire.rejudge !== rejudge) {
      this.#wire = { draft: this.#draft, rejudge, input: make(this.current()) }
    }
    return this.#wire.input
  }

  /** The same as text. Call `wire` first. */
  wireText(): string {
    return (this.#wire!.text ??= JSON.stringify(this.#wire!.input))
  }

  /** The input with the draft as it stands. */
  current(): PlainObject {
    const { input, lane } = this.#run
    return this.#last === undefined ? input : { ...input, [lane.row.draft!]: this.#before }
  }

  /** What hooks started from. */
  get #before(): unknown {
    return this.#stage === undefined ? this.#draft : this.#stage.draft
  }

  openStage(end: number): void {
    this.#stage = { draft: this.#draft, messages: this.#messages, end, authors: new Map() }
  }
  closeStage(): void {
    if (this.#stage!.draft !== this.#draft) this.#run.give(this.#draft)
    this.#stage = undefined
  }

  /** What a hook changed, if anything. A reply beats a change in place. Throws `Failed` when it cannot stand. */
  find(entry: Entry, given: Given): Rewrite | undefined {
    const replied = given.said?.updatedInput
    const value = replied ?? given.draft
    const changed = value !== undefined && !same(value, this.#before)
    const messages = this.#findMessages(given.messages)
    if (!changed && messages === undefined) return undefined
    return { draft: changed ? this.#accepted(entry, value, replied !== undefined) : undefined, messages }
  }

  apply(entry: Entry, place: number, rewrite: Rewrite): void {
    if (rewrite.messages !== undefined) {
      this.#messages = rewrite.messages.now
      this.#edits = rewrite.messages.edits
    }
    if (rewrite.draft === undefined) return
    this.#draft = rewrite.draft.value
    if (this.#stage === undefined) {
      this.#run.give(this.#draft)
      this.#last = { before: place, author: entry }
    } else this.#credit(entry, this.#stage, rewrite.draft.keys)
  }

  #credit(entry: Entry, stage: Base, keys: readonly string[]): void {
    const alone = stage.authors.size === 0
    for (const key of keys) {
      const loser = stage.authors.get(key)
      if (loser !== undefined) (this.#conflicts ??= []).push({ key, winner: entry.name, loser })
      stage.authors.set(key, entry.name)
    }
    this.#last = { before: stage.end, author: alone ? entry : undefined }
  }

  /** Those of `hooks` that judged an older draft. Whoever made the last change knows what came of it. */
  outdated(hooks: readonly Entry[]): readonly Entry[] {
    const last = this.#last
    return last === undefined ? [] : hooks.slice(0, last.before).filter(entry => entry !== last.author)
  }

  /** The final draft: frozen, since it is what was judged and what will run. */
  finalDraft(): unknown {
    return this.#last === undefined ? undefined : freezeDeep(this.#draft)
  }
  get edits(): MessageEdits | undefined {
    return this.#edits
  }

  /** The draft with this change made, checked by the caller. A part of an input may be laid over the whole. */
  #accepted(entry: Entry, value: unknown, replied: boolean): NonNullable<Rewrite['draft']> {
    const before = this.#before
    const why = this.#refusal(value)
    if (why === undefined) return this.#merged(before, value)
    const whole = replied && isObject(before) && isObject(value) ? { ...before, ...value } : undefined
    if (whole === undefined || this.#refusal(whole) !== undefined) throw new Failed('rewrite', why)
    this.#run.trace?.note(entry, `updatedInput was not accepted as it is (${why}); it was merged into the input`)
    return this.#merged(before, whole)
  }

  /** Hooks that ran side by side each count with the keys they changed, in declared order. */
  #merged(before: unknown, value: unknown): NonNullable<Rewrite['draft']> {
    const fresh = this.#copied(value)
    if (this.#stage === undefined) return { value: fresh, keys: [] }
    if (!isObject(before) || !isObject(fresh)) return { value: fresh, keys: [this.#run.lane.row.draft!] }
    const change = changeBetween(before, fresh)
    const merged = applyChange(copyPlain(this.#draft as PlainObject), change)
    const why = this.#refusal(merged)
    if (why !== undefined) throw new Failed('rewrite', `together with the changes of others: ${why}`)
    return { value: merged, keys: [...Object.keys(change.set), ...change.gone] }
  }

  /** A copy within limits; what the input already had does not count against them. */
  #copied(value: unknown): unknown {
    try {
      return copyReply(value, this.#before)
    } catch (error) {
      throw Failed.by('rewrite', error)
    }
  }

  #refusal(draft: unknown): string | undefined {
    const prompt = this.#run.lane.row.draft === 'prompt'
    if (prompt ? typeof draft !== 'string' : !isObject(draft)) {
      return `${this.#run.lane.row.draft} must be ${prompt ? 'text' : 'an object'}`
    }
    try {
      const verdict = this.#run.options.accept?.(draft)
      return verdict === undefined || verdict === true ? undefined : verdict || 'it is not a valid input'
    } catch (error) {
      return Failed.from(error).message
    }
  }

  /** The conversation as the caller has it. */
  #given(): readonly Message[] {
    return this.#run.options.messages ?? NO_MESSAGES
  }

  /** What is legal hook by hook must also be legal together. */
  #findMessages(changed: readonly Message[] | undefined): Rewrite['messages'] {
    if (changed === undefined) return undefined
    try {
      const before = this.#stage === undefined ? this.#messages : this.#stage.messages
      const edits = editsBetween(before ?? this.#given(), changed)
      if (edits === undefined) return undefined
      const now = applyEdits(this.#messages ?? this.#given(), edits)
      return { now, edits: editsBetween(this.#given(), now) }
    } catch (error) {
      throw Failed.by('messages', error)
    }
  }
}

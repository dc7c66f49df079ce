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
import type { WireInput } from './context.ts'
import type { HookEntry } from './entry.ts'
import { applyEdits, editsBetween, type MessageEdits } from './history.ts'
import type { Conflict, HookAnswer } from './outcome.ts'
import type { Run } from './run.ts'
import { HookFailure } from './hook-failure.ts'

interface Base {
  readonly draft: unknown
  readonly messages: readonly Message[] | undefined
  readonly end: number
  readonly authors: Map<string, string>
}

interface Rewrite {
  /** `keys`: those that were changed, and whether the values of others were taken into account. */
  readonly draft: { readonly value: unknown; readonly keys: ReadonlyMap<string, boolean> } | undefined
  readonly messages: { readonly now: readonly Message[]; readonly edits: MessageEdits | undefined } | undefined
}

const NO_MESSAGES: readonly Message[] = []

/**
 * What the hooks of one fire rewrite: the draft (a tool's input, a prompt, a request) and the conversation. The
 * caller's objects are never handed out: each hook works on a copy, and its changes are found by comparing.
 */
export class Rewrites {
  readonly #run: Run
  /** What has been agreed on so far. No hook ever holds it. */
  #draft: unknown
  /** Absent until a hook has changed them: the caller may have to copy many to show them. */
  #messages: readonly Message[] | undefined
  edits: MessageEdits | undefined
  #stage: Base | undefined
  conflicts: Conflict[] | undefined
  #last: { readonly before: number; readonly author: HookEntry | undefined } | undefined
  #wire: WireInput | undefined

  constructor(run: Run) {
    this.#run = run
    this.#draft = run.hooks.draftOf(run.input)
  }

  get any(): boolean {
    return this.#last !== undefined || this.edits !== undefined
  }

  history(): Message[] {
    return (this.#messages ?? this.#original()).map(freezeDeep)
  }

  wire(rejudge: boolean, make: (input: PlainObject) => PlainObject): WireInput {
    if (this.#wire === undefined || this.#wire.draft !== this.#draft || this.#wire.rejudge !== rejudge) {
      this.#wire = { draft: this.#draft, rejudge, input: make(this.current()) }
    }
    return this.#wire
  }

  current(): PlainObject {
    const { input, hooks } = this.#run
    const { draft } = hooks.row
    if (this.#last === undefined || draft === undefined) return input
    const current = { ...input, [draft]: this.#before }
    const model = draft === 'request' ? (this.#before as PlainObject)['model'] : undefined
    return model === undefined ? current : { ...current, model }
  }

  /** A request or an answer, whose parts are replaced one by one, and whose conversation is not changed. */
  get #isOfModel(): boolean {
    const { draft } = this.#run.hooks.row
    return draft === 'request' || draft === 'response'
  }

  get #before(): unknown {
    return this.#stage === undefined ? this.#draft : this.#stage.draft
  }

  openStage(end: number): void {
    this.#stage = { draft: this.#draft, messages: this.#messages, end, authors: new Map() }
  }
  closeStage(): void {
    if (this.#stage?.draft !== this.#draft) this.#run.setDraft(this.#draft)
    this.#stage = undefined
  }

  /** What a hook changed, if anything. A reply beats a change in place. Throws `HookFailure` when it is invalid. */
  find(entry: HookEntry, answer: HookAnswer): Rewrite | undefined {
    const replied = answer.reply?.updatedInput
    const value = replied ?? answer.draft
    const changed = value !== undefined && !same(value, this.#before)
    const messages = this.#findMessages(answer.messages)
    if (!changed && messages === undefined) return undefined
    return { draft: changed ? this.#accepted(entry, value, replied !== undefined) : undefined, messages }
  }

  apply(entry: HookEntry, rewrite: Rewrite): void {
    if (rewrite.messages !== undefined) {
      this.#messages = rewrite.messages.now
      this.edits = rewrite.messages.edits
    }
    if (rewrite.draft === undefined) return
    this.#draft = rewrite.draft.value
    if (this.#stage === undefined) {
      this.#run.setDraft(this.#draft)
      this.#last = { before: this.#run.place, author: entry }
    } else this.#credit(entry, this.#stage, rewrite.draft.keys)
  }

  #credit(entry: HookEntry, stage: Base, keys: ReadonlyMap<string, boolean>): void {
    const alone = stage.authors.size === 0
    for (const [key, isCombined] of keys) {
      const loser = stage.authors.get(key)
      if (loser !== undefined && !isCombined) (this.conflicts ??= []).push({ key, winner: entry.name, loser })
      stage.authors.set(key, entry.name)
    }
    this.#last = { before: stage.end, author: alone ? entry : undefined }
  }

  /** Those of `hooks` that judged an older draft. The author of the last change has seen the result. */
  outdated(hooks: readonly HookEntry[]): readonly HookEntry[] {
    const last = this.#last
    return last === undefined ? [] : hooks.slice(0, last.before).filter(entry => entry !== last.author)
  }

  /** The final draft: frozen, since it is what was judged and what will run. */
  finalDraft(): unknown {
    return this.#last === undefined ? undefined : freezeDeep(this.#draft)
  }

  /** The draft with this change made, checked by the caller. A part of an input may be laid over the whole. */
  #accepted(entry: HookEntry, value: unknown, replied: boolean): NonNullable<Rewrite['draft']> {
    const before = this.#before
    const why = this.#refusal(entry, value, before)
    if (why === undefined) return this.#merged(entry, before, value)
    const whole = replied && isObject(before) && isObject(value) ? { ...before, ...value } : undefined
    const whyNot = whole === undefined ? why : this.#refusal(entry, whole, before)
    if (whole === undefined || whyNot !== undefined)
      throw new HookFailure('rewrite', (this.#isOfModel ? whyNot : why) ?? why)
    if (!this.#isOfModel)
      this.#run.trace?.note(entry, `updatedInput was not accepted as it is (${why}); it was merged into the input`)
    return this.#merged(entry, before, whole)
  }

  /** Hooks that ran side by side each count with the keys they changed, in declared order. */
  #merged(entry: HookEntry, before: unknown, value: unknown): NonNullable<Rewrite['draft']> {
    const fresh = this.#copied(value)
    const isWhole = !isObject(before) || !isObject(fresh)
    const { combine } = this.#run.options
    if (isWhole || (this.#stage === undefined && combine === undefined))
      return { value: fresh, keys: new Map([[`${this.#run.hooks.row.draft}`, false]]) }
    const change = changeBetween(before, fresh)
    const now = this.#draft as PlainObject
    const agreed = combine?.(fresh, before, now) ?? {}
    const merged = { ...applyChange(copyPlain(now), change), ...agreed }
    const why = this.#refusal(entry, merged, this.#draft)
    if (why !== undefined) throw new HookFailure('rewrite', `together with the changes of others: ${why}`)
    const keys = [...Object.keys(change.set), ...change.gone]
    return { value: merged, keys: new Map(keys.map(key => [key, key !== 'model' && Object.hasOwn(agreed, key)])) }
  }

  /** A copy within limits; what the input already had does not count against them. */
  #copied(value: unknown): unknown {
    try {
      return copyReply(value, this.#before)
    } catch (error) {
      throw HookFailure.by('rewrite', error)
    }
  }

  #refusal(entry: HookEntry, draft: unknown, before: unknown): string | undefined {
    const prompt = this.#run.hooks.row.draft === 'prompt'
    if (prompt ? typeof draft !== 'string' : !isObject(draft)) {
      return `${this.#run.hooks.row.draft} must be ${prompt ? 'text' : 'an object'}`
    }
    try {
      const verdict = this.#run.options.accept?.(draft, entry.source, before)
      return verdict === undefined || verdict === true ? undefined : verdict || 'it is not a valid input'
    } catch (error) {
      return HookFailure.from(error).message
    }
  }

  #original(): readonly Message[] {
    return this.#run.options.messages ?? NO_MESSAGES
  }

  /** What is legal hook by hook must also be legal together. */
  #findMessages(changed: readonly Message[] | undefined): Rewrite['messages'] {
    if (changed === undefined) return undefined
    try {
      const before = this.#stage === undefined ? this.#messages : this.#stage.messages
      const edits = editsBetween(before ?? this.#original(), changed)
      if (edits === undefined) return undefined
      if (this.#isOfModel) throw new Error('messages cannot be changed here; request.append adds to them')
      const now = applyEdits(this.#messages ?? this.#original(), edits)
      return { now, edits: editsBetween(this.#original(), now) }
    } catch (error) {
      throw HookFailure.by('messages', error)
    }
  }
}

import { engineFault } from '../../errors.ts'
import type { Message } from '../../message.ts'
import { copyPlain, freezeDeep, strangerIn, type PlainObject } from '../../util/plain.ts'
import type { HookEntry } from './entry.ts'
import { baseFields, type EventName } from '../events/event-table.ts'
import type { AgentView } from '../hook-context.ts'
import type { Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import type { RawResult } from '../hook-messages.ts'
import type { Profile } from '../dialect.ts'

/** Implements every `HookContext`. Nothing is computed before it is read. */
export class Context {
  // Methods are static or functions: a private method would add a field to each object.
  readonly #run: Run
  readonly #entry: HookEntry
  #settled = false
  #draft: unknown
  #rest: LazyFields | undefined

  constructor(run: Run, entry: HookEntry) {
    this.#run = run
    this.#entry = entry
  }

  get event(): EventName {
    return this.#entry.event
  }
  get input(): PlainObject {
    const { input } = wireOf(this.#run, this.#entry)
    return this.#entry.dialect === 'contract' ? copyPlain(input) : input
  }
  get wire(): string {
    const wire = wireOf(this.#run, this.#entry)
    return (wire.text ??= JSON.stringify(wire.input))
  }
  get profile(): Profile {
    return this.#entry.profile
  }
  get sessionId(): string {
    return this.#run.sessionId
  }
  get cwd(): string | undefined {
    return (this.#run.base('cwd') as string) || undefined
  }
  get env(): Readonly<Record<string, string>> {
    return this.#run.registry.settings.env
  }
  get agent(): AgentView {
    return this.#run.options.agent ?? this.#run.registry.settings.agent
  }
  get metadata(): Record<string, unknown> {
    return this.#run.options.metadata ?? this.#run.registry.metadata(this.#run.sessionId)
  }
  setMetadata(key: string, value: unknown): void {
    this.metadata[key] = value
  }
  get rejudge(): boolean {
    return this.#run.phase === 'rejudge'
  }
  get outcome(): Outcome | undefined {
    return this.#run.decided
  }

  get toolName(): unknown {
    return fieldOf(this.#run, this.#entry, 'tool_name')
  }
  get toolUseId(): unknown {
    return fieldOf(this.#run, this.#entry, 'tool_use_id')
  }
  get toolInput(): unknown {
    // Only the input of a tool is a draft with keys, and their number costs less to compare than a name.
    return this.#run.flatKeys > 0 || this.#entry.row.draft === 'tool_input'
      ? Context.#borrow(this)
      : Context.#copied(this, 'tool_input')
  }
  set toolInput(value: unknown) {
    Context.#write(this, 'tool_input', value)
  }
  get toolResponse(): unknown {
    return Context.#copied(this, 'tool_response')
  }
  get error(): unknown {
    return fieldOf(this.#run, this.#entry, 'error')
  }
  get prompt(): unknown {
    return this.#entry.row.draft === 'prompt' ? Context.#borrow(this) : undefined
  }
  set prompt(value: unknown) {
    Context.#write(this, 'prompt', value)
  }
  get request(): unknown {
    return this.#entry.row.draft === 'request' ? Context.#borrow(this) : undefined
  }
  set request(value: unknown) {
    Context.#write(this, 'request', value)
  }
  get response(): unknown {
    return this.#entry.row.draft === 'response' ? Context.#borrow(this) : undefined
  }
  set response(value: unknown) {
    Context.#write(this, 'response', value)
  }
  get subagentId(): unknown {
    return this.#entry.event.startsWith('Subagent') ? fieldOf(this.#run, this.#entry, 'agent_id') : undefined
  }

  get messages(): Message[] {
    return (Context.#more(this).messages ??= this.#run.rewrites.history())
  }
  set messages(value: Message[]) {
    if (this.#settled) refuse(this.#run, this.#entry, 'messages')
    else Context.#more(this).messages = value
  }

  get signal(): AbortSignal {
    const more = Context.#more(this)
    if (more.controller === undefined) {
      more.controller = new AbortController()
      if (more.abandoned !== undefined) more.controller.abort(more.abandoned)
    }
    return more.controller.signal
  }

  fire(event: EventName, input: PlainObject): Outcome | Promise<Outcome> {
    const { registry, options } = this.#run
    const depth = this.#run.depth + 1
    if (depth > DEEPEST_FIRE) throw engineFault('E_FIRE_DEPTH', event, String(depth))
    const { signal, metadata, agent } = options
    const base = Object.fromEntries(baseFields.map(field => [field, this.#run.base(field)]))
    return registry.fire(event, { ...base, ...input }, { signal, metadata, agent }, depth)
  }
  spawn(work: PromiseLike<unknown>): void {
    const { registry, trace } = this.#run
    registry.background.spawn(work, message => trace?.note(this.#entry, `its background work failed: ${message}`))
  }
  progress(text: string, stream?: 'stdout' | 'stderr'): void {
    if (!this.#settled) this.#run.trace?.progress(this.#entry, text, stream)
  }
  ran(raw: RawResult): void {
    this.#run.trace?.ran(this.#entry, raw)
  }
  note(text: string): void {
    this.#run.trace?.note(this.#entry, text)
  }
  letPass(why: string): void {
    this.note(why)
    if (this.#entry.row.failure === 'closed') this.#run.tally.failOpen(this.#entry)
  }

  static #copied(ctx: Context, name: 'tool_input' | 'tool_response'): unknown {
    return (Context.#more(ctx)[name] ??= copyPlain(fieldOf(ctx.#run, ctx.#entry, name)))
  }
  static #more(ctx: Context): LazyFields {
    return (ctx.#rest ??= {})
  }
  static #borrow(ctx: Context): unknown {
    if (ctx.#draft === undefined) ctx.#draft = ctx.#run.lend()
    return ctx.#draft
  }
  static #write(ctx: Context, field: string, value: unknown): void {
    if (ctx.#settled || ctx.#entry.row.draft !== field) return refuse(ctx.#run, ctx.#entry, field)
    ctx.#draft = value ?? null
    Context.#more(ctx).replaced = true
  }

  /** Closes the context of a hook that has changed nothing. Otherwise returns false, and it is open. */
  static closeUnchanged(ctx: Context): boolean {
    const rest = ctx.#rest
    if (rest !== undefined && (rest.messages !== undefined || rest.replaced === true)) return false
    if (ctx.#draft !== undefined && !ctx.#run.isDraft(ctx.#draft)) return false
    ctx.#settled = true
    return true
  }
  /** From now on writes are dropped. */
  static close(ctx: Context): void {
    ctx.#settled = true
  }
  static abandon(ctx: Context, reason: Error): void {
    ctx.#settled = true
    const more = Context.#more(ctx)
    more.abandoned = reason
    more.controller?.abort(reason)
  }
  static draft(ctx: Context): unknown {
    return ctx.#draft
  }
  static messages(ctx: Context): Message[] | undefined {
    return ctx.#rest?.messages
  }
}

/** For each hook, and reading a constant costs V8 less than looking up a method of the class. */
export const { closeUnchanged } = Context

/** What hooks outside the process receive, made once for all hooks that see the same draft. */
export interface WireInput {
  readonly draft: unknown
  readonly rejudge: boolean
  readonly input: PlainObject
  text?: string
}

/** Rarely used fields, created on first use. */
interface LazyFields {
  messages?: Message[]
  /** The hook has assigned to the draft. */
  replaced?: boolean
  tool_input?: unknown
  tool_response?: unknown
  controller?: AbortController
  abandoned?: Error
}

/** A field of the input, if the event defines it. */
function fieldOf(run: Run, { row }: HookEntry, name: string): unknown {
  return name in row.fields || `${name}?` in row.fields ? run.input[name] : undefined
}

function refuse(run: Run, entry: HookEntry, field: string): void {
  run.trace?.note(entry, `${field} cannot be changed now; the write was dropped`)
}

/** Instances of classes cannot be copied, so that one hook could change what other hooks have judged. */
export function refuseStrangers(event: EventName, draft: unknown): void {
  const stranger = strangerIn(draft)
  if (stranger !== undefined)
    throw engineFault('E_INPUT_INVALID', event, `it holds an instance of ${stranger}, but hooks take plain data only`)
}

/** A hook that fires the event it listens to would never end. */
const DEEPEST_FIRE = 16

/** The wire object of the current draft. Callbacks of the contract may write to theirs: they get a copy. */
function wireOf(run: Run, entry: HookEntry): WireInput {
  return run.rewrites.wire(run.phase === 'rejudge', input => wireInput(run, entry, input))
}

/**
 * The object that hooks outside the process receive: the contract's fields in its order, then what the
 * caller added, then ours (`event` in snake case, `user_prompt` beside `prompt`, `subagent_id` and `subagent_type` beside
 * `agent_id` and `agent_type`, `timestamp`, `rejudge`).
 */
function wireInput(run: Run, entry: HookEntry, input: PlainObject): PlainObject {
  const wire: PlainObject = {}
  if (entry.row.draft !== undefined) refuseStrangers(entry.event, input[entry.row.draft])
  for (const field of baseFields) {
    const value = run.base(field)
    if (value !== undefined) wire[field] = value
  }
  wire['hook_event_name'] = entry.event
  for (const field of Object.keys(entry.row.fields)) take(wire, input, field.replace('?', ''))
  for (const field of Object.keys(input)) if (!Object.hasOwn(wire, field)) take(wire, input, field)
  // One event of the contract has a field of this name.
  wire['event'] ??= entry.row.snake
  if (entry.row.draft === 'prompt') wire['user_prompt'] = wire['prompt']
  // A subagent alone has both.
  const { agent_id: subagent_id, agent_type: subagent_type } = wire
  if (subagent_id !== undefined && subagent_type !== undefined) Object.assign(wire, { subagent_id, subagent_type })
  wire['timestamp'] = new Date().toISOString()
  if (run.phase === 'rejudge') wire['rejudge'] = true
  return freezeDeep(wire)
}

function take(wire: PlainObject, input: PlainObject, field: string): void {
  if (input[field] !== undefined && field !== '__proto__') wire[field] = copyPlain(input[field])
}

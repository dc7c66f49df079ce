import { fault } from '../errors.ts'
import type { Message } from '../message.ts'
import { copyPlain, freezeDeep, type PlainObject } from '../util/plain.ts'
import type { Profile } from './decode.ts'
import type { Entry } from './entry.ts'
import {
  baseFields,
  snakeName,
  type EventName,
  type FieldsOf,
  type FireInput,
  type InputOf,
  type ToolEvent
} from './events.ts'
import type { Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import type { RawResult } from './trace.ts'
import type { Matcher, ToolInputFor, ToolNameFor } from './tool-inputs.ts'

/** The agent around a hook, as far as it shows itself. The runtime adds to it. */
export interface AgentView {
  readonly id?: string | undefined
  readonly type?: string | undefined
  readonly depth?: number | undefined
  readonly session?: unknown
  readonly config?: Readonly<Record<string, unknown>> | undefined
}

/**
 * What a hook is given. It can be read, and changed in place: `toolInput`, `prompt`, `messages`, `metadata`.
 * It is the hook's own and dead once the hook has settled: later writes are dropped and reported.
 */
export type HookContext<E extends EventName = EventName, M extends Matcher = string> = E extends EventName
  ? CommonContext<E> & ToolPart<E, M> & ResultPart<E> & PromptPart<E> & SubagentPart<E>
  : never

interface CommonContext<E extends EventName> {
  readonly event: E
  /** The wire object: what hooks outside the process receive. Frozen. */
  readonly input: Readonly<InputOf<E>>
  /** The same as one line of JSON, made once for all hooks that are shown the same. */
  readonly wire: string
  readonly profile: Profile
  readonly sessionId: string
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  /** Aborted when the hook times out, the fire is aborted or its budget is used up. */
  readonly signal: AbortSignal
  readonly agent: AgentView
  /** The conversation. Push, filter, splice; the messages themselves are frozen, also those that the caller gave. */
  messages: Message[]
  /** Shared by all hooks of a session, over all its events. Writes stay, even when the hook fails. */
  readonly metadata: Record<string, unknown>
  setMetadata(key: string, value: unknown): void
  /** True when the hook is asked again because the input it judged was changed after it. */
  readonly rejudge: boolean
  /** For hooks marked `observe`: what the others decided. */
  readonly outcome: Outcome | undefined
  /** Fires another event through the same hooks. */
  fire<F extends EventName>(event: F, input: FireInput<F>): Outcome | Promise<Outcome>
  /** Work that goes on after the hook has answered; `drain()` waits for it. */
  spawn(work: PromiseLike<unknown>): void
  /** Tells whoever watches how far the hook is; for a process, from which of its streams that is. */
  progress(text: string, stream?: 'stdout' | 'stderr'): void
  /** For hooks that run outside: what came back, as it came, for reports and messages. */
  ran(raw: RawResult): void
  /** Something worth knowing that decides nothing. */
  note(text: string): void
  /** For hooks that run outside: the profile lets pass what a strict gate refuses. It is marked. */
  letPass(why: string): void
}

type ToolPart<E extends EventName, M extends Matcher> = E extends ToolEvent
  ? {
      readonly toolName: ToolNameFor<M>
      readonly toolUseId: E extends 'PermissionRequest' ? undefined : string
    } & (E extends 'PreToolUse' | 'PermissionRequest'
      ? { toolInput: ToolInputFor<M> }
      : { readonly toolInput: Readonly<ToolInputFor<M>> })
  : { readonly toolName?: undefined; readonly toolInput?: undefined; readonly toolUseId?: undefined }

type ResultPart<E extends EventName> = (E extends 'PostToolUse'
  ? { readonly toolResponse: unknown }
  : { readonly toolResponse?: undefined }) &
  ('error' extends keyof FieldsOf<E>
    ? { readonly error: FieldsOf<E>['error' & keyof FieldsOf<E>] }
    : { readonly error?: undefined })

type PromptPart<E extends EventName> = E extends 'UserPromptSubmit'
  ? { prompt: string }
  : { readonly prompt?: undefined }

type SubagentPart<E extends EventName> = E extends 'SubagentStart' | 'SubagentStop'
  ? { readonly subagentId: string }
  : { readonly subagentId?: undefined }

/** The one class behind every `HookContext`. Nothing is computed before it is asked for. */
export class Context {
  readonly #run: Run
  readonly #entry: Entry
  #settled = false
  #draft: unknown
  #rest: Rare | undefined

  constructor(run: Run, entry: Entry) {
    this.#run = run
    this.#entry = entry
  }

  get event(): EventName {
    return this.#entry.event
  }
  get input(): PlainObject {
    const wire = wireOf(this.#run, this.#entry)
    return this.#entry.dialect === 'contract' ? copyPlain(wire) : wire
  }
  get wire(): string {
    wireOf(this.#run, this.#entry)
    return this.#run.rewrites.wireText()
  }
  get profile(): Profile {
    return this.#entry.profile
  }
  get sessionId(): string {
    return baseField(this.#run, 'session_id')
  }
  get cwd(): string | undefined {
    return baseField(this.#run, 'cwd') || undefined
  }
  get env(): Readonly<Record<string, string>> {
    return this.#run.hub.settings.env
  }
  get agent(): AgentView {
    return this.#run.options.agent ?? this.#run.hub.settings.agent
  }
  get metadata(): Record<string, unknown> {
    return metadataOf(this.#run)
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
    return this.#field('tool_name')
  }
  get toolUseId(): unknown {
    return this.#field('tool_use_id')
  }
  get toolInput(): unknown {
    return this.#entry.row.draft === 'tool_input' ? this.#borrow() : this.#copied('tool_input')
  }
  set toolInput(value: unknown) {
    this.#write('tool_input', value)
  }
  get toolResponse(): unknown {
    return this.#copied('tool_response')
  }
  get error(): unknown {
    return this.#field('error')
  }
  get prompt(): unknown {
    return this.#entry.row.draft === 'prompt' ? this.#borrow() : undefined
  }
  set prompt(value: unknown) {
    this.#write('prompt', value)
  }
  get subagentId(): unknown {
    return this.#entry.event.startsWith('Subagent') ? this.#field('agent_id') : undefined
  }

  get messages(): Message[] {
    return (this.#more.messages ??= this.#run.rewrites.history())
  }
  set messages(value: Message[]) {
    if (this.#settled) this.#refuse('messages')
    else this.#more.messages = value
  }

  get signal(): AbortSignal {
    const more = this.#more
    if (more.controller === undefined) {
      more.controller = new AbortController()
      if (more.abandoned !== undefined) more.controller.abort(more.abandoned)
    }
    return more.controller.signal
  }

  fire(event: EventName, input: PlainObject): Outcome | Promise<Outcome> {
    return fireWithin(this.#run, event, input)
  }
  spawn(work: PromiseLike<unknown>): void {
    const { hub, trace } = this.#run
    hub.background.spawn(work, message => trace?.note(this.#entry, `work that it left going failed: ${message}`))
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
    if (this.#entry.row.failure === 'closed') this.#run.tally.passed(this.#entry)
  }

  /** A field of the input, where the event has it: a stray one does not make it another event. */
  #field(name: string): unknown {
    const { fields } = this.#entry.row
    return name in fields || `${name}?` in fields ? this.#run.input[name] : undefined
  }
  #copied(name: 'tool_input' | 'tool_response'): unknown {
    return (this.#more[name] ??= copyPlain(this.#field(name)))
  }
  get #more(): Rare {
    return (this.#rest ??= {})
  }
  #borrow(): unknown {
    if (this.#draft === undefined) this.#draft = this.#run.lend()
    return this.#draft
  }
  #write(field: string, value: unknown): void {
    if (this.#settled || this.#entry.row.draft !== field) this.#refuse(field)
    else this.#draft = value ?? null
  }
  #refuse(field: string): void {
    this.#run.trace?.note(this.#entry, `${field} was written to when it could not be changed; the write was dropped`)
  }

  /** From now on writes are dropped. */
  static close(ctx: Context): void {
    ctx.#settled = true
  }
  /** The hook is given up: tell it, if it listens. */
  static abandon(ctx: Context, reason: Error): void {
    ctx.#settled = true
    ctx.#more.abandoned = reason
    ctx.#more.controller?.abort(reason)
  }
  /** The hook's own copy of the draft, if it has looked at it. */
  static draft(ctx: Context): unknown {
    return ctx.#draft
  }
  static isUntouched(ctx: Context): boolean {
    return ctx.#draft === undefined && ctx.#rest === undefined
  }
  static messages(ctx: Context): Message[] | undefined {
    return ctx.#rest?.messages
  }
}

/** What few hooks ask for, so that the others need not carry it. */
interface Rare {
  messages?: Message[]
  tool_input?: unknown
  tool_response?: unknown
  controller?: AbortController
  abandoned?: Error
}

/** A hook that fires the event it listens to would never end. */
const DEEPEST_FIRE = 16

export function baseField(run: Run, field: string): string {
  const given = run.input[field]
  return given === undefined ? run.hub.settings.base[field]! : (given as string)
}

function metadataOf(run: Run): Record<string, unknown> {
  if (run.options.metadata !== undefined) return run.options.metadata
  const { sessions } = run.hub
  const session = baseField(run, 'session_id')
  let metadata = sessions.get(session)
  if (metadata === undefined) sessions.set(session, (metadata = {}))
  return metadata
}

/** The wire object of the draft as it stands. Callbacks of the contract may scribble on theirs: they get a copy. */
function wireOf(run: Run, entry: Entry): PlainObject {
  const rejudge = run.phase === 'rejudge'
  const { rewrites } = run
  return rewrites.wire(rejudge, input => wireInput(entry, input, field => baseField(run, field), rejudge))
}

function fireWithin(run: Run, event: EventName, input: PlainObject): Outcome | Promise<Outcome> {
  const depth = run.depth + 1
  if (depth > DEEPEST_FIRE) throw fault('E_FIRE_DEPTH', event, String(depth))
  const { signal, metadata, agent } = run.options
  const base = Object.fromEntries(baseFields.map(field => [field, baseField(run, field)]))
  return run.hub.fire(event, { ...base, ...input }, { signal, metadata, agent }, depth)
}

/**
 * The object that hooks outside the process receive: the contract's fields in its order, then what the
 * caller added, then ours (`event` in snake case, `user_prompt` beside `prompt`, `timestamp`, `rejudge`).
 */
function wireInput(entry: Entry, input: PlainObject, base: (field: string) => unknown, rejudge: boolean): PlainObject {
  const wire: PlainObject = {}
  for (const field of baseFields) {
    const value = base(field)
    if (value !== undefined) wire[field] = value
  }
  wire['hook_event_name'] = entry.event
  for (const field of Object.keys(entry.row.fields)) take(wire, input, field.replace('?', ''))
  for (const field of Object.keys(input)) if (!Object.hasOwn(wire, field)) take(wire, input, field)
  // One event of the contract has a field of this name.
  wire['event'] ??= snakeName(entry.event)
  if (entry.row.draft === 'prompt') wire['user_prompt'] = wire['prompt']
  wire['timestamp'] = new Date().toISOString()
  if (rejudge) wire['rejudge'] = true
  return freezeDeep(wire)
}

function take(wire: PlainObject, input: PlainObject, field: string): void {
  if (input[field] !== undefined && field !== '__proto__') wire[field] = copyPlain(input[field])
}

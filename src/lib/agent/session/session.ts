import { randomUUID } from 'node:crypto'
import { parseEvent, type EventName, type FireInput } from '../../hooks/events/event-table.ts'
import type { LateAnswer } from '../../hooks/background.ts'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import type { AgentView } from '../../hooks/hook-context.ts'
import type { FireOptions } from '../../hooks/registry-internals.ts'
import type { Message, ToolUseBlock } from '../../message.ts'
import { NO_TOKENS } from '../../model/usage.ts'
import type { Model, ToolSpec, Usage } from '../../model/model.ts'
import type { Ruling } from '../../permissions/decide.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Entry } from '../../transcript/entry.ts'
import type { PlainObject } from '../../util/plain.ts'
import { RENAMED } from '../../util/names.ts'
import { agentViewOf } from './agent-view.ts'
import { Conversation } from './conversation.ts'
import type { Permissions, SessionOptions } from './session-options.ts'
import type { FileWatch } from '../watch-files.ts'
import type { AgentMessage, Denial, Unsigned } from '../output/output.ts'
import type { OpenBatch } from '../call/open-batch.ts'
import type { Replayed, SessionState } from './replay.ts'
import { KeptState } from './kept-state.ts'
import { News } from './notifications.ts'
import { reasonForModel } from '../call/objections.ts'
import { Spending } from '../spending.ts'
import { toldEdits } from './transcript-entries.ts'

/** Who refused a call, and why. */
type Refusal = Pick<Ruling, 'kind' | 'by' | 'reason' | 'askedBy'>

/** One agent at work: what it works with, and what has become of it so far. */
export class Session {
  readonly options: SessionOptions
  readonly id: string
  conversation = new Conversation()
  readonly spending: Spending
  readonly tools: ReadonlyMap<string, Tool>
  readonly denials: Denial[] = []
  /** Who this is, for hooks. */
  readonly agentId: string
  model: Model
  turns = 0
  /** How much of its window the model has used for its last answer. */
  tokens = 0
  toolUses = 0
  /** For a subagent: the tools that it has called, and what it has used. */
  readonly called: string[] = []
  used: Usage = NO_TOKENS
  promptId: string | undefined
  /** A hook has said that the run ends after this step. */
  stopped: { readonly reason: string | undefined; readonly interrupts?: boolean } | undefined
  /** Comes a while after a turn was given up: hooks that are told of it have until then. */
  afterwards: AbortSignal | undefined
  /** What it is doing, for whoever wants to know. */
  doing = 'starting'
  /** It is being closed: what waits for an answer may be answered when it goes on. */
  #isClosing = false
  /** It has ended: what comes late is for nobody. */
  isOver = false
  /** What ends beside it. */
  readonly news = new News()
  /** Files that hooks want to hear of. */
  watch: FileWatch | undefined
  /** Calls of the last answer that have no results: somebody has yet to decide, or we were ended in between. */
  open: OpenBatch | undefined
  /** Why the answer that it goes on from is none yet, if it is not. */
  unended: Replayed['unended']
  /** What SessionStart hooks added; it stays in the system prompt. */
  #system: readonly string[] = []
  readonly #told = new Set<string>()
  /** What hooks and tools keep. */
  readonly #kept: KeptState
  #view: AgentView | undefined

  constructor(options: SessionOptions) {
    this.options = options
    this.id = options.place.id
    this.agentId = options.agent?.id ?? options.agentId ?? `agent-${this.id.slice(0, 8)}`
    this.spending = options.spending ?? new Spending()
    this.model = options.model
    const tools = [...options.tools, ...(options.own?.(this) ?? [])]
    this.tools = new Map(tools.map(tool => [tool.name, tool]))
    this.#kept = new KeptState(this.tools)
    options.place.expect = coming => this.news.expect(coming)
  }

  /** What the model is told of the tools. */
  get specs(): readonly ToolSpec[] {
    return [...this.tools.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  }

  /** The tool of this name; one that was renamed is known by its old name, too. */
  tool(name: string): Tool | undefined {
    return this.tools.get(name) ?? this.tools.get(RENAMED.get(name) ?? '')
  }

  get isClosing(): boolean {
    return this.#isClosing || this.options.agent?.isParentClosing?.() === true
  }

  set isClosing(isClosing: boolean) {
    this.#isClosing = isClosing
  }

  get permissions(): Permissions {
    return this.options.permissions
  }

  get system(): string {
    return [this.options.system, ...this.#system].join('\n\n')
  }

  /** Goes on from what a log told. */
  resume({ conversation, system, metadata, memory, open, tokens, unended }: Replayed): void {
    this.conversation = conversation
    this.#system = system
    this.open = open
    this.tokens = tokens
    this.unended = unended
    Object.assign(this.options.hooks.metadata(this.id), metadata)
    for (const [name, kept] of Object.entries(memory)) this.tools.get(name)?.memory?.restore(kept)
    this.#kept.isWritten({ metadata, memory })
  }

  /** Forgets the conversation, and what hooks had added to the system prompt. */
  clear(): void {
    this.conversation = new Conversation()
    this.#system = []
    this.#kept.forgetMetadata()
    this.open = undefined
    this.tokens = 0
  }

  /** Text that every model call of the session begins with. */
  addToSystem(text: string, about: PlainObject): void {
    this.record({ type: 'attachment', attachment: { ...about, system: text } })
    this.#system = [...this.#system, text]
  }

  /** Fires an event about this session. Hooks see all that was said so far, and may change it. */
  fire<E extends EventName>(event: E, input: FireInput<E>, options?: FireOptions): Outcome | Promise<Outcome> {
    const { place, permissions, effort, agent } = this.options
    const base: PlainObject = {
      session_id: this.id,
      transcript_path: agent?.transcriptPath ?? this.options.log.path,
      cwd: place.cwd,
      permission_mode: permissions.mode
    }
    if (this.promptId !== undefined) base['prompt_id'] = this.promptId
    if (agent !== undefined) Object.assign(base, { agent_id: agent.id, agent_type: agent.type })
    if (effort !== undefined && KNOWS_EFFORT.has(event)) base['effort'] = { level: effort }
    const about: FireOptions = withMessages({ ...options }, this.conversation.messages)
    about.agent = this.#view ??= agentViewOf(this)
    return this.options.hooks.fire(event, Object.assign(base, input) as unknown as FireInput<E>, about)
  }

  /** The same for tools, which know events by their names only. */
  async fireByName(name: string, input: PlainObject): Promise<PlainObject | undefined> {
    const event = parseEvent(name)
    const outcome = await this.fire(event, input)
    this.heed(outcome)
    this.watch?.heed(outcome)
    return outcome.decision === 'deny' ? { ...outcome, reason: reasonForModel(outcome) } : { ...outcome }
  }

  /** A call was refused: readers hear of it, and so does the result. */
  deny({ name, id }: ToolUseBlock, input: PlainObject, { kind, by, reason = '', askedBy }: Refusal): void {
    const told = {
      tool_name: name,
      tool_use_id: id,
      decision_reason_type: kind,
      decision_reason: reason,
      decided_by: by,
      ...(askedBy !== undefined && { asked_by: askedBy })
    }
    this.denials.push({ ...told, tool_input: input })
    const subtype = 'permission_denied'
    this.record({ type: 'system', subtype, toolUseId: id, toolName: name, kind, by, reason, askedBy })
    const message = `${name} was refused by ${by}: ${reason}`
    const asked = askedBy === undefined ? '' : ` (asked for by ${askedBy})`
    this.say({ type: 'system', subtype, ...told, message: message + asked })
  }

  /** Tells whoever reads, and writes nothing down. */
  say(message: Unsigned<AgentMessage>, uuid: string = randomUUID()): void {
    const { agent, emit } = this.options
    if (agent !== undefined && 'parent_tool_use_id' in message)
      Object.assign(message, { parent_tool_use_id: agent.toolUseId })
    emit(Object.assign(message, { session_id: this.id, uuid }))
  }

  /** Words for people. */
  inform(content: string, level: 'info' | 'notice' | 'warning' = 'info', tag?: string): void {
    this.say({ type: 'system', subtype: 'informational', content, level, ...(tag !== undefined && { tag }) })
  }

  /** A warning that is told once in a session, however often there is reason to. */
  informOnce(content: string): void {
    if (!this.#told.has(content)) this.inform(content, 'warning', 'model')
    this.#told.add(content)
  }

  /** Writes down what happened; throws where it cannot. */
  record(entry: Entry, uuid: string = randomUUID()): void {
    this.options.log.append(entry, uuid)
  }

  /** Settles when all that was written down is safe; nothing with effects begins before. */
  saved(): Promise<void> {
    return this.options.log.flush()
  }

  /** Writes down what hooks and tools keep, where it has changed. */
  saveState(metadata = this.options.hooks.metadata(this.id)): void {
    if (this.options.agent === undefined) for (const entry of this.#kept.changes(metadata)) this.record(entry)
  }

  /** All that a log must tell of us beside the messages, for a reader who begins with it. */
  get state(): SessionState {
    return { system: this.#system, ...this.#kept.written, notes: this.conversation.notes }
  }

  /** The next model call is given this text. */
  note(text: string, isLogged = true, about: PlainObject = { type: 'note' }): void {
    if (this.isOver) return
    this.record({ type: 'attachment', attachment: { ...about, rendered: isLogged ? text : UNLOGGED } })
    this.conversation.note(text)
  }

  /** The model is told this, and so are readers and the log. */
  tell(message: Message & { role: 'user' }, more: { synthetic?: boolean; promptId?: string | undefined } = {}): void {
    const uuid = randomUUID()
    const { content } = message
    this.record(
      {
        type: 'user',
        message: { role: 'user', content },
        ...(more.promptId !== undefined && { promptId: more.promptId, permissionMode: this.permissions.mode })
      },
      uuid
    )
    this.conversation.add(message, uuid)
    if (more.synthetic === true) this.say({ type: 'user', message, parent_tool_use_id: null, isSynthetic: true }, uuid)
  }

  /** What hooks said beside their decision goes where it belongs. */
  heed(outcome: Outcome, about = ''): void {
    if (outcome.continue === false && !IS_NO_END.has(outcome.event)) this.stopped ??= { reason: outcome.stopReason }
    if (outcome.messageEdits !== undefined) this.#edit(outcome)
    const { contexts, systemMessages, failures, conflicts } = outcome
    const isOpen = outcome.failedOpen && failures.length === 0
    if (contexts.length + systemMessages.length + failures.length + conflicts.length === 0 && !isOpen) return
    const isLogged = !outcome.suppressLogging
    const label = about === '' ? outcome.event : `${outcome.event}:${about}`
    for (const { text, by } of contexts) {
      const attachment = {
        type: 'hook_additional_context',
        hookName: label,
        hookEvent: outcome.event,
        by,
        content: isLogged ? [text] : []
      }
      this.note(`${label} hook additional context: ${text}`, isLogged, attachment)
    }
    for (const { text, by, to } of systemMessages) {
      if (to === 'model') this.note(text, isLogged)
      else this.inform(`${label} says: ${text}`, 'info', by)
    }
    for (const { by, kind, message, failedOpen } of failures) {
      if (isLogged)
        this.record({ type: 'system', subtype: 'hook_failed', hookEvent: label, by, kind, message, failedOpen })
      this.inform(
        `${label} hook ${by} failed: ${message}${failedOpen ? '; it was let pass' : ''}`,
        'warning',
        'hook_failed'
      )
    }
    if (isOpen) this.inform(`${label}: allowed without the answer of a hook`, 'warning', 'hook_failed_open')
    for (const { key, winner, loser } of conflicts)
      this.inform(
        `${label}: ${winner} and ${loser} both changed ${key}; ${winner} stands behind the other and won`,
        'warning',
        'hook_conflict'
      )
  }

  #edit({ messageEdits, event }: Outcome): void {
    const { conversation } = this
    const uuid = randomUUID()
    const told = toldEdits(messageEdits!, message => conversation.idOf(message))
    this.record({ type: 'system', subtype: 'messages_changed', hookEvent: event, ...told }, uuid)
    conversation.edit(messageEdits!, uuid)
  }

  /** A hook in the background may have something for the agent that cannot wait. */
  wake(woken: Promise<{ readonly text: string; readonly summary: string | undefined } | undefined>): void {
    const word = woken.then(said => {
      if (said?.summary !== undefined) this.inform(said.summary, 'notice', 'hook_woke')
      return said && (() => said.text)
    })
    this.news.expect(word)
  }

  /** What a hook said after its event had gone on joins the next model call. */
  heedLate({ by, event, contexts, systemMessages, failure }: LateAnswer): void {
    for (const { text } of [...systemMessages, ...contexts]) this.note(text)
    if (failure !== undefined)
      this.inform(`${event} hook ${by} failed in the background: ${failure.message}`, 'warning')
  }
}

/**
 * Shows hooks what was said until now: the conversation may grow while they are at work, and what they have not seen they
 * did not remove. It only ever grows, or is replaced as a whole, so nothing need be copied before a hook looks.
 */
function withMessages(options: FireOptions, messages: readonly Message[]): FireOptions {
  const { length } = messages
  let seen: readonly Message[] | undefined
  return Object.defineProperty(options, 'messages', { get: () => (seen ??= messages.slice(0, length)) })
}

const UNLOGGED = '[What a hook said here was to be left out of the log.]'

/** What ends with these is something else than the run. */
const IS_NO_END: ReadonlySet<EventName> = new Set<EventName>(['PreCompact', 'TaskCreated', 'TaskCompleted'])

/** The events whose input says how hard the model thinks. */
const KNOWS_EFFORT: ReadonlySet<EventName> = new Set<EventName>([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'Stop',
  'StopFailure',
  'SubagentStop'
])

import type { Ruling } from '../../permissions/policy.ts'
import type { ToolUseBlock } from '../../message.ts'
import { NO_TOKENS } from '../../model/usage.ts'
import type { Model, ToolSpec, Usage } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Log } from '../../transcript/entry.ts'
import type { PlainObject } from '../../util/plain.ts'
import { RENAMED } from '../../util/names.ts'
import type { Permissions, SessionOptions } from './session-options.ts'
import type { FileWatch } from '../watch-files.ts'
import type { Denial } from '../output/agent-messages.ts'
import { Display } from '../output/display.ts'
import { Reader } from '../output/reader.ts'
import { NestedInstructions } from '../instructions/nested.ts'
import { Decisions } from '../call/decisions.ts'
import type { OpenBatch } from '../call/open-call.ts'
import type { Replayed, SessionState } from './replay.ts'
import { KeptState } from './kept-state.ts'
import { Notifications } from './notifications.ts'
import { SessionConversation } from './conversation.ts'
import { SessionHooks } from './session-hooks.ts'
import { Spending } from '../spending.ts'

type Refusal = Pick<Ruling, 'kind' | 'by' | 'reason' | 'askedBy'>

type OwnTools = (session: Session) => readonly Tool[]

/**
 * A running agent: its options and its state. There is one port per recipient: `transcript` (what happened), `reader`
 * (the output stream), `conversation` (what the model gets), `hooks` (events and what their outcomes change).
 */
export class Session {
  readonly options: SessionOptions
  readonly ownTools: OwnTools | undefined
  readonly id: string
  readonly transcript: Log
  readonly reader: Reader
  readonly conversation: SessionConversation
  readonly hooks: SessionHooks
  readonly spending: Spending
  readonly nested: NestedInstructions | undefined
  readonly tools: ReadonlyMap<string, Tool>
  readonly denials: Denial[] = []
  /** Undefined if no one keeps what is decided. */
  readonly decisions: Decisions | undefined
  readonly agentId: string
  model: Model
  turns = 0
  tokens = 0
  toolUses = 0
  readonly called: string[] = []
  used: Usage = NO_TOKENS
  promptId: string | undefined
  /** How many answers in a row hooks have withheld, since the prompt. */
  withheld = 0
  /** When the request began that the model last answered, as `performance.now()` counts. */
  asked: number | undefined
  /** A hook or a person ends the run after this step. */
  stopped: { readonly reason: string | undefined; readonly interrupts?: boolean } | undefined
  /** Aborts a while after the turn was aborted: hooks for its end have until then. */
  afterwards: AbortSignal | undefined
  doing = 'starting'
  /** It is being closed: open questions can be answered when it is resumed. */
  #isClosing = false
  readonly notifications = new Notifications()
  watch: FileWatch | undefined
  /** Calls of the last answer without results: they wait for a decision, or the session was interrupted. */
  open: OpenBatch | undefined
  /** Why the answer that it resumes from is incomplete. */
  unended: Replayed['unended']
  readonly #kept: KeptState
  /** The names of the tools in the last request, if hooks left some out. */
  offered: readonly string[] | undefined
  #specs: readonly ToolSpec[] | undefined

  constructor(options: SessionOptions, ownTools?: OwnTools) {
    this.options = options
    this.ownTools = ownTools
    this.id = options.place.id
    this.agentId = options.agent?.id ?? options.agentId ?? `agent-${this.id.slice(0, 8)}`
    this.transcript = options.log
    this.decisions = options.log.hasDecisions ? new Decisions(options, this.agentId) : undefined
    this.reader = new Reader(options)
    this.conversation = new SessionConversation(this.transcript, this.reader)
    this.hooks = new SessionHooks(this)
    if (options.agent === undefined) this.reader.display = new Display(this, options.emit)
    this.nested = options.instructions && new NestedInstructions(options.instructions)
    this.spending = options.spending ?? new Spending()
    this.model = options.model
    const tools = [...options.tools, ...(ownTools?.(this) ?? [])]
    this.tools = new Map(tools.map(tool => [tool.name, tool]))
    this.#kept = new KeptState(this.tools)
    options.place.expect = coming => this.notifications.expect(coming)
  }

  /** The same list until a server changes a tool: models keep what they make of it. */
  get specs(): readonly ToolSpec[] {
    const isCurrent = ({ name, description, inputSchema }: ToolSpec): boolean => {
      const tool = this.tools.get(name)
      return tool?.description === description && tool.inputSchema === inputSchema
    }
    // A model may have removed some from its request.
    if (this.#specs?.length === this.tools.size && this.#specs.every(isCurrent)) return this.#specs
    const tools = [...this.tools.values()]
    return (this.#specs = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })))
  }

  tool(name: string): Tool | undefined {
    const found = this.tools.get(name) ?? this.tools.get(RENAMED.get(name) ?? '')
    const isOffered = this.offered === undefined || this.offered.includes(found?.name ?? '')
    return isOffered ? found : undefined
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
    const { system } = this.options
    return this.conversation.system.length === 0 ? system : [system, ...this.conversation.system].join('\n\n')
  }

  resume({ conversation, system, metadata, memory, open, offered, tokens, unended, withheld }: Replayed): void {
    this.conversation.reset(conversation, system)
    this.open = open
    this.offered = offered
    this.tokens = tokens
    this.unended = unended
    this.withheld = withheld
    Object.assign(this.options.hooks.metadata(this.id), metadata)
    for (const [name, kept] of Object.entries(memory)) this.tools.get(name)?.memory?.restore(kept)
    this.#kept.isWritten({ metadata, memory })
  }

  clear(): void {
    this.conversation.reset()
    this.#kept.forgetMetadata()
    this.open = undefined
    this.tokens = 0
  }

  /** A call was refused: for the reader, the transcript and the result message. */
  deny({ name, id }: ToolUseBlock, input: PlainObject, { kind, by, reason = '', askedBy }: Refusal): void {
    const denial = {
      tool_name: name,
      tool_use_id: id,
      decision_reason_type: kind,
      decision_reason: reason,
      decided_by: by,
      ...(askedBy !== undefined && { asked_by: askedBy })
    }
    this.denials.push({ ...denial, tool_input: input })
    const subtype = 'permission_denied'
    this.transcript.append({ type: 'system', subtype, toolUseId: id, toolName: name, kind, by, reason, askedBy })
    const message = `${name} was refused by ${by}: ${reason}`
    const asked = askedBy === undefined ? '' : ` (asked for by ${askedBy})`
    this.reader.emit({ type: 'system', subtype, ...denial, message: message + asked })
  }

  saveState(metadata = this.options.hooks.metadata(this.id)): void {
    if (this.options.agent === undefined)
      for (const entry of this.#kept.changes(metadata)) this.transcript.append(entry)
  }

  get state(): SessionState {
    const { system, notes } = this.conversation
    return { system, ...this.#kept.written, notes, model: this.model.name, withheld: this.withheld }
  }
}

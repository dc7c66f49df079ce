import { parseEvent, type EventName, type FireInput } from '../../hooks/events/event-table.ts'
import type { Outcome, LateAnswer } from '../../hooks/dispatch/outcome.ts'
import type { Failure, FailureKind } from '../../hooks/dispatch/hook-failure.ts'
import type { AgentView } from '../../hooks/hook-context.ts'
import type { FireOptions } from '../../hooks/registry-internals.ts'
import type { Message } from '../../message.ts'
import type { Model } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'
import type { PlainObject } from '../../util/plain.ts'
import { reasonForModel } from '../call/objections.ts'
import type { Reader } from '../output/reader.ts'
import { unsentSequences } from '../output/terminal-sequence.ts'
import type { Notifications } from './notifications.ts'
import type { SessionConversation } from './conversation.ts'
import type { SessionOptions } from './session-options.ts'

export interface HookedSession {
  readonly id: string
  readonly agentId: string
  readonly options: SessionOptions
  readonly model: Model
  readonly tools: ReadonlyMap<string, Tool>
  readonly promptId: string | undefined
  readonly reader: Reader
  readonly conversation: SessionConversation
  readonly notifications: Notifications
  readonly watch: { follow(outcome: Outcome): void } | undefined
  stopped: { readonly reason: string | undefined; readonly interrupts?: boolean } | undefined
}

/**
 * The hooks of a session. `run` is the only way to an outcome: it fires the event and applies everything in the answers
 * but the decision (context, messages, edits, a stop). The decision itself is for the caller.
 */
export class SessionHooks {
  readonly #session: HookedSession
  #view: AgentView | undefined

  constructor(session: HookedSession) {
    this.#session = session
  }

  /** Hooks see the whole conversation so far, and may change it. */
  run<E extends EventName>(event: E, input: FireInput<E>, options: FireOptions = {}): Outcome | Promise<Outcome> {
    const session = this.#session
    const about = new SessionFire(event, options, session, (this.#view ??= agentView(session)))
    const fired = session.options.hooks.fire(event, input, about)
    if (!(fired instanceof Promise)) return this.#apply(fired, input, options.signal)
    return fired.then(outcome => this.#apply(outcome, input, options.signal))
  }

  async runByName(name: string, input: PlainObject): Promise<PlainObject | undefined> {
    const outcome = await this.run(parseEvent(name), input)
    return outcome.decision === 'deny' ? { ...outcome, reason: reasonForModel(outcome) } : { ...outcome }
  }

  /** An answer after the end of its event is added to the next model call. */
  applyLate({ by, event, contexts, systemMessages, failure }: LateAnswer): void {
    const { conversation, reader } = this.#session
    for (const { text } of [...systemMessages, ...contexts]) conversation.addContext(text)
    if (failure !== undefined)
      reader.notice(`${event} hook ${by} failed in the background: ${shownWords(event, failure)}`, 'warning')
  }

  wake(waking: Promise<{ readonly text: string; readonly summary: string | undefined } | undefined>): void {
    const { notifications, reader } = this.#session
    notifications.expect(
      waking.then(woken => {
        if (woken?.summary !== undefined) reader.notice(woken.summary, 'notice', 'hook_woke')
        return woken && (() => woken.text)
      })
    )
  }

  #apply(outcome: Outcome, input: PlainObject, signal: AbortSignal | undefined): Outcome {
    const session = this.#session
    const { event } = outcome
    const special = SPECIAL[event]
    if (signal?.aborted === true && special?.isVoidAfterAbort?.(input) === true) return outcome
    if (outcome.continue === false && special?.stopsOther !== true) session.stopped ??= { reason: outcome.stopReason }
    if (outcome.messageEdits !== undefined) session.conversation.edit(outcome.messageEdits, event)
    if (special?.watches === true) session.watch?.follow(outcome)
    const { contexts, systemMessages, terminalSequences, failures, conflicts, failedOpen } = outcome
    const lists = contexts.length + systemMessages.length + terminalSequences.length
    if (lists + failures.length + conflicts.length > 0 || failedOpen) {
      const { tool_name, mcp_server_name: server } = input as { tool_name?: string; mcp_server_name?: string }
      const about = tool_name ?? server
      const label = about === undefined ? event : `${event}:${about}`
      this.#addContexts(outcome, label, special?.contextFor?.(input, outcome))
      this.#addNotices(outcome, label)
    }
    return outcome
  }

  #addContexts(outcome: Outcome, hookName: string, contextFor: ContextFor = 'conversation'): void {
    const { conversation } = this.#session
    const { event: hookEvent, contexts, additionalContext } = outcome
    const isLogged = !outcome.suppressLogging
    const about = { type: 'hook_additional_context', hookName, hookEvent }
    if (contextFor === 'system' && additionalContext !== undefined)
      conversation.addToSystem(`${hookName} hook additional context: ${additionalContext}`, {
        ...about,
        content: [additionalContext]
      })
    if (contextFor === 'conversation')
      for (const { text, by } of contexts)
        conversation.addContext(`${hookName} hook additional context: ${text}`, isLogged, {
          ...about,
          by,
          content: isLogged ? [text] : []
        })
    for (const { text, to } of outcome.systemMessages) if (to === 'model') conversation.addContext(text, isLogged)
  }

  #addNotices(outcome: Outcome, label: string): void {
    const { reader, options } = this.#session
    const { systemMessages, failures, conflicts } = outcome
    for (const { text, by, to } of systemMessages)
      if (to !== 'model') reader.notice(`${label} says: ${text}`, 'info', by)
    for (const failure of failures) {
      const { by, kind, failedOpen } = failure
      const message = shownWords(outcome.event, failure)
      const entry = { hookEvent: label, by, kind, message, failedOpen }
      if (!outcome.suppressLogging) options.log.append({ type: 'system', subtype: 'hook_failed', ...entry })
      const allowed = failedOpen ? '; allowed anyway' : ''
      reader.notice(`${label} hook ${by} failed: ${message}${allowed}`, 'warning', 'hook_failed')
    }
    if (outcome.failedOpen && failures.length === 0)
      reader.notice(`${label}: allowed without the answer of a hook`, 'warning', 'hook_failed_open')
    for (const { by, why } of unsentSequences(outcome))
      reader.notice(`${label} hook ${by}: ${why}`, 'warning', 'terminal_sequence')
    for (const { key, winner, loser } of conflicts) {
      const text = `${winner} and ${loser} both changed ${key}; ${winner} runs later, so its value was kept`
      reader.notice(`${label}: ${text}`, 'warning', 'hook_conflict')
    }
  }
}

/** Failures whose words are the engine's own. */
const QUOTES_NOTHING: ReadonlySet<FailureKind> = new Set<FailureKind>(['timeout', 'budget', 'decision', 'rewrite'])

/** The words may quote an answer that no one else may see. */
const shownWords = (event: EventName, { kind, message }: Failure): string =>
  event === 'PostModelResponse' && !QUOTES_NOTHING.has(kind) ? kind : message

/** Where context from hooks goes: to the next model call, to the system prompt, or to the caller. */
type ContextFor = 'conversation' | 'system' | 'caller'

interface Special {
  readonly contextFor?: (input: PlainObject, outcome: Outcome) => ContextFor
  /** `continue: false` stops something else than the run; the caller handles that. */
  readonly stopsOther?: true
  readonly watches?: true
  /** After an abort the subject of the event does not happen, and the answers of hooks are dropped. */
  readonly isVoidAfterAbort?: (input: PlainObject) => boolean
}

/** Events whose outcomes are not applied in the usual way. */
const SPECIAL: Partial<Record<EventName, Special>> = {
  SessionStart: {
    // The start of a session stays as it was: context from a resume is added at the end.
    contextFor: ({ source }) => (source === 'startup' || source === 'clear' ? 'system' : 'conversation'),
    watches: true,
    // The compaction is already done when this is fired.
    isVoidAfterAbort: ({ source }) => source !== 'compact'
  },
  UserPromptSubmit: {
    // Context for a refused prompt is not for the next one.
    contextFor: (_, { blocked }) => (blocked ? 'caller' : 'conversation'),
    isVoidAfterAbort: () => true
  },
  PreToolUse: { isVoidAfterAbort: () => true },
  PreModelRequest: { isVoidAfterAbort: () => true },
  PostModelResponse: { isVoidAfterAbort: () => true },
  PreCompact: { stopsOther: true },
  TaskCreated: { stopsOther: true },
  TaskCompleted: { stopsOther: true },
  // For the subagent.
  SubagentStart: { contextFor: () => 'caller' },
  TeammateIdle: { contextFor: () => 'caller', stopsOther: true },
  CwdChanged: { watches: true },
  MessageDisplay: { stopsOther: true },
  FileChanged: { watches: true }
}

/** The events whose input has the effort of the model. */
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

/**
 * Shows hooks the conversation so far: it may grow while they run, and messages that they have not seen were not
 * removed by them. It only grows, or is replaced as a whole, so nothing is copied before a hook reads it.
 */
class SessionFire implements FireOptions {
  readonly signal: AbortSignal | undefined
  readonly accept: FireOptions['accept']
  readonly combine: FireOptions['combine']
  readonly report: boolean | undefined
  readonly agent: AgentView
  readonly #event: EventName
  readonly #session: HookedSession
  readonly #messages: readonly Message[]
  readonly #length: number
  #seen: readonly Message[] | undefined

  constructor(event: EventName, options: FireOptions, session: HookedSession, agent: AgentView) {
    const { messages } = session.conversation
    this.signal = options.signal
    this.accept = options.accept
    this.combine = options.combine
    this.report = options.report
    this.agent = agent
    this.#event = event
    this.#session = session
    this.#messages = messages
    this.#length = messages.length
  }

  common(): PlainObject {
    const { id, promptId, options } = this.#session
    const { place, permissions, effort, agent, log } = options
    const base: PlainObject = {
      session_id: id,
      transcript_path: agent?.transcriptPath ?? log.path,
      cwd: place.cwd,
      permission_mode: permissions.mode
    }
    if (promptId !== undefined) base['prompt_id'] = promptId
    if (agent !== undefined) Object.assign(base, { agent_id: agent.id, agent_type: agent.type })
    if (effort !== undefined && KNOWS_EFFORT.has(this.#event)) base['effort'] = { level: effort }
    return base
  }

  get messages(): readonly Message[] {
    return (this.#seen ??= this.#messages.slice(0, this.#length))
  }
}

/** What hooks see of the agent around them. Made once per session; the model, the mode and the folder may change. */
function agentView(session: HookedSession): AgentView {
  const { agent, log, place, permissions, hooks } = session.options
  return {
    ...hooks.options.agent,
    id: session.agentId,
    type: agent?.type ?? 'main',
    depth: agent?.depth ?? 0,
    toolUseId: agent?.toolUseId,
    transcriptPath: log.path,
    tools: [...session.tools.keys()],
    get model() {
      return session.model.name
    },
    get session() {
      return { id: session.id, cwd: place.cwd, permissionMode: permissions.mode }
    }
  }
}

import type { AgentDefinition } from '../../agent/subagents/definitions.ts'
import { countRun, endSession, runTask } from '../../agent/session/session-lifecycle.ts'
import type { AgentMessage } from '../../agent/output/agent-messages.ts'
import { replayAll } from '../../agent/session/replay.ts'
import type { Session } from '../../agent/session/session.ts'
import { messageEntries } from '../../agent/session/transcript-entries.ts'
import { fault } from '../../faults.ts'
import type { AgentResult } from '../../hooks/events/fields.ts'
import type { Message } from '../../message.ts'
import type { Entry } from '../../transcript/entry.ts'
import { checkAgent } from '../options/agent-definition.ts'
import { open, type Opened } from '../open.ts'
import { checkQueryOptions } from '../options/check-options.ts'
import type { QueryOptions } from '../options/options.ts'
import { randomUuid } from '../../transcript/log.ts'

/** The result of a subagent. */
export interface SubAgentResult extends AgentResult {
  readonly success: boolean
  readonly error: string | undefined
}

/** Options of a subagent besides its definition. */
export type SubAgentOptions = Omit<
  QueryOptions,
  'agents' | 'systemPrompt' | 'maxTurns' | 'abortController' | 'setup'
> & {
  onMessage?: ((message: AgentMessage) => unknown) | undefined
}

/** What a subagent resumes from: the given messages, or those in its store. */
export type ResumeOptions = SubAgentOptions & { readonly transcript?: readonly Message[] | undefined }

/**
 * An agent for one kind of task, without a session around it: its hooks are AgentStart, Iteration, those of tools and
 * AgentStop. It keeps its conversation: a second task continues from the first. Settings files are loaded only if
 * `settingSources` names them.
 */
export class SubAgent {
  readonly definition: AgentDefinition
  readonly #opened: Promise<Opened>
  readonly #all = new AbortController()
  #running: AbortController | undefined
  #done: Promise<unknown> = Promise.resolve()
  #session: Session | undefined
  #ready: Promise<void> = Promise.resolve()
  readonly id: string

  constructor(definition: AgentDefinition, { onMessage, ...options }: SubAgentOptions = {}) {
    this.definition = definition
    checkQueryOptions(options)
    checkAgent(definition, 'the definition', options)
    this.id = options.resume ?? options.sessionId ?? `a${randomUuid().replaceAll('-', '').slice(0, 16)}`
    const whole: QueryOptions = {
      settingSources: [],
      persistSession: false,
      ...options,
      ...(options.resume === undefined && { sessionId: this.id }),
      systemPrompt: definition.prompt,
      maxTurns: definition.maxTurns,
      ...(definition.model !== undefined && options.model === undefined && { model: definition.model }),
      ...(definition.permissionMode !== undefined && { permissionMode: definition.permissionMode }),
      ...(definition.tools !== undefined && options.tools === undefined && { tools: [...definition.tools] }),
      disallowedTools: [...(options.disallowedTools ?? []), ...(definition.disallowedTools ?? [])]
    }
    this.#opened = open(whole, message => void onMessage?.(message), this.#all.signal, this.id)
    // `run()` reports it.
    this.#opened.catch(() => undefined)
  }

  /**
   * An agent that has worked before, with its id and its conversation. Calls without results get one that says so. If
   * another running agent has the same transcript, its first run rejects.
   */
  static resume(id: string, definition: AgentDefinition, { transcript, ...options }: ResumeOptions = {}): SubAgent {
    if (transcript === undefined) return new SubAgent(definition, { persistSession: true, ...options, resume: id })
    const agent = new SubAgent(definition, { ...options, sessionId: id })
    const entries = structuredClone(transcript).flatMap(messageEntries)
    agent.#ready = agent.#opened.then(({ session }) => {
      for (const { uuid, ...entry } of entries) session.transcript.append(entry as Entry, String(uuid))
      session.resume(replayAll(entries))
    })
    // `run()` reports it.
    agent.#ready.catch(() => undefined)
    return agent
  }

  get status(): 'idle' | 'running' | 'closed' {
    if (this.#all.signal.aborted) return 'closed'
    return this.#running === undefined ? 'idle' : 'running'
  }

  /** Works on a task to its end. Rejects only for misuse, and if it cannot start. */
  async run(task: string): Promise<SubAgentResult> {
    if (this.status !== 'idle') throw fault('E_USAGE', `run() was called on a subagent that is ${this.status}`)
    const running = (this.#running = new AbortController())
    const done = this.#work(task, running)
    this.#done = done.catch(() => undefined)
    return done
  }

  async #work(task: string, running: AbortController): Promise<SubAgentResult> {
    try {
      const { session } = await this.#opened
      await this.#ready
      this.#session = session
      const counts = countRun(session)
      const { text, isError } = await runTask(task, session, running.signal)
      await session.transcript.flush()
      const error = isError ? text : undefined
      return { id: session.agentId, ...counts(), content: text, success: !isError, error }
    } finally {
      this.#running = undefined
    }
  }

  transcript(): readonly Message[] {
    return [...(this.#session?.conversation.messages ?? [])]
  }

  /** Interrupts it. Returns whether it was running. */
  cancel(): boolean {
    const wasRunning = this.#running !== undefined && !this.#running.signal.aborted
    this.#running?.abort(new Error('cancelled'))
    return wasRunning
  }

  /** Ends it, with all its background work. */
  async close(): Promise<void> {
    if (this.#all.signal.aborted) return
    this.cancel()
    this.#all.abort(new Error('closed'))
    const opened = await this.#opened.catch(() => undefined)
    if (opened === undefined) return
    await this.#done
    await endSession(opened.session, 'other', opened.close)
  }
}

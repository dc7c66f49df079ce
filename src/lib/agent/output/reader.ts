import { randomUUID } from 'node:crypto'
import type { SessionOptions } from '../session/session-options.ts'
import type { AgentMessage, Unsigned } from './output.ts'

/** The reader of a session's output stream. Nothing that goes here is written to the transcript. */
export class Reader {
  readonly #options: Pick<SessionOptions, 'agent' | 'emit' | 'place'>
  readonly #warnings = new Set<string>()

  constructor(options: Pick<SessionOptions, 'agent' | 'emit' | 'place'>) {
    this.#options = options
  }

  emit(message: Unsigned<AgentMessage>, uuid: string = randomUUID()): void {
    const { agent, emit, place } = this.#options
    if (agent !== undefined && 'parent_tool_use_id' in message)
      Object.assign(message, { parent_tool_use_id: agent.toolUseId })
    emit(Object.assign(message, { session_id: place.id, uuid }))
  }

  /** A sentence for people; the model does not see it. */
  notice(content: string, level: 'info' | 'notice' | 'warning' = 'info', tag?: string): void {
    this.emit({ type: 'system', subtype: 'informational', content, level, ...(tag !== undefined && { tag }) })
  }

  /** A warning about the model, at most once per session. */
  warnOnce(content: string): void {
    if (!this.#warnings.has(content)) this.notice(content, 'warning', 'model')
    this.#warnings.add(content)
  }
}

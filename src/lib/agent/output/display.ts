import type { HookRegistry } from '../../hooks/registry.ts'
import type { SessionHooks } from '../session/session-hooks.ts'
import { messageText } from '../session/conversation.ts'
import type { AgentMessage, AssistantMessage, PartialMessage } from './agent-messages.ts'

interface DisplayedSession {
  readonly hooks: SessionHooks
  readonly options: { readonly hooks: Pick<HookRegistry, 'hears'> }
  readonly id: string
  readonly promptId: string | undefined
  readonly afterwards: AbortSignal | undefined
}

/**
 * The last step before the reader: MessageDisplay hooks see each text first. A message that they may change waits for
 * them, and what follows waits behind it, in order. Where there is no such hook, nothing waits.
 */
export class Display {
  readonly #session: DisplayedSession
  readonly #emit: (message: AgentMessage) => void
  /** The parts of an answer that is not complete. */
  #parts: PartialMessage[] = []
  #waiting = 0
  /** Settles when the reader has everything. Undefined if it has. */
  pending: Promise<void> | undefined

  constructor(session: DisplayedSession, emit: (message: AgentMessage) => void) {
    this.#session = session
    this.#emit = emit
  }

  show(message: AgentMessage): void {
    const { hooks } = this.#session.options
    if (message.type === 'stream_event' && hooks.hears('MessageDisplay', true)) this.#hold(message)
    else if (message.type === 'assistant' && message.error === undefined && hooks.hears('MessageDisplay')) {
      const parts = this.#parts
      this.#parts = []
      this.#after(() => this.#present(message, parts))
    } else if (this.#waiting === 0) this.#emit(message)
    else this.#after(() => this.#emit(message))
  }

  /** The parts of an answer that failed are dropped. */
  #hold(part: PartialMessage): void {
    if (part.event.type === 'message_start') this.#parts = []
    this.#parts.push(part)
  }

  #after(work: () => void | Promise<void>): void {
    this.#waiting++
    const ended = (): void => {
      if (--this.#waiting === 0) this.pending = undefined
    }
    this.pending = (this.pending ?? Promise.resolve()).then(work).finally(ended)
  }

  async #present(message: AssistantMessage, parts: readonly PartialMessage[]): Promise<void> {
    const shown = await this.#textFor(message)
    let isFirst = true
    for (const part of parts) {
      const { event } = part
      if (shown === undefined || event.type !== 'content_block_delta' || event.delta.type !== 'text_delta')
        this.#emit(part)
      else if (isFirst) {
        isFirst = false
        this.#emit({ ...part, event: { ...event, delta: { type: 'text_delta', text: shown } } })
      }
    }
    this.#emit(shown === undefined ? message : { ...message, display_content: shown })
  }

  async #textFor({ message, uuid }: AssistantMessage): Promise<string | undefined> {
    const session = this.#session
    const delta = messageText(message.content)
    if (delta === '') return undefined
    const input = { turn_id: session.promptId ?? session.id, message_id: uuid, index: 0, final: true, delta }
    const { fields } = await session.hooks.run('MessageDisplay', input, { signal: session.afterwards })
    return fields.displayContent as string | undefined
  }
}

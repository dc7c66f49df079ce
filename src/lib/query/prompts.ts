import { fault } from '../faults.ts'
import type { Block, Message } from '../message.ts'
import { isObject } from '../util/plain.ts'

/** A prompt as the Claude Agent SDK takes it in a stream. */
export interface PromptMessage {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: Message['content'] }
  readonly parent_tool_use_id?: string | null | undefined
  readonly session_id?: string | undefined
  readonly [more: string]: unknown
}

/** The same, typed by that SDK itself. It allows more than a valid prompt: each is checked when it arrives. */
export interface ForeignPrompt {
  readonly type: 'user'
  readonly message: { readonly role: string; readonly content: string | readonly object[] }
  readonly [more: string]: unknown
}

/** Prompts, one after the other. */
export type PromptStream = AsyncIterable<PromptMessage | ForeignPrompt>

export type Prompt = string | readonly Block[]

export const NUDGE = Symbol('nudge')

export class Prompts {
  readonly #waiting: Prompt[] = []
  #asked: ((prompt: Prompt | typeof NUDGE) => void) | undefined
  #open = 0
  #over = false
  #failure: unknown
  readonly isStream: boolean

  constructor(first: string | PromptStream) {
    this.isStream = typeof first !== 'string'
    if (typeof first === 'string') this.#waiting.push(first)
    else
      this.add(first).catch((error: unknown) => {
        this.#failure = error
        this.end()
      })
  }

  async add(prompts: PromptStream): Promise<void> {
    if (this.#over) throw fault('E_CLOSED', 'a prompt')
    this.#open++
    try {
      for await (const message of prompts) {
        if (this.#over) return
        const prompt = contentOf(message)
        if (this.#asked === undefined) this.#waiting.push(prompt)
        else this.#answer(prompt)
      }
    } finally {
      if (--this.#open === 0) this.nudge()
    }
  }

  /** Undefined when no prompt will come. `nudge` ends the wait, if something else is awaited, too. */
  next(isAwaited: boolean): Promise<Prompt | typeof NUDGE | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const prompt = this.#waiting.shift()
    if (prompt !== undefined || this.#over || (this.#open === 0 && !isAwaited)) return Promise.resolve(prompt)
    return new Promise(resolve => (this.#asked = resolve))
  }

  get areOver(): boolean {
    return this.#over || (this.#open === 0 && this.#waiting.length === 0)
  }

  nudge(): void {
    this.#answer(NUDGE)
  }

  end(): void {
    this.#over = true
    this.#waiting.length = 0
    this.nudge()
  }

  #answer(prompt: Prompt | typeof NUDGE): void {
    this.#asked?.(prompt)
    this.#asked = undefined
  }
}

function contentOf(message: unknown): Prompt {
  const inner = isObject(message) ? message['message'] : undefined
  const content = isObject(inner) ? inner['content'] : undefined
  const byUser = isObject(inner) && (inner['role'] === undefined || inner['role'] === 'user')
  if (byUser && (typeof content === 'string' || Array.isArray(content))) return content as Prompt
  throw fault(
    'E_OPTION_INVALID',
    'a prompt',
    JSON.stringify(message) ?? 'nothing',
    '{ type: "user", message: { role: "user", content } }'
  )
}

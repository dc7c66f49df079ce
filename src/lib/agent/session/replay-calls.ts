import type { Block, ToolResultBlock } from '../../message.ts'
import type { Rec } from '../../transcript/entry.ts'
import { LOST, lostResult, pendingIn, UNKNOWN, type OpenBatch, type OpenCall } from '../call/open-call.ts'
import { contentIn } from './well-formed-messages.ts'

type CallResult = NonNullable<OpenCall['result']>

export class ReplayedCalls {
  readonly #calls = new Map<string, OpenCall>()
  /** They were made in another session, of which this one started as a copy. */
  #areCopies = false
  isWholeCopy = false

  get areOpen(): boolean {
    return this.#calls.size > 0
  }

  get areAnswered(): boolean {
    return this.areOpen && [...this.#calls.values()].every(({ result }) => result !== undefined)
  }

  add(blocks: readonly Block[], areCopies: boolean): void {
    this.#areCopies = areCopies
    for (const block of blocks) if (block.type === 'tool_use') this.#calls.set(block.id, { use: block })
  }

  answer(result: ToolResultBlock, output: unknown, uuid: string): void {
    const call = this.#calls.get(result.tool_use_id)
    // Every provider would refuse a result without its call.
    if (call?.result === undefined) this.#update(call, { result: { result, output, uuid } })
  }

  /** The results of all calls, which are over now. Other programs leave some without one. */
  close(): readonly CallResult[] {
    const results = [...this.#calls.values()].map(
      call => call.result ?? { result: lostResult(call), output: LOST, uuid: `${call.use.id}:lost` }
    )
    this.#calls.clear()
    return results
  }

  step(entry: Rec): void {
    const call = this.#calls.get(entry['toolUseId'] as string)
    const { type, input, content, isError, output } = entry
    if (type === 'tool-intent') this.#update(call, { started: true, pending: undefined, input })
    else if (type === 'tool-outcome') {
      const text = contentIn(content) ?? ''
      const error = isError === true ? { error: typeof text === 'string' ? text : UNKNOWN } : {}
      this.#update(call, { input: input ?? call?.input, outcome: { content: text, output, ...error } })
    } else {
      const pending = pendingIn(entry)
      this.#update(call, { input, pending, agentId: pending.agentId ?? call?.agentId })
    }
  }

  startAgent({ toolUseId, subagentId: agentId }: Rec): void {
    if (typeof agentId === 'string') this.#update(this.#calls.get(toolUseId as string), { agentId })
  }

  get open(): OpenBatch | undefined {
    if (!this.areOpen) return undefined
    return [...this.#calls.values()].map(call => (this.#areCopies ? this.#elsewhere(call) : call))
  }

  clear(): void {
    this.#calls.clear()
  }

  #update(call: OpenCall | undefined, step: Partial<OpenCall>): void {
    if (call !== undefined) this.#calls.set(call.use.id, { ...call, ...step })
  }

  /** Calls that the other session started or will start are not started here, except those that wait for a decision. */
  #elsewhere(call: OpenCall): OpenCall {
    // The copy may contain anything: hooks are asked again.
    return this.isWholeCopy && call.pending !== undefined
      ? { ...call, pending: { ...call.pending, hooks: undefined } }
      : { ...call, started: true, pending: undefined, agentId: undefined }
  }
}

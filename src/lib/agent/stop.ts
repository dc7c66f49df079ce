import { goesOn, type Outcome } from '../hooks/dispatch/outcome.ts'
import type { Answer } from '../model/model.ts'
import { within } from './abort.ts'
import { ended, type Ending } from './session/ending.ts'
import { objectionLines } from './call/objections.ts'
import type { Session } from './session/session.ts'
import { structuredIn, type Structured } from './structured.ts'

/** How often hooks may send an agent back for one prompt, whatever it does in between. */
const MOST_IN_ALL = 50
/** How often an answer that is not valid JSON may be retried. */
const MOST_REPAIRS = 5
/** How often an answer that reached the token limit is asked to continue. */
const MOST_CUTS = 3

/** The end of a turn, whenever it is reached: hooks may send the agent back, within limits. */
export class Ends {
  readonly #session: Session
  readonly #signal: AbortSignal
  inARow = 0
  #inAll = 0
  #reason: string | undefined
  #repairs = 0
  #cuts = 0

  constructor(session: Session, signal: AbortSignal) {
    this.#session = session
    this.#signal = signal
  }

  /** The model would end here. Returns the ending, or undefined if it continues. */
  async reached({ stop }: Pick<Answer, 'stop'>, text: string): Promise<Ending | undefined> {
    if (stop === 'max_tokens') return this.#wasCut(text)
    if (await this.#hasLateContext()) return undefined
    const structured = await this.#structured(text)
    if (structured !== undefined && 'problem' in structured) return this.#repair(structured.problem)
    // Hooks read the last messages in the transcript.
    await this.#session.transcript.flush()
    const fired = this.#fire(text)
    const outcome = fired instanceof Promise ? await fired : fired
    const done: Ending = {
      ...ended('completed', text, false, stop),
      ...(structured && { structured: structured.value })
    }
    if (outcome.continue === false) return { ...done, reason: 'stop_hook_prevented' }
    return goesOn(outcome) ? this.#sendBack(outcome, done) : done
  }

  /** Answers that hooks announced for a limited time reach the model before its turn ends. */
  async #hasLateContext(): Promise<boolean> {
    const { conversation, options } = this.#session
    const announced = options.agent === undefined ? options.hooks.announced() : undefined
    if (announced === undefined) return false
    const before = conversation.notes.length
    await within(announced, this.#signal).catch(() => undefined)
    return conversation.notes.length > before
  }

  /** The end of a subagent is another event, which names the subagent. */
  #fire(last_assistant_message: string): Outcome | Promise<Outcome> {
    const { agent, log } = this.#session.options
    const options = { signal: this.#signal }
    const end = {
      stop_hook_active: this.#inAll > 0,
      last_assistant_message,
      background_tasks: backgroundTasks(this.#session),
      session_crons: [],
      ...(this.#inAll > 0 && { block_count: this.#inAll, previous_reason: this.#reason })
    }
    if (agent === undefined) return this.#session.hooks.run('Stop', end, options)
    const whose = { agent_id: agent.id, agent_type: agent.type, agent_transcript_path: log.path }
    return this.#session.hooks.run('SubagentStop', { ...whose, ...end, success: true }, options)
  }

  #sendBack(outcome: Outcome, done: Ending): Ending | undefined {
    this.inARow++
    this.#inAll++
    this.#reason = outcome.reason
    const most = this.#session.options.limits.stopBlocks
    if (this.inARow > most || this.#inAll > MOST_IN_ALL) {
      const words = `Stop hooks sent the agent back ${this.inARow > most ? `${most} times without a tool call in between` : `${MOST_IN_ALL} times`}; it ends now`
      const last = outcome.blocked ? `, although a hook objects: ${objectionLines(outcome).join('; ')}` : ''
      this.#session.reader.emit({
        type: 'system',
        subtype: 'notification',
        key: 'stop-hook-block-cap',
        text: words + last
      })
      return { ...done, reason: 'stop_hook_overruled' }
    }
    if (outcome.blocked) this.#sendFeedback(`Stop hook feedback:\n${objectionLines(outcome).join('\n')}`)
    else if (outcome.contexts.length === 0) this.#sendFeedback('Stop hook feedback:\nContinue.')
    return undefined
  }

  async #structured(text: string): Promise<Structured | undefined> {
    const schema = this.#session.options.outputSchema
    return schema === undefined ? undefined : structuredIn(text, schema)
  }

  #repair(problem: string): Ending | undefined {
    if (++this.#repairs > MOST_REPAIRS)
      return ended('structured_output_retry_exhausted', `No valid structured output: ${problem}`, true)
    this.#sendFeedback(`Your answer must be JSON that fits the schema: ${problem}. Answer again with the JSON alone.`)
    return undefined
  }

  async #wasCut(text: string): Promise<Ending | undefined> {
    if (++this.#cuts <= MOST_CUTS) {
      this.#sendFeedback('Your answer was cut off at the token limit. Continue from there.')
      return undefined
    }
    await this.#session.hooks.run(
      'StopFailure',
      { error: 'max_output_tokens', last_assistant_message: text },
      { signal: this.#session.afterwards }
    )
    return ended('api_error', 'The answers kept reaching the token limit.', true, 'max_tokens')
  }

  #sendFeedback(content: string): void {
    this.#session.conversation.add({ role: 'user', content }, { synthetic: true })
  }
}

const backgroundTasks = ({ options: { place } }: Session): readonly object[] =>
  [...place.background.values()]
    .filter(({ status }) => status === 'running')
    .map(({ id, type, status, description, command, agentType }) => ({
      id,
      type: type === 'local_agent' ? 'subagent' : 'shell',
      status,
      description,
      ...(command !== undefined && { command }),
      ...(agentType !== undefined && { agent_type: agentType })
    }))

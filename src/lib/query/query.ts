import { reportEndedWork } from '../agent/session/background-work.ts'
import type { Clock } from '../util/clock.ts'
import {
  beginSession,
  canGoOn,
  clearSession,
  endSession,
  resultOf,
  runOn,
  runPrompt,
  sinceNow,
  toResult,
  type Since
} from '../agent/session/session-lifecycle.ts'
import { isPending } from '../agent/call/open-call.ts'
import { ended, INTERRUPTED, type Ending } from '../agent/session/ending.ts'
import { compact } from '../agent/compact.ts'
import { MessageQueue } from '../agent/output/message-queue.ts'
import type { AgentMessage, ResultMessage } from '../agent/output/output.ts'
import type { Session } from '../agent/session/session.ts'
import { CarabinerError, wordsOf } from '../errors.ts'
import { fault } from '../faults.ts'
import type { HookDescription } from '../hooks/hook.ts'
import type { Block } from '../message.ts'
import { dataWithoutCredentials, withoutCredentials } from '../util/credentials.ts'
import { parseMode, type Mode } from '../permissions/modes.ts'
import { checkCall } from './options/check-options.ts'
import { initOf } from './init-message.ts'
import { commandIn, switchModel } from './commands.ts'
import { open, type Opened } from './open.ts'
import type { QueryOptions } from './options/options.ts'
import { NUDGE, Prompts, type PromptStream } from './prompts.ts'

/** An agent at work: what it tells, and how to steer it. */
export interface Query<Output = unknown> extends AsyncGenerator<AgentMessage<Output>, void> {
  /** Ends the turn that is under way; the session goes on with the next prompt. */
  interrupt(): Promise<undefined>
  setModel(model?: QueryOptions['model']): Promise<void>
  setPermissionMode(mode: Mode): Promise<void>
  /** Makes the conversation shorter, between two prompts. Gives whether that was done. */
  compact(instructions?: string): Promise<boolean>
  /** Begins a new conversation in the same session, between two prompts. */
  clear(): Promise<void>
  /** Adds prompts. */
  streamInput(prompts: PromptStream): Promise<void>
  /** The hooks that are registered now, those of files and of active skills among them. */
  hooks(): Promise<readonly HookDescription[]>
  /**
   * There are no more prompts, background work is not waited for, and SessionEnd says why.
   * Default `prompt_input_exit`.
   */
  leave(reason?: 'prompt_input_exit' | 'resume'): void
  /** Ends everything. May be called more than once. */
  close(): void
  /** The last result. What was not read before is dropped. */
  result(): Promise<ResultMessage<Output>>
}

/**
 * Runs an agent: takes the call of the Claude Agent SDK and gives its messages. It begins at once, and never waits for
 * its reader. Wrong options throw here; what keeps it from beginning (settings, trust, a session that is not there)
 * rejects the first `next()`, and `result()`. Both are a `CarabinerError`. What goes wrong later is a `result` with
 * `is_error`.
 */
export function query<Output = unknown>(call: {
  readonly prompt: string | PromptStream
  readonly options?: QueryOptions | undefined
}): Query<Output> {
  const { prompt, options } = checkCall(call)
  return new RunningQuery(prompt, options) as Query<Output>
}

class RunningQuery implements Query {
  readonly #options: QueryOptions
  readonly #messages = new MessageQueue<AgentMessage>()
  readonly #prompts: Prompts
  /** Aborted when everything shall end; the other when the turn shall. */
  readonly #all = new AbortController()
  #turn: AbortController | undefined
  #session: Session | undefined
  readonly #opened: Promise<Opened>
  readonly #over: Promise<void>
  #result: ResultMessage | undefined
  /** Why it could not begin. */
  #failure: CarabinerError | undefined
  #isOver = false
  /** The session is ending: nobody reads further messages of a stream. */
  #isEnding = false
  /** After `leave()` there is no reader: what runs in the background is not waited for. */
  #hasLeft = false
  #since: Since | undefined
  /** Turns that word of work in the background has begun since the last prompt. */
  #entries = 0
  /** What SessionEnd says, unless the session breaks. */
  #reason = 'other'

  constructor(prompt: string | PromptStream, options: QueryOptions) {
    const { stderr } = options
    this.#options = { ...options, stderr: text => stderr?.(withoutCredentials(text)) }
    this.#prompts = new Prompts(prompt)
    const outside = options.abortController?.signal
    if (outside?.aborted === true) this.#all.abort(outside.reason)
    const onAbort = (): void => this.#abort(outside?.reason)
    outside?.addEventListener('abort', onAbort, { once: true })
    this.#opened = open(this.#options, message => this.#put(message), this.#all.signal)
    this.#over = this.#run().finally(() => outside?.removeEventListener('abort', onAbort))
  }

  async #run(): Promise<void> {
    let opened: Opened
    try {
      opened = await this.#opened
    } catch (error) {
      this.#failure = startFault(error)
      this.#messages.fail(this.#failure)
      this.#end()
      return
    }
    try {
      await this.#live(opened)
    } finally {
      this.#end()
    }
  }

  /** Nothing follows the last result of a stream; warnings after it go to stderr. */
  #put(message: AgentMessage): void {
    if (!this.#isEnding || this.#result === undefined || !this.#prompts.isStream)
      this.#messages.push(dataWithoutCredentials(message))
    else if (message.type === 'system' && message.subtype === 'informational' && message.level !== 'info')
      this.#options.stderr?.(message.content)
  }

  #end(): void {
    this.#isOver = true
    this.#prompts.end()
    if (this.#result !== undefined && !this.#prompts.isStream) this.#put(this.#result)
    this.#messages.end()
  }

  /** The whole life of a session. Its last event is fired however it ends. */
  async #live(opened: Opened): Promise<void> {
    const { session, names, watch, beginning, servers, notices, restricted, gaps, background, close } = opened
    let hasBroken = false
    let unwatch: (() => Promise<void>) | undefined
    try {
      const { blocked, prompt } = await beginSession(session, beginning, this.#all.signal)
      session.notifications.onChange = () => this.#prompts.nudge()
      this.#put(initOf(session, servers, names, this.#options))
      for (const notice of restricted) {
        session.reader.emit({
          type: 'system',
          subtype: 'informational',
          level: 'warning',
          tag: 'restriction',
          ...notice
        })
        this.#options.stderr?.(`${notice.failedOpen === true ? 'failedOpen: ' : ''}${notice.content}`)
      }
      for (const text of notices) session.reader.notice(text, 'warning', 'mcp')
      for (const text of gaps) session.reader.notice(text, 'warning', 'transcript')
      reportEndedWork(background, session)
      if (blocked !== undefined) return this.#tellResult(resultOf(blocked, session))
      if (prompt !== undefined) await this.#answer(prompt, opened)
      // One prompt is answered by what was there when it was given.
      if (this.#prompts.isStream) unwatch = await watch()
      // Somebody is there who can be asked what was left undecided.
      if (this.#prompts.isStream && isPending(session.open)) await this.#turnOf(session, runOn)
      for (let next = await this.#next(session); next !== undefined; next = await this.#next(session))
        await this.#answer(next, opened)
      if (this.#result === undefined && this.#all.signal.aborted)
        this.#tellResult(resultOf(ended('aborted_streaming', INTERRUPTED, true), session))
    } catch (error) {
      hasBroken = true
      const ending: Ending = ended('turn_setup_failed', wordsOf(error), true)
      this.#tellResult(resultOf(ending, session))
    } finally {
      const endWork = async (): Promise<void> => {
        await unwatch?.()
        await close()
      }
      this.#isEnding = true
      await endSession(session, hasBroken ? 'error' : this.#reason, endWork).catch((error: unknown) =>
        session.reader.notice(`the session did not end well: ${wordsOf(error)}`, 'warning')
      )
    }
  }

  /** The next prompt, or what the agent is to be told of work beside it; nothing when neither will come. */
  async #next({ notifications, options: { clock } }: Session): Promise<string | readonly Block[] | undefined> {
    let isTooLong = false
    let cancel: (() => void) | undefined
    try {
      for (;;) {
        if (this.#all.signal.aborted && this.#result !== undefined) return undefined
        const mayGoOn = this.#result?.is_error !== true && this.#result?.deferred_tool_use === undefined
        const word = mayGoOn && this.#entries < MOST_ENTRIES ? notifications.take() : undefined
        if (word !== undefined) {
          this.#entries++
          return word
        }
        const isAwaited =
          notifications.isExpected && mayGoOn && this.#entries < MOST_ENTRIES && !isTooLong && !this.#hasLeft
        if (isAwaited && this.#prompts.areOver) cancel ??= this.#limitWaiting(clock, () => (isTooLong = true))
        const next = await this.#prompts.next(isAwaited)
        if (next === NUDGE) continue
        this.#entries = 0
        return next
      }
    } finally {
      cancel?.()
    }
  }

  /** Says so when the waiting is long, and ends it when it is too long. */
  #limitWaiting(clock: Clock, giveUp: () => void): () => void {
    const tell = clock.after(LONG_WAIT, () => this.#session?.reader.notice(WAITING, 'warning'))
    const end = clock.after(LONGEST_WAIT, () => {
      giveUp()
      this.#session?.reader.notice(STILL_RUNNING, 'warning')
      this.#prompts.nudge()
    })
    return () => (tell(), end())
  }

  async #answer(prompt: string | readonly Block[], opened: Opened): Promise<void> {
    const { session } = opened
    const { resume, continue: goesOn } = this.#options
    const isResumed = resume !== undefined || goesOn === true
    // Of one prompt there is one result, however often its agent begins again.
    const since = this.#prompts.isStream ? undefined : (this.#since ??= sinceNow(session))
    const command = commandIn(prompt, opened)
    if (command !== undefined)
      return this.#turnOf(session, (_, signal) => toResult(session, signal, () => command(signal)))
    if (!isResumed || prompt !== '')
      return this.#turnOf(session, (_, signal) => runPrompt(prompt, session, signal, since))
    if (canGoOn(session)) return this.#turnOf(session, runOn)
    this.#tellResult(resultOf(ended('turn_setup_failed', NOTHING_OPEN, true), session))
  }

  async #turnOf(
    session: Session,
    work: (session: Session, signal: AbortSignal) => Promise<ResultMessage>
  ): Promise<void> {
    this.#turn = new AbortController()
    this.#session = session
    if (this.#all.signal.aborted) this.#abort(this.#all.signal.reason)
    this.#tellResult(await work(session, this.#turn.signal))
    this.#turn = undefined
  }

  /** Where one prompt was given its result is the last message: it waits for the end of the session. */
  #tellResult(result: ResultMessage): void {
    this.#result = result
    if (this.#prompts.isStream) this.#put(result)
  }

  #abort(reason: unknown): void {
    if (this.#session !== undefined) this.#session.isClosing = true
    this.#all.abort(reason)
    this.#turn?.abort(reason)
    this.#prompts.end()
  }

  async interrupt(): Promise<undefined> {
    this.#mustBeOpen('interrupt()')
    this.#turn?.abort(new Error('interrupted'))
  }

  async setModel(model?: QueryOptions['model']): Promise<void> {
    this.#mustBeOpen('setModel()')
    const { session, env } = await this.#opened
    await switchModel(session, model, env)
  }

  async setPermissionMode(text: string): Promise<void> {
    this.#mustBeOpen('setPermissionMode()')
    const { session } = await this.#opened
    const mode = parseMode(text, session.permissions.mayBypass)
    if (typeof mode === 'object') throw fault('E_MODE', mode.problem, 'setPermissionMode')
    session.permissions.mode = mode
  }

  async compact(instructions?: string): Promise<boolean> {
    const session = await this.#idle('compact()')
    return compact(session, { trigger: 'manual', instructions }, this.#all.signal)
  }

  async clear(): Promise<void> {
    const blocked = await clearSession(await this.#idle('clear()'), this.#all.signal)
    if (blocked !== undefined) throw fault('E_REFUSED', 'clear()', 'a hook', blocked.text)
  }

  /** The session, between two prompts. */
  async #idle(what: string): Promise<Session> {
    this.#mustBeOpen(what)
    const { session } = await this.#opened
    if (this.#turn !== undefined) throw fault('E_USAGE', `${what} was called while a prompt is being answered`)
    return session
  }

  async streamInput(prompts: PromptStream): Promise<void> {
    await this.#prompts.add(prompts)
  }

  #mustBeOpen(what: string): void {
    if (this.#isOver || this.#all.signal.aborted) throw fault('E_CLOSED', what)
  }

  async hooks(): Promise<readonly HookDescription[]> {
    const { session } = await this.#opened
    return session.options.hooks.list()
  }

  leave(reason: 'prompt_input_exit' | 'resume' = 'prompt_input_exit'): void {
    this.#reason = reason
    this.#hasLeft = true
    this.#prompts.end()
    this.#prompts.nudge()
  }

  close(): void {
    this.#abort(new Error('closed'))
  }

  async result(): Promise<ResultMessage> {
    await this.#over
    if (this.#failure !== undefined) throw this.#failure
    if (this.#result === undefined) throw fault('E_CLOSED', 'the question for a result')
    return this.#result
  }

  next(): Promise<IteratorResult<AgentMessage, void>> {
    return this.#messages.next()
  }

  async return(): Promise<IteratorResult<AgentMessage, void>> {
    this.close()
    await this.#over
    return { value: undefined, done: true }
  }

  async throw(error: unknown): Promise<IteratorResult<AgentMessage, void>> {
    await this.return()
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }
}

const startFault = (error: unknown): CarabinerError =>
  error instanceof CarabinerError ? error : Object.assign(fault('E_START', wordsOf(error)), { cause: error })

const NOTHING_OPEN = 'There is nothing to go on with: nothing was said in this session. Give it a prompt.'

/** How long a session without further prompts waits for what runs in the background, in milliseconds. */
const LONGEST_WAIT = 600_000
const LONG_WAIT = 5_000
const WAITING = 'Waiting for what still runs in the background, for 10 minutes at most.'
const STILL_RUNNING =
  'What runs in the background has not ended within 10 minutes and is stopped: let it end by itself, or do not start it in the background.'

/** How often word of such work begins a turn, without a prompt between: a hook may wake the agent whenever it stops. */
const MOST_ENTRIES = 50

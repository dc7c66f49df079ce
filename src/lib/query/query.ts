import { reportEndedWork } from '../agent/session/background-work.ts'
import {
  beginSession,
  canResume,
  clearSession,
  endSession,
  resumeRun,
  runPrompt,
  toResult
} from '../agent/session/session-lifecycle.ts'
import { resultMessage, sinceNow, type Since } from '../agent/output/result-message.ts'
import { isPending } from '../agent/call/open-call.ts'
import { ended, INTERRUPTED, type Ending } from '../agent/session/ending.ts'
import { compact } from '../agent/compact.ts'
import { MessageQueue } from '../agent/output/reader.ts'
import type { AgentMessage, ResultMessage } from '../agent/output/agent-messages.ts'
import type { Session } from '../agent/session/session.ts'
import { CarabinerError, errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import type { HookDescription } from '../hooks/hook.ts'
import { maskSecretsInData } from '../util/masked-data.ts'
import { maskSecrets } from '../util/secrets.ts'
import { parseMode } from '../permissions/modes.ts'
import { checkCall } from './options/check-options.ts'
import { initOf } from './init-message.ts'
import { addDirectory, commandIn, setModel } from './commands.ts'
import { open, type Opened } from './open.ts'
import type { QueryOptions } from './options/options.ts'
import type { StandardSchema, ToolInputOf } from '../tools/own-schema.ts'
import { Prompts, type Prompt, type PromptStream } from './prompts.ts'
import type { Query } from './query-interface.ts'
import { TurnSource } from './turn-source.ts'

/**
 * Runs an agent: takes the call of the Claude Agent SDK and returns its messages. It starts immediately, and never
 * waits for its reader. Wrong options throw here; whatever prevents the start (settings, trust, a missing session)
 * rejects the first `next()`, and `result()`. Both are a `CarabinerError`. Later failures are a `result` with
 * `is_error`.
 */
export function query<S extends StandardSchema>(
  call: QueryCall & { readonly options: { readonly outputFormat: S | { readonly schema: S } } }
): Query<ToolInputOf<S>>
export function query<Output = unknown>(call: QueryCall): Query<Output>
export function query(call: QueryCall): Query {
  const { prompt, options } = checkCall(call)
  return new RunningQuery(prompt, options)
}

interface QueryCall {
  readonly prompt: string | PromptStream
  readonly options?: QueryOptions | undefined
}

class RunningQuery implements Query {
  readonly #options: QueryOptions
  readonly #messages = new MessageQueue<AgentMessage>()
  readonly #prompts: Prompts
  readonly #turns: TurnSource
  readonly #all = new AbortController()
  #turn: AbortController | undefined
  #session: Session | undefined
  readonly #opened: Promise<Opened>
  readonly #over: Promise<void>
  #result: ResultMessage | undefined
  #failure: CarabinerError | undefined
  #isOver = false
  /** No message follows the last result of a stream. */
  #isEnding = false
  #since: Since | undefined
  #reason = 'other'

  constructor(prompt: string | PromptStream, options: QueryOptions) {
    const { stderr } = options
    this.#options = { ...options, stderr: text => stderr?.(maskSecrets(text)) }
    this.#prompts = new Prompts(prompt)
    this.#turns = new TurnSource(this.#prompts, this.#all.signal)
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
      this.#messages.push(maskSecretsInData(message))
    else if (message.type === 'system' && message.subtype === 'informational' && message.level !== 'info')
      this.#options.stderr?.(message.content)
  }

  #end(): void {
    this.#isOver = true
    this.#prompts.end()
    if (this.#result !== undefined && !this.#prompts.isStream) this.#put(this.#result)
    this.#messages.end()
  }

  /** A session from its start to SessionEnd, however it ends. */
  async #live(opened: Opened): Promise<void> {
    const { session, watch, beginning, notices, background, close } = opened
    let hasBroken = false
    let unwatch: (() => Promise<void>) | undefined
    try {
      const { blocked, prompt } = await beginSession(session, beginning, this.#all.signal)
      session.notifications.onChange = () => this.#prompts.nudge()
      this.#put(initOf(opened))
      for (const notice of notices) {
        session.reader.emit({ type: 'system', subtype: 'informational', level: 'warning', ...notice })
        if (notice.tag === 'restriction')
          this.#options.stderr?.(`${notice.failedOpen === true ? 'failedOpen: ' : ''}${notice.content}`)
      }
      reportEndedWork(background, session)
      if (blocked !== undefined) return this.#setResult(resultMessage(blocked, session))
      if (prompt !== undefined) await this.#answer(prompt, opened)
      // A single prompt is answered with what was available when it was given.
      if (this.#prompts.isStream) unwatch = await watch()
      // A person can now be asked about undecided calls.
      if (this.#prompts.isStream && isPending(session.open))
        await this.#runTurn(session, signal => resumeRun(session, signal))
      const next = (): Promise<Prompt | undefined> => this.#turns.next(session, this.#result)
      for (let turn = await next(); turn !== undefined; turn = await next()) await this.#answer(turn, opened)
      if (this.#result === undefined && this.#all.signal.aborted)
        this.#setResult(resultMessage(ended('aborted_streaming', INTERRUPTED, true), session))
    } catch (error) {
      hasBroken = true
      this.#setResult(resultMessage(ended('turn_setup_failed', errorMessage(error), true), session))
    } finally {
      const endWork = async (): Promise<void> => {
        await unwatch?.()
        await close()
      }
      this.#isEnding = true
      await endSession(session, hasBroken ? 'error' : this.#reason, endWork).catch((error: unknown) =>
        session.reader.notice(`the session did not end cleanly: ${errorMessage(error)}`, 'warning')
      )
    }
  }

  async #answer(prompt: Prompt, opened: Opened): Promise<void> {
    const { session } = opened
    const { resume, continue: goesOn } = this.#options
    const isResumed = resume !== undefined || goesOn === true
    // One prompt has one result, however often its agent starts again.
    const since = this.#prompts.isStream ? undefined : (this.#since ??= sinceNow(session))
    const command = commandIn(prompt, opened)
    if (command !== undefined) return this.#runTurn(session, command)
    if (!isResumed || prompt !== '') return this.#runTurn(session, signal => runPrompt(prompt, session, signal), since)
    if (canResume(session)) return this.#runTurn(session, signal => resumeRun(session, signal))
    this.#setResult(resultMessage(ended('turn_setup_failed', NOTHING_OPEN, true), session))
  }

  async #runTurn(session: Session, work: (signal: AbortSignal) => Promise<Ending>, since?: Since): Promise<void> {
    const { signal } = (this.#turn = new AbortController())
    this.#session = session
    if (this.#all.signal.aborted) this.#abort(this.#all.signal.reason)
    this.#setResult(await toResult(session, signal, () => work(signal), since))
    this.#turn = undefined
  }

  /** For a single prompt the result is the last message: it waits for the end of the session. */
  #setResult(result: ResultMessage): void {
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
    await setModel(model, 'sdk', await this.#opened, this.#all.signal)
  }

  async addDirectory(directory: string): Promise<boolean> {
    this.#mustBeOpen('addDirectory()')
    const { session } = await this.#opened
    return addDirectory(directory, 'register_repo_root', session, this.#all.signal)
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
    this.#turns.isLeaving = true
    this.#prompts.end()
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
  error instanceof CarabinerError ? error : Object.assign(fault('E_START', errorMessage(error)), { cause: error })

const NOTHING_OPEN = 'Nothing to resume: this session has no messages. Give it a prompt.'

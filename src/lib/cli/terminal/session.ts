import { join } from 'node:path'
import { errorMessage } from '../../errors.ts'
import type { InitMessage, ResultMessage } from '../../agent/output/agent-messages.ts'
import type { QueryOptions } from '../../query/options/options.ts'
import type { PromptMessage } from '../../query/prompts.ts'
import { asFlags } from '../../faults.ts'
import { withResult } from '../../query/init-message.ts'
import { query } from '../../query/query.ts'
import type { Query } from '../../query/query-interface.ts'
import { VERSION } from '../../version.ts'
import { EXIT, exitCode, type ProjectState } from '../common.ts'
import { escapeText, escapeLine, withStyle } from '../print.ts'
import { Approvals } from './approvals.ts'
import { History } from './history.ts'
import { Keyboard, LINE_END } from './keyboard.ts'
import { lastExchange } from './resume.ts'
import { LineEditor } from './line-editor.ts'
import { Screen } from './screen.ts'
import { MessageView } from './message-view.ts'
import { runSlashCommand, type SlashContext } from './slash.ts'
import { hangIndent } from './width.ts'

/** Two Ctrl-C within this time end the session, in milliseconds. */
const TWICE = 2000
const INTERRUPTED = 130
const HUNG_UP = 129

/** Runs a session at a terminal, and those that `/resume` switches to. Returns the exit code. */
export async function runTerminal(
  first: string | undefined,
  scene: ProjectState,
  options: QueryOptions,
  abort: AbortController
): Promise<number> {
  const running = new TerminalSession(scene, options, abort)
  const code = await running.begin(first)
  if (running.next === undefined) return code
  const { sessionId: _, continue: __, forkSession: ___, resumeSessionAt: ____, ...rest } = options
  return runTerminal(undefined, scene, { ...rest, resume: running.next }, abort)
}

class TerminalSession {
  readonly #scene: ProjectState
  readonly #abort: AbortController
  readonly #options: QueryOptions
  readonly #screen = new Screen()
  readonly #show = new MessageView(this.#screen)
  readonly #history: History
  readonly #keyboard: Keyboard
  /** Aborted when no more prompts are wanted. */
  readonly #over = new AbortController()
  readonly #begun = Promise.withResolvers<void>()
  readonly #onGone = (): void => this.#gone()
  #running: Query | undefined
  #turn: PromiseWithResolvers<void> | undefined
  #isBusy = false
  #editor: LineEditor | undefined
  #init: InitMessage | undefined
  #result: ResultMessage | undefined
  #lastInterrupt = { at: Number.NEGATIVE_INFINITY, inTurn: false }
  #code: number | undefined
  next: string | undefined

  constructor(scene: ProjectState, options: QueryOptions, abort: AbortController) {
    this.#scene = scene
    this.#options = options
    this.#abort = abort
    this.#history = new History(join(scene.where.ownHome, 'history'))
    process.stdout.on('error', this.#onGone)
    process.stderr.on('error', this.#onGone)
    this.#keyboard = new Keyboard(process.stdin, () => this.#interrupted(true), this.#onGone)
  }

  async begin(first: string | undefined): Promise<number> {
    const { ask } = new Approvals({
      keyboard: this.#keyboard,
      screen: this.#screen,
      show: this.#show,
      ownHome: this.#scene.where.ownHome,
      pausePrompt: () => this.#editor?.pause(),
      resumePrompt: () => (this.#isBusy ? undefined : this.#editor?.resume()),
      interrupt: () => this.#interrupted(true)
    })
    this.#screen.status('starting')
    const options: QueryOptions = {
      ...this.#options,
      canUseTool: ask,
      includePartialMessages: true,
      includeHookEvents: true,
      stderr: text => this.#show.warn(asFlags(text.trimEnd()))
    }
    const begin = (): Query => (this.#running = query({ prompt: this.#prompts(first), options }))
    try {
      for await (const message of withResult(begin, options)) {
        // A turn may start by itself, while a prompt is typed.
        if ((message.type === 'stream_event' || message.type === 'assistant') && message.parent_tool_use_id === null) {
          this.#isBusy = true
          this.#editor?.pause()
        }
        this.#show.message(message)
        if (message.type === 'result') this.#finished(message)
        else if (message.type === 'system' && message.subtype === 'init') this.#start(message)
      }
    } finally {
      this.#over.abort()
      this.#begun.resolve()
      this.#turn?.resolve()
      this.#screen.status()
      this.#keyboard.end()
      process.stdout.off('error', this.#onGone)
      process.stderr.off('error', this.#onGone)
    }
    return this.#code ?? exitCode(this.#result)
  }

  #start(init: InitMessage): void {
    this.#init = init
    this.#screen.status()
    const { model, cwd } = init
    this.#screen.print(
      withStyle(
        'dim',
        hangIndent('', escapeLine(`carabiner ${VERSION} · ${model} · ${cwd} · /help`), this.#screen.columns)
      )
    )
    const { resume, continue: isContinued } = this.#options
    if (resume === undefined && isContinued !== true) return this.#begun.resolve()
    void lastExchange(init.session_id, this.#scene, this.#screen)
      .then(words => this.#screen.print(words))
      .catch((error: unknown) => this.#show.warn(errorMessage(error)))
      .finally(() => this.#begun.resolve())
  }

  #finished(result: ResultMessage): void {
    this.#result = result
    this.#turn?.resolve()
    this.#turn = undefined
    this.#isBusy = false
    this.#editor?.resume()
  }

  async *#prompts(first: string | undefined): AsyncGenerator<PromptMessage> {
    await this.#begun.promise
    if (first !== undefined) this.#screen.print(`> ${escapeText(first)}`)
    for (let text = first ?? (await this.#read()); text !== undefined; text = await this.#read()) {
      this.#turn = Promise.withResolvers<void>()
      this.#isBusy = true
      this.#show.showStatus()
      yield { type: 'user', message: { role: 'user', content: text } }
      await this.#turn?.promise
      this.#screen.print('')
    }
  }

  async #read(): Promise<string | undefined> {
    while (!this.#over.signal.aborted) {
      const line = await this.#line()
      if (line === undefined) {
        this.#leave()
        return undefined
      }
      this.#history.add(line)
      const text = line.replaceAll(LINE_END, '\n').trim()
      if (text === '') continue
      const isDone = await runSlashCommand(text, this.#desk(), this.#init?.slash_commands ?? [])
      if (!isDone) return text
    }
    return undefined
  }

  async #line(): Promise<string | undefined> {
    const { mode } = this.#show
    this.#editor = new LineEditor(this.#keyboard, this.#screen, {
      prompt: mode === 'default' ? '> ' : `${escapeLine(mode)} > `,
      isMultiline: true,
      earlier: true,
      history: this.#history.latest,
      signal: this.#over.signal,
      onInterrupt: () => this.#interrupted(false)
    })
    const line = await this.#editor.read()
    this.#editor = undefined
    return line
  }

  #desk(): SlashContext {
    return {
      screen: this.#screen,
      show: this.#show,
      scene: this.#scene,
      running: this.#running!,
      exit: () => this.#leave(),
      current: this.#init?.session_id ?? '',
      switchTo: id => this.#switchTo(id),
      isOver: () => this.#over.signal.aborted
    }
  }

  /** Ctrl-C: once interrupts, twice ends, three times ends at once. */
  #interrupted(inTurn: boolean): void {
    const now = performance.now()
    const { at, inTurn: wasInTurn } = this.#lastInterrupt
    if (this.#code !== undefined) {
      this.#keyboard.end()
      process.exit(INTERRUPTED)
    }
    if (now - at < TWICE) {
      if (wasInTurn) this.#end(INTERRUPTED)
      else this.#leave()
      this.#abort.abort(new Error('interrupted'))
      return
    }
    this.#lastInterrupt = { at: now, inTurn }
    if (!inTurn) return this.#screen.print(withStyle('dim', '  Press Ctrl-C again, or Ctrl-D, to end the session.'))
    this.#screen.status('interrupting; press Ctrl-C again to end the session')
    this.#running?.interrupt().catch(() => undefined)
  }

  #leave(): void {
    if (this.#code === undefined) this.#running?.leave()
    this.#end(EXIT.done)
  }

  #switchTo(id: string): void {
    this.next = id
    this.#running?.leave('resume')
    this.#end(EXIT.done)
  }

  #end(code: number): void {
    this.#code ??= code
    this.#over.abort()
    this.#screen.status('ending')
  }

  #gone(): void {
    this.#screen.gone()
    this.#end(HUNG_UP)
    this.#abort.abort(new Error('the terminal was closed'))
  }
}

import { homedir, tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { isFolder } from '../../world/files/paths.ts'
import { fault } from '../../errors.ts'
import type { Clock } from '../../util/clock.ts'
import { CREDENTIALS, isWithheld } from '../../util/credentials.ts'
import type { PlainObject } from '../../util/plain.ts'
import { VERSION } from '../../version.ts'
import { makeFolders } from '../../world/files/own-file.ts'
import { startBy, type Starter } from '../../world/process/start.ts'
import type { OutputListener, Program, Running, Start } from '../../world/process/process.ts'
import type { ProgramWords } from '../../world/process/shell.ts'
import { snakeName, type EventName } from '../events/event-table.ts'
import type { Condition } from '../hook.ts'
import { attempt } from '../../util/attempt.ts'

/** What hooks outside this process have in common: where they run, what they may know, who is told of them. */
export interface HookEnvironmentOptions {
  /** The root of the project. Default: the folder that this process was started in. */
  projectDir?: string | undefined
  /** The environment that hooks inherit. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** Variables that hooks do not inherit. Default: the credentials for models, by name and by value. */
  withhold?: readonly string[] | undefined
  /** A file whose lines set variables for later commands; told to hooks of SessionStart, Setup, CwdChanged and FileChanged. */
  envFile?: string | undefined
  /** Whether a rule such as `Bash(git *)` fits an input; needed for hooks with `if`. */
  matchesRule?: ((rule: string, input: Readonly<PlainObject>) => boolean) | undefined
  /** The URLs that hooks may be at; `*` stands for anything. Default: any. */
  allowedUrls?: readonly string[] | undefined
  /** The variables that headers may name, whatever a hook asks for. Default: those that the hook asks for. */
  allowedEnvVars?: readonly string[] | undefined
  /** Asks a model, for hooks that are questions. Without it, they fail. */
  askModel?: ((question: ModelQuestion) => Promise<string>) | undefined
  /** The same, with an agent that looks into it. */
  askAgent?: ((question: ModelQuestion) => Promise<string>) | undefined
  /** Calls a tool of an MCP server, and gives its text, for hooks that are such tools. Without it, they fail. */
  callServer?: ((call: ServerCall) => Promise<string>) | undefined
  /** A hook in the background may wake the agent: with this, in the end, or with nothing. */
  onWake?: ((woken: Promise<WakeMessage | undefined>) => unknown) | undefined
  /** Told of what concerns no single event: a worker that was started anew, a process that was dropped. */
  onNotice?: ((text: string) => unknown) | undefined
  /**
   * Who starts the processes of commands: `self`, this process, which stops for it the longer the larger it is; or a
   * small `helper` process. Default: the helper from 192 MB on.
   */
  starter?: Starter | undefined
  /** Time for what goes on between events. */
  clock?: Clock | undefined
}

/** What an agent is woken with, and what people are shown of it. */
interface WakeMessage {
  readonly text: string
  readonly summary: string | undefined
}

/** What a hook wants a server to do. */
export interface ServerCall {
  readonly server: string
  readonly tool: string
  readonly input: PlainObject
  readonly signal: AbortSignal
}

/** The type of an agent that works for a hook. Hooks that are agents themselves do not look at what it does. */
export const HOOK_AGENT = 'hook'

/** What a hook wants to know from a model. */
export interface ModelQuestion {
  readonly system: string
  readonly prompt: string
  /** Which one; a small and fast one unless it says. */
  readonly model: string | undefined
  /** A project asks: it chooses no other provider than the one in use. */
  readonly ofProject?: boolean | undefined
  readonly signal: AbortSignal
}

/** Where traces of our own go. */
const EXPORTERS = 'OTEL_'
/** Bash would read the file that this names. */
const START_UP = 'BASH_ENV'

/** Who runs hooks: a name and a version. */
const AI_AGENT = `carabiner_${VERSION.replaceAll('.', '-')}_harness`

const ENV_FILE_EVENTS = new Set<EventName>(['SessionStart', 'Setup', 'CwdChanged', 'FileChanged'])

/** What a hook has to know of the event that it runs for. */
export interface Occasion {
  readonly event: EventName
  readonly sessionId: string
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
}

/** Timers of what goes on between events do not keep a process from ending. */
const quietClock: Clock = {
  coarse: true,
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  }
}

/** Where hooks outside this process run. `close()` ends all that still runs. */
export class HookEnvironment {
  readonly projectDir: string
  readonly clock: Clock
  readonly #options: HookEnvironmentOptions
  readonly #withheld: ReadonlySet<string>
  readonly #running = new Set<Running>()
  readonly #closing = new Set<() => void>()

  constructor(options: HookEnvironmentOptions = {}) {
    this.#options = options
    this.projectDir = options.projectDir ?? process.cwd()
    this.clock = options.clock ?? quietClock
    this.#withheld = new Set([...(options.withhold ?? CREDENTIALS), START_UP])
  }

  get options(): Readonly<HookEnvironmentOptions> {
    return this.#options
  }

  /** What hooks inherit, before anything is added. Names alone are a third of the price of entries: each asks the system. */
  inherited(): Record<string, string> {
    const all = this.#options.env ?? process.env
    const isChosen = this.#options.withhold !== undefined
    const env: Record<string, string> = {}
    for (const name of Object.getOwnPropertyNames(all)) {
      const value = this.#isShared(name) ? all[name] : undefined
      if (value !== undefined && (isChosen || !isWithheld(value))) env[name] = value
    }
    return env
  }

  /** One variable of these; also a credential, where the user has named it for this very hook. */
  variable(name: string, isNamed = false): string | undefined {
    const value: unknown = isNamed || this.#isShared(name) ? (this.#options.env ?? process.env)[name] : undefined
    return typeof value === 'string' && (isNamed || !isWithheld(value)) ? value : undefined
  }

  #isShared(name: string): boolean {
    return !this.#withheld.has(name) && !name.startsWith(EXPORTERS)
  }

  /** The program for one run, in the environment of the contract and ours. */
  program(words: ProgramWords, cwd: string, occasion: Occasion, own: Readonly<Record<string, string>>): Program {
    const { envFile } = this.#options
    const env = Object.assign(this.inherited(), {
      CLAUDE_PROJECT_DIR: this.projectDir,
      CLAUDECODE: '1',
      CLAUDE_CODE_CHILD_SESSION: '1',
      CLAUDE_CODE_ENTRYPOINT: this.variable('CLAUDE_CODE_ENTRYPOINT') ?? 'sdk-ts',
      AI_AGENT,
      CLAUDE_CODE_SESSION_ID: occasion.sessionId,
      CLAUDE_PID: String(process.pid),
      EVENT: snakeName(occasion.event),
      ...(envFile !== undefined && ENV_FILE_EVENTS.has(occasion.event) && { CLAUDE_ENV_FILE: makeEnvFolder(envFile) }),
      ...occasion.env,
      ...own
    })
    // Bash would take itself for the first shell of a login, and read start-up files that print.
    if (!(Number(env['SHLVL']) > 0)) env['SHLVL'] = '1'
    return { ...words, cwd, env }
  }

  /** The first of these folders that is there: to start a program in one that is gone looks as if it were missing. */
  folder(...wanted: readonly (string | undefined)[]): string {
    return (
      [...wanted, this.projectDir].find(path => path !== undefined && isFolder(path)) ??
      [homedir(), tmpdir()].find(isFolder) ??
      '/'
    )
  }

  /** Starts a process that ends when this is closed. */
  start(program: Program, listener: OutputListener, start: Start = startBy(this.#options.starter)): Running {
    const running = start(program, listener)
    this.#running.add(running)
    void running.ended.then(() => this.#running.delete(running))
    return running
  }

  condition(rule: string): Condition {
    const { matchesRule } = this.#options
    if (matchesRule === undefined)
      throw fault('E_OPTION_INVALID', 'if', JSON.stringify(rule), 'it with outside({ matchesRule })')
    return { words: rule, holds: input => input['tool_name'] !== undefined && matchesRule(rule, input) }
  }

  /** Whoever is told only listens: what they make of it harms nobody. */
  notice(text: string): void {
    try {
      const heard = this.#options.onNotice?.(text)
      if (heard instanceof Promise) heard.catch(() => undefined)
    } catch {
      // They broke down, and we did not.
    }
  }

  /** Called when this is closed; call what comes back when there is no need any more. */
  onClose(close: () => void): () => void {
    this.#closing.add(close)
    return () => void this.#closing.delete(close)
  }

  /** Ends everything that runs, and waits until it has ended. */
  async close(): Promise<void> {
    for (const close of this.#closing) close()
    const running = [...this.#running]
    for (const each of running) each.end()
    await Promise.all(running.map(each => each.ended))
  }
}

let shared: HookEnvironment | undefined

/** Where hooks run that were given no place. */
export const defaultEnvironment = (): HookEnvironment => (shared ??= new HookEnvironment())

/** Hooks write there what commands shall find; where that cannot be, they hear of it when they try. */
function makeEnvFolder(envFile: string): string {
  attempt(() => makeFolders(dirname(envFile)))
  return envFile
}

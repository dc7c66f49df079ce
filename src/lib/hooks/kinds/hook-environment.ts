import { homedir, tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { isFolder } from '../../world/files/paths.ts'
import { engineFault } from '../../errors.ts'
import type { Clock } from '../../util/clock.ts'
import { CREDENTIALS, isWithheld } from '../../util/credentials.ts'
import type { PlainObject } from '../../util/plain.ts'
import { VERSION } from '../../version.ts'
import { makeFolders } from '../../world/files/own-file.ts'
import { startBy, type Starter } from '../../world/process/helper.ts'
import type { OutputListener, Running, Start } from '../../world/process/process.ts'
import type { Program } from '../../world/process/program.ts'
import type { ProgramWords } from '../../world/process/shell.ts'
import { snakeName, type EventName } from '../events/event-table.ts'
import type { Condition } from '../hook.ts'
import { attempt } from '../../util/attempt.ts'

/** What hooks outside this process have in common: where they run, what they may see, who gets their notices. */
export interface HookEnvironmentOptions {
  /** The root of the project. Default: the folder that this process was started in. */
  projectDir?: string | undefined
  /** The environment that hooks inherit. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** Variables that hooks do not inherit. Default: the credentials for models, by name and by value. */
  withhold?: readonly string[] | undefined
  /** A file whose lines set variables for later commands; hooks of SessionStart, Setup, CwdChanged and FileChanged get it. */
  envFile?: string | undefined
  /** Whether a rule such as `Bash(git *)` matches an input; needed for hooks with `if`. */
  matchesRule?: ((rule: string, input: Readonly<PlainObject>) => boolean) | undefined
  /** The URLs that hooks may use; `*` matches anything. Default: any. */
  allowedUrls?: readonly string[] | undefined
  /** The variables that headers may use, whatever a hook requests. Default: those that the hook requests. */
  allowedEnvVars?: readonly string[] | undefined
  /** Asks a model, for hooks that are questions. Without it, they fail. */
  askModel?: ((question: ModelQuestion) => Promise<string>) | undefined
  /** The same, with an agent that investigates. */
  askAgent?: ((question: ModelQuestion) => Promise<string>) | undefined
  /** Calls a tool of an MCP server and returns its text, for hooks that are such tools. Without it, they fail. */
  callServer?: ((call: ServerCall) => Promise<string>) | undefined
  /** A hook in the background may wake the agent, with this message or not at all. */
  onWake?: ((woken: Promise<WakeMessage | undefined>) => unknown) | undefined
  /** Gets notices that concern no single event: a worker that was restarted, a process that was dropped. */
  onNotice?: ((text: string) => unknown) | undefined
  /**
   * Which process starts commands: `self`, this one, which blocks longer the larger it is; or a small `helper` process.
   * Default: the helper from 192 MB on.
   */
  starter?: Starter | undefined
  /** Confines what hooks start. */
  sandbox?: { confine(program: Program): Program } | undefined
  clock?: Clock | undefined
}

interface WakeMessage {
  readonly text: string
  readonly summary: string | undefined
}

export interface ServerCall {
  readonly server: string
  readonly tool: string
  readonly input: PlainObject
  readonly signal: AbortSignal
}

/** The type of an agent that works for a hook. Its calls are not judged by hooks that are agents themselves. */
export const HOOK_AGENT = 'hook'

export interface ModelQuestion {
  readonly system: string
  readonly prompt: string
  /** Default: a small and fast one. */
  readonly model: string | undefined
  /** The hook came with a project, which cannot choose another provider. */
  readonly ofProject?: boolean | undefined
  readonly signal: AbortSignal
}

const EXPORTERS = 'OTEL_'
/** Bash would read the file that this names. */
const START_UP = 'BASH_ENV'

const AI_AGENT = `carabiner_${VERSION.replaceAll('.', '-')}_harness`

const ENV_FILE_EVENTS = new Set<EventName>(['SessionStart', 'Setup', 'CwdChanged', 'FileChanged'])

export interface Occasion {
  readonly event: EventName
  readonly sessionId: string
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
}

/** Timers between events must not keep a process alive. */
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
  readonly options: Readonly<HookEnvironmentOptions>
  readonly #withheld: ReadonlySet<string>
  readonly #running = new Set<Running>()
  readonly #closing = new Set<() => void>()

  constructor(options: HookEnvironmentOptions = {}) {
    this.options = options
    this.projectDir = options.projectDir ?? process.cwd()
    this.clock = options.clock ?? quietClock
    this.#withheld = new Set([...(options.withhold ?? CREDENTIALS), START_UP])
  }

  /** What hooks inherit. Reading only names takes a third of the time of entries: each value is a system call. */
  inherited(): Record<string, string> {
    const all = this.options.env ?? process.env
    const isChosen = this.options.withhold !== undefined
    const env: Record<string, string> = {}
    for (const name of Object.getOwnPropertyNames(all)) {
      const value = this.#isShared(name) ? all[name] : undefined
      if (value !== undefined && (isChosen || !isWithheld(value))) env[name] = value
    }
    return env
  }

  /** One of these variables; also a credential, if the user has named it for this hook. */
  variable(name: string, isNamed = false): string | undefined {
    const value: unknown = isNamed || this.#isShared(name) ? (this.options.env ?? process.env)[name] : undefined
    return typeof value === 'string' && (isNamed || !isWithheld(value)) ? value : undefined
  }

  #isShared(name: string): boolean {
    return !this.#withheld.has(name) && !name.startsWith(EXPORTERS)
  }

  program(words: ProgramWords, cwd: string, occasion: Occasion, own: Readonly<Record<string, string>>): Program {
    const { envFile } = this.options
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
    // Bash would take itself for a login shell, and read start-up files that print.
    if (!(Number(env['SHLVL']) > 0)) env['SHLVL'] = '1'
    return { ...words, cwd, env }
  }

  /** The first of these folders that exists: in a missing one, the error would say that the program is missing. */
  folder(...wanted: readonly (string | undefined)[]): string {
    return (
      [...wanted, this.projectDir].find(path => path !== undefined && isFolder(path)) ??
      [homedir(), tmpdir()].find(isFolder) ??
      '/'
    )
  }

  start(program: Program, listener: OutputListener, start: Start = startBy(this.options.starter)): Running {
    const running = start(this.options.sandbox?.confine(program) ?? program, listener)
    this.#running.add(running)
    void running.ended.then(() => this.#running.delete(running))
    return running
  }

  condition(rule: string): Condition {
    const { matchesRule } = this.options
    if (matchesRule === undefined)
      throw engineFault('E_OPTION_INVALID', 'if', JSON.stringify(rule), 'it with outside({ matchesRule })')
    return { words: rule, holds: input => input['tool_name'] !== undefined && matchesRule(rule, input) }
  }

  /** A listener that fails must not harm the hook. */
  notice(text: string): void {
    try {
      const heard = this.options.onNotice?.(text)
      if (heard instanceof Promise) heard.catch(() => undefined)
    } catch {
      // The error of the listener is not ours.
    }
  }

  onClose(close: () => void): () => void {
    this.#closing.add(close)
    return () => void this.#closing.delete(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closing) close()
    const running = [...this.#running]
    for (const each of running) each.end()
    await Promise.all(running.map(each => each.ended))
  }
}

let shared: HookEnvironment | undefined

export const defaultEnvironment = (): HookEnvironment => (shared ??= new HookEnvironment())

/** Hooks write there, and commands read it; if it cannot be created, hooks get the error when they write. */
function makeEnvFolder(envFile: string): string {
  attempt(() => makeFolders(dirname(envFile)))
  return envFile
}

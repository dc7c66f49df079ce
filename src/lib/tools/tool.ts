import type { Block, JsonSchema, Subject } from '../message.ts'
import type { PlainObject } from '../util/plain.ts'
import type { Program } from '../world/process/program.ts'

/** Something the model may call. Only `agent/call/call-tool.ts` runs it. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly server?: { readonly name: string; readonly source: string } | undefined
  /** A warning for the person who is asked about a call. */
  readonly caution?: string | undefined
  /** It differs from what was approved: whatever allows a call, a person sees `words` and is asked first. */
  readonly change?: { readonly words: string; approve(): void } | undefined
  /** The input with defaults filled in and paths made absolute, or what is wrong with it. Idempotent. */
  check(input: unknown, session: ToolSession): Checked | Promise<Checked>
  /** Whether this call changes nothing: such calls run concurrently, and may be repeated after a crash. */
  readOnly(input: PlainObject): boolean
  /** `readOnly` is only a claim of the server: such calls may run concurrently, but get no other privilege. */
  readonly readOnlyIsUnverified?: true
  /** Subagents act for it, which is more than reading, although such calls run concurrently. */
  readonly delegates?: true
  /** A person is asked in any case: the answer is the purpose of the call. */
  readonly asks?: true
  subject?(input: PlainObject, session: ToolSession): Subject | undefined
  /** What the model sees of an output that a hook put in its place; `undefined` if that has another shape. */
  present?(output: unknown): string | readonly Block[] | undefined
  /** State between calls, as JSON: a resumed session restores it. */
  readonly memory?: { read(): unknown; restore(kept: unknown): void }
  /** Called after the hooks of a call, which may have changed files. Returns what the model should know about that. */
  settle?(input: PlainObject, session: ToolSession): Promise<string | undefined>
  /** A tool that throws has failed. */
  run(input: PlainObject, call: ToolCall): Promise<ToolResult>
}

export type Checked = { readonly input: PlainObject } | { readonly problem: string }

export interface ToolResult {
  readonly content: string | readonly Block[]
  /** The same for programs: what hooks receive as `tool_response`. */
  readonly output: unknown
  /** The reason, if it failed. `content` then says the same to the model. */
  readonly error?: string | undefined
  /** The subagent that waits for a decision of a person: the call stays open. */
  readonly undecided?: string | undefined
}

export const failed = (words: string): ToolResult => ({ content: words, output: words, error: words })

export interface ToolCall {
  readonly id: string
  /** The subagent that worked on this call before the session was interrupted. */
  readonly agentId?: string | undefined
  /** Aborted: end what was started and settle soon. */
  readonly signal: AbortSignal
  readonly session: ToolSession
  progress(text: string): void
  /** Fires an event through the active hooks; without hooks nothing happens. */
  fire(event: string, input: PlainObject): Promise<PlainObject | undefined>
}

export interface ToolSession {
  readonly id: string
  readonly root: string
  /** Where commands run. Only the Bash tool changes it. */
  cwd: string
  directories: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Confines what the session starts. `scratch` is the `/tmp` of confined processes. */
  readonly sandbox?: SessionSandbox | undefined
  /** Whether this command runs in the sandbox. Without it, as everything else. */
  sandboxes?: ((command: string) => boolean) | undefined
  /** A shell script that is sourced before each command. */
  readonly envFile?: string | undefined
  /** Where output that is too long to show is saved. Without it, such output is not saved. */
  readonly outputFolder?: string | undefined
  /** For one search: whether it may show a file, by its real path and its identity. Without it, every file. */
  mayRead?: (() => (path: string, link?: string) => boolean) | undefined
  /** Files that were read, so that an edit detects whether a file has changed since. */
  readonly seen: Map<string, SeenFile>
  readonly background: Map<string, BackgroundTask>
  /** The agent is notified of the result of this, and does not end before. */
  expect?: ((coming: Promise<(() => string | undefined) | undefined>) => void) | undefined
  onClose(close: () => void | Promise<void>): void
}

interface SessionSandbox {
  readonly scratch: string
  /** All commands and MCP servers run in it. Otherwise, those for which a rule says so. */
  readonly isForAll: boolean
  confine(program: Program): Program
  /** Confined processes may write in this folder, too. */
  admit(folder: string): void
}

export interface SeenFile {
  readonly hash: string
  readonly ino: number
  readonly size: number
  readonly ctimeNs: bigint
  readonly partial: boolean
}

export interface BackgroundTask {
  readonly id: string
  readonly type: string
  readonly description: string
  readonly command: string | undefined
  readonly agentType?: string | undefined
  readonly status: 'running' | 'completed' | 'failed' | 'killed'
  /** Set if it ended by itself. */
  readonly exitCode: number | undefined
  /** Settles when it has ended, for whatever reason. Never rejects. */
  readonly done: Promise<void>
  read(): string
  end(): void
  isReported?: boolean
}

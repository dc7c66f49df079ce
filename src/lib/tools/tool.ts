import type { Block, JsonSchema, Subject } from '../message.ts'
import type { PlainObject } from '../util/plain.ts'

/** Something the model may call. Only `agent/call/call-tool.ts` runs it. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly server?: { readonly name: string; readonly source: string } | undefined
  /** What a person who is asked about a call should know of it. */
  readonly caution?: string | undefined
  /** It is not what somebody has approved of: whatever allows a call, somebody is told of it and asked first. */
  readonly change?: { readonly words: string; approve(): void } | undefined
  /** The input with defaults filled in and paths made absolute, or what is wrong with it. Checked again, it stays. */
  check(input: unknown, session: ToolSession): Checked | Promise<Checked>
  /** Whether this call changes nothing: such calls run side by side, and may be made again after a crash. */
  readOnly(input: PlainObject): boolean
  /** That it changes nothing is only what somebody else says of it: it may run beside others, and nothing more follows. */
  readonly readOnlyIsUnverified?: true
  /** Others do something for it, which is more than reading, though such calls run side by side. */
  readonly delegates?: true
  /** Somebody must be asked in any case: the answer is what it is for. */
  readonly asks?: true
  subject?(input: PlainObject, session: ToolSession): Subject | undefined
  /** What the model sees of an output that a hook put in place of the tool's own; `undefined` if it has another shape. */
  present?(output: unknown): string | readonly Block[] | undefined
  /** What it keeps from one call to the next, as JSON: a session that goes on later gives it back. */
  readonly memory?: { read(): unknown; restore(kept: unknown): void }
  /** Hooks have looked at what a call did, and may have done more. Gives what the model should know of that. */
  settle?(input: PlainObject, session: ToolSession): Promise<string | undefined>
  /** May throw: that is a failure, too. */
  run(input: PlainObject, call: ToolCall): Promise<ToolResult>
}

export type Checked = { readonly input: PlainObject } | { readonly problem: string }

export interface ToolResult {
  readonly content: string | readonly Block[]
  /** The same for programs: what hooks receive as `tool_response`. */
  readonly output: unknown
  /** It failed, and why. `content` then says the same to the model. */
  readonly error?: string | undefined
  /** The subagent in which somebody has to decide first: the call stays open. */
  readonly undecided?: string | undefined
}

export const failed = (words: string): ToolResult => ({ content: words, output: words, error: words })

export interface ToolCall {
  readonly id: string
  /** The subagent that worked for this call before we were ended. */
  readonly agentId?: string | undefined
  /** The call is given up: end what was started and settle soon. */
  readonly signal: AbortSignal
  readonly session: ToolSession
  progress(text: string): void
  /** Fires an event of the hooks in force; without hooks nothing happens. */
  fire(event: string, input: PlainObject): Promise<PlainObject | undefined>
}

export interface ToolSession {
  readonly id: string
  readonly root: string
  /** Where commands run. Only the Bash tool changes it. */
  cwd: string
  readonly directories: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** A file whose lines, in the language of the shell, run before each command. */
  readonly envFile?: string | undefined
  /** Where output that is too long to be shown is kept whole. Without it, it is not. */
  readonly outputFolder?: string | undefined
  /** Whether a search may show what is in a file. Without it, everything. */
  mayRead?: ((path: string) => boolean) | undefined
  /** What was read, so that an edit knows whether a file has changed since. */
  readonly seen: Map<string, SeenFile>
  readonly background: Map<string, BackgroundTask>
  /** The agent is told what comes of this, and does not end before it has come. */
  expect?: ((coming: Promise<(() => string | undefined) | undefined>) => void) | undefined
  onClose(close: () => void | Promise<void>): void
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
  /** Once it has ended by itself. */
  readonly exitCode: number | undefined
  /** Settles when it has ended, however that was. Never rejects. */
  readonly done: Promise<void>
  read(): string
  end(): void
  isReported?: boolean
}

import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import type { EventName } from '../../hooks/events/event-table.ts'
import type { PlainObject } from '../../util/plain.ts'

/** What an answer to an event can do; `allowed rewrite`: only together with an allow; `merged rewrite`: no key can be removed. What it cannot do is refused or reported. */
export type Effect =
  | 'allow'
  | 'allowed rewrite'
  | 'ask'
  | 'context'
  | 'deny'
  | 'end'
  | 'merged rewrite'
  | 'notice'
  | 'output'
  | 'prompt'
  | 'rewrite'

/** An event of a host: another agent, whose hooks Carabiner answers. */
export interface HostEvent {
  /** The event that hooks see. */
  readonly as: EventName
  readonly takes: readonly Effect[]
}

export interface HostCall {
  readonly name: string
  readonly input: PlainObject
}

/** A tool of a host. */
export interface HostTool {
  /** The tool that hooks and rules see. */
  readonly as: string
  /** The host's names of keys, with those that hooks see. All other keys have the same name. */
  readonly keys?: Readonly<Record<string, string>>
  /** Further keys that choose neither a file nor a command. */
  readonly known?: readonly string[]
  /** If there is no file at a relative path, the host uses another one of that name. */
  readonly findsFiles?: true
  /** The key with the folder in which it runs. */
  readonly folder?: string
  /** The call that it makes. Hooks cannot rewrite it. */
  readonly inner?: (input: PlainObject) => HostCall
  /** The calls that one call stands for: each is judged. Hooks cannot rewrite them. */
  readonly calls?: (input: PlainObject) => readonly HostCall[]
}

/** Where hooks of a host are configured. */
interface HostConfig {
  /** Below the home folder, for all projects. */
  readonly user?: string
  /** In the project. */
  readonly project?: string
  /** The keys under which the list of hooks of an event is. */
  readonly at: (event: string) => readonly string[]
  /** The item of that list. */
  readonly entry: (
    line: string,
    seconds: number,
    of: { readonly event: string; readonly isClosed: boolean }
  ) => PlainObject
  /** What a new file has beside the hooks. */
  readonly fresh?: PlainObject
}

/** `none`: the host has no such thing. */
type Reach = 'gated' | 'neither gated nor seen' | 'none'

/** Everything that differs from host to host. */
export interface HostDialect {
  /** As people write it. */
  readonly title: string
  readonly verifiedWith: string
  /** By the host's names. */
  readonly events: Readonly<Record<string, HostEvent>>
  readonly tools: Readonly<Record<string, HostTool>>
  /** The calls that one of a tool outside of that table may be, by the names that hooks see. */
  readonly unlisted?: (name: string, input: PlainObject) => readonly HostCall[]
  readonly config: HostConfig
  /** The variable that names the project. Without it, the project is where the host starts its hooks. */
  readonly projectVariable?: string
  /** It has no limit of its own for hooks that keep the agent from stopping: one may do so once in a row. */
  readonly keepsStopping?: true
  /** The host's payload with the names that hooks see, undefined if there is nothing to judge. Its tool is mapped later. */
  readonly read?: (payload: PlainObject) => PlainObject | undefined
  /** What the host reads: only what the event takes is left in the outcome, and `updatedInput` has the host's keys. */
  readonly answer: (outcome: Outcome, event: string, input: PlainObject) => PlainObject
  /** What passes the gate: its tools, those of MCP servers, calls of subagents, tools that the provider of the model runs, and text that is typed into a running command. */
  readonly reach: Readonly<Record<'tools' | 'servers' | 'subagents' | 'provider' | 'typed', Reach>>
  /** What remains outside of the gate, and what it cannot do there: one sentence each. */
  readonly limits: readonly string[]
}

import { randomUUID } from 'node:crypto'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { AgentDefinition } from '../../agent/subagents/definitions.ts'
import type { AskPerson, PersonAnswer } from '../../agent/session/session-options.ts'
import type { CallbackRecord, ForeignCallbackRecord } from '../../hooks/callbacks.ts'
import type { Profile } from '../../hooks/dispatch/decode.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import type { JsonSchema } from '../../message.ts'
import type { Model } from '../../model/model.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { PermissionUpdate } from '../../permissions/updates.ts'
import type { SdkMcpServer, ToolDefinition } from '../../tools/custom.ts'
import type { AskForServer } from '../../tools/mcp/elicitation.ts'
import type { OutsideServer } from '../../tools/mcp/mcp-config.ts'
import type { TranscriptStore } from '../../transcript/store.ts'
import type { Clock } from '../../util/clock.ts'
import type { PlainObject } from '../../util/plain.ts'

/** Asks whether a call may run, as in the Claude Agent SDK. */
export type CanUseTool = (
  toolName: string,
  input: PlainObject,
  options: {
    readonly signal: AbortSignal
    readonly toolUseID: string
    /** The same as `toolUseID`: a call is asked about once. */
    readonly requestId: string
    readonly suggestions?: PermissionUpdate[]
    readonly decisionReason?: string
  }
) => Promise<PersonAnswer | null>

/** Asks a person what a server wants to know, as in the Claude Agent SDK. */
export type OnElicitation = (
  request: {
    readonly serverName: string
    readonly message: string
    readonly mode?: 'form' | 'url'
    readonly url?: string
    readonly elicitationId?: string
    readonly requestedSchema?: Record<string, unknown>
  },
  options: { readonly signal: AbortSignal; readonly requestId: string }
) => Promise<{ readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: unknown } | null>

/** What an agent may be told. Everything has a default. */
export interface QueryOptions {
  /** Stops everything. */
  abortController?: AbortController | undefined
  additionalDirectories?: readonly string[] | undefined
  /** May `permissionMode` be `bypassPermissions`? */
  allowDangerouslySkipPermissions?: boolean | undefined
  /** Subagents that can be called, by name. */
  agents?: Readonly<Record<string, AgentDefinition>> | undefined
  /** Rules such as `Bash(git *)`: what they fit runs without a question. */
  allowedTools?: readonly string[] | undefined
  canUseTool?: CanUseTool | undefined
  /** What the model can take, in tokens: from 0.8 of it on the conversation is made shorter. 0: never. Default 200,000. */
  contextWindow?: number | undefined
  /** Goes on with the last session of this folder. */
  continue?: boolean | undefined
  /** A folder that is there. Default: that of this process. */
  cwd?: string | undefined
  /** Names of tools that are not there, and rules for calls that are refused. */
  disallowedTools?: readonly string[] | undefined
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined
  /** The environment of commands and hooks, and of providers. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  hooks?: HookRegistry | CallbackRecord | ForeignCallbackRecord | undefined
  /** With `resume` or `continue`: in a copy, under an id of its own. */
  forkSession?: boolean | undefined
  includeHookEvents?: boolean | undefined
  includePartialMessages?: boolean | undefined
  maxBudgetUsd?: number | undefined
  maxThinkingTokens?: number | undefined
  maxTurns?: number | undefined
  /** Servers of tools, by name: programs, addresses, or made by `createSdkMcpServer()`. */
  mcpServers?: Readonly<Record<string, OutsideServer | SdkMcpServer>> | undefined
  /** A name, a model of the AI SDK, or a model of our own. */
  model?: string | LanguageModelV4 | Model | undefined
  /** Asked when a server wants to know something and no hook has answered. Default: it is declined. */
  onElicitation?: OnElicitation | undefined
  outputFormat?: { readonly type: 'json_schema'; readonly schema: JsonSchema } | undefined
  permissionMode?: Mode | undefined
  /** `false`: nothing of the session is written down. */
  persistSession?: boolean | undefined
  plugins?: readonly { readonly type: 'local'; readonly path: string }[] | undefined
  /**
   * Goes on with a session: its id, or, in a copy, the path of a `.jsonl` file, also of Claude Code's. An empty prompt goes
   * on with what it was doing.
   */
  resume?: string | undefined
  /** With `resume`: only up to this message, by its `uuid`. */
  resumeSessionAt?: string | undefined
  sessionId?: string | undefined
  /** Where transcripts are kept. Default: files in `CARABINER_HOME/projects`. `false`: nowhere, also not those of subagents. */
  sessionStore?: TranscriptStore | false | undefined
  /** A file of settings, its JSON, or the object itself. */
  settings?: string | object | undefined
  /** Which settings files count. Default: all. */
  settingSources?: readonly ('user' | 'project' | 'local')[] | undefined
  /** Hears of what concerns no single message. */
  stderr?: ((text: string) => void) | undefined
  /** `true`: go without the servers of the project's `.mcp.json`. */
  strictMcpConfig?: boolean | undefined
  systemPrompt?:
    | string
    | readonly string[]
    | { readonly type: 'custom'; readonly prompt: string | readonly string[] }
    | { readonly type: 'preset'; readonly preset: 'claude_code'; readonly append?: string }
    | undefined
  thinking?:
    | { readonly type: 'adaptive' }
    | { readonly type: 'enabled'; readonly budgetTokens?: number }
    | { readonly type: 'disabled' }
    | undefined
  /** The tools that are there. Default: all. */
  tools?: readonly (string | ToolDefinition)[] | { readonly type: 'preset'; readonly preset: 'claude_code' } | undefined

  /** `strict` (default) closes gates when a hook fails; `compat` lets pass and marks it. */
  profile?: Profile | undefined
  /** Trust what the project brings: if this is its digest (`sha256:…`), or, with `true`, whatever it is. */
  trust?: string | true | undefined
  /** `false`: go without the project's own hooks. */
  projectHooks?: boolean | undefined
  /** Modules of hooks. */
  hookModules?: readonly string[] | undefined
  /** Prepare or maintain the project first: fires Setup. */
  setup?: 'init' | 'maintenance' | undefined
  /** How often Stop hooks may send the agent back without a tool call between. Default 8. */
  maxStopBlocks?: number | undefined
  /** Most tokens of one answer. */
  maxOutputTokens?: number | undefined
  /** Tools that the model's provider may run on its side. They pass no gate, and are recorded as such. */
  serverTools?: readonly string[] | undefined
  /** Time, for tests. */
  clock?: Clock | undefined
}

/** The question of the agent, put to `canUseTool`. */
export const askThrough =
  (canUseTool: CanUseTool): AskPerson =>
  async ({ toolName, input, toolUseId, reason, suggestions, signal }) =>
    (await canUseTool(toolName, input, {
      signal,
      toolUseID: toolUseId,
      requestId: toolUseId,
      suggestions: [...suggestions],
      decisionReason: reason
    })) ?? undefined

/** What a server wants to know, put to `onElicitation`. */
export const elicitThrough =
  (onElicitation: OnElicitation): AskForServer =>
  (serverName, { message, mode, url, id, schema }, signal) =>
    onElicitation(
      {
        serverName,
        message,
        mode,
        ...(url !== undefined && { url }),
        ...(id !== undefined && { elicitationId: id }),
        ...(schema !== undefined && { requestedSchema: schema })
      },
      { signal, requestId: randomUUID() }
    )

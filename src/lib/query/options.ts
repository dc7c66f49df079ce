import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { fault, nearest } from '../errors.ts'
import type { AgentDefinition } from '../agent/definitions.ts'
import type { AskPerson, PersonAnswer } from '../agent/given.ts'
import type { CallbackRecord, ForeignCallbackRecord } from '../hooks/callbacks.ts'
import type { Profile } from '../hooks/decode.ts'
import type { HookRegistry } from '../hooks/registry.ts'
import type { JsonSchema } from '../message.ts'
import type { Model } from '../model/model.ts'
import type { PermissionUpdate } from '../permissions/updates.ts'
import type { SdkMcpServer, ToolDefinition } from '../tools/custom.ts'
import type { AskForServer } from '../tools/elicitation.ts'
import type { OutsideServer } from '../tools/mcp-config.ts'
import type { TranscriptStore } from '../transcript/store.ts'
import type { Clock } from '../util/clock.ts'
import type { PlainObject } from '../util/plain.ts'

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
  permissionMode?: string | undefined
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

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'function' | 'list' | 'any'

const KINDS: { readonly [K in keyof Required<QueryOptions>]: Kind } = {
  abortController: 'object',
  additionalDirectories: 'list',
  agents: 'object',
  allowDangerouslySkipPermissions: 'boolean',
  allowedTools: 'list',
  canUseTool: 'function',
  contextWindow: 'number',
  continue: 'boolean',
  cwd: 'string',
  disallowedTools: 'list',
  effort: 'string',
  env: 'object',
  forkSession: 'boolean',
  hooks: 'object',
  includeHookEvents: 'boolean',
  includePartialMessages: 'boolean',
  maxBudgetUsd: 'number',
  maxThinkingTokens: 'number',
  maxTurns: 'number',
  mcpServers: 'object',
  model: 'any',
  onElicitation: 'function',
  outputFormat: 'object',
  permissionMode: 'string',
  persistSession: 'boolean',
  plugins: 'list',
  resume: 'string',
  resumeSessionAt: 'string',
  sessionId: 'string',
  sessionStore: 'any',
  settings: 'any',
  settingSources: 'list',
  stderr: 'function',
  strictMcpConfig: 'boolean',
  systemPrompt: 'any',
  thinking: 'object',
  tools: 'any',
  profile: 'string',
  trust: 'any',
  projectHooks: 'boolean',
  hookModules: 'list',
  setup: 'string',
  maxStopBlocks: 'number',
  maxOutputTokens: 'number',
  serverTools: 'list',
  clock: 'object'
}

/** An option that nobody reads is a mistake that nobody sees. */
export function checkOptions(options: object): void {
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue
    const kind = Object.hasOwn(KINDS, key) ? KINDS[key as keyof typeof KINDS] : undefined
    if (kind === undefined)
      throw fault('E_OPTION_INVALID', 'an option of query()', JSON.stringify(key), suggestion(key))
    if (!fits(value, kind)) throw fault('E_OPTION_INVALID', key, JSON.stringify(value) ?? String(value), words(kind))
  }
  checkFolder(options)
}

/** Where it is missing, so are the hooks and rules of the project that was meant. */
function checkFolder({ cwd }: QueryOptions): void {
  if (cwd !== undefined && !isFolder(cwd))
    throw fault('E_OPTION_INVALID', 'cwd', JSON.stringify(cwd), 'a folder that is there')
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const suggestion = (key: string): string => nearest(key, Object.keys(KINDS)) ?? 'one of those in docs/agent.md'

const words = (kind: Kind): string => (kind === 'list' ? 'a list' : `a ${kind}`)

function fits(value: unknown, kind: Kind): boolean {
  if (kind === 'any') return true
  if (kind === 'list') return Array.isArray(value)
  if (kind === 'number') return typeof value === 'number' && Number.isFinite(value) && value >= 0
  return typeof value === kind && value !== null
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

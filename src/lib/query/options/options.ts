import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { OutputFormat } from '../../agent/structured.ts'
import type { AgentDefinition } from '../../agent/subagents/definitions.ts'
import type { AskPerson, PersonAnswer } from '../../agent/session/session-options.ts'
import { HookRegistry } from '../../hooks/registry.ts'
import { EFFORTS, type Model } from '../../model/model.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { PermissionUpdate } from '../../permissions/updates.ts'
import type { SdkMcpServer, ToolDefinition } from '../../tools/custom.ts'
import type { AskForServer } from '../../tools/mcp/elicitation.ts'
import type { OutsideServer } from '../../tools/mcp/mcp-config.ts'
import type { TranscriptStore } from '../../transcript/store.ts'
import type { Clock } from '../../util/clock.ts'
import { own, type FieldTable, type InferOptions, type OwnType } from '../../schema/table.ts'
import { problemsIn } from '../../schema/check.ts'
import { SANDBOX } from '../../settings/files/settings-table.ts'
import type { SandboxKeys } from '../../settings/permissions/sandbox-settings.ts'
import { attempt } from '../../util/attempt.ts'
import { isObject, isPlain, type PlainObject } from '../../util/plain.ts'
import { isFolder } from '../../world/files/paths.ts'
import type { CallbackRecord, ForeignCallbackRecord } from '../../hooks/hook.ts'
import { randomUuid } from '../../transcript/log.ts'

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

/** Asks a person for the input that a server requests, as in the Claude Agent SDK. */
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

const isStrings = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every(item => typeof item === 'string'))

function isSystemPrompt(value: unknown): boolean {
  if (!isObject(value)) return isStrings(value)
  if (value['type'] === 'custom') return isStrings(value['prompt'])
  const { type, preset, append = '' } = value
  return type === 'preset' && preset === 'claude_code' && typeof append === 'string'
}

function isThinking(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, budgetTokens, ...more } = value
  if (Object.keys(more).some(key => key !== 'display')) return false
  if (type !== 'enabled') return (type === 'adaptive' || type === 'disabled') && budgetTokens === undefined
  return budgetTokens === undefined || (Number.isInteger(budgetTokens) && (budgetTokens as number) > 0)
}

const isTool = (value: unknown): boolean =>
  typeof value === 'string' || (isObject(value) && typeof value['name'] === 'string' && 'inputSchema' in value)

const has = (value: unknown, ...methods: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every(method => typeof (value as Readonly<Record<string, unknown>>)[method] === 'function')

/** Values that JSON silently drops might have been meant to restrict. */
function keptByJson(_: string, value: unknown): unknown {
  if (['function', 'symbol'].includes(typeof value) || (isObject(value) && !isPlain(value))) throw new TypeError()
  return value
}

const isSettings = (value: unknown): boolean =>
  typeof value === 'string' || (isObject(value) && attempt(() => JSON.stringify(value, keptByJson) !== '') === true)

const isPreset = (value: unknown): boolean =>
  isObject(value) && value['type'] === 'preset' && value['preset'] === 'claude_code'

const STRINGS = { list: 'string' } as const
const AMOUNT = { type: 'number', min: 0 } as const
const callback = <T>(): OwnType<T> => own<T>('a function', value => typeof value === 'function')

/** The options of `query()`, in the order of the documentation. Everything has a default. */
export const OPTIONS = {
  /** Stops everything. */
  abortController: own<AbortController>(
    'an AbortController',
    value => isObject(value) && value['signal'] instanceof AbortSignal
  ),
  additionalDirectories: STRINGS,
  /** Subagents that can be called, by name. */
  agents: own<Readonly<Record<string, AgentDefinition>>>('an object', isObject),
  /** Whether `permissionMode` may be `bypassPermissions`. */
  allowDangerouslySkipPermissions: 'boolean',
  /** Rules such as `Bash(git *)`: matching calls run without a question. */
  allowedTools: STRINGS,
  canUseTool: callback<CanUseTool>(),
  /** The model's window in tokens: the conversation is compacted at 0.8 of it. 0: never. Default 200,000. */
  contextWindow: AMOUNT,
  /** Resumes the last session of this folder. */
  continue: 'boolean',
  /** Must exist: a missing folder would be a project without its hooks and rules. Default: that of this process. */
  cwd: own<string>('an existing folder', path => typeof path === 'string' && isFolder(path)),
  /** Names of tools to remove, and rules for calls to refuse. */
  disallowedTools: STRINGS,
  effort: EFFORTS,
  /** The environment of commands and hooks, and of providers. Default: that of this process. */
  env: { record: own<string | undefined>('a string', value => value === undefined || typeof value === 'string') },
  /** With `resume` or `continue`: in a copy with a new id. */
  forkSession: 'boolean',
  /** No one sees an answer before it is complete. Always so with a hook that decides PostModelResponse. */
  holdOutput: 'boolean',
  hooks: own<HookRegistry | CallbackRecord | ForeignCallbackRecord>(
    'a HookRegistry, or an object of matchers by event',
    value => value instanceof HookRegistry || isObject(value)
  ),
  includeHookEvents: 'boolean',
  includePartialMessages: 'boolean',
  maxBudgetUsd: AMOUNT,
  /** How often a failed request to the model is repeated. Default 9, or CLAUDE_CODE_MAX_RETRIES. */
  maxRetries: { type: 'integer', min: 0 },
  maxThinkingTokens: AMOUNT,
  maxTurns: AMOUNT,
  /** Servers of tools, by name: programs, addresses, or made by `createSdkMcpServer()`. */
  mcpServers: own<Readonly<Record<string, OutsideServer | SdkMcpServer>>>('an object of servers by name', isObject),
  /** A name, a model of the AI SDK, or an implementation of `Model`. */
  model: own<string | LanguageModelV4 | Model>(
    'the name of a model, a LanguageModelV4 of the AI SDK, or a Model',
    value => typeof value === 'string' || has(value, 'ask') || has(value, 'doStream')
  ),
  /** Called when a server requests input and no hook has answered. Default: decline. */
  onElicitation: callback<OnElicitation>(),
  /** The answer must fit: a Standard Schema such as zod's, which also types `structured_output`, or a JSON Schema. */
  outputFormat: own<OutputFormat>(
    'a schema of zod, or an object',
    value => isObject(value) || typeof value === 'function'
  ),
  permissionMode: own<Mode>('a string', value => typeof value === 'string'),
  /** `false`: nothing of the session is saved. */
  persistSession: 'boolean',
  plugins: { list: { object: { type: ['local'], path: 'string' } } },
  /** Dollars for a million tokens, by the name of the model: for models without a list price, or with another one. */
  prices: { record: { object: { input: AMOUNT, output: AMOUNT, cacheWrite: AMOUNT, cacheRead: AMOUNT } } },
  /**
   * Resumes a session: its id, or, in a copy, the path of a `.jsonl` file, also of Claude Code. With an empty prompt it
   * continues its last task.
   */
  resume: 'string',
  /** With `resume`: only up to this message, by its `uuid`. */
  resumeSessionAt: 'string',
  /** Whether commands, hooks and MCP servers run in a sandbox; or the keys of `sandbox` in settings. */
  sandbox: own<boolean | SandboxKeys>(
    'true, false, or an object of sandbox settings',
    value => typeof value === 'boolean' || (isObject(value) && problemsIn(SANDBOX, value).length === 0)
  ),
  sessionId: 'string',
  /** Where transcripts are kept. Default: files in `CARABINER_HOME/projects`. `false`: nowhere. */
  sessionStore: own<TranscriptStore | false>(
    'a store with append() and load(), or false',
    value => value === false || has(value, 'append', 'load')
  ),
  /** A file of settings, its JSON, or the object itself. */
  settings: own<string | object>('a path, JSON, or an object that JSON can hold', isSettings),
  /** Settings files to load. Default: all. */
  settingSources: { list: ['user', 'project', 'local'] },
  /** Gets messages that belong to no single event. */
  stderr: callback<(text: string) => void>(),
  /** `true`: ignore the servers of the project's `.mcp.json`. */
  strictMcpConfig: 'boolean',
  systemPrompt: own<
    | string
    | readonly string[]
    | { readonly type: 'custom'; readonly prompt: string | readonly string[] }
    | { readonly type: 'preset'; readonly preset: 'claude_code'; readonly append?: string }
  >("a string, a list of strings, or { type: 'preset', preset: 'claude_code', append }", isSystemPrompt),
  thinking: own<
    | { readonly type: 'adaptive' }
    | { readonly type: 'enabled'; readonly budgetTokens?: number }
    | { readonly type: 'disabled' }
  >("{ type: 'adaptive' }, { type: 'enabled', budgetTokens } or { type: 'disabled' }", isThinking),
  /** The available tools. Default: all. */
  tools: own<readonly (string | ToolDefinition)[] | { readonly type: 'preset'; readonly preset: 'claude_code' }>(
    "a list of names and of what tool() gives, or { type: 'preset', preset: 'claude_code' }",
    value => (Array.isArray(value) && value.every(isTool)) || isPreset(value)
  ),
  /** `strict` (default) closes gates when a hook fails; `compat` allows the call and marks it. */
  profile: ['strict', 'compat'],
  /** Trust what the project brings: if this is its digest (`sha256:…`), or, with `true`, in any state. */
  trust: own<string | true>('true, or a digest such as sha256:…', value => value === true || typeof value === 'string'),
  /** `false`: ignore the project's own hooks. */
  projectHooks: 'boolean',
  /** Modules of hooks. */
  hookModules: STRINGS,
  /** Prepare or maintain the project first: fires Setup. */
  setup: ['init', 'maintenance'],
  /** How often Stop hooks may send the agent back without a tool call in between. Default 8. */
  maxStopBlocks: AMOUNT,
  /** Maximum number of tokens of one answer. */
  maxOutputTokens: AMOUNT,
  /** Tools that the model's provider may run on its side. They pass no gate, and are recorded as such. */
  serverTools: STRINGS,
  /** Time, for tests. */
  clock: own<Clock>('a Clock', value => has(value, 'now', 'after'))
} as const satisfies FieldTable

/** The options of an agent. */
export type QueryOptions = InferOptions<typeof OPTIONS>

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
      { signal, requestId: randomUuid() }
    )

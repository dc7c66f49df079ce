import { isFolder } from '../../world/files/paths.ts'
import { HookRegistry } from '../../hooks/registry.ts'
import { isObject, isPlain } from '../../util/plain.ts'
import type { QueryOptions } from './options.ts'
import { FLAG, FUNCTION, NUMBER, OBJECT, oneOf, TEXT, TEXTS, type Wanted } from './value-kinds.ts'
import { attempt } from '../../util/attempt.ts'

const isTexts = (value: unknown): boolean => typeof value === 'string' || TEXTS[1](value)

function isSystemPrompt(value: unknown): boolean {
  if (!isObject(value)) return isTexts(value)
  if (value['type'] === 'custom') return isTexts(value['prompt'])
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

const isPlugin = (value: unknown): boolean =>
  isObject(value) && value['type'] === 'local' && typeof value['path'] === 'string'

const isEnvironment = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every(each => each === undefined || typeof each === 'string')

/** Whether it is an object, of any class, with these methods. */
const has = (value: unknown, ...methods: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every(method => typeof (value as Readonly<Record<string, unknown>>)[method] === 'function')

/** What JSON leaves out without a word might restrict. */
function keptByJson(_: string, value: unknown): unknown {
  if (['function', 'symbol'].includes(typeof value) || (isObject(value) && !isPlain(value))) throw new TypeError()
  return value
}

const isSettings = (value: unknown): boolean =>
  typeof value === 'string' || (isObject(value) && attempt(() => JSON.stringify(value, keptByJson) !== '') === true)

const listOf = (words: string, fits: (value: unknown) => boolean): Wanted => [
  words,
  value => Array.isArray(value) && value.every(fits)
]

const preset = (value: unknown): boolean =>
  isObject(value) && value['type'] === 'preset' && value['preset'] === 'claude_code'
const TOOLS = listOf("a list of names and of what tool() gives, or { type: 'preset', preset: 'claude_code' }", isTool)
const MODEL = 'the name of a model, a LanguageModelV4 of the AI SDK, or a Model'

/** The options of `query()`, in the order of the documents, and what they take. */
export const OPTIONS: { readonly [K in keyof Required<QueryOptions>]: Wanted } = {
  abortController: ['an AbortController', value => isObject(value) && value['signal'] instanceof AbortSignal],
  additionalDirectories: TEXTS,
  agents: OBJECT,
  allowDangerouslySkipPermissions: FLAG,
  allowedTools: TEXTS,
  canUseTool: FUNCTION,
  contextWindow: NUMBER,
  continue: FLAG,
  // One that is missing is a project whose hooks and rules are missing.
  cwd: ['a folder that is there', path => typeof path === 'string' && isFolder(path)],
  disallowedTools: TEXTS,
  effort: oneOf('low', 'medium', 'high', 'xhigh', 'max'),
  env: ['an object of texts', isEnvironment],
  forkSession: FLAG,
  hooks: [
    'a HookRegistry, or an object of matchers by event',
    value => value instanceof HookRegistry || isObject(value)
  ],
  includeHookEvents: FLAG,
  includePartialMessages: FLAG,
  maxBudgetUsd: NUMBER,
  maxThinkingTokens: NUMBER,
  maxTurns: NUMBER,
  mcpServers: ['an object of servers by name', isObject],
  model: [MODEL, value => typeof value === 'string' || has(value, 'ask') || has(value, 'doStream')],
  onElicitation: FUNCTION,
  outputFormat: OBJECT,
  permissionMode: TEXT,
  persistSession: FLAG,
  plugins: listOf("a list of { type: 'local', path }", isPlugin),
  resume: TEXT,
  resumeSessionAt: TEXT,
  sessionId: TEXT,
  sessionStore: [
    'a store with append() and load(), or false',
    value => value === false || has(value, 'append', 'load')
  ],
  settings: ['a path, JSON, or an object that JSON can hold', isSettings],
  settingSources: listOf('a list of user, project and local', oneOf('user', 'project', 'local')[1]),
  stderr: FUNCTION,
  strictMcpConfig: FLAG,
  systemPrompt: ["a text, a list of texts, or { type: 'preset', preset: 'claude_code', append }", isSystemPrompt],
  thinking: ["{ type: 'adaptive' }, { type: 'enabled', budgetTokens } or { type: 'disabled' }", isThinking],
  tools: [TOOLS[0], value => TOOLS[1](value) || preset(value)],
  profile: oneOf('strict', 'compat'),
  trust: ['true, or a digest such as sha256:…', value => value === true || typeof value === 'string'],
  projectHooks: FLAG,
  hookModules: TEXTS,
  setup: oneOf('init', 'maintenance'),
  maxStopBlocks: NUMBER,
  maxOutputTokens: NUMBER,
  serverTools: TEXTS,
  clock: ['a Clock', value => has(value, 'now', 'after')]
}

import { isObject } from '../../util/plain.ts'

/** What a handler in a file may say: one table, for the loader, the checks and the JSON Schema. */

/** What a key takes. */
export type KeyType =
  | 'text'
  | 'seconds'
  | 'flag'
  | 'texts'
  | 'variables'
  | 'policy'
  | 'dialect'
  | 'shell'
  | 'object'
  | 'number'

export interface KeyRule {
  readonly takes: KeyType
  readonly words: string
  readonly required?: true
  /** Only we know it; for Claude Code it is a stray key. */
  readonly ours?: true
}

const COMMON = {
  type: { takes: 'text', words: 'the kind of hook', required: true },
  if: { takes: 'text', words: 'one permission rule, such as Bash(git *): the hook runs only where it fits' },
  timeout: { takes: 'seconds', words: 'seconds that it may take' },
  statusMessage: { takes: 'text', words: 'what people are shown while it runs' },
  once: { takes: 'flag', words: 'removed after its first run that neither failed nor blocked' },
  onFailure: { takes: 'policy', words: 'what its failure means: block or continue' },
  name: { takes: 'text', words: 'under this name it is listed and reported', ours: true },
  priority: { takes: 'number', words: 'higher runs first', ours: true },
  observe: { takes: 'flag', words: 'runs last, sees what was decided, and decides nothing', ours: true },
  dialect: { takes: 'dialect', words: 'what its words mean: contract (as in Claude Code) or library', ours: true }
} satisfies Record<string, KeyRule>

const PROCESS = {
  command: { takes: 'text', words: 'a command line, or with args a program', required: true },
  args: { takes: 'texts', words: 'with these, even none, no shell is involved' },
  shell: { takes: 'shell', words: 'bash, sh or powershell' },
  env: { takes: 'variables', words: 'variables on top of what it inherits', ours: true }
} satisfies Record<string, KeyRule>

/** What people write beside a rule or a hook for themselves: nothing reads it, and nothing has to. */
export const isAnnotation = (key: string): boolean =>
  /^(?:[$#/].*|_(?!_proto).*|id|name|title|description|comments?|notes?|tags|author|version)$/.test(key)

/** Every kind of handler, with its own keys. */
export const HANDLERS = {
  command: {
    ...COMMON,
    ...PROCESS,
    async: { takes: 'flag', words: 'the event goes on at once; context that it gives in the end is kept' },
    asyncRewake: { takes: 'flag', words: 'as async; exit code 2 wakes the agent, which is told what it printed' },
    rewakeMessage: { takes: 'text', words: 'with asyncRewake: what stands before what it printed' },
    rewakeSummary: { takes: 'text', words: 'with asyncRewake: what people are shown when it wakes the agent' },
    prewarm: { takes: 'flag', words: 'the next process is started ahead, and waits on standard input', ours: true },
    limits: { takes: 'object', words: 'memory in megabytes and number of processes', ours: true },
    pidNamespace: { takes: 'flag', words: 'runs in a process namespace of its own', ours: true }
  },
  worker: {
    ...COMMON,
    ...PROCESS,
    heartbeat: { takes: 'seconds', words: 'seconds of silence after which it is asked whether it lives', ours: true }
  },
  http: {
    ...COMMON,
    url: { takes: 'text', words: 'where the event is posted to', required: true },
    headers: { takes: 'variables', words: 'headers; $NAME stands for a variable of allowedEnvVars' },
    allowedEnvVars: { takes: 'texts', words: 'the variables that headers may name' }
  },
  prompt: {
    ...COMMON,
    prompt: { takes: 'text', words: 'what a model is asked; $ARGUMENTS stands for the event', required: true },
    model: { takes: 'text', words: 'which model' },
    continueOnBlock: { takes: 'flag', words: 'a refusal is told to the agent instead of ending the turn' }
  },
  agent: {
    ...COMMON,
    prompt: { takes: 'text', words: 'what an agent is asked to verify', required: true },
    model: { takes: 'text', words: 'which model' }
  },
  mcp_tool: {
    ...COMMON,
    server: { takes: 'text', words: 'the server that has the tool', required: true },
    tool: { takes: 'text', words: 'the tool to call', required: true },
    input: { takes: 'object', words: 'its input; ${path} stands for a field of the event' }
  }
} satisfies Record<string, Record<string, KeyRule>>

/** A kind of handler. */
export type HandlerType = keyof typeof HANDLERS

export const isHandlerType = (name: unknown): name is HandlerType =>
  typeof name === 'string' && Object.hasOwn(HANDLERS, name)

/** The kinds that Claude Code does not know. */
export const OUR_TYPES: readonly HandlerType[] = ['worker']
/** The kinds that need an agent around them. */
export const AGENT_TYPES: readonly HandlerType[] = ['prompt', 'agent', 'mcp_tool']

export const rulesOf = (type: HandlerType): Readonly<Record<string, KeyRule>> => HANDLERS[type]

const isText = (value: unknown): boolean => typeof value === 'string'

interface KeyCheck {
  readonly words: string
  readonly schema: object
  fits(value: unknown): boolean
}

const oneOf = (words: string, choices: readonly unknown[]): KeyCheck => ({
  words,
  schema: { enum: choices },
  fits: value => choices.includes(value)
})

/** What each type of key accepts, in words, as JSON Schema and as a question. */
export const KEY_TYPES: Readonly<Record<KeyType, KeyCheck>> = {
  text: { words: 'text', schema: { type: 'string' }, fits: isText },
  seconds: {
    words: 'a number of seconds above 0 and below 2,147,483',
    schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 2_147_483 },
    fits: value => typeof value === 'number' && value > 0 && value < 2_147_483
  },
  number: { words: 'a number', schema: { type: 'number' }, fits: value => typeof value === 'number' },
  flag: { words: 'true or false', schema: { type: 'boolean' }, fits: value => typeof value === 'boolean' },
  texts: {
    words: 'a list of texts',
    schema: { type: 'array', items: { type: 'string' } },
    fits: value => Array.isArray(value) && value.every(isText)
  },
  variables: {
    words: 'an object of texts',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    fits: value => isObject(value) && Object.values(value).every(isText)
  },
  policy: oneOf('"block" or "continue"', ['block', 'continue']),
  dialect: oneOf('"contract" or "library"', ['contract', 'library']),
  shell: oneOf('"bash", "sh" or "powershell"', ['bash', 'sh', 'powershell']),
  object: { words: 'an object', schema: { type: 'object' }, fits: isObject }
}

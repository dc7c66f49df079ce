import type { FieldTable } from '../../schema/table.ts'

const STRINGS = { list: 'string' } as const
const VARIABLES = { record: 'string' } as const

const SECONDS = {
  type: 'number',
  above: 0,
  below: 2_147_483,
  expected: 'a number of seconds above 0 and below 2,147,483'
} as const

const COMMON = {
  'if?': { type: 'string', words: 'one permission rule, such as Bash(git *): the hook runs only if it matches' },
  'timeout?': { ...SECONDS, words: 'seconds that it may take' },
  'statusMessage?': { type: 'string', words: 'shown to people while it runs' },
  'once?': { type: 'boolean', words: 'removed after its first run that neither failed nor blocked' },
  'onFailure?': { type: ['block', 'continue'], words: 'what its failure means: block or continue' },
  'name?': { type: 'string', words: 'the name for lists and reports' },
  'priority?': { type: 'number', words: 'higher runs first' },
  'observe?': { type: 'boolean', words: 'runs last, sees what was decided, and decides nothing' },
  'dialect?': {
    type: ['contract', 'library'],
    words: 'how its reply is read: contract (as in Claude Code) or library'
  }
} as const

const PROCESS = {
  command: { type: 'string', notBlank: true, words: 'a command line, or with args a program' },
  'args?': { type: STRINGS, words: 'with these, even if empty, no shell is used' },
  'shell?': { type: ['bash', 'sh', 'powershell'], words: 'bash, sh or powershell' },
  'env?': { type: VARIABLES, words: 'variables on top of what it inherits' }
} as const

/** Keys that people add for themselves: nothing reads them. */
export const isAnnotation = (key: string): boolean =>
  /^(?:[$#/].*|_(?!_proto).*|id|name|title|description|comments?|notes?|tags|author|version)$/.test(key)

/** The keys of each kind of handler: one table for the loader, the checks and the JSON Schema. */
export const HANDLERS = {
  command: {
    type: ['command'],
    ...COMMON,
    ...PROCESS,
    'async?': { type: 'boolean', words: 'the event continues at once; its context is added later' },
    'asyncRewake?': { type: 'boolean', words: 'as async; exit code 2 wakes the agent with its output' },
    'rewakeMessage?': { type: 'string', words: 'with asyncRewake: what precedes its output' },
    'rewakeSummary?': { type: 'string', words: 'with asyncRewake: shown to people when it wakes the agent' },
    'prewarm?': { type: 'boolean', words: 'the next process is started ahead, and waits on standard input' },
    'limits?': { type: 'object', words: 'memory in megabytes and number of processes' },
    'pidNamespace?': { type: 'boolean', words: 'runs in a separate process namespace' }
  },
  worker: {
    type: ['worker'],
    ...COMMON,
    ...PROCESS,
    'heartbeat?': { ...SECONDS, words: 'seconds of silence before it is pinged' }
  },
  http: {
    type: ['http'],
    ...COMMON,
    url: { type: 'string', notBlank: true, words: 'where the event is posted to' },
    'headers?': { type: VARIABLES, words: 'headers; $NAME is replaced by a variable of allowedEnvVars' },
    'allowedEnvVars?': { type: STRINGS, words: 'the variables that headers may name' }
  },
  prompt: {
    type: ['prompt'],
    ...COMMON,
    prompt: { type: 'string', notBlank: true, words: 'what a model is asked; $ARGUMENTS is replaced by the event' },
    'model?': { type: 'string', words: 'which model' },
    'continueOnBlock?': { type: 'boolean', words: 'a refusal is given to the agent instead of ending the turn' }
  },
  agent: {
    type: ['agent'],
    ...COMMON,
    prompt: { type: 'string', notBlank: true, words: 'what an agent is asked to verify' },
    'model?': { type: 'string', words: 'which model' }
  },
  mcp_tool: {
    type: ['mcp_tool'],
    ...COMMON,
    server: { type: 'string', notBlank: true, words: 'the server that has the tool' },
    tool: { type: 'string', notBlank: true, words: 'the tool to call' },
    'input?': { type: 'object', words: 'its input; ${path} is replaced by a field of the event' }
  }
} as const satisfies Record<string, FieldTable>

export type HandlerType = keyof typeof HANDLERS

export const isHandlerType = (name: unknown): name is HandlerType =>
  typeof name === 'string' && Object.hasOwn(HANDLERS, name)

/** Claude Code does not know these. */
export const OUR_TYPES: readonly HandlerType[] = ['worker']
/** These need a running agent. */
export const AGENT_TYPES: readonly HandlerType[] = ['prompt', 'agent', 'mcp_tool']

/** How events may be answered: the decisions and fields of each family, and how two answers join. */

/** What a hook may decide. */
export type Decision = 'allow' | 'deny' | 'ask' | 'defer'

/** Whether an allow or an ask wins between hooks that were added under one setting. */
export type Precedence = 'allow-over-ask' | 'ask-over-allow'

/** Who wins when hooks disagree; `allow-over-ask` makes an exception of this, among its own hooks. */
export const STRENGTH: Record<Decision, number> = { deny: 4, defer: 3, ask: 2, allow: 1 }

/** The fields that only some events take, with the type that is checked. The latest answer wins. */
export const FIELDS = {
  additionalContext: { type: 'string', words: 'text for the next model call; all texts are kept, in order' },
  updatedInput: { type: 'object', words: 'the input to use instead' },
  updatedToolOutput: {
    type: 'unknown',
    words: 'the result to show instead of the tool’s own: a text, content blocks, or its own shape'
  },
  updatedMCPToolOutput: { type: 'unknown', words: 'the same, for tools of MCP servers only' },
  updatedPermissions: { type: 'list', words: 'rule and mode changes to make with the permission' },
  interrupt: { type: 'boolean', words: 'end the turn together with the refusal' },
  retry: { type: 'boolean', words: 'tell the model that it may try again' },
  initialUserMessage: { type: 'string', words: 'a first prompt, where no person is there to give one' },
  sessionTitle: { type: 'string', words: 'a title for the session' },
  watchPaths: { type: 'list', words: 'files whose changes shall be reported' },
  reloadSkills: { type: 'boolean', words: 'look for skills again' },
  action: { type: 'accept | decline | cancel', words: 'what the server is told: nobody else is asked' },
  content: { type: 'object', words: 'what was filled in; counts with `accept`' },
  suppressOriginalPrompt: { type: 'boolean', words: 'leave the refused prompt out of what is shown' }
} as const

/** The name of a field that only some events take. */
export type SpecificField = keyof typeof FIELDS

/** What a family of answers means. */
export interface Answer {
  readonly decisions: readonly Decision[]
  readonly fields: readonly SpecificField[]
  /** What a deny, a block or exit code 2 does. */
  readonly deny: string
  /** Whether a deny stops something: the action, or (for `stop`) the stopping. */
  readonly blocks: boolean
  /** Only `decision: "block"` itself refuses; `block()` and `continue: false` do not. */
  readonly explicitOnly?: true
}

const CONTEXT = ['additionalContext'] as const

/** Each family of answers: its decisions, its fields, and what a deny does. */
export const ANSWERS = {
  gate: {
    decisions: ['allow', 'deny', 'ask', 'defer'],
    fields: ['updatedInput', ...CONTEXT],
    deny: 'the call does not run; the reason goes to the model',
    blocks: true
  },
  permission: {
    decisions: ['allow', 'deny'],
    fields: ['updatedInput', 'updatedPermissions', 'interrupt'],
    deny: 'permission is refused; nobody is asked',
    blocks: true
  },
  prompt: {
    decisions: ['deny'],
    fields: [...CONTEXT, 'sessionTitle', 'suppressOriginalPrompt'],
    deny: 'the prompt is dropped; the reason goes to the caller',
    blocks: true
  },
  expansion: {
    decisions: ['deny'],
    fields: [...CONTEXT, 'suppressOriginalPrompt'],
    deny: 'the command is not expanded; the reason goes to the caller',
    blocks: true
  },
  session: {
    decisions: ['deny'],
    fields: [...CONTEXT, 'initialUserMessage', 'sessionTitle', 'watchPaths', 'reloadSkills'],
    deny: 'the session does not start',
    blocks: true
  },
  create: { decisions: ['deny'], fields: [], deny: 'the task is not made', blocks: true },
  start: { decisions: ['deny'], fields: CONTEXT, deny: 'the agent does not run', blocks: true },
  block: { decisions: ['deny'], fields: CONTEXT, deny: 'the run ends before the next model call', blocks: true },
  stop: { decisions: ['deny'], fields: CONTEXT, deny: 'it goes on instead of ending, with the reason', blocks: true },
  veto: {
    decisions: ['deny'],
    fields: [],
    deny: 'no compaction, unless it is forced; only an explicit `decision: "block"` counts',
    blocks: true,
    explicitOnly: true
  },
  change: {
    decisions: ['deny'],
    fields: [],
    deny: 'the change does not count; managed policy always does',
    blocks: true
  },
  result: {
    decisions: ['deny'],
    fields: [...CONTEXT, 'updatedToolOutput', 'updatedMCPToolOutput'],
    deny: 'the result stays; the reason goes to the model beside it',
    blocks: false
  },
  feedback: {
    decisions: ['deny'],
    fields: CONTEXT,
    deny: 'the error stays; the reason goes to the model beside it',
    blocks: false
  },
  elicitation: {
    decisions: ['deny'],
    fields: ['action', 'content'],
    deny: 'the server is told that nobody wants to answer (decline)',
    blocks: true
  },
  retry: { decisions: [], fields: ['retry'], deny: 'nothing: it is refused already', blocks: false },
  inform: { decisions: [], fields: CONTEXT, deny: 'nothing', blocks: false },
  news: { decisions: [], fields: ['watchPaths'], deny: 'nothing', blocks: false },
  watch: { decisions: [], fields: [], deny: 'nothing', blocks: false }
} as const satisfies Record<string, Answer>

/** The name of a family of answers; every event has one. */
export type Family = keyof typeof ANSWERS
export const answerOf = (family: Family): Answer => ANSWERS[family]

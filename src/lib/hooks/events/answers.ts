/** How events may be answered: the decisions and fields of each family, and how two answers join. */

/** What a hook may decide. */
export type Decision = 'allow' | 'deny' | 'ask' | 'defer'

/** Whether an allow or an ask wins between hooks that were added under one setting. */
export type Precedence = 'allow-over-ask' | 'ask-over-allow'

/** Which decision wins when hooks disagree; `allow-over-ask` is an exception, among its own hooks. */
export const STRENGTH: Record<Decision, number> = { deny: 4, defer: 3, ask: 2, allow: 1 }

/** The fields that only some events take, with the type that is checked. The latest answer wins. */
export const FIELDS = {
  additionalContext: 'string',
  updatedInput: 'object',
  updatedToolOutput: 'unknown',
  updatedMCPToolOutput: 'unknown',
  updatedPermissions: 'list',
  interrupt: 'boolean',
  retry: 'boolean',
  initialUserMessage: 'string',
  sessionTitle: 'string',
  watchPaths: 'list',
  reloadSkills: 'boolean',
  action: 'accept | decline | cancel',
  content: 'object',
  suppressOriginalPrompt: 'boolean',
  displayContent: 'string',
  classifierContext: 'string'
} as const

/** The name of a field that only some events take. */
export type SpecificField = keyof typeof FIELDS

export interface AnswerRules {
  readonly decisions: readonly Decision[]
  readonly fields: readonly SpecificField[]
  /** Whether a deny stops something: the action, or (for `stop`) the stopping. */
  readonly blocks: boolean
  /** Only `decision: "block"` itself refuses; `block()` and `continue: false` do not. */
  readonly explicitOnly?: true
}

const CONTEXT = ['additionalContext'] as const

/** Each family of answers. docs/hooks.md explains what a deny does in each. */
export const ANSWERS = {
  gate: { decisions: ['allow', 'deny', 'ask', 'defer'], fields: ['updatedInput', ...CONTEXT], blocks: true },
  permission: {
    decisions: ['allow', 'deny'],
    fields: ['updatedInput', 'updatedPermissions', 'interrupt'],
    blocks: true
  },
  prompt: { decisions: ['deny'], fields: [...CONTEXT, 'sessionTitle', 'suppressOriginalPrompt'], blocks: true },
  expansion: { decisions: ['deny'], fields: [...CONTEXT, 'suppressOriginalPrompt'], blocks: true },
  session: {
    decisions: ['deny'],
    fields: [...CONTEXT, 'initialUserMessage', 'sessionTitle', 'watchPaths', 'reloadSkills'],
    blocks: true
  },
  create: { decisions: ['deny'], fields: [], blocks: true },
  start: { decisions: ['deny'], fields: CONTEXT, blocks: true },
  block: { decisions: ['deny'], fields: CONTEXT, blocks: true },
  stop: { decisions: ['deny'], fields: CONTEXT, blocks: true },
  veto: { decisions: ['deny'], fields: [], blocks: true, explicitOnly: true },
  switch: { decisions: ['allow', 'deny', 'ask'], fields: [], blocks: true },
  change: { decisions: ['deny'], fields: [], blocks: true },
  result: {
    decisions: ['deny'],
    fields: [...CONTEXT, 'updatedToolOutput', 'updatedMCPToolOutput', 'classifierContext'],
    blocks: false
  },
  feedback: { decisions: ['deny'], fields: CONTEXT, blocks: false },
  request: { decisions: ['allow', 'deny'], fields: ['updatedInput'], blocks: true },
  response: { decisions: ['allow', 'deny'], fields: ['updatedInput'], blocks: true },
  elicitation: { decisions: ['deny'], fields: ['action', 'content'], blocks: true },
  retry: { decisions: [], fields: ['retry'], blocks: false },
  inform: { decisions: [], fields: CONTEXT, blocks: false },
  display: { decisions: [], fields: ['displayContent'], blocks: false },
  news: { decisions: [], fields: ['watchPaths'], blocks: false },
  watch: { decisions: [], fields: [], blocks: false }
} as const satisfies Record<string, AnswerRules>

/** The name of a family of answers; every event has one. */
export type Family = keyof typeof ANSWERS
export const answerRules = (family: Family): AnswerRules => ANSWERS[family]

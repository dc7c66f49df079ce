import type { Mode } from '../../permissions/modes.ts'
import { own, type FieldTable, type Infer } from '../../schema/table.ts'

const STRINGS = { list: 'string' } as const

export const AGENT_DEFINITION = {
  description: { type: 'string', words: 'when to call it, for the model' },
  prompt: { type: 'string', words: 'its system prompt' },
  'tools?': { type: STRINGS, words: 'the names of its tools; default: all of its parent' },
  'disallowedTools?': STRINGS,
  'model?': { type: 'string', words: 'default: that of its parent' },
  'maxTurns?': { type: 'number', above: 0 },
  'permissionMode?': own<Mode>('a string', value => typeof value === 'string')
} as const satisfies FieldTable

/** A subagent, defined in code or in a file. */
export type AgentDefinition = Infer<typeof AGENT_DEFINITION, undefined>

export const USUAL_AGENTS: Readonly<Record<string, AgentDefinition>> = {
  'general-purpose': {
    description: 'For tasks of several steps: searching, reading, changing files, running commands.',
    prompt:
      'You are a helper of another agent. Do exactly the task that you are given, with the tools that you have. ' +
      'When you are done, answer with all that the other agent needs to know, and no more: it sees only your last answer.'
  },
  Explore: {
    description: 'Finds out where something is and how it works. It only reads.',
    prompt:
      'You look for things in a project for another agent. You only read. ' +
      'Answer with what you found, with paths and lines: the other agent sees only your last answer.',
    tools: ['Read', 'Glob', 'Grep']
  }
}

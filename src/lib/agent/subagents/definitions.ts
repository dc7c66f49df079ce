import type { Mode } from '../../permissions/modes.ts'

/** What a subagent is: from code, or from a file. */
export interface AgentDefinition {
  /** When to call it, for the model. */
  readonly description: string
  /** Its system prompt. */
  readonly prompt: string
  /** The names of its tools. Default: all of its parent's. */
  readonly tools?: readonly string[] | undefined
  readonly disallowedTools?: readonly string[] | undefined
  /** Default: its parent's. */
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  readonly permissionMode?: Mode | undefined
}

/** The subagents that are always there. */
export const USUAL_AGENTS: Readonly<Record<string, AgentDefinition>> = {
  'general-purpose': {
    description: 'For tasks of several steps: searching, reading, changing files, running commands.',
    prompt:
      'You are a helper of another agent. Do exactly the task that you are given, with the tools that you have. ' +
      'When you are done, answer with all that the other agent needs to know, and no more: it sees only your last answer.'
  },
  Explore: {
    description: 'For finding out where something is and how it works. It only reads.',
    prompt:
      'You look for things in a project for another agent. You only read. ' +
      'Answer with what you found, with paths and lines: the other agent sees only your last answer.',
    tools: ['Read', 'Glob', 'Grep']
  }
}

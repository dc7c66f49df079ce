import { nearest } from '../../errors.ts'
import type { Rule } from '../../permissions/rule.ts'
import { builtInTool } from '../../tools/built-in.ts'
import type { Tool } from '../../tools/tool.ts'
import { withArguments } from './skill-arguments.ts'

/** A skill or a slash command. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly source: 'userSettings' | 'projectSettings' | 'plugin'
  readonly folder: string
  /** The model may call it by itself. */
  readonly byModel: boolean
  /** What runs without a question while it is active. */
  readonly allows: readonly Rule[]
  /** Throws where its file is not the one that was trusted. */
  check(): void
  text(): string
}

export interface Skills {
  readonly all: ReadonlyMap<string, Skill>
  /** Its hooks are active until the session ends, what it allows until the turn ends. May throw. */
  activate(name: string): void
  /** A turn begins. Call the returned function when it ends. */
  turn(): () => void
}

/** Gives the model the text of a skill. */
export function skillTool({ all, activate }: Skills): Tool {
  const names = [...all.values()].filter(({ byModel }) => byModel)
  return builtInTool('Skill', {
    description: `Gives you the instructions of a skill. Call it when a task fits one of these:

${names.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`,
    check(input) {
      const { skill } = input
      if (all.get(skill)?.byModel === true) return { input }
      const near = nearest(
        skill,
        names.map(({ name }) => name)
      )
      return { problem: `there is no skill ${skill}${near === undefined ? '' : `; did you mean ${near}?`}` }
    },
    async run({ skill: name, args }, { session }) {
      activate(name)
      const content = skillText(all.get(name)!, args, session.id)
      return { content, output: { success: true, commandName: name } }
    }
  })
}

/** The text of a skill, with these arguments. */
export const skillText = ({ folder, text }: Skill, args: string, session: string): string =>
  withArguments(text(), args, { CLAUDE_SKILL_DIR: folder, CLAUDE_SESSION_ID: session })

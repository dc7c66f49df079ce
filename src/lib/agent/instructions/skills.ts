import { nearest, wordsOf } from '../../errors.ts'
import type { Rule } from '../../permissions/rule.ts'
import { builtInTool } from '../../tools/built-in.ts'
import type { Tool } from '../../tools/tool.ts'
import { reasonForModel } from '../call/objections.ts'
import type { Session } from '../session/session.ts'
import { withArguments } from './skill-arguments.ts'

/** Words that somebody has written down for a task: a skill, or a slash command. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly source: 'userSettings' | 'projectSettings' | 'plugin'
  readonly folder: string
  /** The model may call it by itself. */
  readonly byModel: boolean
  /** What needs no question while it is active. */
  readonly allows: readonly Rule[]
  /** Throws where its file is not the one that was trusted. */
  check(): void
  text(): string
}

/** The skills that are there. */
export interface Skills {
  readonly all: ReadonlyMap<string, Skill>
  /** Puts a skill in force: its hooks for the rest of the session, what it allows until the turn ends. May throw. */
  activate(name: string): void
  /** A turn begins. Call what comes back when it ends. */
  turn(): () => void
}

/** Reads a skill to the model when it is wanted. */
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
      const content = wordsFor(all.get(name)!, args, session.id)
      return { content, output: { success: true, commandName: name } }
    }
  })
}

/**
 * What a prompt such as `/review src` stands for. Hooks may refuse the expansion; `undefined` where the prompt is no
 * command, and then it is what it says.
 */
export async function expand(
  prompt: string,
  session: Session,
  signal: AbortSignal
): Promise<{ readonly text: string } | { readonly refused: string } | undefined> {
  const { skills } = session.options
  const [, name, args = ''] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? []
  const skill = name === undefined ? undefined : skills?.all.get(name)
  if (skills === undefined || skill === undefined) return undefined
  const outcome = await session.hooks.run(
    'UserPromptExpansion',
    {
      expansion_type: 'slash_command',
      command_name: skill.name,
      command_args: args.trim(),
      command_source: skill.source,
      prompt
    },
    { signal }
  )
  if (outcome.blocked) return { refused: `/${skill.name} was refused: ${reasonForModel(outcome)} [${outcome.by}]` }
  try {
    skills.activate(skill.name)
  } catch (error) {
    return { refused: `/${skill.name} cannot be used: ${wordsOf(error)}` }
  }
  return { text: wordsFor(skill, args.trim(), session.id) }
}

/** The words of a skill, about this. */
const wordsFor = ({ folder, text }: Skill, args: string, session: string): string =>
  withArguments(text(), args, { CLAUDE_SKILL_DIR: folder, CLAUDE_SESSION_ID: session })

import type { Rule } from '../../permissions/policy.ts'
import { nearest } from '../../errors.ts'
import { builtInTool } from '../../tools/built-in.ts'
import type { Tool } from '../../tools/tool.ts'

export interface Skill {
  readonly name: string
  readonly description: string
  readonly source: 'userSettings' | 'projectSettings' | 'plugin'
  readonly folder: string
  readonly byModel: boolean
  readonly allows: readonly Rule[]
  /** Throws if its file is not the one that was trusted. */
  check(): void
  text(): string
}

export interface Skills {
  readonly all: ReadonlyMap<string, Skill>
  /** Its hooks are active until the session ends, its permissions until the turn ends. May throw. */
  activate(name: string): void
  /** A turn begins. Call the returned function when it ends. */
  turn(): () => void
}

export function skillTool({ all, activate }: Skills): Tool {
  const names = [...all.values()].filter(({ byModel }) => byModel)
  return builtInTool('Skill', {
    description: `Gives you the instructions of a skill. Call it when a task matches one of these:

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

export const skillText = ({ folder, text }: Skill, args: string, session: string): string =>
  withArguments(text(), args, { CLAUDE_SKILL_DIR: folder, CLAUDE_SESSION_ID: session })

/**
 * Fills in the arguments of a skill. `$ARGUMENTS` is all of them as typed, `$ARGUMENTS[0]` or `$0` the first word,
 * `${NAME}` one of the values. Placeholders without a word stay as they are; if nothing is filled in, the arguments are
 * appended at the end.
 */
export function withArguments(text: string, args: string, values: Readonly<Record<string, string>>): string {
  const words = argumentsIn(args)
  let used = false
  // In one pass: placeholders in typed text are not filled in.
  const filled = text.replaceAll(PLACE, (whole, name?: string, long?: string, short?: string) => {
    if (name !== undefined) return Object.hasOwn(values, name) ? values[name]! : whole
    const place = long ?? short
    const word = place === undefined ? args : words[Number(place)]
    used ||= word !== undefined
    return word ?? whole
  })
  return used || args === '' ? filled : `${filled}\n\nARGUMENTS: ${args}`
}

const PLACE = /\$(?:\{(\w+)\}|ARGUMENTS\[(\d{1,4})\]|ARGUMENTS\b|(\d{1,4})(?!\w))/g

/** Splits like a shell: quotes group words, and are removed. */
function argumentsIn(args: string): readonly string[] {
  return (args.match(WORD) ?? []).map(word =>
    word.replaceAll(
      PIECE,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? ''
    )
  )
}

/** A quote that is never closed is a letter, as in don't. */
const PIECE = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\([\s\S])/g
const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\[\s\S]|\S)+/g

import type { Rule } from './policy.ts'
import { formOf } from '../shell/read-form.ts'
import { isProgramOf, runsArguments } from '../shell/programs.ts'
import { isAssignment } from '../shell/variables.ts'
import { programRow, rowNames, type ProgramRow } from '../shell/row.ts'

const wordsIn = (specifier: string): readonly string[] => specifier.replace(/:\*$/, ' *').split(/\s+/)

/** What an allow rule with `*` covered in 0.1.0, in the project, and does not cover any more. Undefined: nothing. */
export function narrowedBy({ behavior, tool, specifier }: Rule): string | undefined {
  if (behavior !== 'allow' || tool !== 'Bash' || specifier?.includes('*') !== true) return undefined
  const words = wordsIn(specifier)
  const literal = words.slice(
    0,
    words.findIndex(word => word.includes('*'))
  )
  const [program = ''] = literal
  if (isAssignment(words[0] ?? '')) return `covers nothing: ${WITHOUT_VARIABLES}`
  if (literal.length === 0) return 'covers only programs in the table'
  const sub = literal.slice(1).find(word => !word.startsWith('-')) ?? ''
  const name = programRow(`${program} ${sub}`) === undefined ? program : `${program} ${sub}`
  const row = programRow(name)
  if (row?.properties.has('any') === true) return undefined
  const why = formOf([...literal, 'x'].map(text => ({ text, known: true }))).doubt(literal.length)
  if (row === undefined && why !== undefined)
    return `covers nothing: ${program} runs other programs. Write each command out`
  if (row === undefined)
    return `covers plain words; options of ${program} need a prompt, because it is not in the table`
  const last = row.options.get(literal.at(-1) ?? '')
  if (last !== undefined && last.values > 0 && why !== undefined)
    return `covers nothing: the value of ${literal.at(-1)} must be written out in the rule`
  const names = [...promptedOptions(row), ...rowNames().filter(each => asksBelow(name, each))]
  const others = names.filter(each => !literal.includes(each)).slice(0, 8)
  return others.length === 0 ? OTHERS : `needs a prompt for ${others.join(', ')}`
}

/** What every rule with `*` does not cover any more. */
export const OTHERS = 'needs a prompt for options and sub-commands that are not in the table'

const promptedOptions = ({ options }: ProgramRow): readonly string[] =>
  Array.from(options, ([option, { sign }]) => (/^[!~>]/.test(sign) ? option : '')).filter(option => option !== '')

const asksBelow = (name: string, other: string): boolean =>
  other.startsWith(`${name} `) && programRow(other)?.does === 'asks'

const WITHOUT_VARIABLES = 'commands are compared without the variables before them'

const takesFlags = (program: string): boolean =>
  [...(programRow(program)?.options.values() ?? [])].some(({ sign }) => sign === '')

/** Why a rule does more, or less, than it seems to. */
export function riskOf({ behavior, tool, specifier = '' }: Rule): readonly [message: string, fix: string] | undefined {
  if (tool !== 'Bash' || !specifier.includes('*')) return undefined
  const words = wordsIn(specifier)
  const [program = ''] = words
  const isOpen = words.at(-1)?.includes('*') === true
  const rest = words.slice(words.findIndex(word => !isAssignment(word))).join(' ')
  if (isAssignment(program)) return [`covers nothing: ${WITHOUT_VARIABLES}`, `write Bash(${rest})`]
  const [, path = ''] = words
  if (behavior === 'allow' && words.length === 2 && /^[^*-].*\//.test(path) && takesFlags(program))
    return [`does not cover options of ${program}`, `add Bash(${program} -… ${path}), or write Bash(${program} *)`]
  if (behavior === 'allow' && isOpen) {
    if (program.includes('*')) return ['allows every program that fits', 'write the name of the program']
    const isRunner = runsArguments(program) || isProgramOf('interpreter', program) || isProgramOf('runsText', program)
    if (isRunner && words.length <= 2)
      return [`allows ${program}, which runs other programs and code`, 'write the commands that it may run']
  }
  const options = words.filter(word => /^-\w/.test(word))
  if (behavior !== 'allow' && options.length > 0)
    return [
      `depends on the order and spelling of ${options.join(' ')}; other spellings need a prompt instead of being refused`,
      `write Bash(${program} *), or keep it as it is if a prompt is enough`
    ]
  return undefined
}

import type { Rule } from './policy.ts'
import { formOf } from '../shell/form.ts'
import { isProgramOf, runsArguments } from '../shell/programs.ts'
import { programRow } from '../shell/row.ts'

const wordsIn = (specifier: string): readonly string[] => specifier.replace(/:\*$/, ' *').split(/\s+/)

/** What an allow rule with `*` covered in 0.1.0 and does not cover any more. Undefined: nothing. */
export function narrowedBy({ behavior, tool, specifier }: Rule): string | undefined {
  if (behavior !== 'allow' || tool !== 'Bash' || specifier?.includes('*') !== true) return undefined
  const words = wordsIn(specifier)
  const end = words.findIndex(word => word.includes('*'))
  const literal = words.slice(0, end)
  const [program = ''] = literal
  if (literal.length === 0) return 'programs without a row in the table need a prompt'
  const sub = literal.slice(1).find(word => !word.startsWith('-')) ?? ''
  const row = programRow(`${program} ${sub}`) ?? programRow(program)
  if (row?.properties.has('any') === true) return undefined
  if (row === undefined)
    return runsArguments(program) || isProgramOf('interpreter', program)
      ? `${program} runs other programs: a rule with * covers nothing, write each command out`
      : `${program} has no row in the table: it is allowed with plain words, and options need a prompt`
  const { why } = formOf(
    [...literal, 'x'].map(text => ({ text, known: true })),
    literal.length
  )
  return why?.includes('not harmless') === true || why?.includes('always asks') === true
    ? `${why}: its value has to be written out in the rule`
    : `options of ${literal.slice(0, sub === '' ? 1 : 2).join(' ')} that are not listed as harmless need a prompt`
}

/** Why a rule does more, or less, than it seems to. */
export function riskOf({ behavior, tool, specifier = '' }: Rule): readonly [message: string, fix: string] | undefined {
  if (tool !== 'Bash' || !specifier.includes('*')) return undefined
  const words = wordsIn(specifier)
  const [program = ''] = words
  const isOpen = words.at(-1)?.includes('*') === true
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

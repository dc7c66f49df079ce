import { programRow } from './row.ts'
import { FREE, FREE_WORDS } from './rows/free.ts'
import { Walker, type CommandStep, type WalkedText } from './walk.ts'

/** Each command in the text needs no rule: it only reads what it names. What that is, and where, is not looked at. */
export const onlyReads = (text: string): boolean => textReads(new Walker().text(text))

const textReads = ({ isFlat, steps }: WalkedText): boolean => isFlat && steps.every(stepReads)

const stepReads = (step: CommandStep): boolean =>
  ruleNeeded(step) === undefined &&
  step.leaf.redirections.every(({ kind }) => kind === 'nowhere' || kind === 'read') &&
  step.texts.length === 0 &&
  step.inner.every(stepReads)

export const NOTHING_ALLOWS = 'nothing allows it'

const OPTIONS = new Map<string, RegExp>()

/** What an option of a program looks like that needs no rule. */
function optionsOf(name: string): RegExp {
  let options = OPTIONS.get(name)
  if (options === undefined) {
    const tokens = (FREE[name] ?? '').split(/\s+/).filter(token => token !== '')
    const isWhole = (token: string): boolean =>
      token.startsWith('--') || programRow(name)?.properties.has('dash') === true
    const lettersOf = (pattern: RegExp): string =>
      tokens.flatMap(token => (isWhole(token) ? [] : (pattern.exec(token)?.[1] ?? []))).join('')
    const words = tokens.filter(isWhole).map(token => token.replace(/=$/, '(?:=[^]*)?'))
    const letters = `-[_${lettersOf(/^-([^=]+)$/)}]*(?:[_${lettersOf(/^-(.+)=$/)}][^]*)?`
    OPTIONS.set(name, (options = new RegExp(`^(?:--|-\\d+\\w?|${[...words, letters].join('|')})$`)))
  }
  return options
}

/**
 * Why a command needs a rule, although it may be harmless: only literal words, without variables, patterns and
 * assignments, and only the options and texts of the table need none.
 */
export function ruleNeeded({ leaf, form, isByPath }: CommandStep): string | undefined {
  const { assignments, words, redirections } = leaf
  const texts = words.map(({ text }) => text)
  if (texts[0] === 'git' && texts[1] === '--no-pager') texts.splice(1, 1)
  const name = [3, 2, 1].map(count => texts.slice(0, count).join(' ')).find(each => Object.hasOwn(FREE, each))
  if (!form.isKnown) return form.doubt()
  if (name === undefined || isByPath || (form.does !== 'reads' && form.does !== 'wraps')) return NOTHING_ALLOWS
  if (assignments[0] !== undefined) return `${assignments[0].text} sets a variable`
  const unknown = words.find(({ text, known }) => !known && FREE_WORDS[name]?.test(text) !== true)
  if (unknown !== undefined) return `${unknown.text} is only known to the shell`
  if (redirections.some(({ kind, target }) => kind === 'text' && !(name === 'cat' && target.known)))
    return 'it reads a text of the shell'
  const options = optionsOf(name)
  const own = texts.slice(name.split(' ').length, texts.length - (form.commands[0]?.length ?? 0))
  const odd = own.find(text => /^-./s.test(text) && !options.test(text)) ?? form.wide
  return odd && `${odd} needs a rule`
}

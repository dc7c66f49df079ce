import { isHarmlessVariable } from './variables.ts'
import { Walker, type CommandStep, type WalkedText } from './walk.ts'

/** Each command in the text only reads what it names. What that is, and what the repository makes of it, is not looked at. */
export const onlyReads = (text: string): boolean => textReads(new Walker().text(text))

const textReads = ({ isFlat, steps }: WalkedText): boolean => isFlat && steps.every(stepReads)

const stepReads = ({
  leaf: { assignments, words, redirections },
  form,
  isByPath,
  inner,
  texts
}: CommandStep): boolean =>
  assignments.every(word => word.known && isHarmlessVariable(word.text)) &&
  redirections.every(
    ({ kind, target }) => kind === 'nowhere' || (kind !== 'write' && kind !== 'both' && target.known)
  ) &&
  (words.length === 0 ||
    (!isByPath &&
      form.isKnown &&
      form.patterns.length === 0 &&
      (form.does === 'reads' || form.does === 'wraps' || texts.length > 0) &&
      inner.every(stepReads) &&
      texts.every(textReads)))

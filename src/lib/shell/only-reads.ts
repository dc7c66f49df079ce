import { formOf } from './read-form.ts'
import { parseShell, type ShellWord } from './parse.ts'
import { isHarmlessVariable } from './variables.ts'

const DEEPEST = 8

/** Each command in the text only reads what it names. What that is, and what the repository makes of it, is not looked at. */
export function onlyReads(text: string, depth = 0): boolean {
  const { leaves, flat } = parseShell(text)
  return (
    flat &&
    depth < DEEPEST &&
    leaves.length > 0 &&
    leaves.every(
      ({ assignments, words, redirections }) =>
        assignments.every(word => word.known && isHarmlessVariable(word.text)) &&
        redirections.every(
          ({ kind, target }) => kind === 'nowhere' || (kind !== 'write' && kind !== 'both' && target.known)
        ) &&
        (words.length === 0 || reads(words, depth))
    )
  )
}

function reads(words: readonly ShellWord[], depth: number): boolean {
  const { does, isKnown, commands, texts, patterns } = formOf(words)
  if (!isKnown || patterns.length > 0) return false
  if (does !== 'reads' && does !== 'wraps' && texts.length === 0) return false
  return (
    depth < DEEPEST &&
    commands.every(inner => reads(inner, depth + 1)) &&
    texts.every(text => onlyReads(text, depth + 1))
  )
}

import { parseShell } from './parse.ts'
import { isAssignment } from './programs.ts'

/**
 * The words of a text that is provably one simple command: nothing separates, substitutes, expands, assigns or writes,
 * and each character can be seen. Undefined means: it may be one, or not.
 */
export function simpleCommand(text: string): readonly string[] | undefined {
  const trimmed = text.replaceAll(/^[ \t\n]+|[ \t\n]+$/g, '')
  const { single, leaves } = parseShell(trimmed)
  const [leaf] = leaves
  if (!single || leaf === undefined || trimmed.includes('\n') || leaf.assignments.length > 0) return undefined
  const isCertain = leaf.words.every(({ known }) => known) && leaf.redirections.every(({ kind }) => kind === 'nowhere')
  const words = leaf.words.map(word => word.text)
  const [program = ''] = words
  return isCertain && /^[\x21-\x7E]+$/.test(program) && !isAssignment(program) ? words : undefined
}

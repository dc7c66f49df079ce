/** Words and commands without the grammar: for texts that are plain enough not to need it, and for those it cannot read. */
import type { Leaf, ShellWord } from './parse.ts'
import { isKeyword } from './programs.ts'
import { isAssignment } from './variables.ts'

export const LONGEST_COMMAND = 65_536

const PIECE =
  /([\w.,/:=@%+^-]+)|'([^']*)'|"((?:[^"\\$`]|\$\{\w+\}|\$[A-Za-z_]\w*)*)"(?![\w"'])|\$\{\w+\}|\$[A-Za-z_]\w*(?!["'])|( +)/y
const PLAIN = /^[\x20-\x7E]*$/

export function quickLeaf(text: string): Leaf | undefined {
  if (text.length > LONGEST_COMMAND || !PLAIN.test(text)) return undefined
  const words: ShellWord[] = []
  let word: { text: string; known: boolean } | undefined
  for (PIECE.lastIndex = 0; PIECE.lastIndex < text.length;) {
    const match = PIECE.exec(text)
    if (match === null) return undefined
    const [whole, bare, single, double, blank] = match
    if (blank !== undefined) word = undefined
    else {
      if (word === undefined) words.push((word = { text: '', known: true }))
      word.text += bare ?? single ?? double ?? whole
      if ((bare ?? single) === undefined && (double ?? whole).includes('$')) word.known = false
    }
  }
  const first = words.findIndex(({ text: each }) => !isAssignment(each))
  return first === 0 && !isKeyword(words[0]?.text ?? '') && /^\S/.test(text)
    ? { assignments: [], words, redirections: [], fed: false, feeds: false }
    : undefined
}

const STARTERS = /^(?:(?:!|\[\[|case|coproc|do|elif|else|for|function|if|in|select|then|time|until|while)\s+)+/

/** For texts that cannot be read: quotes are removed, and whatever may separate two commands does. */
export function roughLeaves(text: string): readonly Leaf[] {
  const bare = text.replaceAll(/\\\n|\$?["']|\\/g, '')
  const pieces = new Set(bare.split(/[;&|\n()`{}<>]|\$\(/).map(piece => piece.trim()))
  pieces.delete('')
  const fed = /[|<]/.test(bare)
  return Array.from(pieces).flatMap(piece => {
    const words = piece.replace(STARTERS, '').split(/\s+/)
    const readings = piece.includes(',') ? [words, words.flatMap(word => word.split(','))] : [words]
    return readings.map(each => leafOfWords(each, fed))
  })
}

export function leafOfWords(texts: readonly string[], fed = false): Leaf {
  const first = texts.findIndex(text => !isAssignment(text))
  const at = first === -1 ? texts.length : first
  const words = texts.map(text => ({ text, known: true }))
  return { assignments: words.slice(0, at), words: words.slice(at), redirections: [], fed, feeds: false }
}

import { isProgramOf, programName, takesCode } from './programs.ts'

const LITERAL = /(["'`])((?:\\.|(?!\1)[^\\])*)\1|[([{<|!]\s*([^\s"'`()[\]{}<>|!,;]+)\s*[)\]}>|!]/gs
/** Between two strings that are concatenated, and between two of a list. */
const BETWEEN = /["'`]\s{0,20}[+.]?\s{0,20}["'`]/g
const LISTED = /["'`]\s{0,20},\s{0,20}["'`]/g
const ESCAPE = /\\x[\da-f]{2}|\\u\{?[\da-f]{2,4}\}?|\\[0-3]?[0-7]{2}|%[\da-f]{2}/gi
const MOST = 2_000

/** Paths that the code computes cannot be found. */
export function pathsInCode(words: readonly string[]): readonly string[] {
  const at = words.findIndex(word => takesCode(word) || isProgramOf('editor', programName(word)))
  if (at === -1) return []
  const code = words.slice(at + 1)
  if (isProgramOf('editor', programName(words[at] ?? '')))
    return code.flatMap(word => word.split(/[\s;}]+/)).flatMap(word => [word, word.replace(/^[\d,$]*[rRwW]/, '')])
  const texts = code.flatMap(word => {
    const text = word.replaceAll(ESCAPE, decoded)
    const joined = text.replaceAll(BETWEEN, '')
    return [text, joined, joined.replaceAll(LISTED, '/'), joined.replaceAll(LISTED, '')]
  })
  return texts
    .flatMap(text => literalsIn(text, 0))
    .slice(0, MOST)
    .flatMap(literal => [literal, ...inOtherLetters(literal)])
    .flatMap(literal => literal.replaceAll(/\$\{?\w+\}?/g, '.').split(/[^\w.~@%+/-]+/))
}

/** Of nested quotes, the innermost. */
function literalsIn(text: string, depth: number): readonly string[] {
  return Array.from(text.matchAll(LITERAL)).flatMap(([, , quoted, bare = '']) => {
    const said = quoted ?? bare
    const inner = depth < 2 && /["'`]/.test(said) ? literalsIn(said.replaceAll(/\\(?=["'`])/g, ''), depth + 1) : []
    return inner.length === 0 ? [said] : inner
  })
}

const decoded = (escape: string): string =>
  String.fromCharCode(
    /^\\\d/.test(escape)
      ? Number.parseInt(escape.slice(1), 8)
      : Number.parseInt(escape.replace(/^(?:\\[xu]\{?|%)/i, ''), 16)
  )

function inOtherLetters(text: string): readonly string[] {
  if (!/^[\w+/-]{8,}={0,2}$/.test(text)) return []
  return (['base64', 'hex'] as const)
    .map(encoding => Buffer.from(text, encoding).toString())
    .filter(said => /^[\x20-\x7E]+$/.test(said))
}

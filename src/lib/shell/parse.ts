import { createRequire } from 'node:module'
import type * as Unbash from 'unbash'
import { constantIn } from './constant-text.ts'
import { isKeyword } from './programs.ts'
import { LONGEST_COMMAND, roughLeaves, quickLeaf } from './split-words.ts'

const require = createRequire(import.meta.url)

/** Loaded when the first command needs it: that takes about 15 ms. */
const unbash = (): typeof Unbash => (loaded ??= require('unbash') as typeof Unbash)
let loaded: typeof Unbash | undefined

/** A word without its quotes. Expansions stay as written, and then the word is not `known`. */
export interface ShellWord {
  readonly text: string
  /** The program gets exactly this text. */
  readonly known: boolean
}

export interface Redirection {
  /** `nowhere`: to /dev/null, or from one stream to another. `text`: a here-document or a here-string. */
  readonly kind: 'write' | 'read' | 'both' | 'text' | 'nowhere'
  readonly operator: string
  /** 1 for output, unless a number is written; NaN where a variable names it. */
  readonly stream: number
  readonly target: ShellWord
}

export interface Leaf {
  /** `NAME=value` before the program; for a loop or an array, one per value. */
  readonly assignments: readonly ShellWord[]
  readonly words: readonly ShellWord[]
  readonly redirections: readonly Redirection[]
  /** It has input, from `|`, `<` or `<<`. */
  readonly fed: boolean
  readonly feeds: boolean
}

export interface ShellText {
  /** Includes commands in substitutions, loops and functions. */
  readonly leaves: readonly Leaf[]
  /**
   * The text is nothing but the leaves, one after the other, and each of their words is known or a plain variable or
   * pattern. Where it is false, a leaf may be run, or not, or several times, or there may be others.
   */
  readonly plain: boolean
  /** Plain, or but for comments, `time`, one quoted here-document and plain `$'…'`. */
  readonly flat: boolean
  /** Plain, and one leaf without a separator. */
  readonly single: boolean
  /** The parser understood all of it. Otherwise the leaves are guesses: see `roughLeaves`. */
  readonly readable: boolean
}

const MOST_LEAVES = 2_000
/** The parser takes quadratic time for these. */
const MOST_BRACES = 1_000
const MOST_HERE_DOCUMENTS = 200

/** Characters that are invisible, or mistaken for others: control characters, unusual blanks, directions, zero widths. */
const ODD = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

const RECENT = new Map<string, ShellText>()
const MOST_RECENT = 64
const LONG = 8_192

/** Reads a text as bash does. Never throws. */
export function parseShell(text: string): ShellText {
  let found = RECENT.get(text)
  if (found === undefined) {
    // What long texts become takes much memory.
    if (RECENT.size >= MOST_RECENT || text.length > LONG) RECENT.clear()
    RECENT.set(text, (found = read(text)))
  }
  return found
}

function read(text: string): ShellText {
  const quick = quickLeaf(text)
  if (quick !== undefined) return { leaves: [quick], plain: true, flat: true, single: true, readable: true }
  const walk = walkThrough(text)
  if (walk === undefined)
    return { leaves: roughLeaves(text), plain: false, flat: false, single: false, readable: false }
  const { leaves } = walk
  const between = walk.between()
  const flat = walk.plain && leaves.length <= MOST_LEAVES && !ODD.test(text) && /^[ \t\n;&|]*$/.test(between)
  const plain = flat && walk.isBare
  const single = plain && leaves.length === 1 && !/[;&|]/.test(between)
  return { leaves, plain, flat, single, readable: true }
}

/** Start and end of each single-quoted piece: nothing is expanded there. */
export const singleQuoted = (text: string): readonly (readonly [number, number])[] => walkThrough(text)?.literal ?? []

const isTooMuch = (text: string): boolean =>
  text.length > LONGEST_COMMAND || text.split('{').length > MOST_BRACES || text.split('<<').length > MOST_HERE_DOCUMENTS

/** Undefined: the parser does not understand all of it. */
function walkThrough(text: string): Walk | undefined {
  if (isTooMuch(text)) return undefined
  try {
    const script = unbash().parse(text)
    const walk = new Walk(text)
    // With errors in it, even a look at its words may take long.
    if (script.errors === undefined) walk.visit(script, false)
    return script.errors === undefined && walk.readable ? walk : undefined
  } catch {
    return undefined
  }
}

/** Escapes that every version of bash reads alike. */
const PLAIN_ESCAPES = /^\$'(?:[^\\']|\\[\\'"nt]|\\x[2-7][\da-fA-F]|\\[01][4-7][0-7])*'$/

const isRead = ({ kind }: Redirection): boolean => kind === 'read' || kind === 'both' || kind === 'text'

class Walk {
  readonly leaves: Leaf[] = []
  readonly literal: [number, number][] = []
  plain = true
  readable = true
  /** No comment, no here-document, no `time` and no `$'…'`. */
  isBare = true
  readonly #text: string
  readonly #spans: (readonly [number, number])[] = []

  constructor(text: string) {
    this.#text = text
  }

  visit(node: Unbash.SyntaxNode, fed: boolean): void {
    const { type } = node
    if (type === 'Script' && 'errors' in node && node.errors !== undefined) this.readable = false
    if (type === 'Script' || type === 'Statement' || type === 'AndOr') this.#children(node, fed)
    else if (type === 'Command') this.#command(node, fed)
    else if (type === 'Pipeline') {
      this.#prefixes(node.prefixes)
      node.commands.forEach((command, index) => {
        const before = this.leaves.length
        this.visit(command, fed || index > 0)
        if (index < node.commands.length - 1)
          for (let at = before; at < this.leaves.length; at++) this.leaves[at] = { ...this.leaves[at]!, feeds: true }
      })
    } else if (type === 'Word' || type === 'Redirect' || type === 'HereString' || type === 'HereDoc')
      this.#within(node, fed)
    else {
      this.plain = false
      this.#compound(node, fed)
    }
  }

  /** `time` runs the commands as they are; `!` changes what follows. */
  #prefixes(prefixes: Unbash.Pipeline['prefixes']): void {
    for (const { pos, end } of prefixes) {
      this.plain &&= this.#text.slice(pos, end) === 'time'
      this.isBare = false
      this.#spans.push([pos, end])
    }
  }

  #children(node: Unbash.SyntaxNode, fed: boolean): void {
    if (this.leaves.length <= MOST_LEAVES) unbash().forEachChild(node, child => this.visit(child, fed))
  }

  #within(node: Unbash.SyntaxNode, fed: boolean): void {
    if (node.type === 'Script') this.visit(node, fed)
    else if (node.type === 'SingleQuoted') this.literal.push([node.pos, node.end])
    else unbash().forEachChild(node, child => this.#within(child, fed))
  }

  #compound(node: Unbash.SyntaxNode, fed: boolean): void {
    const leaf: Leaf = { assignments: [], words: [], redirections: [], fed: false, feeds: false }
    let isFed = fed
    if (node.type === 'For' || node.type === 'Select') {
      const assignments = (node.wordlist ?? []).map(value => this.#word(value, `${node.name.text}=`))
      this.leaves.push({ ...leaf, assignments })
    } else if (node.type === 'TestCommand') {
      const words: ShellWord[] = [{ text: '[[', known: true }]
      const collect = (child: Unbash.SyntaxNode): void =>
        child.type === 'Word' ? void words.push(this.#word(child)) : unbash().forEachChild(child, collect)
      collect(node.expression)
      this.leaves.push({ ...leaf, words })
    } else if (node.type === 'Redirected') {
      const redirections = this.#redirections(node.redirects)
      this.leaves.push({ ...leaf, redirections })
      isFed ||= redirections.some(isRead)
    }
    this.#children(node, isFed)
  }

  #command(node: Unbash.Command, fed: boolean): void {
    const redirections = this.#redirections(node.redirects)
    const assignments = node.prefix.flatMap(each => (each.type === 'Assignment' ? this.#assignment(each) : []))
    const args = node.args.flatMap(each => (each.type === 'Assignment' ? this.#assignment(each) : [this.#word(each)]))
    const words = node.name === undefined ? args : [this.#word(node.name), ...args]
    if (words[0]?.known === true && isKeyword(words[0].text)) this.plain = false
    const isFed = fed || redirections.some(isRead)
    this.leaves.push({ assignments, words, redirections, fed: isFed, feeds: false })
    for (const each of [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]) {
      this.#spans.push([each.pos, each.end])
      this.#within(each, isFed)
    }
  }

  #assignment({ name, append, index, value }: Unbash.Assignment): readonly ShellWord[] {
    const sign = `${name}${append === true ? '+=' : '='}`
    if (value.type === 'Word' && index === undefined) return [this.#word(value, sign)]
    this.plain = false
    return (value.type === 'Word' ? [value] : value.elements).map(each => this.#word(each, sign))
  }

  #redirections(redirects: readonly Unbash.Redirection[]): readonly Redirection[] {
    return redirects.map(redirect => {
      const { operator, descriptor } = redirect
      if (redirect.type === 'HereDoc') {
        const { body, delimiter, closing } = redirect
        const known = delimiter?.quoted === true || !/[\\$`]/.test(body.text)
        const isClosed = closing !== undefined && this.#text.slice(closing.pos, closing.end) === delimiter?.value
        // Where there are several, their order counts.
        this.plain &&= this.isBare && isClosed && known && operator === '<<' && /^(['"]?)\w+\1$/.test(delimiter.text)
        this.isBare = false
        this.#spans.push([body.pos, closing?.end ?? body.end])
        return { kind: 'text', operator, stream: 0, target: { text: body.text, known } }
      }
      const target = redirect.target === undefined ? { text: '', known: false } : this.#word(redirect.target)
      const stream =
        descriptor?.type === 'FileDescriptorVariable' ? NaN : (descriptor?.value ?? (operator.includes('>') ? 1 : 0))
      const isSimple = /^(?:&?>>?|>\||<)$/.test(operator) && redirect.target !== undefined && !Number.isNaN(stream)
      const isJoined = operator === '>&' && stream <= 2 && /^[012]$/.test(target.text)
      this.plain &&= isSimple || isJoined
      const isNowhere = isJoined || (isSimple && target.known && target.text === '/dev/null')
      const reads = redirect.type === 'HereString' ? 'text' : operator === '<>' ? 'both' : 'read'
      return { kind: isNowhere ? 'nowhere' : operator.startsWith('<') ? reads : 'write', operator, stream, target }
    })
  }

  #word({ parts, text, value }: Unbash.Word, prefix = ''): ShellWord {
    const word = { text: prefix, known: true }
    if (parts === undefined) this.#bare(word, text, value)
    for (const part of parts ?? []) this.#part(word, part)
    return word
  }

  #part(word: { text: string; known: boolean }, part: Unbash.WordPart, isQuoted = false): void {
    if (part.type === 'Literal') return this.#bare(word, part.text, part.value)
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
      this.plain &&= part.type === 'DoubleQuoted'
      for (const each of part.parts)
        if (each.type === 'Literal') {
          this.plain &&= /^(?:[^"\\$`]|\\[^])*$/.test(each.text)
          word.text += each.value
        } else this.#part(word, each, true)
    } else if (part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') {
      this.plain &&= part.type === 'SingleQuoted' || PLAIN_ESCAPES.test(part.text)
      this.isBare &&= part.type === 'SingleQuoted'
      word.text += part.value
    } else if (part.type === 'CommandExpansion' && isQuoted && constantIn(part) !== undefined)
      word.text += constantIn(part)
    else {
      word.known = false
      const { type, text } = part
      const isPlain = type === 'SimpleExpansion' || /^(?:\$\{\w+\}|[*?]+|\[[^\s'"$`()<>;&|]*\])$/.test(text)
      this.plain &&= isPlain
      // `"$A"b` is not `$Ab`.
      const isCut = type === 'SimpleExpansion' && /^\$\w+["']+\w/.test(this.#text.slice(part.pos, part.end + 3))
      word.text += isCut ? `\${${text.slice(1)}}` : text
    }
  }

  /** Text outside of quotes. It is not plain where bash might see more in it than the parser does. */
  #bare(word: { text: string; known: boolean }, raw: string, value: string): void {
    const unescaped = raw.replaceAll(/\\[\x20-\x7E\n]/g, '')
    const isHome = /[=:]~/.test(raw.replaceAll('\\\n', '')) || (raw.startsWith('~') && /(?:^|[=:])$/.test(word.text))
    if (isHome || (/[[\]]/.test(unescaped) && !/^[[\]]$/.test(raw))) word.known = false
    const signs = unescaped.replaceAll(/\{[^\s,.'"\\$`{}()<>;&|*?[\]]*\}/g, '')
    if (/[\s'"\\$`(){}<>;&|]/.test(signs) || (word.text === '' && /^[!#]/.test(raw))) this.plain = false
    word.text += value
  }

  between(): string {
    let [at, rest] = [0, '']
    for (const [from, to] of this.#spans.toSorted(([a], [b]) => a - b)) {
      rest += this.#gap(at, from)
      at = Math.max(at, to)
    }
    return (rest + this.#gap(at, this.#text.length)).replaceAll('\\\n', ' ')
  }

  /** What is between two words, without comments. */
  #gap(from: number, to: number): string {
    const gap = this.#text
      .slice(from, to)
      .replaceAll(from === 0 ? /(^|[ \t\n;&|])#[^\n]*/g : /([ \t\n;&|])#[^\n]*/g, '$1')
    this.isBare &&= gap.length >= to - from
    return gap
  }
}

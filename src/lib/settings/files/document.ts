import { getNodeValue, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { keyOf, type KeyPath } from '../../schema/check.ts'
import { Findings, startOf, type Place, type Words } from './finding.ts'
import { readText } from './text.ts'

/** A file that was read: what it says, and where. */
export interface Document {
  readonly file: string
  readonly value: PlainObject
  readonly findings: Findings
}

/** What came of looking for a file. */
export interface Looked {
  /** Absent when the file is not there, or cannot be used at all; then there are findings. */
  readonly document: Document | undefined
  readonly findings: Findings
}

const DEEPEST = 64
const MOST = 50_000

/** Reads JSON with comments. A file that cannot be used as a whole is one error, and nothing of it counts. */
export function readDocument(file: string): Looked {
  const read = readText(file)
  if ('text' in read) return parseDocument(file, read.text)
  const findings = new Findings(path => startOf(file, keyOf(path)))
  if ('fault' in read) findings.gate('error', [], 'unreadable', `${file} ${read.fault}`, read.fix)
  return { document: undefined, findings }
}

export function parseDocument(file: string, text: string): Looked {
  const lines = linesOf(text)
  let tree: Node | undefined
  const findings = new Findings(path => placeOf(file, tree, lines, path))
  const refuse = ({ offset, words }: Fault): Looked => {
    const { line, column } = positionOf(lines, offset)
    const whole = new Findings(() => ({ file, line, column, key: '' }))
    whole.gate('error', [], ...words)
    return { document: undefined, findings: whole }
  }
  const errors: ParseError[] = []
  const excess = excessIn(text)
  if (excess === undefined) tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false })
  const [error] = errors
  const fault = excess ?? (error === undefined ? tree && duplicateIn(tree) : syntaxFault(error))
  if (fault !== undefined) return refuse(fault)
  const value: unknown = tree === undefined ? undefined : getNodeValue(tree)
  if (!isObject(value)) return refuse({ offset: 0, words: ['not-an-object', 'the file is not a JSON object'] })
  return { document: { file, value, findings }, findings }
}

interface Fault {
  readonly offset: number
  readonly words: Words
}

/** What makes a text unfit to be parsed at all: it is too deep, or holds too much. */
function excessIn(text: string): Fault | undefined {
  let depth = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === SLASH) at = endOfComment(text, at)
    else if (char === BRACE || char === BRACKET) {
      if (++depth > DEEPEST) return { offset: at, words: ['too-deep', `it is nested deeper than ${DEEPEST} levels`] }
    } else if (char === BRACE + 2 || char === BRACKET + 2) depth--
    else if (char === COMMA && ++commas >= MOST)
      return { offset: at, words: ['too-many', `it holds more than ${MOST} values`] }
  }
  return undefined
}

/** The signs that matter, by their codes. */
const QUOTE = 34
const COMMA = 44
const SLASH = 47
const BRACKET = 91
const BACKSLASH = 92
const BRACE = 123

/** A string ends at its quote, or, where that is missing, with its line. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === BACKSLASH) at++
    else if (char === QUOTE || char === 10 || char === 13) return at
  }
  return text.length
}

function endOfComment(text: string, start: number): number {
  const kind = text[start + 1]
  if (kind !== '/' && kind !== '*') return start
  const end = kind === '/' ? text.indexOf('\n', start) : text.indexOf('*/', start + 2) + 1
  return end <= 0 ? text.length : end
}

const syntaxFault = ({ error, offset }: ParseError): Fault => ({
  offset,
  words: ['not-json', `it is not valid JSON (${wordsOfSyntax(error)})`]
})

/** The first key that stands twice in one object. */
function duplicateIn(node: Node): Fault | undefined {
  const seen = new Set<unknown>()
  for (const child of node.children ?? []) {
    const key = node.type === 'object' ? child.children?.[0] : undefined
    if (key !== undefined && seen.has(key.value))
      return { offset: key.offset, words: ['duplicate-key', `the key ${JSON.stringify(key.value)} stands there twice`] }
    if (key !== undefined) seen.add(key.value)
    const fault = child.children === undefined ? undefined : duplicateIn(child)
    if (fault !== undefined) return fault
  }
  return undefined
}

const wordsOfSyntax = (error: ParseError['error']): string =>
  printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    .toLowerCase()

function placeOf(file: string, tree: Node | undefined, lines: readonly number[], path: KeyPath): Place {
  const node = tree === undefined ? undefined : nearestNode(tree, path)
  return { file, ...positionOf(lines, node?.offset ?? 0), key: keyOf(path) }
}

/** The node of a path, or of as much of it as is there; for a value with a name, the name. */
function nearestNode(tree: Node, path: KeyPath): Node {
  let node = tree
  for (const part of path) {
    const child = childOf(node, part)
    if (child === undefined) break
    node = child
  }
  return node.parent?.type === 'property' ? node.parent : node
}

/** The values of objects by their keys: a file may have very many. */
const VALUES = new WeakMap<Node, ReadonlyMap<unknown, Node>>()

function childOf(node: Node, part: string | number): Node | undefined {
  if (node.type === 'array') return typeof part === 'number' ? node.children?.[part] : undefined
  if (node.type !== 'object') return undefined
  let values = VALUES.get(node)
  if (values === undefined) {
    const properties = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[key.value as unknown, value] as const]
    )
    VALUES.set(node, (values = new Map(properties)))
  }
  return values.get(part)
}

/** Where each line begins. */
function linesOf(text: string): readonly number[] {
  const lines = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.push(at + 1)
  return lines
}

function positionOf(lines: readonly number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, lines.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (lines[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - lines[low]! + 1 }
}

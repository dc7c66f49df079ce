import { getNodeValue, parseTree, printParseErrorCode, visit, type Node, type ParseError } from 'jsonc-parser'
import { isObject, type PlainObject } from '../util/plain.ts'
import { Findings, keyOf, type Path, type Place } from './finding.ts'
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
  const findings = new Findings(path => ({ file, line: 1, column: 1, key: keyOf(path) }))
  if ('fault' in read) findings.add('error', 'unreadable', [], `${file} ${read.fault}`, read.fix, true)
  return { document: undefined, findings }
}

export function parseDocument(file: string, text: string): Looked {
  const lines = linesOf(text)
  let tree: Node | undefined
  const findings = new Findings(path => placeOf(file, tree, lines, path))
  const give = (code: string, offset: number, message: string, fix: string): Looked => {
    const { line, column } = positionOf(lines, offset)
    tree = undefined
    const whole = new Findings(() => ({ file, line, column, key: '' }))
    whole.add('error', code, [], message, fix, true)
    return { document: undefined, findings: whole }
  }
  const fault = faultIn(text)
  if (fault !== undefined) return give(fault.code, fault.offset, fault.message, fault.fix)
  tree = parseTree(text, [], { allowTrailingComma: true, disallowComments: false })
  const value: unknown = tree === undefined ? undefined : getNodeValue(tree)
  if (!isObject(value))
    return give('not-an-object', 0, 'the file is not a JSON object', 'write { } around what it says, or delete it')
  return { document: { file, value, findings }, findings }
}

interface Fault {
  readonly code: string
  readonly offset: number
  readonly message: string
  readonly fix: string
}

/** The first thing that makes the whole file unusable: broken syntax, too deep, too much, a key twice. */
function faultIn(text: string): Fault | undefined {
  const open: Set<string>[] = []
  let commas = 0
  let fault: Fault | undefined
  const found = (each: Fault): void => {
    fault ??= each
    throw STOP
  }
  const begin = (offset: number): void => {
    if (open.push(new Set()) > DEEPEST)
      found({ code: 'too-deep', offset, message: `it is nested deeper than ${DEEPEST} levels`, fix: 'flatten it' })
  }
  try {
    visit(
      text,
      {
        onObjectBegin: begin,
        onArrayBegin: begin,
        onObjectEnd: () => void open.pop(),
        onArrayEnd: () => void open.pop(),
        onSeparator: (character, offset) => {
          if (character === ',' && ++commas >= MOST)
            found({ code: 'too-many', offset, message: `it holds more than ${MOST} values`, fix: 'split it' })
        },
        onObjectProperty: (key, offset) => {
          if (open.at(-1)?.has(key) === true)
            found({
              code: 'duplicate-key',
              offset,
              message: `the key ${JSON.stringify(key)} stands there twice`,
              fix: 'keep one of the two: of two equal keys only one would count'
            })
          open.at(-1)?.add(key)
        },
        onError: (error, offset) =>
          found({
            code: 'not-json',
            offset,
            message: `it is not valid JSON (${wordsOfSyntax(error)})`,
            fix: 'correct it; until then nothing in this file counts'
          })
      },
      { allowTrailingComma: true }
    )
  } catch (error) {
    if (error !== STOP) throw error
  }
  return fault
}

const STOP = new Error('found')

const wordsOfSyntax = (error: ParseError['error']): string =>
  printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    .toLowerCase()

function placeOf(file: string, tree: Node | undefined, lines: readonly number[], path: Path): Place {
  const node = tree === undefined ? undefined : nearestNode(tree, path)
  return { file, ...positionOf(lines, node?.offset ?? 0), key: keyOf(path) }
}

/** The node of a path, or of as much of it as is there; for a value with a name, the name. */
function nearestNode(tree: Node, path: Path): Node {
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

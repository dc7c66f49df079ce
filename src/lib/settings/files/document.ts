import { createRequire } from 'node:module'
import type * as Jsonc from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import { scanJson, type JsonProblem } from '../../util/json.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { keyOf, type KeyPath } from '../../schema/check.ts'
import { Findings, startOf, type Place, type FindingWords } from './finding.ts'
import { readText } from './text.ts'

const require = createRequire(import.meta.url)

/** Loaded for the first file. */
const jsonc = (): typeof Jsonc => (loaded ??= require('jsonc-parser') as typeof Jsonc)
let loaded: typeof Jsonc | undefined

export interface Document {
  readonly file: string
  readonly value: PlainObject
  readonly findings: Findings
}

export interface Looked {
  /** Absent if the file is missing or unusable; if unusable, `findings` says why. */
  readonly document: Document | undefined
  readonly findings: Findings
}

const MOST = 50_000

/** Reads JSON with comments. A file that is not valid as a whole is one error, and none of it applies. */
export function readDocument(file: string): Looked {
  const read = readText(file)
  if ('text' in read) return parseDocument(file, read.text)
  const findings = new Findings(path => startOf(file, keyOf(path)))
  if ('fault' in read) findings.gate('error', [], 'unreadable', `${file} ${read.fault}`, read.fix)
  return { document: undefined, findings }
}

export function parseDocument(file: string, text: string): Looked {
  const lines = linesOf(text)
  const refuse = ({ offset, words }: Fault): Looked => {
    const { line, column } = positionOf(lines, offset)
    const whole = new Findings(() => ({ file, line, column, key: '' }))
    whole.gate('error', [], ...words)
    return { document: undefined, findings: whole }
  }
  const problem = scanJson(text, MOST, true)
  if (problem !== undefined && problem.code !== 'duplicate-key') return refuse(faultOf(problem))
  const errors: ParseError[] = []
  const tree = jsonc().parseTree(text, errors, { allowTrailingComma: true, disallowComments: false })
  const [error] = errors
  if (error !== undefined) return refuse(syntaxFault(error))
  if (problem !== undefined) return refuse(faultOf(problem))
  const value: unknown = tree === undefined ? undefined : jsonc().getNodeValue(tree)
  if (!isObject(value)) return refuse({ offset: 0, words: ['not-an-object', 'the file is not a JSON object'] })
  const findings = new Findings(path => placeOf(file, tree, lines, path))
  return { document: { file, value, findings }, findings }
}

interface Fault {
  readonly offset: number
  readonly words: FindingWords
}

const faultOf = ({ offset, code, words }: JsonProblem): Fault => ({ offset, words: [code, words] })

const syntaxFault = ({ error, offset }: ParseError): Fault => ({
  offset,
  words: ['not-json', `it is not valid JSON (${syntaxErrorText(error)})`]
})

const syntaxErrorText = (error: ParseError['error']): string =>
  jsonc()
    .printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    .toLowerCase()

function placeOf(file: string, tree: Node | undefined, lines: readonly number[], path: KeyPath): Place {
  const node = tree === undefined ? undefined : nearestNode(tree, path)
  return { file, ...positionOf(lines, node?.offset ?? 0), key: keyOf(path) }
}

/** The deepest node of the path that exists; of a property, the node with its name. */
function nearestNode(tree: Node, path: KeyPath): Node {
  let node = tree
  for (const part of path) {
    const child = childOf(node, part)
    if (child === undefined) break
    node = child
  }
  return node.parent?.type === 'property' ? node.parent : node
}

/** Properties by key, cached: an object may have thousands. */
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

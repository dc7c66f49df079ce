import { engineFault } from '../errors.ts'
import { isObject, type PlainObject } from './plain.ts'

const MOST_KEYS = 10_000
const DEEPEST = 64

/**
 * Exactly one JSON object. `JSON.parse` alone accepts any depth and keeps the last of two equal keys: both are refused
 * here, before anything is built.
 */
export function parseObject(text: string): PlainObject {
  const problem = scanJson(text, MOST_KEYS, false)
  if (problem !== undefined) throw invalid(problem.words)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(`it is not valid JSON (${(error as Error).message})`)
  }
  if (!isObject(value)) throw invalid('it is not a JSON object')
  return value
}

const invalid = (why: string): Error => engineFault('E_REPLY_INVALID', why)

export interface JsonProblem {
  readonly code: 'too-deep' | 'too-many' | 'duplicate-key'
  readonly offset: number
  readonly words: string
}

const QUOTE = 34
const COMMA = 44
const SLASH = 47
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/**
 * Scans brackets, commas and keys before anything is built. Too much depth or size is reported before a duplicate key.
 * Text that is not JSON may pass: the parser will reject it. `isFile`: comments are allowed, and a string ends with its
 * line at the latest; a reply, which is not a file, may not have a key `__proto__`.
 */
export function scanJson(text: string, most: number, isFile: boolean): JsonProblem | undefined {
  const open: Set<string>[] = []
  let commas = 0
  let repeated: JsonProblem | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(text, at, isFile)
      const words = isKey(text, end, isFile) ? addKey(open.at(-1), text.slice(at, end + 1), isFile) : undefined
      if (words !== undefined) repeated ??= { code: 'duplicate-key', offset: at, words }
      at = end
    } else if (char === SLASH && isFile) at = endOfComment(text, at)
    else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      if (open.push(new Set()) > DEEPEST)
        return { code: 'too-deep', offset: at, words: `it is nested deeper than ${DEEPEST} levels` }
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) open.pop()
    else if (char === COMMA && ++commas >= most)
      return { code: 'too-many', offset: at, words: `it has more than ${most} keys or values` }
  }
  return repeated
}

function endOfString(text: string, start: number, isFile: boolean): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end === -1) end = text.length
  const broken = isFile ? text.slice(start, end).search(/[\r\n]/) : -1
  return broken === -1 ? end : start + broken
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0
  while (text[quote - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

function endOfComment(text: string, start: number): number {
  const kind = text[start + 1]
  if (kind !== '/' && kind !== '*') return start
  const end = kind === '/' ? text.indexOf('\n', start) : text.indexOf('*/', start + 2) + 1
  return end <= 0 ? text.length : end
}

function isKey(text: string, end: number, isFile: boolean): boolean {
  for (let next = end + 1; next < text.length; next++) {
    const char = text[next]
    if (char === '/' && isFile) next = endOfComment(text, next)
    else if (char !== ' ' && char !== '\n' && char !== '\t' && char !== '\r') return char === ':'
  }
  return false
}

function addKey(keys: Set<string> | undefined, quoted: string, isFile: boolean): string | undefined {
  const key = quoted.includes('\\') ? unescape(quoted) : quoted.slice(1, -1)
  if (key === '__proto__' && !isFile) return 'it has a key "__proto__"'
  if (keys?.has(key) === true) return `it has the key ${JSON.stringify(key)} twice`
  keys?.add(key)
  return undefined
}

function unescape(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}

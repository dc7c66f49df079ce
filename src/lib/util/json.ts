import { fault } from '../errors.ts'
import { isObject, type PlainObject } from './plain.ts'

const DEEPEST = 64
const MOST_KEYS = 10_000

/**
 * Exactly one JSON object. `JSON.parse` alone takes any depth and, of two equal keys, the last: both are refused
 * here, before anything is built.
 */
export function parseObject(text: string): PlainObject {
  inspect(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(`it is not valid JSON (${(error as Error).message})`)
  }
  if (!isObject(value)) throw invalid('it is not a JSON object')
  return value
}

const invalid = (why: string): Error => fault('E_REPLY_INVALID', why)

const QUOTE = 34
const COMMA = 44
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** Looks at brackets, commas and keys. Text that is no JSON passes, or does not: `JSON.parse` will tell. */
function inspect(text: string): void {
  const open: Set<string>[] = []
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(text, at)
      if (isKey(text, end)) addKey(open.at(-1), text.slice(at, end + 1))
      at = end
    } else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      if (open.push(new Set()) > DEEPEST) throw invalid(`it is nested deeper than ${DEEPEST} levels`)
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) open.pop()
    else if (char === COMMA && ++commas >= MOST_KEYS) throw invalid(`it has more than ${MOST_KEYS} keys`)
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

function isKey(text: string, end: number): boolean {
  let next = end + 1
  while (text[next] === ' ' || text[next] === '\n' || text[next] === '\t' || text[next] === '\r') next++
  return text[next] === ':'
}

function addKey(keys: Set<string> | undefined, quoted: string): void {
  const key = quoted.includes('\\') ? unescape(quoted) : quoted.slice(1, -1)
  if (key === '__proto__') throw invalid('it has a key "__proto__"')
  if (keys?.has(key) === true) throw invalid(`it has the key ${JSON.stringify(key)} twice`)
  keys?.add(key)
}

function unescape(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}

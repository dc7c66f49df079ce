import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { errorMessage } from '../../errors.ts'
import { isObject } from '../../util/plain.ts'
import type { Looked } from './document.ts'
import { keyOf, type KeyPath } from '../../schema/check.ts'
import { Findings, startOf, type Place } from './finding.ts'
import { readText } from './text.ts'

/** Loaded on first use: it takes longer to load than everything else here. */
const require = createRequire(import.meta.url)

const FENCE = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*$/m

/** Reads the frontmatter of a Markdown file. Nothing in it is ever executed. */
export function readFrontmatter(file: string): Looked {
  const read = readText(file)
  const nowhere = new Findings(path => startOf(file, keyOf(path)))
  if ('fault' in read) nowhere.gate('error', [], 'unreadable', `${file} ${read.fault}`, read.fix)
  const block = 'text' in read && read.text.startsWith('---') ? FENCE.exec(read.text) : null
  if (block === null) {
    if ('text' in read && isOpen(read.text))
      nowhere.gate('error', [], 'not-closed', 'the frontmatter has no end, so nothing in it applies')
    return { document: undefined, findings: nowhere }
  }
  const first = parsed(block[1]!)
  const { yaml, lines, fault } = first.fault === undefined ? first : parsed(withTextsQuoted(block[1]!))
  if (fault !== undefined) return { document: undefined, findings: brokenAt(file, fault, block[1]!) }
  const findings = new Findings(path => placeIn(yaml, lines, file, path))
  try {
    const value: unknown = yaml.toJS({ maxAliasCount: 20 })
    return isObject(value)
      ? { document: { file, value, findings }, findings }
      : { document: undefined, findings: nowhere }
  } catch (error) {
    return {
      document: undefined,
      findings: brokenAt(file, { line: 0, column: 1, why: errorMessage(error) }, block[1]!)
    }
  }
}

interface Parsed {
  readonly yaml: Yaml.Document
  readonly lines: Yaml.LineCounter
  readonly fault: Fault | undefined
}

interface Fault {
  readonly line: number
  readonly column: number
  readonly why: string
}

function parsed(text: string): Parsed {
  const { LineCounter, parseDocument } = require('yaml') as typeof Yaml
  const lines = new LineCounter()
  const yaml = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  const [error] = yaml.errors
  if (error === undefined) return { yaml, lines, fault: undefined }
  const { line, col } = lines.linePos(error.pos[0])
  return { yaml, lines, fault: { line, column: col, why: error.message } }
}

/** Keys that grant or restrict. They are never guessed: where they cannot be read, nothing starts. */
const DECISIVE = ['hooks', 'tools', 'disallowedTools', 'permissionMode']
const BEGINS_DECISIVE = new RegExp(`^(?:${DECISIVE.join('|')})[ \\t]*:`, 'm')
const NAMES_DECISIVE = new RegExp(`(?<![\\w-])(?:${DECISIVE.join('|')})["']?[ \\t]*:`)

const isOpen = (text: string): boolean => /^---[ \t]*\r?\n/.test(text) && BEGINS_DECISIVE.test(text)

/** Many files have text there that is not YAML, such as `[one] [two]`: a value of one line is put in quotes. */
function withTextsQuoted(block: string): string {
  const lines = block.split('\n')
  return lines
    .map((line, place) => {
      const [, key, gap, value] = /^([A-Za-z][\w-]*):([ \t]+)(\S.*?)\s*$/.exec(line) ?? []
      const goesOn = /^[ \t]+\S/.test(lines[place + 1] ?? '')
      if (key === undefined || DECISIVE.includes(key) || goesOn || parsed(line).fault === undefined) return line
      return `${key}:${gap}${JSON.stringify(value)}`
    })
    .join('\n')
}

/** Line 1 of the file is the dashes. An error where the block may hold a decisive key, else a warning. */
function brokenAt(file: string, { line, column, why }: Fault, block: string): Findings {
  const findings = new Findings(path => ({ file, line: line + 1, column, key: keyOf(path) }))
  const words = ['not-yaml', `the frontmatter is not valid YAML (${why})`] as const
  if (NAMES_DECISIVE.test(block)) findings.gate('error', [], ...words)
  else findings.add('warning', [], ...words)
  return findings
}

export function bodyOf(file: string): string {
  const read = readText(file)
  if (!('text' in read)) return ''
  const block = read.text.startsWith('---') ? FENCE.exec(read.text) : null
  return block === null ? read.text : read.text.slice(block.index + block[0].length).trimStart()
}

function placeIn(yaml: Yaml.Document, lines: Yaml.LineCounter, file: string, path: KeyPath): Place {
  for (let length = path.length; length > 0; length--) {
    const node = yaml.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined
    if (node?.range === undefined) continue
    const { line, col } = lines.linePos(node.range[0])
    return { file, line: line + 1, column: col, key: keyOf(path) }
  }
  return startOf(file, keyOf(path))
}

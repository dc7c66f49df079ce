import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { wordsOf } from '../errors.ts'
import { isObject } from '../util/plain.ts'
import type { Looked } from './document.ts'
import { Findings, keyOf, type Path, type Place } from './finding.ts'
import { readText } from './text.ts'

/** Loaded only when there is something to read: it takes longer to load than everything else here. */
const require = createRequire(import.meta.url)

const FENCE = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*$/m

/** The settings at the top of a Markdown file, between two lines of dashes. Nothing in them is ever executed. */
export function readFrontmatter(file: string): Looked {
  const read = readText(file)
  const nowhere = new Findings(path => ({ file, line: 1, column: 1, key: keyOf(path) }))
  if ('fault' in read) nowhere.add('error', 'unreadable', [], `${file} ${read.fault}`, read.fix, true)
  const block = 'text' in read && read.text.startsWith('---') ? FENCE.exec(read.text) : null
  if (block === null) return { document: undefined, findings: nowhere }
  const { LineCounter, parseDocument } = require('yaml') as typeof Yaml
  const lines = new LineCounter()
  const yaml = parseDocument(block[1]!, { lineCounter: lines, uniqueKeys: true, maxAliasCount: 20 } as Parameters<
    typeof parseDocument
  >[1])
  const findings = new Findings(path => placeIn(yaml, lines, file, path))
  const broken = (line: number, why: string): Looked => {
    nowhere.add(
      'error',
      'not-yaml',
      [],
      `the settings at its top are not valid YAML (line ${line}: ${why})`,
      'correct it; until then nothing in them counts',
      true
    )
    return { document: undefined, findings: nowhere }
  }
  const [error] = yaml.errors
  if (error !== undefined) return broken((error.linePos?.[0].line ?? 0) + 1, error.message.split('\n')[0]!)
  try {
    const value: unknown = yaml.toJS({ maxAliasCount: 20 })
    return isObject(value)
      ? { document: { file, value, findings }, findings }
      : { document: undefined, findings: nowhere }
  } catch (error_) {
    return broken(1, wordsOf(error_))
  }
}

/** What stands below them. */
export function bodyOf(file: string): string {
  const read = readText(file)
  if (!('text' in read)) return ''
  const block = read.text.startsWith('---') ? FENCE.exec(read.text) : null
  return block === null ? read.text : read.text.slice(block.index + block[0].length).trimStart()
}

/** The first line of the file is the one with the dashes. */
function placeIn(yaml: Yaml.Document, lines: Yaml.LineCounter, file: string, path: Path): Place {
  for (let length = path.length; length > 0; length--) {
    const node = yaml.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined
    if (node?.range === undefined) continue
    const { line, col } = lines.linePos(node.range[0])
    return { file, line: line + 1, column: col, key: keyOf(path) }
  }
  return { file, line: 1, column: 1, key: keyOf(path) }
}

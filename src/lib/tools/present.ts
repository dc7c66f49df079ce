/** What the model sees of an output that a hook put in place of the tool's own; undefined if it has another shape. */
import type { Block } from '../message.ts'
import { isObject } from '../util/plain.ts'

type Presented = string | readonly Block[] | undefined

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

function textsUnder(output: unknown, ...keys: readonly string[]): readonly string[] | undefined {
  const values = isObject(output) ? keys.map(key => output[key]) : undefined
  return isTexts(values) ? values : undefined
}

export function presentBash(output: unknown): Presented {
  const texts = textsUnder(output, 'stdout', 'stderr')
  const meaning = textsUnder(output, 'returnCodeInterpretation') ?? []
  return texts && ([...texts, ...meaning].filter(text => text !== '').join('\n') || '(no output)')
}

export function presentRead(output: unknown): Presented {
  const file = isObject(output) ? output['file'] : undefined
  if (!isObject(output) || !isObject(file)) return undefined
  const { content, startLine = 1, base64, type } = file
  if (output['type'] === 'image' && typeof base64 === 'string' && typeof type === 'string')
    return [{ type: 'image', source: { type: 'base64', media_type: type, data: base64 } }]
  if (output['type'] !== 'text' || typeof content !== 'string' || typeof startLine !== 'number') return undefined
  const lines = content.split('\n').map((line, index) => `${startLine + index}\t${line}`)
  return content === '' ? '[The file exists and is empty.]' : lines.join('\n')
}

export const presentGlob = (output: unknown): Presented =>
  isObject(output) && isTexts(output['filenames']) ? output['filenames'].join('\n') || 'No files found' : undefined

export function presentGrep(output: unknown): Presented {
  if (!isObject(output)) return undefined
  const { mode, filenames, content } = output
  if (mode === 'content' || mode === 'count')
    return typeof content === 'string' ? content || 'No matches found' : undefined
  if (mode !== 'files_with_matches' || !isTexts(filenames)) return undefined
  const count = filenames.length
  return count === 0 ? 'No files found' : [`Found ${count} ${count === 1 ? 'file' : 'files'}`, ...filenames].join('\n')
}

const isPatched = (output: unknown): boolean => isObject(output) && Array.isArray(output['structuredPatch'])

export function presentEdit(output: unknown): Presented {
  const [filePath] = textsUnder(output, 'filePath', 'oldString', 'newString') ?? []
  return filePath === undefined || !isPatched(output) ? undefined : `The file ${filePath} has been updated.`
}

export function presentWrite(output: unknown): Presented {
  const [type, filePath] = textsUnder(output, 'type', 'filePath', 'content') ?? []
  if (!isPatched(output)) return undefined
  if (type === 'create') return `The file ${filePath} has been created.`
  return type === 'update' ? `The file ${filePath} has been replaced.` : undefined
}

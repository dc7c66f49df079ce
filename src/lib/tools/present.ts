/** What the model sees of outputs that hooks put in the place of a tool's own; nothing where they have another shape. */
import type { Block } from '../message.ts'
import { isObject } from '../util/plain.ts'

type Presented = string | readonly Block[] | undefined

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

export function presentBash(output: unknown): Presented {
  if (!isObject(output)) return undefined
  const { stdout, stderr, returnCodeInterpretation: meaning } = output
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined
  return [stdout, stderr, meaning].filter(text => typeof text === 'string' && text !== '').join('\n') || '(no output)'
}

export function presentRead(output: unknown): Presented {
  const file = isObject(output) ? output['file'] : undefined
  if (!isObject(output) || !isObject(file)) return undefined
  const { content, startLine = 1, base64, type } = file
  if (output['type'] === 'image' && typeof base64 === 'string' && typeof type === 'string')
    return [{ type: 'image', source: { type: 'base64', media_type: type, data: base64 } }]
  if (output['type'] !== 'text' || typeof content !== 'string' || typeof startLine !== 'number') return undefined
  const lines = content.split('\n').map((line, index) => `${startLine + index}\t${line}`)
  return content === '' ? '[The file is there, and is empty.]' : lines.join('\n')
}

export function presentGlob(output: unknown): Presented {
  if (!isObject(output) || !isTexts(output['filenames'])) return undefined
  return output['filenames'].join('\n') || 'No files found'
}

export function presentGrep(output: unknown): Presented {
  if (!isObject(output)) return undefined
  const { mode, filenames, content } = output
  if (mode === 'content' || mode === 'count')
    return typeof content === 'string' ? content || 'No matches found' : undefined
  if (mode !== 'files_with_matches' || !isTexts(filenames)) return undefined
  const count = filenames.length
  return count === 0 ? 'No files found' : [`Found ${count} ${count === 1 ? 'file' : 'files'}`, ...filenames].join('\n')
}

export function presentEdit(output: unknown): Presented {
  if (!isObject(output) || !Array.isArray(output['structuredPatch'])) return undefined
  const { filePath, oldString, newString } = output
  if (typeof filePath !== 'string' || typeof oldString !== 'string' || typeof newString !== 'string') return undefined
  return `The file ${filePath} has been updated.`
}

export function presentWrite(output: unknown): Presented {
  if (!isObject(output) || !Array.isArray(output['structuredPatch'])) return undefined
  const { type, filePath, content } = output
  if (typeof filePath !== 'string' || typeof content !== 'string') return undefined
  if (type === 'create') return `The file ${filePath} has been created.`
  return type === 'update' ? `The file ${filePath} has been replaced.` : undefined
}

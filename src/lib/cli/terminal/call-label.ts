import { isObject } from '../../util/plain.ts'
import { pathFrom } from '../../world/files/paths.ts'
import { inOneLine } from '../print.ts'

/** What tells one call from another, the most telling first. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'url', 'query', 'skill', 'description']
const PATHS = new Set(['file_path', 'notebook_path', 'path'])

/** A call in a few words: its tool, and the telling part of its input. */
export function callIn(name: string, input: unknown, cwd: string): string {
  const telling = isObject(input) ? tellingIn(input, cwd) : ''
  return inOneLine(`${name} ${telling}`.trim().replaceAll(/[\t\n ]+/g, ' '))
}

function tellingIn(input: Readonly<Record<string, unknown>>, cwd: string): string {
  const key = [...TELLING, ...Object.keys(input)].find(each => typeof input[each] === 'string' && input[each] !== '')
  if (key === undefined) return ''
  const text = String(input[key])
  if (!PATHS.has(key) || !text.startsWith('/')) return text
  return (pathFrom(cwd, text) ?? text) || '.'
}

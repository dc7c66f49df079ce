import { isObject } from '../../util/plain.ts'
import { pathFrom } from '../../world/files/paths.ts'
import { escapeLine } from '../print.ts'

const LABEL_KEYS = ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'url', 'query', 'skill', 'description']
const PATHS = new Set(['file_path', 'notebook_path', 'path'])

export function callLabel(name: string, input: unknown, cwd: string): string {
  const label = isObject(input) ? inputLabel(input, cwd) : ''
  return escapeLine(`${name} ${label}`.trim().replaceAll(/[\t\n ]+/g, ' '))
}

function inputLabel(input: Readonly<Record<string, unknown>>, cwd: string): string {
  const key = [...LABEL_KEYS, ...Object.keys(input)].find(each => typeof input[each] === 'string' && input[each] !== '')
  if (key === undefined) return ''
  const text = String(input[key])
  if (!PATHS.has(key) || !text.startsWith('/')) return text
  return (pathFrom(cwd, text) ?? text) || '.'
}

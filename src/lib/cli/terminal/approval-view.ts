import { homedir } from 'node:os'
import { type PermissionUpdate, ruleText } from '../../permissions/updates.ts'
import type { PlainObject } from '../../util/plain.ts'
import { realPath } from '../../world/files/paths.ts'
import { escapeLine, withStyle } from '../print.ts'
import { wrapText } from './width.ts'

/** Invisible or misleading characters: control and direction marks, fillers, unusual blanks. */
const UNREADABLE = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]|[^\P{Zs} ]/gu

export const isReadable = (input: unknown): boolean => textsIn(input).every(text => text.search(UNREADABLE) === -1)

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)])
}

const spellOut = (text: string): string =>
  text.replaceAll(UNREADABLE, char => `\\u${char.codePointAt(0)?.toString(16).padStart(4, '0')}`)

const BAR = '  │ '
const SAME = '  ┆ '

export function callDetails(name: string, input: PlainObject, columns: number): string {
  const lines = [
    withStyle('bold', `  ${escapeLine(name)}`),
    ...Object.entries(input).flatMap(([key, value]) => field(spellOut(key), value)),
    ...whereIn(input)
  ]
  const [head, ...rest] = lines
  const barred = (line: string): readonly string[] =>
    wrapText(line, columns - BAR.length - 1).map((piece, place) => `${place === 0 ? BAR : SAME}${piece}`)
  return [head, ...rest.flatMap(barred)].join('\n')
}

function field(key: string, value: unknown): readonly string[] {
  const text = spellOut(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'))
  return text.includes('\n') ? [`${key}:`, ...text.split('\n').map(line => `  ${line}`)] : [`${key}: ${text}`]
}

const PATHS = ['file_path', 'notebook_path', 'path']

function whereIn(input: PlainObject): readonly string[] {
  return PATHS.flatMap(key => {
    const path = input[key]
    if (typeof path !== 'string' || !path.startsWith('/')) return []
    const real = realPath(path)
    return real === path ? [] : [`${key} leads to: ${spellOut(real)}`]
  })
}

export function updateLabel(updates: readonly PermissionUpdate[], ownHome: string): string {
  const file = `${ownHome}/remembered.json`
  const shown = file.startsWith(`${homedir()}/`) ? `~${file.slice(homedir().length)}` : file
  return updates
    .map(update => `${changeIn(update)}, ${destinationLabel(update.destination, spellOut(shown))}`)
    .join('; ')
}

function changeIn(update: PermissionUpdate): string {
  if (update.type === 'setMode') return `mode ${update.mode}`
  if ('directories' in update) return `work in ${spellOut(update.directories.join(', '))}`
  return escapeLine(`${update.behavior} ${update.rules.map(rule => ruleText(rule)).join(', ')}`)
}

function destinationLabel(destination: PermissionUpdate['destination'], file: string): string {
  if (destination === 'session' || destination === 'cliArg') return 'for this session'
  return `for ${destination === 'userSettings' ? 'every project' : 'this project'}, in ${file}`
}

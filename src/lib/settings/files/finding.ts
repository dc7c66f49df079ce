import { keyOf, shownValue, type KeyPath, type SchemaProblem } from '../../schema/check.ts'
import { FIXES } from './fixes.ts'

/** A position in a file. Lines and columns start at 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** For example `hooks.PreToolUse[0].hooks[1].timeout`. */
  readonly key: string
}

export const sourceOf = ({ file, line, column }: Place): string => `${file}:${line}:${column}`

/** `error`: it does not work as intended. `warning`: it works, but probably not as intended. `info`: nothing to do. */
export type Level = 'error' | 'warning' | 'info'

/** A problem in a file, and how to fix it. */
export interface Finding {
  readonly level: Level
  readonly code: string
  readonly place: Place
  readonly message: string
  readonly fix: string
  /** It concerns a restriction: an error stops the run before it starts, a warning is a notice in the run. */
  readonly gate: boolean
  /** It came with the project, and is irrelevant where the project's hooks and rules are ignored. */
  readonly ofProject?: boolean
}

export const startOf = (file: string, key = ''): Place => ({ file, line: 1, column: 1, key })

/** The fix may be left out where `FIXES` has one for the code. */
export type FindingWords =
  | readonly [code: keyof typeof FIXES, message: string, fix?: string]
  | readonly [code: string, message: string, fix: string]

export function findingOf(level: Level, place: Place, gate: boolean, words: FindingWords): Finding {
  const [code, message, fix = FIXES[code as keyof typeof FIXES]] = words
  return { level, code, place, message, fix, gate }
}

export const problemWords = ({ code, path, value, fix }: SchemaProblem): readonly [string, string, string] => {
  const place = keyOf(path.slice(path.findLastIndex(part => typeof part === 'string')))
  if (code === 'key-missing') return [code, `${place} is missing`, fix]
  return code === 'key-unknown'
    ? [code, `${place} is not read here`, fix]
    : [code, `${place} cannot be ${shownValue(path, value)}`, fix]
}

export const gateError = (place: Place, ...words: FindingWords): Finding => findingOf('error', place, true, words)

/** A restriction that cannot be enforced: nothing starts, except in the compat profile. */
export const stopsRun = ({ level, gate }: Finding): boolean => gate && level === 'error'

export const findingLine = ({ place: { file, line, key }, message, fix }: Finding): string =>
  `${file}${line === 0 ? '.' : `:${line}: `}${key === '' ? '' : `${key}: `}${message} (${fix})`

export class Findings {
  readonly all: Finding[] = []
  readonly place: (path: KeyPath) => Place

  constructor(place: (path: KeyPath) => Place) {
    this.place = place
  }

  add(level: Level, path: KeyPath, ...words: FindingWords): void {
    this.all.push(findingOf(level, this.place(path), false, words))
  }

  gate(level: 'error' | 'warning', path: KeyPath, ...words: FindingWords): void {
    this.all.push(findingOf(level, this.place(path), true, words))
  }
}

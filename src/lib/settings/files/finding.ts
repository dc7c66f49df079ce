import { print } from '../../errors.ts'
import { keyOf, type KeyPath, type SchemaProblem } from '../../schema/check.ts'
import { FIXES } from './fixes.ts'

/** Where in a file something stands. Lines and columns count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The way to it: `hooks.PreToolUse[0].hooks[1].timeout`. */
  readonly key: string
}

/** A place for people: `file:line:column`. */
export const sourceOf = ({ file, line, column }: Place): string => `${file}:${line}:${column}`

/**
 * `error`: it is not in force as it was meant. `warning`: it is in force, but hardly as it was meant. `info`: worth
 * knowing.
 */
export type Level = 'error' | 'warning' | 'info'

/** Something worth saying about a file, with what to do about it. */
export interface Finding {
  readonly level: Level
  /** What programs tell findings apart by. */
  readonly code: string
  readonly place: Place
  readonly message: string
  readonly fix: string
  /** It concerns what was meant to restrict: an error stops the run before it starts, a warning is a notice in it. */
  readonly gate: boolean
  /** It came with the project, and concerns nobody who goes without what the project brings. */
  readonly ofProject?: boolean
}

export const startOf = (file: string, key = ''): Place => ({ file, line: 1, column: 1, key })

/** What a finding says: its code, what is wrong, and what to do about it, where the table of fixes does not say that. */
export type FindingWords =
  | readonly [code: keyof typeof FIXES, message: string, fix?: string]
  | readonly [code: string, message: string, fix: string]

export function findingOf(level: Level, place: Place, gate: boolean, words: FindingWords): Finding {
  const [code, message, fix = FIXES[code as keyof typeof FIXES]] = words
  return { level, code, place, message, fix, gate }
}

/** What a finding says of a key that is not as its table has it. */
export const problemWords = ({ code, path, value, fix }: SchemaProblem): readonly [string, string, string] => {
  const place = keyOf(path.slice(path.findLastIndex(part => typeof part === 'string')))
  if (code === 'key-missing') return [code, `${place} is missing`, fix]
  return code === 'key-unknown'
    ? [code, `${place} is not read here`, fix]
    : [code, `${place} cannot be ${print(value)}`, fix]
}

/** A finding that stops a run. */
export const gateError = (place: Place, ...words: FindingWords): Finding => findingOf('error', place, true, words)

/** What was meant to restrict and cannot do so: nothing starts, except in the compat profile. */
export const stopsRun = ({ level, gate }: Finding): boolean => gate && level === 'error'

/** A finding on one line: file, key, what is wrong, what to do. */
export const findingLine = ({ place: { file, line, key }, message, fix }: Finding): string =>
  `${file}${line === 0 ? '.' : `:${line}: `}${key === '' ? '' : `${key}: `}${message} (${fix})`

export class Findings {
  readonly #all: Finding[] = []
  readonly #place: (path: KeyPath) => Place

  constructor(place: (path: KeyPath) => Place) {
    this.#place = place
  }

  place(path: KeyPath): Place {
    return this.#place(path)
  }

  add(level: Level, path: KeyPath, ...words: FindingWords): void {
    this.#all.push(findingOf(level, this.#place(path), false, words))
  }

  /** The same about what was meant to restrict. */
  gate(level: 'error' | 'warning', path: KeyPath, ...words: FindingWords): void {
    this.#all.push(findingOf(level, this.#place(path), true, words))
  }

  push(finding: Finding): void {
    this.#all.push(finding)
  }

  get all(): readonly Finding[] {
    return this.#all
  }
}

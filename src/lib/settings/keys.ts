import { nearest } from '../errors.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import type { Document } from './document.ts'
import type { Path } from './finding.ts'

/** The keys of a settings file that decide what is in force here. */
const OWN = [
  'hooks',
  'permissions',
  'env',
  'disableAllHooks',
  'allowManagedHooksOnly',
  'strictPluginOnlyCustomization',
  'allowedHttpHookUrls',
  'httpHookAllowedEnvVars',
  'enabledPlugins',
  'carabiner'
]
const PERMISSIONS = [
  'allow',
  'deny',
  'ask',
  'defaultMode',
  'additionalDirectories',
  'disableBypassPermissionsMode',
  'disableAutoMode'
]
const CARABINER = ['hooks', 'modules', 'profile', 'trust', 'disableBypass']

/** Says what is misspelt so that it would be overlooked. Other keys belong to others. */
export function checkKeys({ value, findings }: Document): void {
  for (const key of Object.keys(value)) {
    if (OWN.includes(key)) continue
    const meant = OWN.find(own => own.toLowerCase() === key.toLowerCase())
    if (meant !== undefined) findings.add('error', 'key-case', [key], `${key} is not read`, `write ${meant}`, true)
    else if (isNear(key, OWN))
      findings.add('warning', 'key-unknown', [key], `${key} is not read`, `did you mean ${nearest(key, OWN)}?`)
  }
  strict(value['permissions'], ['permissions'], PERMISSIONS)
  strict(value['carabiner'], ['carabiner'], CARABINER)

  /** Where a misspelt key would disarm something, it is an error. */
  function strict(part: unknown, path: Path, known: readonly string[]): void {
    if (part === undefined) return
    if (!isObject(part))
      return findings.add('error', 'key-type', path, `${path.join('.')} should be an object`, 'put { } around it', true)
    for (const key of Object.keys(part)) {
      if (known.includes(key)) continue
      const near = nearest(key, known)
      findings.add(
        'error',
        'key-unknown',
        [...path, key],
        `${key} is not read here, so it protects nothing`,
        near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`,
        true
      )
    }
  }
}

const isNear = (key: string, known: readonly string[]): boolean => {
  const near = nearest(key, known)
  return near !== undefined && key.length > 3 && Math.abs(near.length - key.length) < 2
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

/** Reads keys of a document by the type they should have; a wrong type is said, and then it is as if it were not there. */
export class KeyReader {
  readonly #document: Document
  readonly #path: Path
  readonly #value: PlainObject

  constructor(document: Document, path: Path = []) {
    this.#document = document
    this.#path = path
    let value: unknown = document.value
    for (const key of path) value = isObject(value) ? value[key] : undefined
    this.#value = isObject(value) ? value : {}
  }

  flag(key: string): boolean | undefined {
    return this.#read(key, 'true or false', (value): value is boolean => typeof value === 'boolean')
  }
  text(key: string): string | undefined {
    return this.#read(key, 'text', (value): value is string => typeof value === 'string')
  }
  texts(key: string): readonly string[] | undefined {
    return this.#read(key, 'a list of texts', isTexts)
  }
  flagOrTexts(key: string): boolean | readonly string[] | undefined {
    return this.#read(
      key,
      'true, false or a list of texts',
      (value): value is boolean | readonly string[] => typeof value === 'boolean' || isTexts(value)
    )
  }
  choice<T extends string>(key: string, choices: readonly T[]): T | undefined {
    return this.#read(key, choices.join(' or '), (value): value is T => choices.includes(value as T))
  }
  object(key: string): PlainObject | undefined {
    return this.#read(key, 'an object', isObject)
  }

  #read<T>(key: string, words: string, fits: (value: unknown) => value is T): T | undefined {
    const value = this.#value[key]
    if (value === undefined || fits(value)) return value
    this.#document.findings.add(
      'error',
      'key-type',
      [...this.#path, key],
      `${key} should be ${words}`,
      `give ${words}`,
      true
    )
    return undefined
  }
}

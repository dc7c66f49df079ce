import type { Rule } from './policy.ts'
import { isAbsolute, resolve } from 'node:path'
import { print } from '../errors.ts'
import { problemsIn, sentenceOf } from '../schema/check.ts'
import { own, type FieldTable, type InferGiven } from '../schema/table.ts'
import { isObject } from '../util/plain.ts'
import { parseMode, type Mode } from './modes.ts'
import { parseRule } from './rule.ts'

const DESTINATION = ['userSettings', 'projectSettings', 'localSettings', 'session', 'cliArg'] as const
const RULE = { toolName: 'string', 'ruleContent?': 'string' } as const

const RULES = {
  type: ['addRules', 'replaceRules', 'removeRules'],
  rules: { list: { object: RULE, open: true } },
  behavior: ['allow', 'deny', 'ask'],
  destination: DESTINATION
} as const satisfies FieldTable

const MODE = {
  type: ['setMode'],
  // parseMode says which modes there are.
  mode: own<Mode | 'auto'>('the name of a mode', value => typeof value === 'string'),
  destination: DESTINATION
} as const satisfies FieldTable

const DIRECTORIES = {
  type: ['addDirectories', 'removeDirectories'],
  directories: { list: 'string' },
  destination: DESTINATION
} as const satisfies FieldTable

/** A rule in two parts. */
export type PermissionRuleValue = InferGiven<typeof RULE>

/** A change of permissions, as hooks and `canUseTool` return it, and as it is suggested to them. */
export type PermissionUpdate = InferGiven<typeof RULES> | InferGiven<typeof MODE> | InferGiven<typeof DIRECTORIES>

export interface Changeable {
  readonly rules: readonly Rule[]
  readonly mode: Mode
  /** Folders of the project and those added to it: the project's root first, which cannot be removed. */
  readonly roots: readonly string[]
  readonly mayBypass: boolean
}

export type Changed = Partial<Omit<Changeable, 'mayBypass'>> & { readonly problem?: string }

/** Only rules of the same destination are removed or replaced: rules from files stay active. */
export function applyUpdate(update: PermissionUpdate, now: Changeable): Changed {
  const problem = problemOf(update)
  if (problem !== undefined) return { problem }
  if ('rules' in update) return changeRules(update, now)
  if ('directories' in update) return changeRoots(update, now)
  const mode = parseMode(update.mode, now.mayBypass)
  return typeof mode === 'string' ? { mode } : mode
}

export const ruleText = ({ toolName, ruleContent }: PermissionRuleValue): string =>
  ruleContent === undefined || ruleContent === '' ? toolName : `${toolName}(${ruleContent})`

function changeRules(
  { type, rules: values, behavior, destination }: Extract<PermissionUpdate, { rules: unknown }>,
  { rules: before }: Changeable
): Changed {
  const given: Rule[] = []
  for (const value of values) {
    const rule = parseRule(ruleText(value), behavior, destination)
    if ('problem' in rule) return rule
    given.push(rule)
  }
  const isOwn = (rule: Rule): boolean => rule.source === destination && rule.behavior === behavior
  const isGiven = (rule: Rule): boolean =>
    given.some(({ tool, specifier }) => rule.tool === tool && rule.specifier === specifier)
  if (type === 'removeRules') return { rules: before.filter(rule => !isOwn(rule) || !isGiven(rule)) }
  const dropped = type === 'replaceRules' ? isOwn : (rule: Rule): boolean => isOwn(rule) && isGiven(rule)
  return { rules: [...before.filter(rule => !dropped(rule)), ...given] }
}

function changeRoots(
  { type, directories }: Extract<PermissionUpdate, { directories: unknown }>,
  { roots }: Changeable
): Changed {
  const relative = directories.find(folder => !isAbsolute(folder))
  if (relative !== undefined) return { problem: `${JSON.stringify(relative)} is not an absolute path; give all of it` }
  const folders = directories.map(folder => resolve(folder))
  if (type === 'addDirectories') return { roots: [...new Set([...roots, ...folders])] }
  return { roots: roots.filter((root, index) => index === 0 || !folders.includes(root)) }
}

const TABLES = [RULES, MODE, DIRECTORIES]

/** Updates come from outside, whatever their type says. */
function problemOf(update: unknown): string | undefined {
  if (!isObject(update)) return 'a permission update must be an object with a type and a destination'
  const table = TABLES.find(({ type }) => type.some(word => word === update['type']))
  const types = TABLES.flatMap(({ type }): readonly string[] => type)
  if (table === undefined) return `${print(update['type'])} is not a permission update; use ${types.join(', ')}`
  const problems = problemsIn(table, update, [], { open: true })
  return problems.length === 0 ? undefined : `${String(update['type'])}: ${problems.map(sentenceOf).join('; ')}`
}

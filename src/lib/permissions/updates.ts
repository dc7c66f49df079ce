import { isAbsolute, resolve } from 'node:path'
import { isObject } from '../util/plain.ts'
import { parseMode, type Mode } from './modes.ts'
import { parseRule, type Behavior, type Rule } from './rule.ts'

type PermissionUpdateDestination = 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg'

/** A rule in two parts. */
export interface PermissionRuleValue {
  toolName: string
  ruleContent?: string
}

/** A change of permissions, as hooks and `canUseTool` return it, and as it is suggested to them. */
export type PermissionUpdate =
  | {
      type: 'addRules' | 'replaceRules' | 'removeRules'
      rules: PermissionRuleValue[]
      behavior: Behavior
      destination: PermissionUpdateDestination
    }
  | { type: 'setMode'; mode: Mode | 'auto'; destination: PermissionUpdateDestination }
  | { type: 'addDirectories' | 'removeDirectories'; directories: string[]; destination: PermissionUpdateDestination }

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

const BEHAVIORS: readonly unknown[] = ['allow', 'ask', 'deny']
const DESTINATIONS: readonly unknown[] = ['userSettings', 'projectSettings', 'localSettings', 'session', 'cliArg']

const isRuleValue = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['toolName'] === 'string' &&
  (value['ruleContent'] === undefined || typeof value['ruleContent'] === 'string')

/** Updates come from outside, whatever their type says. */
function problemOf(update: unknown): string | undefined {
  if (!isObject(update)) return 'a permission update is an object'
  const { type, rules, behavior, directories, mode, destination } = update
  if (!DESTINATIONS.includes(destination)) return `a permission update needs a destination: ${DESTINATIONS.join(', ')}`
  if (type === 'addRules' || type === 'replaceRules' || type === 'removeRules') {
    if (!BEHAVIORS.includes(behavior)) return `${type} needs a behavior: ${BEHAVIORS.join(', ')}`
    return Array.isArray(rules) && rules.every(isRuleValue)
      ? undefined
      : `${type} needs rules: a list of { toolName, ruleContent? }`
  }
  if (type === 'setMode') return typeof mode === 'string' ? undefined : 'setMode needs a mode'
  if (type === 'addDirectories' || type === 'removeDirectories')
    return Array.isArray(directories) && directories.every(item => typeof item === 'string')
      ? undefined
      : `${type} needs directories: a list of paths`
  return `${JSON.stringify(type)} is not a permission update; use addRules, setMode or addDirectories`
}

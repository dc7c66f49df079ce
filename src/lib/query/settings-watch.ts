import type { Permissions } from '../agent/session/session-options.ts'
import type { Rule } from '../permissions/rule.ts'
import type { ActiveSettings, ReloadResult } from '../settings/active/live-reload.ts'
import { rulesOf } from '../settings/permissions/rules.ts'
import type { QueryOptions } from './options/options.ts'
import { mayBypassIn } from './setup/permission-rules.ts'

/**
 * Keeps permissions in step with settings files: their rules, and whether the mode that asks nobody may be chosen. What
 * was added otherwise, by an answer, a skill or the caller, stays.
 */
export class SettingsWatch {
  readonly #permissions: Permissions
  readonly #options: QueryOptions
  #rules: ReadonlySet<Rule>

  /** `rules`: those of the permissions that come from files. */
  constructor(permissions: Permissions, rules: readonly Rule[], options: QueryOptions) {
    this.#permissions = permissions
    this.#options = options
    this.#rules = new Set(rules)
  }

  /** Applies what a reload has changed, and returns a sentence about it for people. */
  update({ counts, why, inForce }: ReloadResult, file: string): string {
    if (!counts) return `the settings in ${file} have changed: ${why}`
    const more = inForce === undefined ? [] : [...this.#take(inForce), ...laterWords(inForce)]
    return [`the settings in ${file} have changed, and count from now on`, ...more].join('; ')
  }

  #take({ loaded, projectTrusted }: ActiveSettings): readonly string[] {
    const permissions = this.#permissions
    const rules = rulesOf(loaded, projectTrusted)
    permissions.rules = [...rules, ...permissions.rules.filter(rule => !this.#rules.has(rule))]
    this.#rules = new Set(rules)
    permissions.mayBypass = mayBypassIn(loaded, this.#options)
    if (permissions.mayBypass || permissions.mode !== 'bypassPermissions') return []
    permissions.mode = 'default'
    return ['settings forbid the mode bypassPermissions: it is default now']
  }
}

const laterWords = ({ later }: ActiveSettings): readonly string[] =>
  later.length === 0 ? [] : [`what has changed of ${later.join(', ')} counts from the next start on`]

import type { Rule } from '../permissions/policy.ts'
import type { Permissions } from '../agent/session/session-options.ts'
import type { ActiveSettings, ReloadResult } from '../settings/active/live-reload.ts'
import { rulesOf } from '../settings/permissions/permission-settings.ts'
import type { QueryOptions } from './options/options.ts'
import { mayBypassIn } from './setup/permission-rules.ts'

/**
 * Updates permissions when settings files change: their rules, and whether bypassPermissions may be chosen. Additions
 * by an answer, a skill or the caller stay. Returns a function that applies a reload and describes it.
 */
export function followSettings(
  permissions: Permissions,
  rulesOfFiles: readonly Rule[],
  options: QueryOptions
): (reloaded: ReloadResult, file: string) => string {
  let known: ReadonlySet<Rule> = new Set(rulesOfFiles)
  const apply = ({ loaded, projectTrusted, later }: ActiveSettings): readonly string[] => {
    const rules = rulesOf(loaded, projectTrusted)
    permissions.rules = [...rules, ...permissions.rules.filter(rule => !known.has(rule))]
    known = new Set(rules)
    permissions.mayBypass = mayBypassIn(loaded, options)
    const isForbidden = !permissions.mayBypass && permissions.mode === 'bypassPermissions'
    if (isForbidden) permissions.mode = 'default'
    return [
      ...(isForbidden ? ['settings forbid the mode bypassPermissions: the mode is now default'] : []),
      ...(later.length === 0 ? [] : [`changes of ${later.join(', ')} take effect at the next start`])
    ]
  }
  return ({ counts, why, inForce }, file) => {
    if (!counts) return `the settings in ${file} have changed: ${why}`
    const more = inForce === undefined ? [] : apply(inForce)
    return [`the settings in ${file} have changed and are now active`, ...more].join('; ')
  }
}

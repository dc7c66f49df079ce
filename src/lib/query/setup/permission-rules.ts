import type { Rule } from '../../permissions/policy.ts'
import type { Permissions } from '../../agent/session/session-options.ts'
import { requireRule } from '../../agent/subagents/child-permissions.ts'
import { fault } from '../../faults.ts'
import { parseMode } from '../../permissions/modes.ts'
import type { Loaded } from '../../settings/files/loaded-hooks.ts'
import { isWithinPolicy } from '../../settings/permissions/tightness.ts'
import type { ProjectContext } from './project-context.ts'
import { otherNames } from '../options/other-names.ts'
import type { QueryOptions } from '../options/options.ts'
import type { Workspace } from './workspace.ts'
import type { SavedPermissions } from '../saved-permissions.ts'

export const ofCaller = ({ allowedTools = [], disallowedTools = [] }: QueryOptions): readonly Rule[] => [
  ...allowedTools.map(rule => requireRule(rule, 'allow', 'allowedTools')),
  ...disallowedTools.map(rule => requireRule(rule, 'deny', 'disallowedTools'))
]

/** bypassPermissions needs the option, and settings must not forbid it. */
export const mayBypassIn = ({ locks }: Loaded, { allowDangerouslySkipPermissions }: QueryOptions): boolean =>
  allowDangerouslySkipPermissions === true && !locks.noBypass

export function permissionsOf(
  { options, where, loaded }: ProjectContext,
  { tools }: Workspace,
  rulesOfFiles: readonly Rule[],
  remembered: SavedPermissions
): Permissions {
  const mayBypass = mayBypassIn(loaded, options)
  const { permissionMode } = options
  if (permissionMode !== undefined && !isWithinPolicy(permissionMode, loaded.managedMode))
    throw fault(
      'E_OPTION_INVALID',
      'permissionMode',
      permissionMode,
      `${loaded.managedMode}, which managed policy has chosen, or a tighter one`
    )
  if (permissionMode === 'bypassPermissions' && loaded.locks.noBypass)
    throw fault('E_MODE', 'settings forbid mode bypassPermissions', 'permissionMode')
  const mode = parseMode(permissionMode ?? loaded.mode ?? 'default', mayBypass)
  if (typeof mode === 'object') throw fault('E_MODE', mode.problem, 'permissionMode')
  const rules = [...rulesOfFiles, ...ofCaller(options), ...remembered.rules()]
  const { home, ownHome } = where
  return {
    rules,
    mode,
    // The model is referred to the folder with output that was too long.
    roots: [tools.root, ...tools.directories, ...(tools.outputFolder === undefined ? [] : [tools.outputFolder])],
    mayBypass,
    autoAllow: loaded.sandbox.enabled && loaded.sandbox.autoAllow,
    home,
    own: [ownHome, ...where.managed, ...otherNames(tools.root, home)],
    leavesOut: true
  }
}

import { fault } from '../../faults.ts'
import { factsOf } from '../../permissions/call-facts.ts'
import { parseMode, type Mode } from '../../permissions/modes.ts'
import { ruledFiles } from '../../permissions/ruled-files.ts'
import type { CallFacts, Policy, Rule } from '../../permissions/policy.ts'
import { otherNames } from '../../query/options/other-names.ts'
import { rulesOf } from '../../settings/permissions/permission-settings.ts'
import type { PlainObject } from '../../util/plain.ts'
import { isThere, namesInFolder, resolvePath } from '../../world/files/paths.ts'
import { repositoryFacts } from '../../world/files/repository.ts'
import type { ProjectState } from '../common.ts'

/** The mode that a flag or the settings name. */
export function modeIn(given: string | undefined, { loaded }: ProjectState, flag: string): Mode {
  const mode = parseMode(given ?? loaded.mode ?? 'default', true)
  if (typeof mode === 'object') throw fault('E_MODE', mode.problem, flag)
  return mode
}

/** What decides about calls in a folder: the rules of its settings, and these. */
export const policyOf = (
  { loaded, where }: ProjectState,
  trusted: boolean,
  mode: Mode,
  added: readonly Rule[]
): Policy => ({
  rules: [...rulesOf(loaded, trusted), ...added],
  mode,
  roots: [resolvePath(loaded.root).path, ...loaded.directories.map(folder => resolvePath(folder).path)],
  home: where.home,
  own: [where.ownHome, ...where.managed, ...otherNames(loaded.root, where.home)],
  leavesOut: true
})

/** What is known about a call, as in a session. `cwd`: where it is made, if that is not the project's root. */
export const factsHere = (tool: string, input: PlainObject, policy: Policy, cwd?: string): CallFacts =>
  factsOf(tool, input, policy, {
    cwd,
    real: resolvePath,
    has: isThere,
    list: namesInFolder,
    searchPath: process.env['PATH'],
    repository: repositoryFacts,
    ruled: ruledFiles(policy)
  })

import type { Outcome } from '../hooks/dispatch/outcome.ts'
import type { RegistryOptions } from '../hooks/registry-options.ts'
import { decide } from '../permissions/decide.ts'
import type { CallFacts, Policy } from '../permissions/policy.ts'
import { gateFindings } from '../query/setup/missed-tools.ts'
import { SavedPermissions } from '../query/saved-permissions.ts'
import { findingLine, stopsRun } from '../settings/files/finding.ts'
import type { Loaded } from '../settings/files/loaded-hooks.ts'
import { restrictions } from '../settings/permissions/restrictions.ts'
import { coverageOf } from '../settings/trust/digest.ts'
import { unusableFindings, type ProjectState } from './common.ts'
import type { ProjectFlags } from './flags.ts'
import { hooksHere, type HooksHere } from './hooks/hooks-here.ts'
import { modeIn, policyOf } from './rules/policy.ts'

/** What judges calls of another agent in a folder: its hooks and rules. */
export interface FolderGate {
  readonly armed: HooksHere
  readonly policy: Policy
  /** Restrictions that cannot be enforced, because of which no call can be judged. */
  readonly problem: string | undefined
}

/** Neither the proxy nor a hook of another agent starts the servers of the project. */
export const needsNoTrust = ({ loaded }: ProjectState): boolean => coverageOf({ ...loaded, servers: [] }) === undefined

export async function openGate(
  state: ProjectState,
  flags: ProjectFlags & { readonly permissionMode?: string },
  trusted: boolean,
  { loaded = state.loaded, ...registry }: RegistryOptions & { readonly loaded?: Loaded } = {}
): Promise<FolderGate> {
  const { where } = state
  const armed = await hooksHere(
    { loaded, projectTrusted: trusted, hasAgent: true },
    { cwd: where.cwd, profile: flags.profile, ...registry }
  )
  try {
    const saved = new SavedPermissions(where.ownHome, loaded.root)
    const policy = policyOf(state, trusted, modeIn(flags.permissionMode, state, '--permission-mode'), saved.rules())
    return { armed, policy, problem: problemIn(state, flags, armed) }
  } catch (error) {
    await armed.close()
    throw error
  }
}

/** In the compat profile, only what the command line names. */
function problemIn(state: ProjectState, flags: ProjectFlags, armed: HooksHere): string | undefined {
  const { loaded } = state
  const { findings, hooks } = armed
  const all = [...loaded.findings, ...restrictions(loaded), ...findings, ...gateFindings(armed, [])].filter(
    ({ ofProject }) => flags.projectHooks !== false || ofProject !== true
  )
  const wrong = hooks.options.profile === 'compat' ? unusableFindings(state, flags, all) : all.filter(stopsRun)
  return wrong.length === 0 ? undefined : wrong.map(findingLine).join('; ')
}

/** What hooks said about a call, and what rules add to it. What neither decides is up to the other agent. */
export function withRules(outcome: Outcome, facts: CallFacts, policy: Policy): Outcome {
  const { decision, by = '', reason } = outcome
  if (decision === 'deny' || decision === 'defer') return outcome
  const ruling = decide(facts, { ...policy, hook: decision && { decision, by, reason } })
  // A mode says how this agent asks, not how another one does.
  const isByMode = ruling.kind === 'mode' && ruling.decision === 'allow'
  if (ruling.kind === 'hook' || ruling.kind === 'default' || isByMode) return outcome
  return { ...outcome, ...ruling, blocked: ruling.decision === 'deny' }
}

/** What PermissionRequest hooks answered, if it counts: by default, a hook of the project may only refuse. */
export const countedAnswer =
  ({ armed }: FolderGate, mayProjectAllow = false) =>
  (answered: Outcome): Partial<Pick<Outcome, 'decision' | 'by' | 'reason'>> => {
    const { decision, by, reason } = answered
    const isOfOthers = ({ source }: { readonly source: string }): boolean => !armed.isOfProject(source)
    const others = armed.hooks.list('PermissionRequest').filter(isOfOthers)
    const isByOthers = answered.reasons.some(
      verdict => verdict.decision === 'allow' && others.some(({ name }) => name === verdict.by)
    )
    return decision === 'deny' || mayProjectAllow || isByOthers ? { decision, by, reason } : {}
  }

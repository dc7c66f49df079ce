import type { Behavior, Rule } from '../../permissions/policy.ts'
import { fault } from '../../faults.ts'
import { parseMode, type Mode } from '../../permissions/modes.ts'
import { fits, parseRule } from '../../permissions/rule.ts'
import type { AgentDefinition } from './definitions.ts'
import type { Permissions } from '../session/session-options.ts'

/**
 * What a subagent may do without asking: the same as its parent, approvals included, except what is forbidden to it.
 * Permissions added later also apply to its parent.
 */
export function permissionsFor(
  definition: AgentDefinition,
  forbidden: readonly Rule[],
  parent: Permissions
): Permissions {
  // A tool that is forbidden entirely is absent; but a server may add tools later.
  const refused = forbidden.filter(({ specifier, tool }) => specifier !== undefined || tool.startsWith('mcp__'))
  const chosen = modeOf(definition, parent)
  return {
    ...parent,
    get mode() {
      return chosen.mode === 'bypassPermissions' && !parent.mayBypass ? 'default' : chosen.mode
    },
    set mode(next) {
      chosen.mode = next
    },
    get mayBypass() {
      return parent.mayBypass
    },
    get rules() {
      return refused.length === 0 ? parent.rules : [...parent.rules, ...refused]
    },
    set rules(next) {
      parent.rules = next.filter(rule => !refused.includes(rule))
    },
    get roots() {
      return parent.roots
    },
    set roots(next) {
      parent.roots = next
    }
  }
}

/** Its own mode, unless that of the parent is stricter. */
function modeOf({ permissionMode }: AgentDefinition, parent: Permissions): { mode: Mode } {
  const mode = permissionMode === undefined ? parent.mode : parseMode(permissionMode, parent.mayBypass)
  const keeps = parent.mode === 'bypassPermissions' || parent.mode === 'plan' || parent.mode === 'dontAsk'
  return typeof mode === 'object' || keeps ? parent : { mode }
}

/** The tools, servers and calls that a subagent must not use, as rules. Throws if one is invalid. */
export function forbiddenTo(type: string, { disallowedTools = [] }: AgentDefinition): readonly Rule[] {
  const source = `disallowedTools of the agent ${type}`
  const given: unknown = disallowedTools
  if (!Array.isArray(given) || !given.every(rule => typeof rule === 'string'))
    throw fault('E_OPTION_INVALID', source, JSON.stringify(given) ?? 'nothing', 'a list of tools and rules')
  return given.map((text: string) => requireRule(text, 'deny', source))
}

/** An invalid rule protects nothing: it is an error. */
export function requireRule(text: string, behavior: Behavior, source: string): Rule {
  const rule = parseRule(text, behavior, source)
  if ('problem' in rule) throw fault('E_RULE', rule.problem, source)
  return rule
}

export const forbidsTool = (rules: readonly Rule[], tool: string): boolean =>
  // A rule without a pattern reads no path.
  rules.some(rule => rule.specifier === undefined && fits(rule, { ...CALL, tool }, { roots: [], home: '' }) === 'yes')

const CALL = { input: {}, subject: undefined, readOnly: false }

import type { Rule } from '../../permissions/policy.ts'
import type { Permissions } from '../../agent/session/session-options.ts'
import type { InitMessage } from '../../agent/output/agent-messages.ts'
import { skillTool, type Skills } from '../../agent/instructions/skills.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import { skillsIn } from '../../settings/active/skill-files.ts'
import type { Tool } from '../../tools/tool.ts'
import type { ProjectContext } from './project-context.ts'
import type { QueryOptions } from '../options/options.ts'
import { isWanted } from './tools.ts'

export const pluginsOf = ({ loaded, trusted }: ProjectContext): InitMessage['plugins'] =>
  loaded.plugins.filter(({ ofProject }) => trusted || !ofProject).map(({ name, root: path }) => ({ name, path }))

/** The skills and slash commands of files. Their permissions are added to the rules, and removed when the turn ends. */
export function skillsOf(
  { options, loaded, trusted }: ProjectContext,
  permissions: Permissions,
  armed: ArmedHooks
): Skills {
  const all = skillsIn(loaded, trusted, text => options.stderr?.(text))
  const granted = new Set<Rule>()
  let inTurn = false
  return {
    all,
    activate(name) {
      const skill = all.get(name)
      skill?.check()
      armed.activate(name)
      const allows = inTurn ? (skill?.allows.filter(rule => !granted.has(rule)) ?? []) : []
      for (const rule of allows) granted.add(rule)
      permissions.rules = [...permissions.rules, ...allows]
    },
    turn() {
      inTurn = true
      return () => {
        inTurn = false
        permissions.rules = permissions.rules.filter(rule => !granted.has(rule))
        granted.clear()
      }
    }
  }
}

export const skillToolsOf = (options: QueryOptions, skills: Skills): readonly Tool[] =>
  isWanted('Skill', options) && [...skills.all.values()].some(({ byModel }) => byModel) ? [skillTool(skills)] : []

import { AGENT_DEFINITION, type AgentDefinition } from '../../agent/subagents/definitions.ts'
import { forbiddenTo, forbidsTool } from '../../agent/subagents/child-permissions.ts'
import { nearest } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { parseMode } from '../../permissions/modes.ts'
import { toolIn } from '../../permissions/rule.ts'
import { namingOf } from '../../permissions/tool-names.ts'
import { TOOL_NAMES } from '../../tool-table.ts'
import type { ToolDefinition } from '../../tools/custom.ts'
import { checkObject, invalidOption } from '../../schema/check.ts'
import { isObject } from '../../util/plain.ts'
import type { QueryOptions } from './options.ts'

/**
 * An unknown key or tool name might have been meant to restrict: both are errors. `place` names the definition in the
 * error.
 */
export function checkAgent(agent: unknown, place: string, options: QueryOptions): asserts agent is AgentDefinition {
  if (!isObject(agent) || typeof agent['description'] !== 'string' || typeof agent['prompt'] !== 'string')
    throw invalidOption(place, agent, '{ description, prompt, tools? … }')
  if ('hooks' in agent)
    throw invalidOption(`a key of ${place}`, 'hooks', 'options.hooks, whose hooks see what subagents do as well')
  checkObject(AGENT_DEFINITION, agent, place)
  const { tools, disallowedTools, permissionMode } = agent as unknown as AgentDefinition
  const mode = permissionMode === undefined ? undefined : parseMode(permissionMode, true)
  if (typeof mode === 'object') throw fault('E_MODE', mode.problem, `${place}.permissionMode`)
  checkNames(tools, `${place}.tools`, options)
  checkNames(disallowedTools?.map(toolIn), `${place}.disallowedTools`, options)
}

/** Tools of servers may come later; tools that other agents have may be named, and are absent. */
function checkNames(names: readonly string[] = [], place: string, options: QueryOptions): void {
  const own = ownToolNames(options)
  const stray = names.find(name => ['near', 'unknown'].includes(namingOf(name, own).is))
  if (stray === undefined) return
  const known = [...TOOL_NAMES, ...own]
  throw invalidOption(`a name in ${place}`, stray, nearest(stray, known) ?? `one of ${known.join(', ')}`)
}

export const ownToolNames = ({ tools }: QueryOptions): readonly string[] =>
  Array.isArray(tools)
    ? tools.flatMap((each: string | ToolDefinition) => (typeof each === 'string' ? [] : [each.name]))
    : []

/** The notice about server tools that are named for subagents and do not exist. */
export function missingTools(agents: QueryOptions['agents'], there: readonly string[]): readonly string[] {
  return Object.entries(agents ?? {}).flatMap(([type, agent]) => {
    const { tools = [], disallowedTools = [] } = agent
    const isThere = (rule: string): boolean => {
      const rules = forbiddenTo(type, { ...agent, disallowedTools: [toolIn(rule)] })
      return there.some(name => forbidsTool(rules, name))
    }
    const missing = [...tools.filter(name => !there.includes(name)), ...disallowedTools.filter(rule => !isThere(rule))]
    return missing
      .filter(name => name.startsWith('mcp__'))
      .map(name => `agents.${type} names ${name}, and no server has such a tool`)
  })
}

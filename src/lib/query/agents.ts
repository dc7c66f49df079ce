import { USUAL_AGENTS, type AgentDefinition } from '../agent/definitions.ts'
import type { AgentPorts } from '../agent/subagent.ts'
import { fault } from '../errors.ts'
import { loadAgents } from '../settings/agents.ts'
import type { ArmedHooks } from '../settings/armed.ts'
import type { Where } from '../settings/sources.ts'
import { isObject } from '../util/plain.ts'
import { modelOf } from './models.ts'
import type { QueryOptions } from './options.ts'
import { logOf, type Place } from './place.ts'

/** The subagents that can be called: the usual ones, those of files, and those of the caller, who has the last word. */
export function agentsOf(
  options: QueryOptions,
  where: Where,
  root: string,
  place: Place,
  armed: ArmedHooks,
  env: Readonly<Record<string, string | undefined>>
): AgentPorts {
  const ofFiles = options.settingSources?.length === 0 ? [] : loadAgents(where, root)
  const ofCaller = Object.entries(options.agents ?? {}).map(([name, agent]) => [name, checked(name, agent)] as const)
  return {
    definitions: new Map([...Object.entries(USUAL_AGENTS), ...ofFiles, ...ofCaller]),
    modelFor: name => modelOf(name, env),
    enter: (type, hooks) => armed.enter(type, hooks),
    logFor: agentId => logOf(options, where, place, agentId),
    running: new Set(),
    teammates: new Map()
  }
}

function checked(name: string, agent: unknown): AgentDefinition {
  if (isObject(agent) && typeof agent['description'] === 'string' && typeof agent['prompt'] === 'string')
    return agent as unknown as AgentDefinition
  throw fault(
    'E_OPTION_INVALID',
    `agents.${name}`,
    JSON.stringify(agent) ?? 'nothing',
    '{ description, prompt, tools? … }'
  )
}

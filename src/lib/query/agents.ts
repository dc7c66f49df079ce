import { USUAL_AGENTS, type AgentDefinition } from '../agent/definitions.ts'
import type { AgentPorts } from '../agent/subagent.ts'
import { fault } from '../errors.ts'
import { agentsIn } from '../settings/agents.ts'
import type { ArmedHooks } from '../settings/armed.ts'
import { isObject } from '../util/plain.ts'
import type { Ground } from './ground.ts'
import { modelOf } from './models.ts'
import type { QueryOptions } from './options.ts'
import type { Transcripts } from './transcripts.ts'
import { ownersFor } from './skills.ts'

/** The subagents that can be called: the usual ones, those of files, and those of the caller, who has the last word. */
export function agentsOf(
  options: QueryOptions,
  { loaded, trusted, env }: Ground,
  transcripts: Transcripts,
  armed: ArmedHooks
): AgentPorts {
  const ofFiles = agentsIn({ owners: ownersFor(options, loaded) }, trusted)
  const ofCaller = Object.entries(options.agents ?? {}).map(([name, agent]) => [name, checked(name, agent)] as const)
  return {
    definitions: new Map([...Object.entries(USUAL_AGENTS), ...ofFiles, ...ofCaller]),
    modelFor: name => modelOf(name, env),
    enter: (type, hooks) => armed.enter(type, hooks),
    logFor: transcripts.logFor,
    load: transcripts.load,
    running: new Map(),
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

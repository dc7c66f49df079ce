import { USUAL_AGENTS } from '../agent/definitions.ts'
import { forbiddenTo } from '../agent/forbidden.ts'
import type { AgentPorts } from '../agent/subagent.ts'
import { agentsIn } from '../settings/agents.ts'
import type { ArmedHooks } from '../settings/armed.ts'
import { checkAgent } from './agent-definition.ts'
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
  const ofCaller = Object.entries(options.agents ?? {})
  for (const [name, agent] of ofCaller) checkAgent(agent, `agents.${name}`, options)
  const definitions = new Map([...Object.entries(USUAL_AGENTS), ...ofFiles, ...ofCaller])
  // What cannot be read of it is an error now, not when it is called.
  for (const [name, agent] of definitions) forbiddenTo(name, agent)
  return {
    definitions,
    modelFor: name => modelOf(name, env),
    enter: (type, hooks) => armed.enter(type, hooks),
    logFor: transcripts.logFor,
    load: transcripts.load,
    running: new Map(),
    teammates: new Map()
  }
}

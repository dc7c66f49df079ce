import { forbiddenTo } from '../../agent/subagents/child-permissions.ts'
import { fault } from '../../faults.ts'
import { HOOK_AGENT } from '../../hooks/kinds/hook-environment.ts'
import type { AgentPorts } from '../../agent/subagents/subagent.ts'
import type { Model } from '../../model/model.ts'
import { isOfProvider } from '../../model/names.ts'
import { agentsIn } from '../../settings/active/agent-files.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import type { ProjectContext } from './project-context.ts'
import { modelOf, MOST_TURNS } from './models.ts'
import type { Transcripts } from '../transcripts.ts'

/** The subagents that can be called: the built-in ones, those of files, and those of the caller, which win. */
export function agentPorts(
  { options, loaded, trusted, env }: ProjectContext,
  model: Model,
  transcripts: Transcripts,
  armed: ArmedHooks
): AgentPorts {
  const found = agentsIn(loaded, trusted, {
    turns: options.maxTurns ?? MOST_TURNS,
    mayChoose(name, file) {
      if (isOfProvider(name, model.provider)) return true
      options.stderr?.(
        `${file}: model ${name} is ignored: only you can choose another provider, in ~/.claude/agents or in options.agents`
      )
      return false
    }
  })
  const ofCaller = Object.entries(options.agents ?? {})
  const definitions = new Map([...found, ...ofCaller])
  // Hooks around the model do not judge agents of this name.
  if (definitions.delete(HOOK_AGENT)) {
    if (!found.has(HOOK_AGENT)) throw fault('E_OPTION_INVALID', 'the name of an agent', HOOK_AGENT, 'another one')
    options.stderr?.(`an agent ${HOOK_AGENT} is ignored: agents that work for hooks have this name`)
  }
  // An invalid definition is an error now, not when it is called.
  for (const [name, agent] of definitions) forbiddenTo(name, agent)
  return {
    definitions,
    modelFor: name => modelOf(name, { options, env }),
    enter: (type, hooks) => armed.enter(type, hooks),
    logFor: transcripts.logFor,
    load: transcripts.load,
    running: new Map(),
    teammates: new Map()
  }
}

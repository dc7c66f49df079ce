import type { AgentView } from '../../hooks/hook-context.ts'
import type { Session } from './session.ts'

/** What hooks see of the agent around them. Made once a session; the model, the mode and the folder may change. */
export function agentViewOf(session: Session): AgentView {
  const { agent, log, place, permissions, hooks } = session.options
  return {
    ...hooks.options.agent,
    id: session.agentId,
    type: agent?.type ?? 'main',
    depth: agent?.depth ?? 0,
    toolUseId: agent?.toolUseId,
    transcriptPath: log.path,
    tools: [...session.tools.keys()],
    get model() {
      return session.model.name
    },
    get session() {
      return { id: session.id, cwd: place.cwd, permissionMode: permissions.mode }
    }
  }
}

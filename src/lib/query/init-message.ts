import type { AgentMessage, InitMessage } from '../agent/output/agent-messages.ts'
import { resultMessage } from '../agent/output/result-message.ts'
import { ended } from '../agent/session/ending.ts'
import { Spending } from '../agent/spending.ts'
import { CarabinerError } from '../errors.ts'
import { CONTRACT, VERSION } from '../version.ts'
import type { Opened } from './open.ts'
import type { QueryOptions } from './options/options.ts'
import type { Query } from './query-interface.ts'
import { randomUuid } from '../transcript/log.ts'

export function initOf({ session, servers, names }: Opened): InitMessage {
  return {
    type: 'system',
    subtype: 'init',
    session_id: session.id,
    uuid: randomUuid(),
    cwd: session.options.place.cwd,
    model: session.model.name,
    permissionMode: session.permissions.mode,
    tools: [...session.tools.keys()],
    mcp_servers: servers.map(({ name, status, source }) => ({ name, status, source })),
    slash_commands: names.skills,
    ...names,
    apiKeySource: 'none',
    output_style: 'default',
    claude_code_version: CONTRACT.replace('claude-code ', ''),
    carabiner_version: VERSION,
    ungated_tools: session.options.serverTools
  }
}

/** The messages of a query for the command line: a failure to start becomes a result. */
export async function* withResult(begin: () => Query, options: QueryOptions): AsyncGenerator<AgentMessage, void> {
  try {
    yield* begin()
  } catch (error) {
    if (!(error instanceof CarabinerError)) throw error
    const ending = ended('turn_setup_failed', error.forCommandLine ?? error.message, true)
    const session = { id: options.sessionId ?? '', turns: 0, denials: [], spending: new Spending() }
    yield { ...resultMessage(ending, session), error_code: error.code }
  }
}

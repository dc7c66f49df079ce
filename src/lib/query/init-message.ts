import { randomUUID } from 'node:crypto'
import type { AgentMessage, InitMessage, ResultMessage } from '../agent/output/output.ts'
import type { Session } from '../agent/session/session.ts'
import { NO_TOKENS } from '../model/usage.ts'
import { CarabinerError } from '../errors.ts'
import { CONTRACT, VERSION } from '../version.ts'
import type { Opened } from './open.ts'
import type { QueryOptions } from './options/options.ts'
import type { Query } from './query-interface.ts'

/** The first message of a session. */
export function initOf(
  session: Session,
  servers: Opened['servers'],
  { agents, skills, plugins }: Opened['names'],
  { serverTools = [] }: QueryOptions
): InitMessage {
  return {
    type: 'system',
    subtype: 'init',
    session_id: session.id,
    uuid: randomUUID(),
    cwd: session.options.place.cwd,
    model: session.model.name,
    permissionMode: session.permissions.mode,
    tools: [...session.tools.keys()],
    mcp_servers: servers.map(({ name, status, source }) => ({ name, status, source })),
    slash_commands: skills,
    agents,
    skills,
    plugins,
    apiKeySource: 'none',
    output_style: 'default',
    claude_code_version: CONTRACT.replace('claude-code ', ''),
    carabiner_version: VERSION,
    ungated_tools: serverTools
  }
}

/** The messages of a query for the command line: a failure to start becomes a result. */
export async function* withResult(begin: () => Query, options: QueryOptions): AsyncGenerator<AgentMessage, void> {
  try {
    yield* begin()
  } catch (error) {
    if (!(error instanceof CarabinerError)) throw error
    yield failedToStart(error, options)
  }
}

function failedToStart(error: CarabinerError, { sessionId }: QueryOptions): ResultMessage {
  const why = error.forCommandLine ?? error.message
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    result: why,
    errors: [why],
    error_code: error.code,
    terminal_reason: 'turn_setup_failed',
    stop_reason: null,
    num_turns: 0,
    duration_ms: 0,
    duration_api_ms: 0,
    total_cost_usd: 0,
    usage: NO_TOKENS,
    modelUsage: {},
    permission_denials: [],
    uuid: randomUUID(),
    session_id: sessionId ?? ''
  }
}

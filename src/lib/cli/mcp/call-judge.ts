import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import type { FireInput, ToolEvent } from '../../hooks/events/event-table.ts'
import type { Fires } from '../../hooks/guard.ts'
import type { FireOptions } from '../../hooks/registry-internals.ts'
import type { Policy } from '../../permissions/policy.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import type { KnownTool } from '../../tools/mcp/mcp-approvals.ts'
import type { PlainObject } from '../../util/plain.ts'
import { withRules } from '../gate.ts'
import { factsHere } from '../rules/policy.ts'

/** What judges the calls of a server. */
export interface CallGate {
  readonly server: { readonly name: string; readonly source: string }
  readonly hooks: ArmedHooks['hooks']
  readonly policy: Policy
  /** Why no call can be judged, and none runs. Known when the tools are listed. */
  problem: string | undefined
  notice(text: string): void
}

/** Hooks, then permission rules and changes of the tool, as in a session: `guard()` gets the outcome of all of them. */
export function judgeOf({ hooks, server, policy, notice }: CallGate, tool: KnownTool): Fires {
  const mcp_server = { name: server.name, source: server.source }
  const fire = async (event: ToolEvent, input: PlainObject, options?: FireOptions): Promise<Outcome> => {
    const outcome = await hooks.fire(event, { ...input, mcp_server } as FireInput<ToolEvent>, options)
    for (const { by, message } of outcome.failures) notice(`the hook ${by} failed: ${message}`)
    for (const { to, text } of outcome.systemMessages) if (to === 'user') notice(text)
    if (event !== 'PreToolUse') return outcome
    const { updatedInput = input['tool_input'] as PlainObject } = outcome
    const doubt = tool.change && `the tool has changed: ${tool.change}. Allowing it approves the new definition`
    const facts = { ...factsHere(String(input['tool_name']), updatedInput, policy), subject: undefined, doubt }
    return withRules(outcome, facts, policy)
  }
  return { fire: fire as Fires['fire'] }
}

import type { Outcome } from '../../../hooks/dispatch/outcome.ts'
import { definedFields } from '../../../sdks/agent-sdk.ts'
import { isObject, type PlainObject } from '../../../util/plain.ts'
import type { HostDialect, HostCall } from '../dialect.ts'
import { shownOutput, textsOf } from '../fit.ts'
import { patchedFiles } from '../host-call.ts'

function answer(outcome: Outcome, event: string, input: PlainObject): PlainObject {
  const { decision, reason, updatedInput, updatedPrompt } = outcome
  const { model } = textsOf(outcome)
  const message = decision === 'deny' ? reason : undefined
  if (event === 'permissionRequest') return definedFields({ behavior: decision, message })
  if (event === 'preToolUse')
    return definedFields({
      permissionDecision: decision,
      permissionDecisionReason: decision === 'allow' ? undefined : reason,
      modifiedArgs: updatedInput,
      additionalContext: model
    })
  const isAfter = event.startsWith('postToolUse')
  const output = shownOutput(outcome, input)
  const { resultType = 'success' } = isObject(input['tool_response']) ? input['tool_response'] : {}
  return definedFields({
    ...(message !== undefined && !isAfter && { decision: 'block', reason: message }),
    modifiedPrompt: updatedPrompt,
    modifiedResult: output === undefined ? undefined : { textResultForLlm: output, resultType },
    additionalContext: isAfter && message !== undefined ? [message, model].join('\n').trim() : model
  })
}

const NAMES: Readonly<Record<string, string>> = {
  sessionId: 'session_id',
  toolName: 'tool_name',
  toolArgs: 'tool_input',
  toolInput: 'tool_input',
  toolResult: 'tool_response',
  agentId: 'agent_id',
  agentType: 'agent_type'
}

const read = (payload: PlainObject): PlainObject =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([key, value]) =>
      // Other agents have these fields, and this one does not.
      Object.values(NAMES).includes(key) ? [] : [[NAMES[key] ?? key, key === 'error' ? errorText(value) : value]]
    )
  )

const errorText = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error))

/** It takes one folder, or several. */
const searches = ({ path, paths, ...input }: PlainObject): readonly HostCall[] => {
  const all = [path, paths].flat().filter(each => each !== undefined)
  return (all.length === 0 ? ['.'] : all).map(each => ({ name: 'Grep', input: { ...input, path: each } }))
}

/** A tool of an MCP server is SERVER-TOOL or SERVER/TOOL, and both names may have dashes: all readings are judged. */
function serverCalls(name: string, input: PlainObject): readonly HostCall[] {
  const splits = Array.from(name.matchAll(/[-/]/g), ({ index }) => [name.slice(0, index), name.slice(index + 1)])
  return splits.map(([server, tool]) => ({ name: `mcp__${server}__${tool}`, input }))
}

export const COPILOT: HostDialect = {
  title: 'Copilot CLI',
  verifiedWith: '1.0.102',
  events: {
    preToolUse: { as: 'PreToolUse', takes: ['allow', 'ask', 'context', 'deny', 'rewrite'] },
    permissionRequest: { as: 'PermissionRequest', takes: ['allow', 'deny'] },
    postToolUse: { as: 'PostToolUse', takes: ['context', 'deny', 'output'] },
    postToolUseFailure: { as: 'PostToolUseFailure', takes: ['context', 'deny'] },
    userPromptSubmitted: { as: 'UserPromptSubmit', takes: ['context', 'deny', 'prompt'] },
    sessionStart: { as: 'SessionStart', takes: ['context'] },
    sessionEnd: { as: 'SessionEnd', takes: [] },
    subagentStart: { as: 'SubagentStart', takes: [] },
    subagentStop: { as: 'SubagentStop', takes: [] },
    agentStop: { as: 'Stop', takes: ['deny'] },
    notification: { as: 'Notification', takes: [] }
  },
  tools: {
    bash: { as: 'Bash' },
    // What is typed into a command that runs may be a command as well.
    write_bash: { as: 'Bash', keys: { input: 'command' } },
    view: { as: 'Read', keys: { path: 'file_path' } },
    create: { as: 'Write', keys: { path: 'file_path', file_text: 'content' } },
    edit: { as: 'Edit', keys: { path: 'file_path', old_str: 'old_string', new_str: 'new_string' } },
    apply_patch: { as: 'Edit', calls: ({ input }) => patchedFiles(input) },
    grep: { as: 'Grep', known: ['paths'], calls: searches },
    rg: { as: 'Grep', known: ['paths'], calls: searches },
    glob: { as: 'Glob' },
    web_fetch: { as: 'WebFetch' },
    task: { as: 'Agent', keys: { agent_type: 'subagent_type' } },
    skill: { as: 'Skill' }
  },
  unlisted: serverCalls,
  projectVariable: 'COPILOT_PROJECT_DIR',
  read,
  config: {
    user: '.copilot/hooks/carabiner.json',
    project: '.github/hooks/carabiner.json',
    at: event => ['hooks', event],
    entry: (bash, timeoutSec) => ({ type: 'command', bash, timeoutSec }),
    fresh: { version: 1 }
  },
  answer,
  reach: { tools: 'gated', servers: 'gated', subagents: 'gated', provider: 'none', typed: 'gated' },
  limits: [
    'Hooks in .github/hooks run only in folders that you trust in Copilot CLI, which says nothing of those that it leaves out. Those in ~/.copilot/hooks need no trust; "disableAllHooks" in its settings, also in those of a trusted project, turns off both.',
    'Messages of hooks for the person who watches are not shown.'
  ]
}

import type { Outcome } from '../../../hooks/dispatch/outcome.ts'
import { definedFields } from '../../../sdks/agent-sdk.ts'
import { nameInServer } from '../../../util/names.ts'
import { isObject, type PlainObject } from '../../../util/plain.ts'
import type { HostCall, HostDialect, HostTool } from '../dialect.ts'
import { shownOutput, specificOutput, textsOf } from '../fit.ts'

function answer(outcome: Outcome, event: string, input: PlainObject): PlainObject {
  const { decision, reason, updatedInput, continue: goesOn, stopReason } = outcome
  const { model, user } = textsOf(outcome)
  const output = shownOutput(outcome, input)
  const isAfter = event === 'AfterTool'
  const context = isAfter && decision === 'deny' ? [reason, model].join('\n').trim() : model
  // After a tool, a refusal replaces the output, and leaves out the context.
  const replacement = output === undefined ? undefined : [output, context].join('\n').trim()
  const refusal = isAfter ? replacement : decision === 'deny' ? reason : undefined
  return definedFields({
    decision: refusal === undefined ? undefined : 'deny',
    reason: refusal,
    continue: goesOn === false ? goesOn : undefined,
    stopReason: goesOn === false ? stopReason : undefined,
    systemMessage: user,
    hookSpecificOutput: specificOutput(event, {
      tool_input: updatedInput,
      additionalContext: /^(SessionStart|BeforeAgent|AfterTool)$/.test(event) ? context : undefined
    })
  })
}

/** Names of MCP tools are those of Claude Code. */
function read({ mcp_context: mcp, ...payload }: PlainObject): PlainObject {
  const { server_name: server, tool_name: tool } = isObject(mcp) ? mcp : {}
  if (typeof server !== 'string' || typeof tool !== 'string') return payload
  return { ...payload, tool_name: nameInServer(server, tool) }
}

const GREP: HostTool = { as: 'Grep', keys: { dir_path: 'path', include_pattern: 'glob' } }

/** It fetches the addresses that are in its prompt. */
const addressesIn = (prompt: unknown): readonly HostCall[] =>
  Array.from(String(prompt).matchAll(/\bhttps?:\/\/[^\s"'<>]+/gi), ([url]) => ({
    name: 'WebFetch',
    input: { url, prompt }
  }))

export const GEMINI: HostDialect = {
  title: 'Gemini CLI',
  verifiedWith: '0.61.0',
  events: {
    BeforeTool: { as: 'PreToolUse', takes: ['deny', 'end', 'merged rewrite', 'notice'] },
    AfterTool: { as: 'PostToolUse', takes: ['context', 'deny', 'end', 'notice', 'output'] },
    BeforeAgent: { as: 'UserPromptSubmit', takes: ['context', 'deny', 'notice'] },
    AfterAgent: { as: 'Stop', takes: ['deny', 'end', 'notice'] },
    SessionStart: { as: 'SessionStart', takes: ['context', 'notice'] },
    SessionEnd: { as: 'SessionEnd', takes: ['notice'] },
    Notification: { as: 'Notification', takes: ['notice'] }
  },
  tools: {
    run_shell_command: { as: 'Bash', folder: 'dir_path' },
    read_file: { as: 'Read' },
    write_file: { as: 'Write' },
    replace: { as: 'Edit', keys: { allow_multiple: 'replace_all' }, findsFiles: true },
    glob: { as: 'Glob', keys: { dir_path: 'path' } },
    grep_search: GREP,
    search_file_content: GREP,
    list_directory: { as: 'LS', keys: { dir_path: 'path' }, known: ['file_filtering_options'] },
    read_many_files: {
      as: 'Read',
      known: ['file_filtering_options'],
      calls: ({ include }) => [include].flat().map(pattern => ({ name: 'Grep', input: { pattern, path: '.' } }))
    },
    web_fetch: { as: 'WebFetch', calls: ({ prompt }) => addressesIn(prompt) },
    invoke_agent: { as: 'Agent', keys: { agent_name: 'subagent_type' } },
    activate_skill: { as: 'Skill', keys: { name: 'skill' } }
  },
  projectVariable: 'GEMINI_PROJECT_DIR',
  read,
  keepsStopping: true,
  config: {
    user: '.gemini/settings.json',
    project: '.gemini/settings.json',
    at: event => ['hooks', event],
    entry: (command, seconds) => ({ hooks: [{ type: 'command', name: 'carabiner', command, timeout: seconds * 1000 }] })
  },
  answer,
  reach: { tools: 'gated', servers: 'gated', subagents: 'gated', provider: 'none', typed: 'none' },
  limits: [
    'Gemini CLI cannot ask a person for a hook: a call that hooks or rules ask about is refused.',
    'Context of PreToolUse hooks does not reach the model. A hook that removes a key of a call refuses it instead.',
    'A hook keeps Gemini CLI from stopping once in a row.',
    'PreCompact hooks do not run: PreCompress fires before every request, also if nothing is compressed.',
    '"hooksConfig" in settings of Gemini CLI, also in those of a project, can turn off hooks.',
    'Calls of subagents pass the gate, but Gemini CLI does not say which agent makes them.'
  ]
}

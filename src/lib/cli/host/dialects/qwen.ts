import type { Outcome } from '../../../hooks/dispatch/outcome.ts'
import { definedFields } from '../../../sdks/agent-sdk.ts'
import { isObject, type PlainObject } from '../../../util/plain.ts'
import { jsonIn } from '../../../util/attempt.ts'
import type { HostDialect } from '../dialect.ts'
import { shownOutput, specificOutput, textsOf } from '../fit.ts'

function answer(outcome: Outcome, event: string, input: PlainObject): PlainObject {
  const { decision, reason, continue: goesOn, stopReason } = outcome
  const { model, user } = textsOf(outcome)
  const isGate = event === 'PreToolUse'
  // The reason of a block after a tool does not reach the model; context does.
  const isAfter = event === 'PostToolUse'
  const context = isAfter && decision === 'deny' ? [reason, model].join('\n').trim() : model
  // After a tool, the reason of an end takes the place of the output, and the run continues.
  const output = shownOutput(outcome, input)
  const isEnd = goesOn === false || output !== undefined
  const isBlock = decision === 'deny' && !isGate && !isAfter
  return definedFields({
    ...(isBlock && { decision: 'block', reason }),
    continue: isEnd ? false : undefined,
    stopReason: isEnd ? (output ?? stopReason) : undefined,
    systemMessage: user,
    hookSpecificOutput: specificOutput(event, {
      permissionDecision: isGate ? decision : undefined,
      permissionDecisionReason: isGate && decision !== undefined ? reason : undefined,
      additionalContext: context
    })
  })
}

function asObject(input: unknown): PlainObject {
  const value = typeof input === 'string' ? jsonIn(input) : input
  return isObject(value) ? value : { input }
}

export const QWEN: HostDialect = {
  title: 'Qwen Code',
  verifiedWith: '0.24.4',
  events: {
    PreToolUse: { as: 'PreToolUse', takes: ['allow', 'ask', 'deny', 'end', 'notice'] },
    PostToolUse: { as: 'PostToolUse', takes: ['context', 'deny', 'notice', 'output'] },
    PostToolUseFailure: { as: 'PostToolUseFailure', takes: ['notice'] },
    UserPromptSubmit: { as: 'UserPromptSubmit', takes: ['context', 'deny', 'notice'] },
    SessionStart: { as: 'SessionStart', takes: ['context', 'notice'] },
    SessionEnd: { as: 'SessionEnd', takes: ['notice'] },
    Stop: { as: 'Stop', takes: ['deny', 'end', 'notice'] },
    SubagentStart: { as: 'SubagentStart', takes: ['notice'] },
    SubagentStop: { as: 'SubagentStop', takes: ['notice'] },
    Notification: { as: 'Notification', takes: ['notice'] }
  },
  tools: {
    run_shell_command: { as: 'Bash', folder: 'directory' },
    read_file: { as: 'Read' },
    write_file: { as: 'Write' },
    edit: { as: 'Edit' },
    notebook_edit: { as: 'NotebookEdit' },
    glob: { as: 'Glob' },
    grep_search: { as: 'Grep' },
    list_directory: { as: 'LS', known: ['file_filtering_options'] },
    monitor: { as: 'Bash', folder: 'directory' },
    web_fetch: { as: 'WebFetch' },
    web_search: { as: 'WebSearch' },
    agent: { as: 'Agent' },
    skill: { as: 'Skill' },
    todo_write: { as: 'TodoWrite' },
    ask_user_question: { as: 'AskUserQuestion' },
    exit_plan_mode: { as: 'ExitPlanMode' },
    // A tool that calls another one.
    tool_call: {
      as: 'tool_call',
      inner: ({ name, arguments: input }) => ({ name: String(name), input: asObject(input) })
    }
  },
  projectVariable: 'GEMINI_PROJECT_DIR',
  // It also fires for an empty prompt, after each batch of calls.
  read: payload =>
    payload['prompt'] === '' && payload['hook_event_name'] === 'UserPromptSubmit' ? undefined : payload,
  config: {
    user: '.qwen/settings.json',
    project: '.qwen/settings.json',
    at: event => ['hooks', event],
    entry: (command, seconds) => ({ hooks: [{ type: 'command', name: 'carabiner', command, timeout: seconds * 1000 }] })
  },
  answer,
  reach: { tools: 'gated', servers: 'gated', subagents: 'gated', provider: 'none', typed: 'none' },
  limits: [
    'Qwen Code cannot run a corrected call: a call that a hook rewrites is refused with the corrected input.',
    'Context of PreToolUse hooks does not reach the model.',
    '"disableAllHooks" in settings of Qwen Code, also in those of a project, turns off all hooks.'
  ]
}

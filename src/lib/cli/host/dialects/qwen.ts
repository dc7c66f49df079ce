import type { Outcome } from '../../../hooks/dispatch/outcome.ts'
import { definedFields } from '../../../sdks/agent-sdk.ts'
import type { PlainObject } from '../../../util/plain.ts'
import type { Dialect } from '../dialect.ts'
import { specificOutput, textsOf } from '../fit.ts'

function answer(outcome: Outcome, event: string): PlainObject {
  const { decision, reason, continue: goesOn, stopReason } = outcome
  const { model, user } = textsOf(outcome)
  const isGate = event === 'PreToolUse'
  // The reason of a block after a tool does not reach the model; context does.
  const isAfter = event === 'PostToolUse'
  const context = isAfter && decision === 'deny' ? [reason, model].join('\n').trim() : model
  const isBlock = decision === 'deny' && !isGate && !isAfter
  return definedFields({
    ...(isBlock && { decision: 'block', reason }),
    continue: goesOn === false ? goesOn : undefined,
    stopReason: goesOn === false ? stopReason : undefined,
    systemMessage: user,
    hookSpecificOutput: specificOutput(event, {
      permissionDecision: isGate ? decision : undefined,
      permissionDecisionReason: isGate && decision !== undefined ? reason : undefined,
      additionalContext: context
    })
  })
}

export const QWEN: Dialect = {
  title: 'Qwen Code',
  verifiedWith: '0.24.4',
  events: {
    PreToolUse: { as: 'PreToolUse', takes: ['allow', 'ask', 'deny', 'end', 'notice'] },
    PostToolUse: { as: 'PostToolUse', takes: ['context', 'deny', 'end', 'notice'] },
    UserPromptSubmit: { as: 'UserPromptSubmit', takes: ['context', 'deny', 'notice'] },
    SessionStart: { as: 'SessionStart', takes: ['context', 'notice'] },
    SessionEnd: { as: 'SessionEnd', takes: ['notice'] },
    Stop: { as: 'Stop', takes: ['deny', 'end', 'notice'] },
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
    list_directory: { as: 'LS' },
    web_fetch: { as: 'WebFetch' },
    web_search: { as: 'WebSearch' },
    agent: { as: 'Agent' },
    skill: { as: 'Skill' },
    todo_write: { as: 'TodoWrite' },
    ask_user_question: { as: 'AskUserQuestion' },
    exit_plan_mode: { as: 'ExitPlanMode' }
  },
  projectVariable: 'GEMINI_PROJECT_DIR',
  config: {
    user: '.qwen/settings.json',
    project: '.qwen/settings.json',
    at: event => ['hooks', event],
    entry: (command, seconds) => ({ hooks: [{ type: 'command', name: 'carabiner', command, timeout: seconds * 1000 }] })
  },
  answer,
  limits: [
    'Qwen Code cannot run a corrected call: a call that a hook rewrites is refused with the corrected input.',
    'Qwen Code cannot replace the output of a tool: a hook that hides it has no effect, and says so.',
    'Context of PreToolUse hooks does not reach the model.'
  ]
}

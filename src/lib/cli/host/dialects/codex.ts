import type { Outcome } from '../../../hooks/dispatch/outcome.ts'
import { definedFields } from '../../../sdks/agent-sdk.ts'
import type { PlainObject } from '../../../util/plain.ts'
import type { HostDialect } from '../dialect.ts'
import { shownOutput, specificOutput, textsOf } from '../fit.ts'
import { patchedFiles } from '../host-call.ts'

/** Its schemas are strict: one key too many voids the whole answer, and the call runs. */
function answer(outcome: Outcome, event: string, input: PlainObject): PlainObject {
  const { decision, reason, updatedInput } = outcome
  const { model, user } = textsOf(outcome)
  const common = { systemMessage: user }
  if (event === 'PreToolUse')
    return definedFields({
      ...common,
      hookSpecificOutput: specificOutput(event, {
        // An allow alone is not valid, and would void the answer: without a decision, Codex decides.
        permissionDecision: decision === 'allow' && updatedInput === undefined ? undefined : decision,
        permissionDecisionReason: decision === 'deny' ? reason : undefined,
        updatedInput,
        additionalContext: model
      })
    })
  if (event === 'PermissionRequest')
    return definedFields({
      ...common,
      hookSpecificOutput:
        decision === undefined
          ? undefined
          : {
              hookEventName: event,
              decision: definedFields({ behavior: decision, message: decision === 'deny' ? reason : undefined })
            }
    })
  const output = shownOutput(outcome, input)
  const refusal = decision === 'deny' ? [reason] : []
  const block = output === undefined ? refusal : [output, ...refusal]
  const takesContext = /^(SessionStart|UserPromptSubmit|PostToolUse|SubagentStart)$/.test(event)
  return definedFields({
    ...common,
    ...(block.length > 0 && { decision: 'block', reason: block.join('\n') }),
    hookSpecificOutput: takesContext ? specificOutput(event, { additionalContext: model }) : undefined
  })
}

export const CODEX: HostDialect = {
  title: 'Codex',
  verifiedWith: '0.166.0',
  events: {
    PreToolUse: { as: 'PreToolUse', takes: ['allow', 'allowed rewrite', 'context', 'deny', 'notice'] },
    PermissionRequest: { as: 'PermissionRequest', takes: ['allow', 'deny', 'notice'] },
    PostToolUse: { as: 'PostToolUse', takes: ['context', 'deny', 'notice', 'output'] },
    UserPromptSubmit: { as: 'UserPromptSubmit', takes: ['context', 'deny', 'notice'] },
    SessionStart: { as: 'SessionStart', takes: ['context', 'notice'] },
    SessionEnd: { as: 'SessionEnd', takes: [] },
    SubagentStart: { as: 'SubagentStart', takes: ['context', 'notice'] },
    SubagentStop: { as: 'SubagentStop', takes: ['deny', 'notice'] },
    PreCompact: { as: 'PreCompact', takes: ['notice'] },
    PostCompact: { as: 'PostCompact', takes: ['notice'] },
    Stop: { as: 'Stop', takes: ['deny', 'notice'] }
  },
  tools: {
    apply_patch: { as: 'Edit', known: ['command'], calls: ({ command }) => patchedFiles(command) },
    view_image: { as: 'Read', keys: { path: 'file_path' } },
    spawn_agent: { as: 'Agent', keys: { message: 'prompt' } }
  },
  keepsStopping: true,
  config: {
    user: '.codex/hooks.json',
    project: '.codex/hooks.json',
    at: event => ['hooks', event],
    // It ends this one after three seconds, whatever is written.
    entry: (command, seconds, { event }) => ({
      hooks: [{ type: 'command', command, timeout: event === 'SessionEnd' ? 3 : seconds }]
    })
  },
  answer,
  reach: {
    tools: 'gated',
    servers: 'gated',
    subagents: 'gated',
    provider: 'neither gated nor seen',
    typed: 'neither gated nor seen'
  },
  limits: [
    'Codex runs only hooks that you trust there, and says nothing of those that it leaves out: start codex and trust them with /hooks, again after each installation that changed them.',
    'write_stdin, by which the model types into a command that is still running, passes no hook: neither gated nor seen.',
    'Codex cannot ask a person for a hook: a call that hooks or rules ask about is refused.',
    'A call that a hook corrects runs only if rules or hooks also allow it; otherwise it is refused with the corrected input.',
    '"[features] hooks = false" in config.toml, also in that of a project, turns off all hooks.',
    'A hook keeps Codex from stopping once in a row.'
  ]
}

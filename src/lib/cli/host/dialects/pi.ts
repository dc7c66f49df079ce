import { answerFor } from '../../../sdks/agent-sdk.ts'
import type { HostDialect } from '../dialect.ts'
import { shownOutput } from '../fit.ts'

/** Its extension, which Carabiner installs, speaks as Claude Code does. */
export const PI: HostDialect = {
  title: 'pi',
  verifiedWith: '0.87.1',
  events: {
    PreToolUse: { as: 'PreToolUse', takes: ['allow', 'ask', 'context', 'deny', 'end', 'notice', 'rewrite'] },
    PostToolUse: { as: 'PostToolUse', takes: ['context', 'deny', 'notice', 'output'] },
    UserPromptSubmit: { as: 'UserPromptSubmit', takes: ['context', 'deny', 'notice'] },
    SessionStart: { as: 'SessionStart', takes: ['context', 'notice'] },
    SessionEnd: { as: 'SessionEnd', takes: ['notice'] },
    Stop: { as: 'Stop', takes: ['deny', 'notice'] }
  },
  tools: {
    bash: { as: 'Bash' },
    read: { as: 'Read', keys: { path: 'file_path' } },
    write: { as: 'Write', keys: { path: 'file_path' } },
    edit: { as: 'Edit', keys: { path: 'file_path' } },
    grep: { as: 'Grep' },
    find: { as: 'Glob' },
    ls: { as: 'LS' }
  },
  config: {
    user: '.pi/agent/extensions/carabiner.js',
    project: '.pi/extensions/carabiner.js',
    at: event => [event],
    entry: line => ({ line })
  },
  answer: (outcome, _, input) => ({ ...answerFor(outcome, shownOutput(outcome, input)) }),
  keepsStopping: true,
  reach: { tools: 'gated', servers: 'none', subagents: 'none', provider: 'none', typed: 'none' },
  limits: [
    'pi asks a person only at a terminal: elsewhere, a call that hooks or rules ask about is refused.',
    'A hook keeps pi from stopping once in a row. Commands that the person types with ! pass no hook.',
    'pi has no subagents and no MCP servers of its own; tools of other extensions pass the gate, and an extension that is loaded later can change a call that was judged.'
  ]
}

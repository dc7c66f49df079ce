import { EVENT_NAMES, rowOf, type EventName } from '../../../hooks/events/event-table.ts'
import { answerFor, MISSING, replacedOutput } from '../../../sdks/agent-sdk.ts'
import type { HostDialect, Effect, HostEvent } from '../dialect.ts'

const EFFECTS: readonly Effect[] = ['allow', 'ask', 'context', 'deny', 'end', 'notice', 'output', 'rewrite']

/** A deny of these two has no effect there. */
const canRefuse = (event: EventName): boolean =>
  rowOf(event).takes.decisions.includes('deny') && !/^(SessionStart|SubagentStart)$/.test(event)

/** It has the events of the contract, under the same names, and takes the same answers. A process for each piece of text would be too many. */
const events = Object.fromEntries(
  EVENT_NAMES.filter(name => ![...MISSING, 'MessageDisplay'].includes(name)).map((as): [string, HostEvent] => [
    as,
    { as, takes: EFFECTS.filter(effect => effect !== 'deny' || canRefuse(as)) }
  ])
)

export const CLAUDE: HostDialect = {
  title: 'Claude Code',
  verifiedWith: '2.1.325',
  events,
  tools: { Monitor: { as: 'Bash' } },
  projectVariable: 'CLAUDE_PROJECT_DIR',
  config: {
    user: '.claude/settings.json',
    project: '.claude/settings.json',
    at: event => ['hooks', event],
    entry: (command, timeout, { isClosed }) => ({
      hooks: [{ type: 'command', command, timeout, ...(isClosed && { onFailure: 'block' }) }]
    })
  },
  answer: (outcome, _, input) => ({ ...answerFor(outcome, replacedOutput(outcome, input)) }),
  reach: { tools: 'gated', servers: 'gated', subagents: 'gated', provider: 'neither gated nor seen', typed: 'none' },
  limits: [
    'Hooks in the settings files of Claude Code are run by Claude Code itself: when they fail, it runs the call. Put them under "carabiner", "hooks" in the same file, and they close the gate.',
    'MessageDisplay hooks do not run. "disableAllHooks" in settings of Claude Code, also in those of a project, turns off all hooks.',
    'Results of web searches and of tools that the model provider runs are seen by no hook.'
  ]
}

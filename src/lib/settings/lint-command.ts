import { rowOf } from '../hooks/events.ts'
import type { Check } from './lint-matcher.ts'

/** Variables that examples in the wild use and that no host sets. */
const PHANTOMS =
  /\$\{?((?:CLAUDE_)?TOOL_(?:NAME|INPUT|OUTPUT|RESULT|ARGS)\w*|CLAUDE_(?:FILE_PATHS?|EVENT_TYPE|TOOL_USE_ID|NOTIFICATION|COMMAND|PROMPT)\w*|HOOK_INPUT\w*)\}?/

/** What a command says that does not mean what it seems to. */
export const commandCheck: Check = ({ spec: { command }, event }, say) => {
  if (typeof command !== 'string') return
  const phantom = PHANTOMS.exec(command)?.[1]
  if (phantom !== undefined)
    say(
      'warning',
      'variable-unknown',
      'command',
      `no host sets ${phantom}`,
      'read the JSON on standard input: it has tool_name, tool_input and the rest'
    )
  if (/\{\\?"(?:block|feedback|approve|message)\\?"\s*:/.test(command))
    say(
      'warning',
      'answer-invented',
      'command',
      'block, feedback, approve and message are not keys of an answer',
      'answer {"decision":"block","reason":"…"}, or exit with 2'
    )
  if (/\bexit 1\b/.test(command) && rowOf(event).failure === 'closed')
    say(
      'info',
      'exit-1',
      'command',
      'exit code 1 is a failure and not a refusal; in Claude Code it lets pass',
      'exit with 2 to refuse'
    )
}

import { isGate, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import { takesAll } from '../../hooks/dispatch/matcher.ts'
import { parseShell, type Leaf, type Redirection } from '../../shell/parse.ts'
import { isProgramOf, programName } from '../../shell/programs.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Check, AddFinding } from './lint-matcher.ts'

/** Variables that examples use and no host sets. */
const PHANTOMS =
  /\$\{?((?:CLAUDE_)?TOOL_(?:NAME|INPUT|OUTPUT|RESULT|ARGS)\w*|CLAUDE_(?:FILE_PATHS?|EVENT_TYPE|TOOL_USE_ID|NOTIFICATION|COMMAND|PROMPT)\w*|HOOK_INPUT\w*)\}?/g

export const commandCheck: Check = ({ spec, event }, say, { env }) => {
  const { command } = spec
  if (typeof command !== 'string') return
  const given = isObject(spec['env']) ? { ...env, ...spec['env'] } : env
  const phantoms = phantomsIn(command, given)
  if (phantoms.length > 0) say('warning', 'command', 'variable-unknown', `no host sets ${phantoms.join(', ')}`)
  if (parseShell(command).leaves.some(isInvented))
    say('warning', 'command', 'answer-invented', 'block, feedback, approve and message are not keys of an answer')
  deadFields(command, event, say)
  if (/\bexit 1\b/.test(command) && isGate(event))
    say('warning', 'command', 'exit-1', 'exit code 1 is a failure and not a refusal: Claude Code continues')
}

function phantomsIn(command: string, given: Readonly<PlainObject>): readonly string[] {
  const names = new Set([...command.matchAll(PHANTOMS)].map(([, name = '']) => name))
  const isSet = (name: string): boolean =>
    name in given ||
    new RegExp(
      `(?<![\\w$])${name}\\+?=|\\b(?:read|mapfile|readarray|for|printf -v)\\b[^;&|\\n]*[^\\w$]${name}\\b`
    ).test(command)
  return [...names].filter(name => !isSet(name))
}

const INVENTED = /\{\\?"(?:block|feedback|approve|message)\\?"\s*:/

/** Text for another program, a file, a variable or standard error is not an answer. */
function isInvented({ words, redirections, feeds }: Leaf): boolean {
  const program = programName(words[0]?.text ?? '')
  const isSent = feeds || isProgramOf('sends', program) || isProgramOf('setsVariables', program)
  const isAway = ({ operator, stream, target }: Redirection): boolean =>
    operator.includes('>') && stream !== 2 && !(operator === '>&' && target.text === '1')
  if (isSent || redirections.some(isAway)) return false
  return [...words, ...redirections.map(({ target }) => target)].some(({ text }) => INVENTED.test(text))
}

const FIELD =
  /"(additionalContext|updatedInput|updatedToolOutput|permissionDecision|initialUserMessage|watchPaths)\\?"/g

function deadFields(command: string, event: EventName, say: AddFinding): void {
  const { takes } = rowOf(event)
  const read: readonly string[] = [...takes.fields, ...(takes.decisions.includes('ask') ? ['permissionDecision'] : [])]
  const dead = [...new Set([...command.matchAll(FIELD)].map(([, name = '']) => name))].filter(
    name => !read.includes(name)
  )
  const fix = `use what ${event} takes: ${read.join(', ') || 'systemMessage'}`
  if (dead.length > 0) say('warning', 'command', 'answer-unread', `${event} does not read ${dead.join(', ')}`, fix)
}

const ALLOWS = /"(?:permission_?decision|decision|behavior)"\s*:\s*"(?:allow|approve)"/i

/** The answer depends on something, and is not constant. */
const DEPENDS = /\b(?:if|case|while|until|for|exit|test|python\w*|node|perl|ruby)\b|&&|\|\||\bjq\b|\$[({\w]|`|\[/

/** A command that prints an allow whatever it is asked: often a log whose author meant "no objection". */
export const allowCheck: Check = ({ spec, event, matcher }, say) => {
  const { answer } = rowOf(event)
  const { command, if: narrowed = '' } = spec
  if (typeof command !== 'string' || narrowed !== '' || (answer !== 'gate' && answer !== 'permission')) return
  const plain = command.replaceAll('\\"', '"')
  const parts = plain.split(/[;\n]/)
  if (DEPENDS.test(plain) || !parts.some(part => /\b(?:echo|printf)\b/.test(part) && ALLOWS.test(part))) return
  const what = takesAll(matcher) ? 'every call' : `every call of ${matcher}`
  const message = `it allows ${what}, whatever the input is, so that permission is never asked for`
  say(takesAll(matcher) ? 'warning' : 'info', 'command', 'always-allows', message)
}

import { rowOf } from '../hooks/events.ts'
import { takesAll } from '../hooks/matcher.ts'
import type { Check } from './lint-matcher.ts'

const ALLOWS = /"(?:permission_?decision|decision|behavior)"\s*:\s*"(?:allow|approve)"/i

/** What makes the answer depend on something: then it is no constant. */
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

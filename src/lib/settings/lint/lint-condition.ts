import { rowOf } from '../../hooks/events/event-table.ts'
import { compileMatcher } from '../../hooks/dispatch/matcher.ts'
import { nowNamed, toolIn } from '../../permissions/rule.ts'
import type { AddFinding } from './lint-matcher.ts'
import type { LoadedHook } from '../files/loaded-hooks.ts'
import { RENAMED } from '../../util/names.ts'
import { compileSafely } from './patterns.ts'
import { namingOf } from '../permissions/tool-names.ts'

/** A hook whose `if` fits no call never runs. `more`: further tools. */
export function conditionCheck({ spec, event, matcher }: LoadedHook, say: AddFinding, more: readonly string[]): void {
  const rule = spec['if']
  if (typeof rule !== 'string' || rule === '') return
  const never = (why: string, fix: string): void => say('error', 'if', 'if-never', why, fix)
  if (!('tool_name' in rowOf(event).fields))
    return say('error', 'if', 'if-never', `${event} is not about a tool, so a hook with "if" never runs`)
  const shown = JSON.stringify(rule)
  if (!/^[A-Za-z_][\w-]*(\(.*\S.*\))?$/s.test(rule.trim()) || /\)\s*(?:\|\||&&|[,;]|or|and)\s*\w+\(/i.test(rule))
    return say('error', 'if', 'if-invalid', `${shown} is not one permission rule`)
  const tool = toolIn(rule)
  const naming = namingOf(tool, more)
  if (naming.is === 'near')
    return never(
      `no tool is called ${tool}, so a hook with "if": ${shown} never runs`,
      `write ${naming.meant}${rule.trim().slice(tool.length)}`
    )
  if (naming.is === 'here' && !tool.startsWith('mcp__') && !mayMatch(matcher, toolNames(nowNamed(tool))))
    never(
      `${JSON.stringify(matcher)} does not match ${tool}, so a hook with "if": ${shown} never runs`,
      'correct one of them'
    )
}

const toolNames = (tool: string): readonly string[] => [
  tool,
  ...[...RENAMED].flatMap(([old, now]) => (now === tool ? [old] : []))
]

/** An invalid matcher is reported elsewhere. */
function mayMatch(matcher: string | undefined, names: readonly string[]): boolean {
  try {
    return matcher === undefined || names.some(compileMatcher(matcher, compileSafely).matches)
  } catch {
    return true
  }
}

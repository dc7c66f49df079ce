import { fits, nowNamed, parseRule } from '../../permissions/rule.ts'
import { isThere, resolvePath } from '../../world/files/paths.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

/**
 * Whether a rule such as `Bash(git *)` fits a call. What the text does not show (an invalid rule, substitutions, variables)
 * fits, so that the hook runs. Unlike in permissions, a rule for one tool is for no other.
 */
export function ruleFits(text: string, { tool_name, tool_input, cwd }: Readonly<PlainObject>): boolean {
  const rule = parseRule(text, 'ask', 'if')
  if ('problem' in rule) return true
  if (typeof tool_name !== 'string' || (!rule.tool.startsWith('mcp__') && nowNamed(tool_name) !== rule.tool))
    return false
  const input = isObject(tool_input) ? tool_input : {}
  const { command } = input
  if (rule.specifier !== undefined && rule.tool === 'Bash' && /[$`]|<\(/.test(String(command))) return true
  const roots = typeof cwd === 'string' ? [cwd] : []
  const call = { tool: tool_name, input, subject: undefined, readOnly: false, real: resolvePath, has: isThere }
  return fits(rule, call, { roots }) !== 'no'
}

import { fits, nowNamed, parseRule } from '../../permissions/rule.ts'
import { ruledFiles } from '../../permissions/ruled-files.ts'
import { isThere, resolvePath } from '../../world/files/paths.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

/**
 * Whether a rule such as `Bash(git *)` fits a call. What the text does not show (an invalid rule, substitutions, variables)
 * fits, so that the hook runs. Paths are those of the project, or of the current folder. Unlike in permissions, a rule
 * for one tool is for no other.
 */
export function ruleFits(text: string, { tool_name, tool_input, cwd }: Readonly<PlainObject>, root?: string): boolean {
  const rule = parseRule(text, 'ask', 'if')
  if ('problem' in rule) return true
  if (typeof tool_name !== 'string' || (!rule.tool.startsWith('mcp__') && nowNamed(tool_name) !== rule.tool))
    return false
  const input = isObject(tool_input) ? tool_input : {}
  const { command } = input
  if (rule.specifier !== undefined && rule.tool === 'Bash' && /[$`]|<\(/.test(String(command))) return true
  const folder = typeof cwd === 'string' ? cwd : undefined
  const call = { tool: tool_name, input, subject: undefined, readOnly: false, real: resolvePath, has: isThere }
  return [root ?? folder, folder].some(base => {
    const places = { roots: base === undefined ? [] : [base] }
    return fits(rule, { ...call, cwd: folder, ruled: ruledFiles({ ...places, rules: [rule] }) }, places) !== 'no'
  })
}

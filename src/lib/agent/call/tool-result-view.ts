import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import { outputAfter } from '../../hooks/guard.ts'
import type { Block } from '../../message.ts'
import { presentContent, UNUSABLE } from '../../tools/content.ts'
import type { Tool, ToolResult } from '../../tools/tool.ts'
import { isObject } from '../../util/plain.ts'
import type { Session } from '../session/session.ts'
import type { CallAt } from './call.ts'

/** If a hook gives another output, the tool's own is never shown: it may be hidden for a reason. */
export function visibleResult(after: Outcome, { use, tool, result }: CallAt<'ran'>, session: Session): ToolResult {
  if (after.event !== 'PostToolUse') return result
  const output = outputAfter(after, use.name, result.output)
  if (output === result.output) return result
  const content = contentIn(output, tool, result.output)
  if (content !== undefined) return { content, output }
  session.reader.notice(
    `${use.name}: a hook gave an output that cannot be shown, so the tool’s own was hidden; give a text, a list of content ` +
      'blocks, or an output in the shape of the tool’s own',
    'warning'
  )
  return { content: UNUSABLE, output: UNUSABLE }
}

/** An output in the tool's own shape is shown like the tool's own; texts and content as they are. */
function contentIn(output: unknown, tool: Tool, original: unknown): string | readonly Block[] | undefined {
  if (isContent(output)) return output
  const content = tool.present?.(output) ?? presentContent(output)
  if (content !== undefined || tool.present !== undefined) return content
  return hasShapeOf(output, original) ? JSON.stringify(output) : undefined
}

const isContent = (output: unknown): output is readonly Block[] => Array.isArray(output) && output.every(isPart)

function isPart(part: unknown): boolean {
  if (!isObject(part)) return false
  const { type, text, source } = part
  if (type !== 'image') return type === 'text' && typeof text === 'string'
  return isObject(source) && typeof source['data'] === 'string' && typeof source['media_type'] === 'string'
}

function hasShapeOf(output: unknown, original: unknown): boolean {
  if (Array.isArray(original)) return Array.isArray(output)
  if (!isObject(original)) return typeof output === typeof original
  return isObject(output) && Object.keys(original).every(key => Object.hasOwn(output, key))
}

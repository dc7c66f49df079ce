import type { Outcome } from '../hooks/outcome.ts'
import type { Block } from '../message.ts'
import type { ToolResult } from '../tools/tool.ts'
import { isObject } from '../util/plain.ts'
import type { Session } from './session.ts'

interface Shown {
  readonly content: string | readonly Block[]
  readonly output: unknown
}

const HIDDEN = '[The output was hidden by a hook.]'

/** What the model and the user get to see of a result, after hooks have had their say. */
export function shown(after: Outcome, toolName: string, result: ToolResult, session: Session): Shown {
  if (after.event !== 'PostToolUse') return result
  if (after.suppressOutput) return { content: HIDDEN, output: HIDDEN }
  const { updatedToolOutput, updatedMCPToolOutput } = after.fields
  const ofServer = toolName.startsWith('mcp__') ? updatedMCPToolOutput : undefined
  const output = updatedToolOutput ?? ofServer
  if (output === undefined) return result
  const tool = session.tool(toolName)
  const content = tool?.present === undefined ? contentIn(output, result.output) : tool.present(output)
  if (content !== undefined) return { content, output }
  session.inform(
    `${toolName}: a hook gave an output that does not have the shape of the tool’s own; it was not used`,
    'warning'
  )
  return result
}

/** Text stands for text; anything else must look like what the tool gave. */
function contentIn(output: unknown, original: unknown): string | readonly Block[] | undefined {
  if (typeof output === 'string') return typeof original === 'string' ? output : undefined
  if (!hasShapeOf(output, original)) return undefined
  return isContent(output) ? output : JSON.stringify(output)
}

const isContent = (output: unknown): output is readonly Block[] =>
  Array.isArray(output) && output.every(part => isObject(part) && (part['type'] === 'text' || part['type'] === 'image'))

function hasShapeOf(output: unknown, original: unknown): boolean {
  if (Array.isArray(original)) return Array.isArray(output)
  if (!isObject(original)) return typeof output === typeof original
  return isObject(output) && Object.keys(original).every(key => Object.hasOwn(output, key))
}

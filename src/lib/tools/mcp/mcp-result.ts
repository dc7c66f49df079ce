import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorMessage } from '../../errors.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { isResult, toolResultOf, type HandlerContent, type HandlerResult } from '../content.ts'
import { DEEPEST, isTooDeep } from './mcp-definition.ts'
import type { ToolCall, ToolResult } from '../tool.ts'
import { makeFolders } from '../../world/files/own-file.ts'

/** The maximum number of characters of text shown of one result. */
const MOST_TEXT = 100_000
/** The maximum number of characters of images and other data, in base64. */
const MOST_DATA = 8_000_000
const MOST_PARTS = 1000
const MOST_BESIDES = 10_000

/** The result of a server, within limits: what is larger is cut, says so, and is saved whole in a file. */
export function boundedResult(given: unknown, call: ToolCall): ToolResult {
  if (!isResult(given)) throw new TypeError('its server returned something that is not a tool result')
  if (isTooDeep(given)) throw new TypeError(`its server returned data nested deeper than ${DEEPEST} levels`)
  const size = given.content.reduce((sum, part) => sum + (textIn(part)?.length ?? 0), 0)
  const where = size > MOST_TEXT ? keep(given, call) : ''
  const room = { text: MOST_TEXT, data: MOST_DATA }
  const content = given.content.slice(0, MOST_PARTS).map(part => boundedPart(part, room, where))
  if (given.content.length > MOST_PARTS)
    content.push({ type: 'text', text: `[… ${given.content.length - MOST_PARTS} further parts left out …]` })
  return toolResultOf({ content, isError: given.isError, structuredContent: boundedData(given.structuredContent) })
}

function boundedPart(part: HandlerContent, room: { text: number; data: number }, where: string): HandlerContent {
  const [text, data] = [textIn(part), stringIn(part, 'data', 'blob')]
  if (besides(part) > MOST_BESIDES) return { type: 'text', text: `[a part of type ${part.type} left out: too large]` }
  if (text !== undefined && text.length > room.text) {
    const shown = excerpt(text, room.text, where)
    room.text = 0
    const resource: unknown = (part as PlainObject)['resource']
    return isObject(resource)
      ? { type: 'resource', resource: { ...resource, text: shown } }
      : { type: 'text', text: shown }
  }
  if (data !== undefined && data.length > room.data)
    return { type: 'text', text: `[${data.length.toLocaleString('en')} characters of data (${part.type}) left out]` }
  room.text -= text?.length ?? 0
  room.data -= data?.length ?? 0
  return part
}

const besides = (part: HandlerContent): number =>
  JSON.stringify(part, (key, value: unknown) => (key === 'text' || key === 'data' || key === 'blob' ? '' : value))
    .length

function excerpt(text: string, most: number, where: string): string {
  const [before, after] = [Math.ceil(most / 2), Math.floor(most / 2)]
  const tail = after === 0 ? '' : text.slice(-after)
  const left = (text.length - most).toLocaleString('en')
  return `${text.slice(0, before).toWellFormed()}\n[… ${left} characters left out${where} …]\n${tail.toWellFormed()}`
}

function stringIn(part: HandlerContent, key: string, keyInResource: string): string | undefined {
  const { [key]: own, resource } = part as PlainObject
  const value = typeof own === 'string' || !isObject(resource) ? own : resource[keyInResource]
  return typeof value === 'string' ? value : undefined
}

const textIn = (part: HandlerContent): string | undefined => stringIn(part, 'text', 'text')

const boundedData = (data: unknown): unknown =>
  data !== undefined && JSON.stringify(data).length > MOST_TEXT ? undefined : data

function keep({ content }: HandlerResult, { id, session: { outputFolder } }: ToolCall): string {
  if (outputFolder === undefined) return ''
  const file = join(outputFolder, `${id.replaceAll(/[^\w-]/g, '_')}.txt`)
  try {
    makeFolders(dirname(file))
    writeFileSync(file, content.map(part => textIn(part) ?? '').join('\n'), { flag: 'wx', mode: 0o600 })
    return `; everything is in ${file}`
  } catch (error) {
    return `; they could not be kept in a file: ${errorMessage(error)}`
  }
}

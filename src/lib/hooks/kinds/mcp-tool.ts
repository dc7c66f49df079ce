import { errorMessage } from '../../errors.ts'
import { withTexts, type PlainObject } from '../../util/plain.ts'
import { maskCredentials } from '../../util/credentials.ts'
import type { EventName } from '../events/event-table.ts'
import { defaultEnvironment, type HookEnvironment } from './hook-environment.ts'
import { readProcessReply } from './process-reply.ts'
import { buildHook, type OutsideHook, type OutsideSpec } from './spec.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

/** A hook that is a tool of an MCP server: its text is read like the output of a command. */
export interface McpToolSpec<E extends EventName = EventName> extends OutsideSpec<E> {
  /** The server, by its name. It must be connected. */
  server: string
  tool: string
  /** In its strings `${path.into.the.event}` is replaced by a field of the event. */
  input?: Readonly<PlainObject> | undefined
}

/** A hook that calls a tool of a server for each event. */
export const mcpToolHook = <const E extends EventName = EventName>(
  spec: McpToolSpec<E>,
  place: HookEnvironment = defaultEnvironment()
): OutsideHook<E> => {
  const { server, tool, input = {} } = spec
  return buildHook(spec, place, {
    label: `${server}/${tool}`,
    identity: `mcp_tool\0${server}\0${tool}\0${JSON.stringify(input)}`,
    async run(ctx) {
      const { callServer } = place.options
      if (callServer === undefined) throw new HookFailure('spawn', 'there is no server to call without an agent')
      const given = fillFields(input, JSON.parse(maskCredentials(ctx.wire)))
      const stdout = await callServer({ server, tool, input: given, signal: ctx.signal }).catch((error: unknown) => {
        throw new HookFailure('threw', errorMessage(error))
      })
      ctx.ran({ stdout, stderr: '' })
      return readProcessReply({ code: 0, stdout, stderr: '' }, ctx, spec.onFailure)
    }
  })
}

const fillFields = (input: Readonly<PlainObject>, event: unknown): PlainObject =>
  withTexts(input, text =>
    text.replaceAll(/\$\{([\w.]+)\}/g, (_, path: string) => fieldText(fieldOf(event, path.split('.'))))
  )

const fieldOf = (value: unknown, [key, ...rest]: readonly string[]): unknown => {
  if (key === undefined) return value
  const held = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return held ? fieldOf((value as PlainObject)[key], rest) : undefined
}

const fieldText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

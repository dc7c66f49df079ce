/** What tests of tools need: a folder, a session in it, and a way to call a tool as the agent does. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Tool, ToolCall, ToolResult, ToolSession } from '../../src/lib/tools/tool.ts'
import { makeCall, makeSession } from './tool-session.ts'

export { makeCall, makeSession } from './tool-session.ts'

/** Checks, judges and runs, as the agent does. Rejects with what is wrong. */
export async function use(
  tool: Tool,
  input: unknown,
  session: ToolSession,
  more?: Partial<ToolCall>
): Promise<ToolResult> {
  const checked = await tool.check(input, session)
  if ('problem' in checked) throw new Error(checked.problem)
  tool.subject?.(checked.input, session)
  return tool.run(Object.freeze(checked.input), makeCall(session, more))
}

/** The words with which a call fails. */
export async function failure(tool: Tool, input: unknown, session: ToolSession): Promise<string> {
  const result = await use(tool, input, session).catch((error: unknown) => error)
  if (result instanceof Error) return result.message
  throw new Error(`it did not fail: ${JSON.stringify(result)}`)
}

/** A throw-away folder. */
export interface ToolPlace {
  readonly folder: string
  readonly session: ToolSession
  path(name: string): string
  write(name: string, content: string | Buffer): string
  text(name: string): string
  bytes(name: string): Buffer
  /** Names of what is there, with all that is hidden. */
  names(): readonly string[]
}

/** A throw-away folder with a session in it, gone after the test. */
export function makePlace(): ToolPlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-tools-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string): string => join(folder, name)
  return {
    folder,
    session: makeSession(folder),
    path,
    write(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), content)
      return path(name)
    },
    text: name => readFileSync(path(name), 'utf8'),
    bytes: name => readFileSync(path(name)),
    names: () => readdirSync(folder).toSorted()
  }
}

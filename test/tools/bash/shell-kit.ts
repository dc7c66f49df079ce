/** A place to run tools in: a project of its own in a temporary folder, and calls as the agent makes them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Block } from '../../../src/hooks.ts'
import type { Subject } from '../../../src/lib/message.ts'
import type { Tool, ToolCall, ToolResult, ToolSession } from '../../../src/lib/tools/tool.ts'
import type { PlainObject } from '../../../src/lib/util/plain.ts'
import { makeCall, makeSession } from '../tool-session.ts'

/** What came of a call. `output` is looked into as it is. */
interface Came extends ToolResult {
  readonly content: string
  // The shapes differ from tool to tool.
  readonly output: PlainObject
}

/** How it is called. */
interface Calling {
  readonly signal?: AbortSignal
  readonly progress?: (text: string) => void
}

/** A project, its session, and the messages about it. */
export interface ShellStage {
  readonly root: string
  readonly session: ToolSession
  /** Events that were fired. */
  readonly fired: { readonly event: string; readonly input: PlainObject }[]
  readonly progress: string[]
  /** Checks the input and runs the tool. */
  call(tool: Tool, input: PlainObject, calling?: Calling): Promise<Came>
  subject(tool: Tool, input: PlainObject): Promise<Subject | undefined>
  write(path: string, text: string | Buffer): string
  /** Ends the session and removes the project. */
  close(): Promise<void>
}

/** What commands may know. */
export const SHELL_ENV = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: tmpdir(), LC_ALL: 'C.UTF-8' }

/** A stage. `more` is put into the session. */
export function shellStage(more: Partial<ToolSession> = {}): ShellStage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-shell-')))
  const closing: (() => void | Promise<void>)[] = []
  const fired: { event: string; input: PlainObject }[] = []
  const progress: string[] = []
  const session: ToolSession = { ...makeSession(root, closing), env: SHELL_ENV, ...more }
  let calls = 0
  const checked = async (tool: Tool, input: PlainObject): Promise<PlainObject> => {
    const found = await tool.check(input, session)
    if ('problem' in found) throw new Error(found.problem)
    return found.input
  }
  const callOf = ({ signal = new AbortController().signal, progress: hear }: Calling): ToolCall =>
    makeCall(session, {
      id: `call_${++calls}`,
      signal,
      progress(text) {
        progress.push(text)
        hear?.(text)
      },
      async fire(event, input) {
        fired.push({ event, input })
        return undefined
      }
    })
  return {
    root,
    session,
    fired,
    progress,
    async call(tool, input, calling = {}) {
      const result = await tool.run(await checked(tool, input), callOf(calling))
      return { ...result, content: textOf(result.content), output: result.output as PlainObject }
    },
    subject: async (tool, input) => tool.subject?.(await checked(tool, input), session),
    write(path, text) {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    async close() {
      for (const close of closing) await close()
      rmSync(root, { recursive: true, force: true })
    }
  }
}

const textOf = (content: string | readonly Block[]): string =>
  typeof content === 'string' ? content : content.map(block => (block.type === 'text' ? block.text : '')).join('\n')

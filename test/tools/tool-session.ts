/** What tools are given, for tests and for programs that tests start. */
import type { ToolCall, ToolSession } from '../../src/lib/tools/tool.ts'

/** A session that works in this folder. What must end with it is given to `closing`. */
export function makeSession(root: string, closing: (() => void | Promise<void>)[] = []): ToolSession {
  return {
    id: 'test',
    root,
    cwd: root,
    directories: [],
    env: { PATH: process.env['PATH'] ?? '' },
    seen: new Map(),
    background: new Map(),
    onClose: close => void closing.push(close)
  }
}

/** One call in a session. */
export function makeCall(session: ToolSession, more: Partial<ToolCall> = {}): ToolCall {
  return {
    id: 'toolu_1',
    signal: new AbortController().signal,
    session,
    progress: () => undefined,
    fire: async () => undefined,
    ...more
  }
}

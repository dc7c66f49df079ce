import type { Ruling } from '../../permissions/policy.ts'
import { createHash } from 'node:crypto'
import type { HookRegistry } from '../../hooks/registry.ts'
import type { ToolResultBlock, ToolUseBlock } from '../../message.ts'
import type { ToolResult } from '../../tools/tool.ts'
import type { Entry, Rec } from '../../transcript/entry.ts'
import type { CallAt, CallSubject } from './call.ts'
import type { Session } from '../session/session.ts'

export interface OpenCall {
  readonly use: ToolUseBlock
  readonly result?: Pick<CallAt<'answered'>, 'result' | 'output' | 'uuid'>
  /** The tool has ended; whether its hooks have run is not known. */
  readonly outcome?: ToolResult
  readonly started?: boolean
  readonly input?: unknown
  readonly pending?: Pending | undefined
  readonly agentId?: string | undefined
}

export type OpenBatch = readonly OpenCall[]

export const isPending = (batch: OpenBatch | undefined): boolean =>
  batch?.some(({ result, pending }) => result === undefined && pending !== undefined) === true

export const UNKNOWN =
  '[Interrupted while running; it may have partly or fully completed. Check the result before retrying.]'

export const LOST = '[The result of this call was not recorded.]'

export const lostResult = ({ use: { id }, outcome }: OpenCall, content = LOST): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: outcome?.content ?? content,
  ...((outcome === undefined || outcome.error !== undefined) && { is_error: true })
})

export interface Pending {
  /** A person is asked; a hook deferred it; or a person is asked within a subagent. */
  readonly why: 'asked' | 'deferred' | 'nested'
  readonly hooks?: string | undefined
  readonly by?: string | undefined
  readonly kind?: Ruling['kind'] | undefined
  readonly reason?: string | undefined
  readonly agentId?: string | undefined
}

/** The transcript line of a waiting call: a resumed session finds it waiting. */
export function pendingEntry(call: CallSubject, pending: Pending, { decisions }: Pick<Session, 'decisions'>): Entry {
  const { use, input } = call
  const { agentId: subagentId, ...rest } = pending
  const decision = decisions?.recordOf(call)
  return { type: 'tool-pending', toolUseId: use.id, toolName: use.name, input, ...rest, subagentId, decision }
}

const KINDS: readonly Ruling['kind'][] = ['rule', 'mode', 'hook', 'safety', 'default']

export function pendingIn(entry: Rec): Pending {
  const text = (key: string): string | undefined => (typeof entry[key] === 'string' ? entry[key] : undefined)
  const why = entry['why'] === 'asked' || entry['why'] === 'nested' ? entry['why'] : 'deferred'
  const kind = KINDS.find(each => each === entry['kind'])
  return { why, hooks: text('hooks'), by: text('by'), kind, reason: text('reason'), agentId: text('subagentId') }
}

export function hooksFingerprint(hooks: HookRegistry): string {
  const names = hooks.list('PreToolUse').map(({ name, source }) => [name, source])
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 16)
}

import { createHash } from 'node:crypto'
import type { Ruling } from '../../permissions/decide.ts'
import type { Rec } from '../../transcript/entry.ts'
import type { Session } from '../session/session.ts'
import type { CallAt } from './call.ts'

/** Somebody has to decide about a call. */
export interface Pending {
  /** A person; a hook that had put it off; or somebody who is asked within a subagent. */
  readonly why: 'asked' | 'deferred' | 'nested'
  /** Which hooks have answered. */
  readonly hooks?: string | undefined
  /** Who wanted somebody to be asked, and why. */
  readonly by?: string | undefined
  readonly kind?: Ruling['kind'] | undefined
  readonly reason?: string | undefined
  /** The subagent in which it is asked. */
  readonly agentId?: string | undefined
}

/** Writes down that a call waits: a resumed session finds it waiting still. */
export function recordPending(
  { use: { id, name }, input, pending }: Omit<CallAt<'pending'>, 'stage'>,
  session: Session
): void {
  const { agentId: subagentId, ...rest } = pending
  session.transcript.append({ type: 'tool-pending', toolUseId: id, toolName: name, input, ...rest, subagentId })
}

const KINDS: readonly Ruling['kind'][] = ['rule', 'mode', 'hook', 'safety', 'default']

/** What such a line says. */
export function pendingIn(entry: Rec): Pending {
  const text = (key: string): string | undefined => (typeof entry[key] === 'string' ? entry[key] : undefined)
  const why = entry['why'] === 'asked' || entry['why'] === 'nested' ? entry['why'] : 'deferred'
  const kind = KINDS.find(each => each === entry['kind'])
  return { why, hooks: text('hooks'), by: text('by'), kind, reason: text('reason'), agentId: text('subagentId') }
}

/** Which hooks look at calls. */
export function hooksOf({ options: { hooks } }: Session): string {
  const names = hooks.list('PreToolUse').map(({ name, source }) => [name, source])
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 16)
}

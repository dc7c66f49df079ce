import { createHash } from 'node:crypto'
import type { HookRegistry } from '../../hooks/registry.ts'
import type { Ruling } from '../../permissions/decide.ts'
import type { Entry, Rec } from '../../transcript/entry.ts'
import type { CallSubject } from './call.ts'

/** Someone has to decide about a call. */
export interface Pending {
  /** A person is asked; a hook deferred it; or a person is asked within a subagent. */
  readonly why: 'asked' | 'deferred' | 'nested'
  /** Which hooks have answered. */
  readonly hooks?: string | undefined
  /** Who wanted it asked, and why. */
  readonly by?: string | undefined
  readonly kind?: Ruling['kind'] | undefined
  readonly reason?: string | undefined
  /** The subagent in which it is asked. */
  readonly agentId?: string | undefined
}

/** The transcript line of a call that waits: a resumed session finds it waiting still. */
export function pendingEntry({
  use: { id, name },
  input,
  pending
}: CallSubject & { readonly pending: Pending }): Entry {
  const { agentId: subagentId, ...rest } = pending
  return { type: 'tool-pending', toolUseId: id, toolName: name, input, ...rest, subagentId }
}

const KINDS: readonly Ruling['kind'][] = ['rule', 'mode', 'hook', 'safety', 'default']

/** What such a line says of the call. */
export function pendingIn(entry: Rec): Pending {
  const text = (key: string): string | undefined => (typeof entry[key] === 'string' ? entry[key] : undefined)
  const why = entry['why'] === 'asked' || entry['why'] === 'nested' ? entry['why'] : 'deferred'
  const kind = KINDS.find(each => each === entry['kind'])
  return { why, hooks: text('hooks'), by: text('by'), kind, reason: text('reason'), agentId: text('subagentId') }
}

/** Tells whether the hooks that judge calls are the same as before. */
export function hooksFingerprint(hooks: HookRegistry): string {
  const names = hooks.list('PreToolUse').map(({ name, source }) => [name, source])
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 16)
}

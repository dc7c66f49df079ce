import { decide } from '../../permissions/decide.ts'
import { twinsFor } from '../../permissions/twins.ts'
import type { Permissions } from '../session/session-options.ts'

/** Whether a search may show what is in a file: no rule refuses to have it read, or has somebody asked first. */
export function mayRead(path: string, permissions: Permissions): boolean {
  const call = {
    tool: 'Read',
    input: { file_path: path },
    subject: { kind: 'file', path, access: 'read' },
    readOnly: true,
    // A search follows no links.
    real: (file: string) => ({ path: file, sure: true }),
    twins: twinsFor(permissions)
  } as const
  const { decision, kind } = decide(call, { ...permissions, mode: 'default' })
  return decision === 'allow' || (decision === 'ask' && kind !== 'rule')
}

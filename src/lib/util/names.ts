import type { BuiltInToolName } from '../tool-table.ts'

/** Tools that were renamed: what was written for the old name still means the tool. The engine reads this, so it is short. */
export const RENAMED: ReadonlyMap<string, BuiltInToolName> = new Map([
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop']
])

/**
 * A server, as the names of its tools have it: letters, digits, `-` and single `_`. So it is always plain where it ends
 * and the name of the tool begins.
 */
export const serverLabel = (server: string): string =>
  server
    .replaceAll(/[^A-Za-z0-9-]+/g, '_')
    .replaceAll(/_+/g, '_')
    .replaceAll(/^_|_$/g, '')

/** What a tool of a server is called: `mcp__server__tool`. No tool of our own is called so. */
export const nameInServer = (server: string, tool: string): string =>
  `mcp__${serverLabel(server)}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`

/** `*` matches anything. Pieces are searched one after the other, so that no pattern takes long. */
export function globOf(glob: string): (text: string) => boolean {
  const [first = '', ...pieces] = glob.split('*')
  const last = pieces.pop()
  return text => {
    if (last === undefined) return text === first
    let from = first.length
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    for (const piece of pieces) {
      const at = text.indexOf(piece, from)
      if (at === -1) return false
      from = at + piece.length
    }
    return from <= text.length - last.length
  }
}

import type { BuiltInToolName } from '../tool-table.ts'

/** Renamed tools: the old name still means the tool. The engine loads this, so it is short. */
export const RENAMED: ReadonlyMap<string, BuiltInToolName> = new Map([
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop']
])

/**
 * The server part of a tool name: letters, digits, `-` and single `_`, so that it is clear where the name of the tool
 * starts.
 */
export const serverLabel = (server: string): string =>
  server
    .replaceAll(/[^A-Za-z0-9-]+/g, '_')
    .replaceAll(/_+/g, '_')
    .replaceAll(/^_|_$/g, '')

/** The name of a server's tool: `mcp__server__tool`. No built-in tool has such a name. */
export const nameInServer = (server: string, tool: string): string =>
  `mcp__${serverLabel(server)}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`

/**
 * What is left of a name for those who read it without case and punctuation, also of letters that are rarely folded. A
 * name of nothing else is left as it is.
 */
export const lettersIn = (name: string): string =>
  name
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]|\u0307/gu, '') || name

/** `*` matches anything. Parts are searched one after the other, so that no pattern takes long. */
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

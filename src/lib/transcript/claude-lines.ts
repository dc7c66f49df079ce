import { createHash } from 'node:crypto'
import { asText, isObject } from '../util/plain.ts'
import type { Kept, Rec } from './entry.ts'

/**
 * Our entries as lines that Claude Code might have written: without numbers and checksums, without what only we write
 * down, and each with the line before it as its parent; whoever went back begins a branch.
 */
export function asTheirs(entries: readonly Rec[]): readonly Rec[] {
  const out: Rec[] = []
  let last: string | null = null
  const put = (line: Rec, parentUuid: string | null = last): void => {
    const { seq: _, crc: __, part: ___, ...rest } = line
    out.push({ ...rest, parentUuid })
    last = asText(line['uuid'])
  }
  for (const entry of entries) {
    const { type, subtype, attachment } = entry
    if (type === 'user' || type === 'assistant') put(entry)
    else if (type === 'attachment' && isObject(attachment) && attachment['type'] !== 'notes') put(entry)
    else if (type === 'system' && subtype === 'rewound') last = asText(entry['to'])
    else if (type === 'system' && subtype === 'clear') last = null
    else if (type === 'system' && subtype === 'compact_boundary') {
      const logicalParentUuid: string | null = last
      put({ ...boundary(entry), logicalParentUuid }, null)
      for (const line of keptIn(entry)) put(line)
    }
  }
  return out
}

function boundary({ kept: _, state: __, compactMetadata, ...rest }: Rec): Rec {
  const { trigger, pre_tokens } = isObject(compactMetadata) ? compactMetadata : {}
  const type = asText(rest['type'])
  return { ...rest, type, content: 'Conversation compacted', compactMetadata: { trigger, preTokens: pre_tokens } }
}

/** What a compaction kept stands there once more, behind its summary: under ids of its own. */
function keptIn({ kept, uuid, sessionId, timestamp, cwd, version, isSidechain }: Rec): readonly Rec[] {
  const messages = (Array.isArray(kept) ? (kept as unknown[]) : []).filter(isObject) as unknown as readonly Kept[]
  return messages
    .filter(({ message }) => isObject(message))
    .map(({ message: { role, content } }, index) => {
      const id = idFrom(`${asText(uuid)}:${index}`)
      const common = { uuid: id, sessionId, timestamp, cwd, version, isSidechain, userType: 'external' }
      if (role === 'system')
        return {
          type: 'attachment',
          attachment: { type: 'hook_additional_context', content: [content], rendered: content },
          ...common
        }
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      if (role === 'assistant')
        return { type: role, message: { id: `msg_${id}`, type: 'message', role, content: blocks }, ...common }
      return { type: role, message: { role, content }, ...(index === 0 && { isCompactSummary: true }), ...common }
    })
}

/** The same id each time. */
function idFrom(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

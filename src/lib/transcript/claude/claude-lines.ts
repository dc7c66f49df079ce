import { uuidFrom } from './claude-walk.ts'
import { keepRecent } from '../../util/bounded.ts'
import { asText, isObject, type PlainObject } from '../../util/plain.ts'
import type { Kept, Rec } from '../entry.ts'

/** Converts our entries to the format of Claude Code: no sequence numbers, no checksums, each linked to its parent. */
export function* asTheirs(entries: Iterable<Rec>): Generator<Rec> {
  const answers = new Answers()
  let last: string | null = null
  const linked = (line: Rec, parentUuid: string | null = last): Rec => {
    const { seq: _, crc: __, part: ___, mac: ____, decision: _____, ...rest } = line
    last = asText(line['uuid'])
    return { ...rest, parentUuid }
  }
  for (const entry of entries) {
    const { type, subtype, attachment } = entry
    if (type === 'assistant') answers.take(entry)
    if (type === 'user' || type === 'assistant') yield linked(entry)
    else if (type === 'attachment' && isObject(attachment) && attachment['type'] !== 'notes') yield linked(entry)
    else if (type === 'system' && subtype === 'rewound') last = asText(entry['to'])
    else if (type === 'system' && subtype === 'clear') last = null
    else if (type === 'system' && subtype === 'compact_boundary') {
      const logicalParentUuid: string | null = last
      yield linked({ ...boundary(entry), logicalParentUuid }, null)
      for (const line of keptIn(entry, answers)) yield linked(line)
    }
  }
}

class Answers {
  readonly #known = new Map<string, PlainObject>()

  take({ uuid, requestId, message }: Rec): void {
    const { content: _, ...about } = isObject(message) ? message : {}
    keepRecent(this.#known, asText(uuid), { requestId, about }, MOST_KEPT)
  }

  /** Keeps the ids of the answer that it copies, so that its usage is counted once. */
  copyOf(uuid: string, id: string, content: unknown): PlainObject {
    const { requestId = `req_${id}`, about } = this.#known.get(uuid) ?? {}
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      ...UNKNOWN_ANSWER,
      ...(about as object),
      content
    }
    return { requestId, message }
  }
}

const MOST_KEPT = 1000
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
const UNKNOWN_ANSWER = { model: '<synthetic>', stop_reason: null, stop_sequence: null, usage: NO_USAGE }

function boundary({ kept: _, state: __, compactMetadata, ...rest }: Rec): Rec {
  const { trigger, pre_tokens } = isObject(compactMetadata) ? compactMetadata : {}
  const type = asText(rest['type'])
  const about = { content: 'Conversation compacted', level: 'info', isMeta: false }
  return { ...rest, type, ...about, compactMetadata: { trigger, preTokens: pre_tokens } }
}

/** Messages kept by a compaction are repeated after its summary, under new ids. */
function keptIn(
  { kept, uuid, sessionId, timestamp, cwd, version, isSidechain }: Rec,
  answers: Answers
): readonly Rec[] {
  const messages = (Array.isArray(kept) ? (kept as unknown[]) : []).filter(isObject) as unknown as readonly Kept[]
  return messages
    .filter(({ message }) => isObject(message))
    .map(({ uuid: original, message: { role, content } }, index) => {
      const id = uuidFrom(`${asText(uuid)}:${index}`)
      const common = { uuid: id, sessionId, timestamp, cwd, version, isSidechain, userType: 'external' }
      if (role === 'system')
        return {
          type: 'attachment',
          attachment: { type: 'hook_additional_context', content: [content], rendered: content },
          ...common
        }
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      if (role === 'assistant') return { type: role, ...answers.copyOf(original, id, blocks), ...common }
      return { type: role, message: { role, content }, ...(index === 0 && { isCompactSummary: true }), ...common }
    })
}

import type { Entry } from '../../src/lib/transcript/entry.ts'
import { JsonlStore } from '../../src/lib/transcript/jsonl.ts'
import { TranscriptLog } from '../../src/lib/transcript/log.ts'
import type { SessionKey } from '../../src/lib/transcript/store.ts'

/** A folder to work in, and a home in which transcripts are. */
export interface Place {
  readonly cwd: string
  readonly home: string
}

export const rootOf = ({ home }: Place): string => `${home}/.carabiner/projects`

/** About 500 bytes of typical file contents. */
const TEXT = 'export const value = compute(input, options) // "quoted" text, as there is much\n'.repeat(6)
/** Between two prompts. */
const ROUND = 100
/** The number of messages after a fresh start. */
const BEHIND = 40

/** The content of the n-th message of a conversation: a prompt, then calls and their results, then an answer. */
export interface Said {
  readonly kind: 'prompt' | 'call' | 'result' | 'answer'
  readonly text: string
  /** Of the call. */
  readonly id: string
}

export function saidAt(index: number): Said {
  const place = index % ROUND
  if (place === 0) return { kind: 'prompt', text: TEXT, id: '' }
  if (place === ROUND - 1) return { kind: 'answer', text: TEXT, id: '' }
  return place % 2 === 1
    ? { kind: 'call', id: `toolu_${index}`, text: TEXT }
    : { kind: 'result', id: `toolu_${index - 1}`, text: TEXT.slice(0, TEXT.length / 2) }
}

const USAGE = { input_tokens: 1000, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/** The same as the agent writes it down: about 1 KB, once it is a line. */
export function entryAt(index: number): Entry {
  const said = saidAt(index)
  if (said.kind === 'prompt') return { type: 'user', message: { role: 'user', content: said.text } }
  if (said.kind === 'result') {
    const content = [{ type: 'tool_result' as const, tool_use_id: said.id, content: said.text }]
    const toolUseResult = { stdout: said.text, stderr: '', interrupted: false }
    return { type: 'user', message: { role: 'user', content }, toolUseResult }
  }
  const block =
    said.kind === 'answer'
      ? { type: 'text', text: said.text }
      : { type: 'tool_use', id: said.id, name: 'look', input: { text: said.text } }
  const about = { id: `msg_${index}`, type: 'message', role: 'assistant', model: 'scripted', usage: USAGE }
  return { type: 'assistant', part: [0, 1], message: { ...about, content: [block] } }
}

/** What compaction leaves: all before it matters no more. */
const BOUNDARY: Entry = {
  type: 'system',
  subtype: 'compact_boundary',
  content: TEXT,
  kept: [{ uuid: 'summary', message: { role: 'user', content: TEXT } }],
  state: { system: [], metadata: {}, notes: [] },
  compactMetadata: { trigger: 'auto', pre_tokens: 160_000 }
}

/** The log of a session over the writer of a store of files, as the agent has it. */
export async function openLog(root: string, key: SessionKey, cwd: string): Promise<TranscriptLog> {
  const writer = await new JsonlStore(root).open(key, () => 'measuring')
  if ('holder' in writer) throw new Error('somebody else writes here')
  const { sessionId } = key
  return new TranscriptLog(writer, {
    path: '',
    sessionId,
    version: '0.0.0',
    entrypoint: 'bench',
    place: { cwd },
    secrets: []
  })
}

/** Writes a transcript of this number of messages, with a fresh start near its end or without. */
export async function fill(
  root: string,
  key: SessionKey,
  cwd: string,
  { messages, hasBoundary = false }: { readonly messages: number; readonly hasBoundary?: boolean }
): Promise<void> {
  const log = await openLog(root, key, cwd)
  for (let index = 0; index < messages; index++) {
    if (hasBoundary && index === messages - BEHIND) log.append(BOUNDARY, crypto.randomUUID())
    log.append(entryAt(index), crypto.randomUUID())
  }
  await log.close()
}

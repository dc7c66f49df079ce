/** What must hold for everything that was read from a transcript. */
import type { LoadedTranscript, ToolResultBlock, TranscriptEntry } from '../../src/index.ts'
import { replay, type Replayed } from '../../src/lib/agent/session/replay.ts'
import { unpaired } from '../support/agent-scene.ts'

/** A transcript as it should be: its entries, and their lines without the line breaks. */
export interface Original {
  readonly bytes: Buffer
  readonly lines: readonly Buffer[]
  /** By their numbers. */
  readonly sums: ReadonlyMap<number, string>
}

export function originalOf(bytes: Buffer): Original {
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .slice(0, -1)
    .map(line => Buffer.from(line, 'latin1'))
  const entries = lines.map(line => JSON.parse(line.toString('utf8')) as TranscriptEntry)
  return { bytes, lines, sums: new Map(entries.map(({ seq, crc }) => [Number(seq), String(crc)])) }
}

/** What is wrong with the entries themselves: each must be one of the original, in the original order. */
export function strangersIn({ entries }: LoadedTranscript, { sums }: Original): readonly string[] {
  const problems: string[] = []
  let last = 0
  for (const { seq, crc } of entries) {
    if (sums.get(Number(seq)) !== crc) problems.push(`entry ${String(seq)} was never written`)
    if (Number(seq) <= last) problems.push(`entry ${String(seq)} stands behind ${last}`)
    last = Number(seq)
  }
  return problems
}

/** What is missing without being reported: bytes that are neither an entry nor a gap, and numbers that are missing. */
export function silentIn({ entries, gaps }: LoadedTranscript, bytes: Buffer, { lines }: Original): readonly string[] {
  const problems: string[] = []
  const said = new Set<number>()
  let covered = 0
  for (const { length, seqs, why } of gaps) {
    // It is among the entries.
    if (why !== 'moved') covered += length
    for (let seq = seqs?.[0] ?? 1; seq <= (seqs?.[1] ?? 0); seq++) said.add(seq)
  }
  let next = 1
  for (const { seq } of entries) {
    for (; next < Number(seq); next++) if (!said.has(next)) problems.push(`nobody says that entry ${next} is missing`)
    covered += lines[Number(seq) - 1]?.length ?? 0
    next = Number(seq) + 1
  }
  let ends = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) ends++
  if (covered < bytes.length - ends) problems.push(`${bytes.length - ends - covered} bytes are lost without a word`)
  return problems
}

/** What is wrong with the conversation that these entries tell of, once its open calls have been answered. */
export function unpairedIn(entries: readonly TranscriptEntry[]): readonly string[] {
  const replayed = replay(entries)
  return replayed === undefined ? [] : unpaired(messagesOf(replayed))
}

function messagesOf({ conversation, open }: Replayed): Replayed['conversation']['messages'] {
  const results = open?.map(({ use: { id } }): ToolResultBlock => ({
    type: 'tool_result',
    tool_use_id: id,
    content: ''
  }))
  if (results !== undefined) conversation.close(results, 'answered')
  return conversation.messages
}

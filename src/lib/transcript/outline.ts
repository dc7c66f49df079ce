import { answerIdOf, resultsIn } from './claude/claude-walk.ts'
import { realDisk } from './disk.ts'
import type { Rec } from './entry.ts'
import { fill, type Met } from './file.ts'

export function outlineOf(lines: Iterable<Met>): readonly Rec[] {
  const outline: Rec[] = []
  let hasQueue = false
  for (const met of lines) {
    if ('gap' in met) continue
    const { entry, at, length } = met
    const { type, uuid, parentUuid, compactMetadata, subtype, to } = entry
    hasQueue ||= type === 'queue-operation'
    const before = outline.at(-1)
    outline.push({
      type,
      uuid,
      // It is usually the id of the line before; sharing that string halves the memory.
      parentUuid: parentUuid === before?.['uuid'] ? before?.['uuid'] : parentUuid,
      at,
      length,
      // Queued prompts are matched by their text.
      message: hasQueue && type === 'user' ? entry['message'] : messageIn(entry, before),
      ...(hasQueue && { attachment: entry['attachment'], operation: entry['operation'], content: entry['content'] }),
      ...(subtype !== undefined && { subtype, to, compactMetadata, logicalParentUuid: entry['logicalParentUuid'] }),
      ...rareIn(entry)
    })
  }
  return outline
}

function rareIn({ isSidechain, agentId, sourceToolAssistantUUID, part }: Rec): object | undefined {
  if (isSidechain !== true && sourceToolAssistantUUID === undefined && part === undefined) return undefined
  return { isSidechain, agentId, sourceToolAssistantUUID, part }
}

function messageIn(entry: Rec, before: Rec | undefined): unknown {
  const id = answerIdOf(entry)
  if (id === undefined) return resultsIn(entry).length > 0 ? RESULTS : undefined
  return before !== undefined && answerIdOf(before) === id ? before['message'] : { id }
}

const RESULTS = { content: [{ type: 'tool_result' }] }

/** The offset and length of each entry of an outline, two numbers each. Nothing else of the entries is kept. */
export const placesOf = (outline: readonly Rec[]): Float64Array => {
  const places = new Float64Array(2 * outline.length)
  for (const [index, { at, length }] of outline.entries()) places.set([Number(at), Number(length)], 2 * index)
  return places
}

export function* entriesAt(path: string, places: Float64Array): Generator<Rec> {
  const file = realDisk.openToRead(path)
  let room = Buffer.allocUnsafeSlow(1 << 14)
  try {
    for (let index = 0; index < places.length; index += 2) {
      const [at, length] = [places[index]!, places[index + 1]!]
      if (length > room.length) room = Buffer.allocUnsafeSlow(length)
      yield JSON.parse(fill(room.subarray(0, length), file, realDisk, at).toString()) as Rec
    }
  } finally {
    realDisk.close(file)
  }
}

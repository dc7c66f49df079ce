import { createHash } from 'node:crypto'
import { asText, isObject } from '../../util/plain.ts'
import { messageBlocks, type Rec } from '../entry.ts'

export interface Step {
  readonly agent?: string | undefined
  readonly above?: string | undefined
  readonly missing?: string | undefined
}

/**
 * Walks the lines of Claude Code in file order. Which branch is live is known only at the end of the file. A line whose
 * parent is missing is attached to the line before it in the file. All lines with the same missing parent are attached
 * where the first one is, so that an abandoned branch stays abandoned.
 */
export class ClaudeWalk {
  readonly #isAgentFile: boolean
  readonly #said = new Map<string, string>()
  readonly #moved = new Map<unknown, string>()
  /** Lines of subagents, in files from versions that gave subagents no ids. */
  readonly #agents = new Map<unknown, string>()
  /** Per agent: its last line with content, and whether any of its lines has named a parent. */
  readonly #last = new Map<string | undefined, string>()
  readonly #linked = new Set<string | undefined>()

  constructor(isAgentFile: boolean) {
    this.#isAgentFile = isAgentFile
  }

  take(line: Rec): Step {
    const agent = this.agentOf(line)
    const last = this.#last.get(agent) ?? ''
    const { uuid } = line
    if (typeof uuid !== 'string') return { agent, above: last }
    const named = parentOf(line)
    const parent = this.#moved.get(named) ?? named
    const missing = parent === undefined || this.#said.has(parent) ? undefined : parent
    if (missing !== undefined) this.#said.set(missing, last)
    const isFirst = this.#linked.has(agent) && line['parentUuid'] === null && line['subtype'] !== 'compact_boundary'
    const above = parent === undefined ? (isFirst ? '' : last) : this.#said.get(parent)!
    if (parent !== undefined) this.#linked.add(agent)
    this.#said.set(uuid, isSaid(line) ? uuid : above)
    if (isSaid(line)) this.#last.set(agent, uuid)
    const { tail, anchor } = segmentIn(line) ?? {}
    if (anchor !== undefined) this.#moved.set(tail, anchor)
    return { agent, above, missing }
  }

  agentOf({ isSidechain, agentId, parentUuid, uuid }: Rec): string | undefined {
    if (this.#isAgentFile || isSidechain !== true) return undefined
    if (typeof agentId === 'string') return agentId
    const known = this.#agents.get(parentUuid) ?? (parentUuid === null ? undefined : [...this.#agents.values()].at(-1))
    this.#agents.set(uuid, known ?? asText(uuid))
    return known ?? asText(uuid)
  }
}

/** Detects where the user went back: a line that already had an answer gets another one. */
export class Returns {
  readonly #next = new Map<string, string>()

  take(line: Rec, above: string): string | undefined {
    // Results of several calls share one parent; any other second child means that the user went back.
    if (!isSaid(line) || resultsIn(line).length > 0) return undefined
    const key = answerIdOf(line) ?? idOf(line)
    const before = this.#next.get(above)
    this.#next.set(above, key)
    return before === undefined || before === key ? undefined : above
  }
}

export const idOf = ({ uuid }: Rec): string => asText(uuid)
export const isSaid = ({ type }: Rec): boolean => type === 'user' || type === 'assistant'

export function parentOf({ parentUuid, logicalParentUuid }: Rec): string | undefined {
  const parent = parentUuid ?? logicalParentUuid
  return typeof parent === 'string' ? parent : undefined
}

export const answerIdOf = ({ type, message }: Rec): string | undefined =>
  type === 'assistant' && isObject(message) && typeof message['id'] === 'string' ? message['id'] : undefined

export const callsIn = (line: Rec): readonly string[] => idsIn(line, 'tool_use', 'id')
export const resultsIn = (line: Rec): readonly string[] => idsIn(line, 'tool_result', 'tool_use_id')

const idsIn = (line: Rec, type: string, key: string): readonly string[] =>
  messageBlocks(line).flatMap(block => (block['type'] === type ? [asText(block[key])] : []))

export function segmentIn({ compactMetadata }: Rec): Readonly<Record<'head' | 'tail' | 'anchor', string>> | undefined {
  const segment = isObject(compactMetadata) ? compactMetadata['preservedSegment'] : undefined
  if (!isObject(segment)) return undefined
  return { head: asText(segment['headUuid']), tail: asText(segment['tailUuid']), anchor: asText(segment['anchorUuid']) }
}

/** A deterministic (version 5) UUID. */
export function uuidFrom(name: string): string {
  const bytes = createHash('sha1').update(name).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

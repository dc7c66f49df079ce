import { fault } from '../../faults.ts'
import { ClaudeWalk } from '../../transcript/claude/claude-walk.ts'
import type { Rec } from '../../transcript/entry.ts'
import { eachIn, type Met } from '../../transcript/file.ts'
import { glance, type Glance } from '../../transcript/glance.ts'
import type { Gap } from '../../transcript/store.ts'
import { collectOften } from '../heap.ts'
import { agentFiles, type SessionFile } from './session-lookup.ts'
import { readState, type StoredState } from './state.ts'
import { storyItems, type StoryItem } from './story.ts'

/** A session, as far as both ends of its file show. The rest is read on demand, and never kept. */
export interface StoredSession extends SessionFile {
  readonly isForeign: boolean
  readonly isAgent: boolean
  readonly only: string | undefined
  readonly cwd: string
  readonly title: string | undefined
  readonly agents: Set<string>
  readonly gaps: Gap[]
  /** Asks whether a process has it open. */
  state(): Promise<StoredState>
}

export function openSession(found: SessionFile, agent?: string): StoredSession {
  const files = agentFiles(found)
  const file = files.find(({ id }) => id === agent)
  if (file !== undefined) return readSession(file, true, [])
  const ids = files.map(({ id }) => id)
  const session = readSession(found, found.key?.subpath !== undefined, ids)
  if (agent === undefined) return session
  const walk = new ClaudeWalk(session.isAgent)
  const known = new Set(ids)
  for (const met of eachIn(found.path, found.key))
    if ('entry' in met) known.add(walk.agentOf(met.entry) ?? ids[0] ?? '')
  if (known.has(agent))
    return { ...session, id: agent, isAgent: true, only: agent, title: undefined, agents: new Set() }
  throw fault(
    'E_USAGE',
    `there is no subagent ${agent}: the session has ${[...known].filter(Boolean).join(', ') || 'none'}`
  )
}

/** In bytes. */
const LONG = 4 << 20

function readSession(found: SessionFile, isAgent: boolean, agents: readonly string[]): StoredSession {
  const { path, key } = found
  const seen = glance(path, key)
  if (seen === undefined) throw fault('E_SESSION_UNKNOWN', found.id, '')
  // A damaged file among our own sessions is still a session.
  if (seen.problem !== undefined && (key === undefined || seen.bytes === 0))
    throw fault('E_NOT_TRANSCRIPT', path, seen.problem)
  if (seen.bytes > LONG) collectOften()
  const { isForeign, head, tail } = seen
  const cwd = [...head, ...tail].map(entry => entry['cwd']).find(each => typeof each === 'string')
  return {
    ...found,
    isForeign,
    isAgent: isAgent || (isForeign && isAgentFile(seen)),
    only: undefined,
    cwd: typeof cwd === 'string' ? cwd : '',
    title: isForeign ? titleIn(seen) : undefined,
    agents: new Set(agents),
    gaps: [],
    state: () => readState(path, tail, isForeign)
  }
}

/** The file of a subagent holds only its lines. */
const isAgentFile = ({ head }: Glance): boolean =>
  !head.some(({ type, isSidechain }) => (type === 'user' || type === 'assistant') && isSidechain !== true)

function titleIn({ head, tail }: Glance): string | undefined {
  const lines = [...head, ...tail]
  const ids = new Set(lines.map(({ uuid }) => uuid))
  const title = lines.findLast(({ type, leafUuid }) => type === 'summary' && ids.has(leafUuid))?.['summary']
  return typeof title === 'string' ? title : undefined
}

/** The lines of its file, in order. Lines of other programs among our entries are gaps. */
export function* sessionLines({ path, key, isForeign }: StoredSession): Generator<Met> {
  for (const met of eachIn(path, key)) {
    if ('gap' in met || isForeign || met.entry['crc'] !== undefined) yield met
    else yield { gap: { at: met.at, length: met.length, why: 'unsealed' } }
  }
}

export function* sessionItems(session: StoredSession, lines = sessionLines(session)): Generator<StoryItem> {
  for (const item of storyItems(lines, session)) {
    if (item.kind === 'gap') session.gaps.push(item.gap)
    if (item.kind === 'subagent') session.agents.add(item.id)
    yield item
  }
}

export function* sessionEntries(session: StoredSession): Generator<Rec> {
  const walk = new ClaudeWalk(session.only === undefined)
  for (const met of sessionLines(session))
    if ('entry' in met && (!session.isForeign || walk.agentOf(met.entry) === session.only)) yield met.entry
}

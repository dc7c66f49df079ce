import { fault } from '../../faults.ts'
import { readClaude, type ClaudeTranscript } from '../../transcript/claude.ts'
import { realDisk } from '../../transcript/disk.ts'
import type { Rec } from '../../transcript/entry.ts'
import { loadFile } from '../../transcript/file.ts'
import { promptIn } from '../../transcript/glance.ts'
import type { Gap } from '../../transcript/store.ts'
import { agentsOf, type Found } from './places.ts'
import { storyOf, type Item } from './story.ts'

/** All that is known of a session. */
export interface Session {
  readonly id: string
  readonly path: string
  readonly isForeign: boolean
  readonly cwd: string
  readonly title: string | undefined
  /** Of another program's: only the conversation that led to the last line. */
  readonly entries: readonly Rec[]
  readonly gaps: readonly Gap[]
  /** Lines of conversations that were given up, and are left out. */
  readonly abandoned: number
  /** The ids of its subagents. */
  readonly agents: readonly string[]
  readonly items: readonly Item[]
}

/** Reads a session, or one of its subagents. */
export function loadSession(found: Found, agent?: string): Session {
  const files = agentsOf(found)
  const file = files.find(({ id }) => id === agent)
  if (file !== undefined) return sessionOf(file, linesIn(file), [], true)
  const lines = linesIn(found)
  const isAgent = found.key?.subpath !== undefined
  if (agent === undefined)
    return sessionOf(
      found,
      lines,
      files.map(({ id }) => id),
      isAgent
    )
  const own = lines.theirs?.agents.get(agent)
  if (own !== undefined)
    return sessionOf({ ...found, id: agent }, { ...lines, entries: own, theirs: undefined, gaps: [] }, [], true)
  const known = [...files.map(({ id }) => id), ...(lines.theirs?.agents.keys() ?? [])]
  throw fault('E_USAGE', `there is no subagent ${agent}: the session has ${known.join(', ') || 'none'}`)
}

interface Lines {
  readonly entries: readonly Rec[]
  readonly gaps: readonly Gap[]
  readonly isForeign: boolean
  readonly theirs: ClaudeTranscript | undefined
  readonly offsets: ReadonlyMap<Rec, number>
}

function linesIn({ id, path, key }: Found): Lines {
  const read = loadFile(path, realDisk, key)
  if (read === undefined) throw fault('E_SESSION_UNKNOWN', id, '')
  const { entries, gaps, isForeign } = read
  const offsets = new Map(entries.map((entry, index) => [entry, read.offsets?.[index] ?? 0]))
  const theirs = isForeign ? readClaude(entries) : undefined
  return { entries: theirs?.main ?? entries, gaps, isForeign, theirs, offsets }
}

function sessionOf(
  { id, path }: Found,
  { entries, gaps, isForeign, theirs, offsets }: Lines,
  files: readonly string[],
  isAgent: boolean
): Session {
  const cwd = entries.map(entry => entry['cwd']).find(each => typeof each === 'string')
  const agents = new Map([...(theirs?.agents ?? [])].map(([agent, lines]) => [agent, firstIn(lines)]))
  const placed = entries.map(entry => ({ entry, offset: offsets.get(entry) ?? 0 }))
  return {
    id,
    path,
    isForeign,
    entries,
    gaps,
    cwd: typeof cwd === 'string' ? cwd : '',
    title: theirs?.title,
    abandoned: theirs?.abandoned ?? 0,
    agents: [...files, ...agents.keys()],
    items: storyOf(placed, gaps, { isForeign, isAgent, agents })
  }
}

const firstIn = (lines: readonly Rec[]): string => lines.map(promptIn).find(text => text !== undefined) ?? ''

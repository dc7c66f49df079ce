import type { FlagValues, LIST_FLAGS } from '../flags.ts'
import { statSync } from 'node:fs'
import { fault } from '../../faults.ts'
import { projectKeyOf } from '../../query/session-choice.ts'
import type { Rec } from '../../transcript/entry.ts'
import { glance, promptIn, type Glance } from '../../transcript/glance.ts'
import type { JsonlStore } from '../../transcript/jsonl.ts'
import { asText, isObject } from '../../util/plain.ts'
import { EXIT } from '../common.ts'
import { counted, escapeLine, safeJson, printLine, withStyle } from '../print.ts'
import { truncateText, timeAgo, outputColumns } from '../terminal/width.ts'
import { sessionStores, listSessionFiles } from './session-lookup.ts'
import { readState, stateLabel } from './state.ts'
import { attempt } from '../../util/attempt.ts'

type SessionListFlags = FlagValues<typeof LIST_FLAGS>

type SessionSummary = Awaited<ReturnType<typeof summarize>>

const USUAL = 20
/** In characters, if the width of a line is unknown. */
const LONGEST_PROMPT = 500

/** `carabiner sessions list`: newest first. Only both ends of each file are read. */
export async function listSessions(flags: SessionListFlags): Promise<number> {
  const { where, ours, theirs } = sessionStores(flags)
  const store = flags.claude === true ? theirs : ours
  const most = limitIn(flags)
  const files = filesIn(store, flags.all === true ? store.projects() : [projectKeyOf(where.cwd)])
  const sessions: SessionSummary[] = []
  for (const file of files.slice(0, most)) sessions.push(await summarize(file, store === ours))
  if (flags.json === true) {
    printLine(safeJson({ total: files.length, sessions }, 2))
    return EXIT.done
  }
  if (files.length === 0) printLine(nothing(flags, where.cwd))
  for (const session of sessions) for (const line of summaryLines(session, flags)) printLine(line)
  if (files.length > sessions.length)
    printLine(withStyle('dim', `and ${files.length - sessions.length} more: --limit ${files.length}`))
  return EXIT.done
}

function limitIn({ limit }: SessionListFlags): number {
  if (limit === undefined) return USUAL
  const most = Number(limit)
  if (!Number.isSafeInteger(most) || most < 1) throw fault('E_USAGE', `--limit takes a number above 0, not ${limit}`)
  return most
}

const nothing = ({ all, claude }: SessionListFlags, cwd: string): string =>
  `no sessions${claude === true ? ' of Claude Code' : ''}${all === true ? '' : ` of ${escapeLine(cwd)}; --all shows those of all folders`}`

/** Newest first. */
export function filesIn(store: JsonlStore, projects: readonly string[]) {
  const files = listSessionFiles(store, projects).flatMap(({ key, path }) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() === true ? [{ key, path, mtime: stat.mtimeMs }] : []
  })
  return files.toSorted((a, b) => b.mtime - a.mtime)
}

async function summarize({ key, path, mtime }: ReturnType<typeof filesIn>[number], isOurs: boolean) {
  // An unreadable file is listed, too.
  const seen = attempt(() => glance(path, isOurs ? key : undefined))
  const { head = [], tail = [], isForeign = false, isTorn = false, isDamaged = false } = seen ?? {}
  const isRead = seen !== undefined && (seen.problem === undefined || seen.bytes === 0)
  const ends = [...head, ...tail]
  const origin = head[0]?.['forkedFrom']
  return {
    id: key.sessionId,
    path,
    format: isForeign || !isOurs ? 'claude-code' : 'carabiner',
    cwd: textIn(ends, 'cwd') ?? null,
    startedAt: textIn(head, 'timestamp') ?? null,
    changedAt: new Date(mtime).toISOString(),
    bytes: seen?.bytes ?? 0,
    // Unknown for long transcripts of other programs, which have no sequence numbers.
    entries: countOf(seen),
    prompt: promptOf(ends) ?? null,
    forkedFrom: isObject(origin) && 'sessionId' in origin ? asText(origin['sessionId']) : null,
    state: isRead ? await readState(path, tail, isForeign) : ({ kind: 'unreadable' } as const),
    isTorn,
    isDamaged
  }
}

function countOf(seen: Glance | undefined): number | null {
  if (seen === undefined) return null
  if (seen.isWhole) return seen.tail.length
  const last = seen.tail.at(-1)?.['seq']
  return typeof last === 'number' ? last : null
}

const textIn = (entries: readonly Rec[], key: string): string | undefined =>
  entries.map(entry => entry[key]).find((value): value is string => typeof value === 'string')

function promptOf(entries: readonly Rec[]): string | undefined {
  for (const entry of entries) {
    const text = promptIn(entry)?.replaceAll(/\s+/g, ' ').trim()
    if (text !== undefined && text !== '') return text.slice(0, LONGEST_PROMPT)
  }
  return undefined
}

const COLOURS = { running: 'green', waiting: 'yellow', interrupted: 'yellow', unreadable: 'red' } as const

function summaryLines(session: SessionSummary, { all }: SessionListFlags): readonly string[] {
  const { id, changedAt, prompt, state, entries, cwd, isTorn, isDamaged, forkedFrom, format } = session
  const width = outputColumns()
  const facts = [
    ...(entries === null ? [] : [counted(entries, 'entry')]),
    ...(format === 'carabiner' ? [] : ['written by another program']),
    ...(forkedFrom === null ? [] : [`a copy of ${forkedFrom}`]),
    ...(isTorn ? ['its last line is torn'] : []),
    ...(isDamaged ? ['damaged: see sessions verify'] : [])
  ]
  const colour = state.kind in COLOURS ? COLOURS[state.kind as keyof typeof COLOURS] : undefined
  const words = truncateText(escapeLine(stateLabel(state)), width - 2)
  return [
    `${withStyle('bold', escapeLine(id))}  ${timeAgo(Date.parse(changedAt))}`,
    `  ${truncateText(escapeLine(prompt ?? '(no prompt)'), width - 2)}`,
    `  ${colour === undefined ? words : withStyle(colour, words)}`,
    ...(facts.length === 0 ? [] : [`  ${withStyle('dim', truncateText(escapeLine(facts.join(', ')), width - 2))}`]),
    ...(all === true && cwd !== null ? [`  ${withStyle('dim', truncateText(escapeLine(cwd), width - 2))}`] : [])
  ]
}

import { isFreshStart, replayInPieces, type Replayed } from '../../agent/session/replay.ts'
import { rewind } from '../../agent/session/rewind.ts'
import type { Message } from '../../message.ts'
import { reminder } from '../../model/prompt.ts'
import { asTheirs } from '../../transcript/claude/claude-lines.ts'
import { readClaude, translated } from '../../transcript/claude/claude.ts'
import { entriesAt, outlineOf, placesOf } from '../../transcript/outline.ts'
import { EXIT } from '../common.ts'
import { escapeText, safeJson } from '../print.ts'
import { readEntries, readItems, readLines, openSession, type StoredSession } from './load.ts'
import { renderMarkdown } from './markdown.ts'
import { writePaged } from './pager.ts'
import { findSession, type SessionFlags } from './session-lookup.ts'
import { jsonWithList } from './show.ts'

export interface ExportFlags extends SessionFlags {
  format?: 'markdown' | 'json' | 'jsonl'
  agent?: string
}

/** `carabiner sessions export`: a session for people, for a model, or for other programs. */
export async function exportSession(name: string, flags: ExportFlags): Promise<number> {
  const session = await openSession(findSession(name, flags), flags.agent)
  const format = flags.json === true ? 'json' : (flags.format ?? 'markdown')
  await writePaged(
    format === 'json' ? asRequest(session) : format === 'jsonl' ? asLines(session) : asPage(session),
    false
  )
  return EXIT.done
}

function* asPage(session: StoredSession): Generator<string> {
  for (const line of renderMarkdown(session, readItems(session))) yield `${escapeText(line)}\n`
}

function* asLines(session: StoredSession): Generator<string> {
  const entries = readEntries(session)
  for (const line of session.isForeign ? entries : asTheirs(entries)) yield `${safeJson(line)}\n`
}

/** What a model would be sent, and the calls that have no results yet. */
function* asRequest(session: StoredSession): Generator<string> {
  let end: Replayed | undefined
  const messages = function* (): Generator<Message> {
    end = yield* replayInPieces(...liveEntries(session))
  }
  yield* jsonWithList({ sessionId: session.id }, 'messages', messages(), asSent)
  const unanswered = end?.open?.filter(({ result }) => result === undefined).map(({ use }) => use.id) ?? []
  yield `,\n  "system": ${safeJson(end?.system)},\n  "unanswered": ${safeJson(unanswered)}\n}\n`
}

/** The entries from the last fresh start on: the file is read once for their outline, then they are read. */
function liveEntries(session: StoredSession): Parameters<typeof replayInPieces> {
  const { places, isEdited, done } = livePlaces(session)
  const whole = entriesAt(session.path, places)
  return [session.isForeign ? translated(whole) : whole, { isEdited, isDone: index => done.has(index) }]
}

/** Where they are, and which of them happened after a point that was rewound. The outline itself is not kept. */
function livePlaces(session: StoredSession): { places: Float64Array; isEdited: boolean; done: ReadonlySet<number> } {
  const outline = outlineOf(readLines(session))
  const { main, agents } = session.isForeign ? readClaude(outline) : { main: outline, agents: undefined }
  const lines = session.only === undefined ? main : (agents?.get(session.only) ?? [])
  const { left, done } = session.isForeign ? { left: lines, done: new Set() } : rewind(lines)
  const live = left.slice(Math.max(0, left.findLastIndex(isFreshStart)))
  return {
    places: placesOf(live),
    isEdited: live.some(({ subtype }) => subtype === 'messages_changed'),
    done: new Set(live.flatMap((entry, index) => (done.has(entry) ? [index] : [])))
  }
}

/** Requests have no system messages in between. */
function asSent({ role, content }: Message): object {
  if (role !== 'system') return { role, content }
  const text =
    typeof content === 'string' ? content : content.flatMap(each => (each.type === 'text' ? [each.text] : []))
  return { role: 'user', content: reminder(typeof text === 'string' ? text : text.join('')) }
}

import type { FlagValues, EXPORT_FLAGS } from '../flags.ts'
import { isFreshStart, replayInPieces, type Replayed } from '../../agent/session/replay.ts'
import { rewind } from '../../agent/session/rewind.ts'
import type { Message } from '../../message.ts'
import { reminder } from '../../model/prompt.ts'
import { asTheirs } from '../../transcript/claude/claude-lines.ts'
import { readClaude, translated } from '../../transcript/claude/claude.ts'
import { entriesAt, outlineOf, placesOf } from '../../transcript/outline.ts'
import { EXIT } from '../common.ts'
import { escapeText, safeJson } from '../print.ts'
import { sessionEntries, sessionItems, sessionLines, openSession, type StoredSession } from './load.ts'
import { writePaged } from './pager.ts'
import { findSession } from './session-lookup.ts'
import { jsonWithList } from './show.ts'
import { gapText } from '../../transcript/load.ts'
import type { StoryItem } from './story.ts'

type ExportFlags = FlagValues<typeof EXPORT_FLAGS>

export async function exportSession(name: string, flags: ExportFlags): Promise<number> {
  const session = openSession(findSession(name, flags), flags.agent)
  const format = flags.json === true ? 'json' : (flags.format ?? 'markdown')
  await writePaged(
    format === 'json' ? asRequest(session) : format === 'jsonl' ? asLines(session) : asPage(session),
    false
  )
  return EXIT.done
}

function* asPage(session: StoredSession): Generator<string> {
  for (const line of renderMarkdown(session, sessionItems(session))) yield `${escapeText(line)}\n`
}

function* asLines(session: StoredSession): Generator<string> {
  const entries = sessionEntries(session)
  for (const line of session.isForeign ? entries : asTheirs(entries)) yield `${safeJson(line)}\n`
}

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

/** Their offsets, and which of them were done after a point that was rewound to. The outline itself is not kept. */
function livePlaces(session: StoredSession): { places: Float64Array; isEdited: boolean; done: ReadonlySet<number> } {
  const outline = outlineOf(sessionLines(session))
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

export function* renderMarkdown(
  { id, title, cwd }: Pick<StoredSession, 'id' | 'title' | 'cwd'>,
  items: Iterable<StoryItem>
): Generator<string> {
  yield `# ${oneLine(title ?? `Session ${id}`)}`
  if (cwd !== '') yield `\n${code(cwd)}`
  for (const item of items) {
    const text = (PARTS[item.kind] as (item: StoryItem) => string)(item)
    if (text !== '') yield `\n${text}`
  }
}

const PARTS: { readonly [K in StoryItem['kind']]: (item: StoryItem & { readonly kind: K }) => string } = {
  prompt: ({ text }) => `## Prompt\n\n${text}`,
  answer: ({ text }) => text,
  thought: () => '',
  told: ({ text }) => quote(text),
  summary: ({ text }) => `**Summary of what came before**\n\n${quote(text)}`,
  call: ({ tool, input }) => `**Call** ${code(tool)}\n\n${fenced(JSON.stringify(input, null, 2) ?? '', 'json')}`,
  result({ text, isUnknown, isError, isRefused }) {
    const kind = isUnknown ? 'Outcome unknown' : isError ? 'Failed' : 'Result'
    return isRefused ? '' : `**${kind}**\n\n${fenced(text)}`
  },
  context: ({ event, by, text }) => `**Hook** ${code(event)}${from(by)}\n\n${quote(text)}`,
  denied: ({ tool, by, reason }) => `**Refused** ${code(tool)}${from(by)}\n\n${quote(reason)}`,
  waiting: ({ tool, by }) => `**Waits for a decision** ${code(tool)}${from(by)}`,
  subagent: ({ id, type, description }) =>
    `**Subagent** ${code(id)} ${oneLine([type, description].filter(Boolean).join(': '))}`.trimEnd(),
  compacted: ({ trigger, text }) =>
    `---\n\n*Compacted (${oneLine(trigger)})*${text === '' ? '' : `\n\n${quote(text)}`}`,
  cleared: () => '---\n\n*Cleared*',
  rewound: ({ to }) => `---\n\n*Went back to ${code(to)}*`,
  forked: ({ from: origin }) => `---\n\n*Up to here a copy of session ${code(origin)}*`,
  changed: ({ event }) => `*${oneLine(event)} changed the conversation*`,
  repaired: ({ leftOut }) => `---\n\n*Repaired: ${leftOut.length} places were left out*`,
  ungated: ({ tool }) => `*${code(tool)} was run by the model’s provider*`,
  gap: ({ gap }) => `**Gap** ${gapText(gap)}`,
  unknown: ({ type }) => `*An entry of the type ${code(type)}*`
}

const from = (who: string | undefined): string => (who === undefined || who === '' ? '' : ` by ${code(who)}`)

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const quote = (text: string): string => text.replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>')

const marks = (text: string, fewest: number): string =>
  '`'.repeat(Math.max(fewest, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)))

const fenced = (text: string, kind = ''): string => {
  const fence = marks(text, 3)
  return `${fence}${kind}\n${text}\n${fence}`
}

const code = (text: string): string => {
  const mark = marks(text, 1)
  return mark.length === 1 ? `${mark}${oneLine(text)}${mark}` : `${mark} ${oneLine(text)} ${mark}`
}

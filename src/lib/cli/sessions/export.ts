import { replay } from '../../agent/replay.ts'
import type { Message } from '../../message.ts'
import { reminder } from '../../model/prompt.ts'
import { asTheirs } from '../../transcript/claude-lines.ts'
import { asOurs } from '../../transcript/claude.ts'
import { EXIT } from '../common.ts'
import { harmless, safeJson, say } from '../print.ts'
import { loadSession, type Session } from './load.ts'
import { markdownOf } from './markdown.ts'
import { findSession, type SessionFlags } from './places.ts'

export interface ExportFlags extends SessionFlags {
  format?: 'markdown' | 'json' | 'jsonl'
  agent?: string
}

/** `carabiner sessions export`: a session for people, for a model, or for other programs. */
export function exportSession(name: string, flags: ExportFlags): number {
  const session = loadSession(findSession(name, flags), flags.agent)
  const format = flags.json === true ? 'json' : (flags.format ?? 'markdown')
  if (format === 'json') say(safeJson(requestOf(session), 2))
  else if (format === 'jsonl') for (const line of linesOf(session)) say(safeJson(line))
  else for (const line of markdownOf(session)) say(harmless(line))
  return EXIT.done
}

const linesOf = ({ isForeign, entries }: Session): readonly object[] => (isForeign ? entries : asTheirs(entries))

/** What a model would be sent, and the calls that have no results yet. */
function requestOf({ id, isForeign, entries }: Session): object {
  const { conversation, system, open = [] } = replay(isForeign ? asOurs(entries) : entries)!
  const unanswered = open.filter(({ result }) => result === undefined).map(({ use }) => use.id)
  return { sessionId: id, system, messages: conversation.messages.map(asSent), unanswered }
}

/** Only users and models speak there. */
function asSent({ role, content }: Message): Message {
  if (role !== 'system') return { role, content }
  const text =
    typeof content === 'string' ? content : content.flatMap(each => (each.type === 'text' ? [each.text] : []))
  return { role: 'user', content: reminder(typeof text === 'string' ? text : text.join('')) }
}

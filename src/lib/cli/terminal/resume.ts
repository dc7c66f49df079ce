import { messageText } from '../../agent/session/conversation.ts'
import { isFreshStart, replay } from '../../agent/session/replay.ts'
import { projectKeyOf, usualStore } from '../../query/session-choice.ts'
import type { Where } from '../../settings/files/sources.ts'
import { glance, promptIn } from '../../transcript/glance.ts'
import { loadTail } from '../../transcript/load.ts'
import type { ProjectState } from '../common.ts'
import { escapeLine, withStyle, alignColumns } from '../print.ts'
import { timeAgo, truncateText, hangIndent } from './width.ts'
import { findSession } from '../sessions/session-lookup.ts'
import type { Screen } from './screen.ts'
import type { SlashContext } from './slash.ts'

const MOST = 10

export async function resume(
  wanted: string,
  { screen, scene: { where }, current, switchTo: goOnWith }: SlashContext
): Promise<void> {
  const ids = await otherSessions(where, current)
  if (wanted === '') {
    screen.print(ids.length === 0 ? '  there are no earlier sessions of this folder' : sessionTable(ids, where, screen))
    return
  }
  const numbered = /^\d{1,2}$/.test(wanted) ? ids[Number(wanted) - 1] : undefined
  goOnWith(numbered ?? findSession(wanted, { cwd: where.cwd }).id)
}

async function otherSessions(where: Where, current: string): Promise<readonly string[]> {
  const sessions = await usualStore(where).listSessions(projectKeyOf(where.cwd))
  const others = sessions.filter(({ sessionId }) => sessionId !== current)
  return others
    .toSorted((a, b) => b.mtime - a.mtime)
    .slice(0, MOST)
    .map(({ sessionId }) => sessionId)
}

function sessionTable(ids: readonly string[], where: Where, { columns }: Screen): string {
  const store = usualStore(where)
  const rows = ids.map((sessionId, index) => {
    const key = { projectKey: projectKeyOf(where.cwd), sessionId }
    const seen = glance(store.pathOf(key), key)
    const prompt = seen?.head.map(promptIn).find(text => text !== undefined) ?? ''
    const when = Date.parse(String(seen?.tail.at(-1)?.['timestamp']))
    return [`  ${index + 1}`, Number.isNaN(when) ? '' : timeAgo(when), escapeLine(prompt)]
  })
  return [
    ...alignColumns(rows).map(line => truncateText(line, columns - 1)),
    withStyle('dim', '  type /resume NUMBER to resume one')
  ].join('\n')
}

export async function lastExchange(sessionId: string, { where }: ProjectState, { columns }: Screen): Promise<string> {
  const store = usualStore(where)
  const projectKey = store.projectOf(sessionId, projectKeyOf(where.cwd))
  const tail = projectKey === undefined ? undefined : await loadTail(store, { projectKey, sessionId }, isFreshStart)
  const messages = (tail === undefined ? undefined : replay(tail.entries))?.conversation.messages ?? []
  const prompt = messages.findLast(({ role, content }) => role === 'user' && messageText(content) !== '')
  const answer = messages.findLast(({ role, content }) => role === 'assistant' && messageText(content) !== '')
  return [
    `resumed session ${sessionId}`,
    ...[prompt, answer].flatMap(each => (each ? [messageText(each.content)] : []))
  ]
    .map(text => hangIndent('  ', escapeLine(text).slice(0, 4 * columns), columns))
    .map(line => withStyle('dim', line))
    .join('\n')
}

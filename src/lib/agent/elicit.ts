import { wordsOf } from '../errors.ts'
import type { AskForServer, Told, Wanted } from '../tools/mcp/elicitation.ts'
import { isWebUrl } from '../world/http/client.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { within } from './abort.ts'
import type { Session } from './session/session.ts'

const NO: Told = { action: 'decline' }

/** What a server is told that wants to know something: by a hook, else by a person; hooks have the last word. */
export async function elicit(
  server: string,
  wanted: Wanted,
  session: Session,
  ask: AskForServer | undefined,
  signal: AbortSignal
): Promise<Told> {
  const { mode, url } = wanted
  if (mode === 'url' && (url === undefined || !isWebUrl(url))) {
    session.reader.notice(
      `the server ${server} wants somebody to visit what is no web address; it was told no`,
      'warning'
    )
    return NO
  }
  const answer =
    (await askHooks(server, wanted, session, signal)) ?? (await askPerson(server, wanted, session, ask, signal))
  const told = await lastWord(server, wanted, answer, session, signal)
  const message = `Elicitation response for server "${server}": ${told.action}`
  await session.hooks.run('Notification', { message, notification_type: 'elicitation_response' }, { signal })
  return told
}

async function askHooks(
  server: string,
  { message, mode, url, id, schema }: Wanted,
  session: Session,
  signal: AbortSignal
): Promise<Told | undefined> {
  const asked = { mcp_server_name: server, message, mode, url, elicitation_id: id, requested_schema: schema }
  const outcome = await session.hooks.run('Elicitation', asked, { signal })
  return outcome.blocked ? NO : outcome.fields.action === undefined ? undefined : answerIn(outcome.fields)
}

async function askPerson(
  server: string,
  wanted: Wanted,
  session: Session,
  ask: AskForServer | undefined,
  signal: AbortSignal
): Promise<Told> {
  if (ask === undefined) return NO
  try {
    return answerIn(await within(ask(server, wanted, signal), signal))
  } catch (error) {
    session.reader.notice(`what the server ${server} wants to know could not be asked: ${wordsOf(error)}`, 'warning')
    return NO
  }
}

async function lastWord(
  server: string,
  { id, mode }: Wanted,
  { action, content }: Told,
  session: Session,
  signal: AbortSignal
): Promise<Told> {
  const result = { mcp_server_name: server, elicitation_id: id, mode, action, content }
  const outcome = await session.hooks.run('ElicitationResult', result, { signal })
  return outcome.blocked ? NO : answerIn({ action, content, ...outcome.fields })
}

/** Only what is clearly an answer is one, and only a yes has a content. */
function answerIn(given: unknown): Told {
  const { action, content }: PlainObject = isObject(given) ? given : {}
  if (action === 'cancel') return { action }
  if (action !== 'accept') return NO
  return isObject(content) ? { action, content } : { action }
}

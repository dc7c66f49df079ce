import { errorMessage } from '../errors.ts'
import type { AskForServer, ElicitationAnswer, ElicitationRequest } from '../tools/mcp/elicitation.ts'
import { isWebUrl } from '../world/http/client.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { within } from './abort.ts'
import type { Session } from './session/session.ts'

const NO: ElicitationAnswer = { action: 'decline' }

export interface ServerQuestion {
  readonly server: string
  readonly wanted: ElicitationRequest
  readonly session: Session
  readonly ask: AskForServer | undefined
  readonly signal: AbortSignal
}

/** The answer to a server's question: of a hook, else of a person; ElicitationResult hooks decide last. */
export async function elicit(question: ServerQuestion): Promise<ElicitationAnswer> {
  const { server, wanted, session, signal } = question
  const { mode, url } = wanted
  if (mode === 'url' && (url === undefined || !isWebUrl(url))) {
    session.reader.notice(`the server ${server} asked to open something that is not a web URL; declined`, 'warning')
    return NO
  }
  const answer = (await askHooks(question)) ?? (await askPerson(question))
  const final = await reviewAnswer(question, answer)
  const message = `Elicitation response for server "${server}": ${final.action}`
  await session.hooks.run('Notification', { message, notification_type: 'elicitation_response' }, { signal })
  return final
}

async function askHooks({ server, wanted, session, signal }: ServerQuestion): Promise<ElicitationAnswer | undefined> {
  const { message, mode, url, id, schema } = wanted
  const asked = { mcp_server_name: server, message, mode, url, elicitation_id: id, requested_schema: schema }
  const outcome = await session.hooks.run('Elicitation', asked, { signal })
  return outcome.blocked ? NO : outcome.fields.action === undefined ? undefined : answerIn(outcome.fields)
}

async function askPerson({ server, wanted, session, ask, signal }: ServerQuestion): Promise<ElicitationAnswer> {
  if (ask === undefined) return NO
  try {
    return answerIn(await within(ask(server, wanted, signal), signal))
  } catch (error) {
    session.reader.notice(`the question of the server ${server} could not be asked: ${errorMessage(error)}`, 'warning')
    return NO
  }
}

async function reviewAnswer(
  { server, wanted: { id, mode }, session, signal }: ServerQuestion,
  { action, content }: ElicitationAnswer
): Promise<ElicitationAnswer> {
  const result = { mcp_server_name: server, elicitation_id: id, mode, action, content }
  const outcome = await session.hooks.run('ElicitationResult', result, { signal })
  return outcome.blocked ? NO : answerIn({ action, content, ...outcome.fields })
}

/** Only an explicit answer counts, and only an accept has content. */
function answerIn(given: unknown): ElicitationAnswer {
  const { action, content }: PlainObject = isObject(given) ? given : {}
  if (action === 'cancel') return { action }
  if (action !== 'accept') return NO
  return isObject(content) ? { action, content } : { action }
}

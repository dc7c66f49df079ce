import { messageText } from '../agent/session/conversation.ts'
import type { Session } from '../agent/session/session.ts'
import { verify } from '../agent/subagents/verify-agent.ts'
import type { ModelQuestion } from '../hooks/kinds/hook-environment.ts'
import type { Model } from '../model/model.ts'
import { isOfProvider } from '../model/names.ts'
import { modelOf } from './setup/models.ts'
import type { ProjectContext } from './setup/project-context.ts'

/** For questions of hooks to a model of Anthropic, unless they name another. */
const SMALL = 'haiku'

/** Asks a model one question. Its usage counts for the session. */
export async function askOnce(
  question: ModelQuestion,
  session: Session | undefined,
  project: Pick<ProjectContext, 'env' | 'options'>
): Promise<string> {
  const { system, prompt, signal } = question
  if (session === undefined) throw new Error('the session has not started')
  const model = await modelFor(question, session, project)
  const answer = await model.ask({ system, messages: [{ role: 'user', content: prompt }], tools: [] }, signal)
  session.spending.add(answer, model.price)
  return messageText(answer.content)
}

export async function askAgent(
  question: ModelQuestion,
  session: Session | undefined,
  project: Pick<ProjectContext, 'env' | 'options'>
): Promise<string> {
  if (session === undefined) throw new Error('the session has not started')
  return verify(question, session, await modelFor(question, session, project))
}

function modelFor(
  { model: given, ofProject }: ModelQuestion,
  session: Session,
  project: Pick<ProjectContext, 'env' | 'options'>
): Model | Promise<Model> {
  const { provider } = session.model
  const name = ofProject === true && given !== undefined && !isOfProvider(given, provider) ? undefined : given
  const wanted = name ?? (provider === 'anthropic' ? SMALL : undefined)
  return wanted === undefined ? session.model : modelOf(wanted, project)
}

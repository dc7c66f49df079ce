import { compact } from '../agent/compact.ts'
import { ended, type Ending } from '../agent/session/ending.ts'
import { clearSession } from '../agent/session/session-lifecycle.ts'
import type { Session } from '../agent/session/session.ts'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import { modelOf } from './setup/models.ts'
import type { ProjectContext } from './setup/project-context.ts'
import type { Opened } from './open.ts'
import type { QueryOptions } from './options/options.ts'

type Command = (rest: string, opened: Opened, signal: AbortSignal) => Promise<Ending>

const done = (text: string): Ending => ended('completed', text, false)

/** Prompts that are commands to the session instead of text for the model. Skills of the same name take precedence. */
const COMMANDS: Readonly<Record<string, Command>> = {
  async compact(rest, { session }, signal) {
    const isShorter = await compact(session, { trigger: 'manual', instructions: rest || undefined }, signal)
    return done(isShorter ? 'The conversation was compacted.' : 'The conversation was not compacted.')
  },
  async clear(_, { session }, signal) {
    return (await clearSession(session, signal)) ?? done('The conversation was cleared.')
  },
  async model(rest, { session, project }) {
    if (rest === '') return done(`The model is ${session.model.name}.`)
    await switchModel(session, rest, project)
    return done(`The model is now ${session.model.name}.`)
  }
}

/** The function for a prompt such as `/compact`; undefined if it is not a command. */
export function commandIn(prompt: unknown, opened: Opened): ((signal: AbortSignal) => Promise<Ending>) | undefined {
  const [, name = '', rest = ''] =
    typeof prompt === 'string' ? (/^\/(\w+)(?:\s+(.*))?$/s.exec(prompt.trim()) ?? []) : []
  const { session } = opened
  if (!Object.hasOwn(COMMANDS, name) || session.options.skills?.all.has(name) === true) return undefined
  return async signal => {
    const ending = await COMMANDS[name]!(rest.trim(), opened, signal).catch((error: unknown) =>
      ended('turn_setup_failed', errorMessage(error), true)
    )
    session.reader.notice(`/${name}: ${ending.text}`, ending.isError ? 'warning' : 'info', 'command')
    return ending
  }
}

export async function switchModel(
  session: Session,
  name: QueryOptions['model'],
  project: ProjectContext
): Promise<void> {
  const model = await modelOf(name, project)
  const { dollars } = session.options.limits
  if (dollars !== undefined && model.price === undefined)
    throw fault(
      'E_OPTION_INVALID',
      'model',
      model.name,
      `a model whose price is known (see prices), since maxBudgetUsd is ${dollars}`
    )
  session.model = model
}

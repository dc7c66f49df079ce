import { existsSync } from 'node:fs'
import { compact } from '../agent/compact.ts'
import { ended, type Ending } from '../agent/session/ending.ts'
import { clearSession } from '../agent/session/session-lifecycle.ts'
import type { Session } from '../agent/session/session.ts'
import { switchModel, type ModelSwitch } from '../agent/switch-model.ts'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import type { FieldsOf } from '../hooks/events/event-table.ts'
import { randomUuid } from '../transcript/log.ts'
import { isFolder, isWithin, realPath } from '../world/files/paths.ts'
import { modelOf, requestOf } from './setup/models.ts'
import type { Opened } from './open.ts'
import type { QueryOptions } from './options/options.ts'

/** Adds a folder to the workspace. False if it belongs to it already. */
export async function addDirectory(
  given: string,
  source: FieldsOf<'DirectoryAdded'>['source'],
  session: Session,
  signal: AbortSignal
): Promise<boolean> {
  const { permissions, options } = session
  const { place } = options
  const directory = realPath(given.replace(/^~(?=\/|$)/, permissions.home), place.cwd)
  if (given === '') throw fault('E_USAGE', 'no directory was given')
  if (!isFolder(directory)) {
    const what = existsSync(directory) ? 'is not a directory' : 'does not exist'
    throw fault('E_USAGE', `${JSON.stringify(given)} ${what}`)
  }
  if (permissions.roots.some(root => isWithin(directory, root))) return false
  place.sandbox?.admit(directory)
  permissions.roots = [...permissions.roots, directory]
  place.directories = [...place.directories, directory]
  await session.hooks.run('DirectoryAdded', { directory, source }, { signal })
  return true
}

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
  async model(rest, opened, signal) {
    const { session } = opened
    if (rest === '') return done(`The model is ${session.model.name}.`)
    await setModel(rest, 'command', opened, signal)
    return done(`The model is now ${session.model.name}.`)
  },
  async 'add-dir'(rest, { session }, signal) {
    const isNew = await addDirectory(rest, 'slash_command', session, signal)
    return done(`${rest} ${isNew ? 'now' : 'already'} belongs to the workspace.`)
  }
}

/** The function for a prompt such as `/compact`; undefined if it is not a command. */
export function commandIn(prompt: unknown, opened: Opened): ((signal: AbortSignal) => Promise<Ending>) | undefined {
  const [, name = '', rest = ''] =
    typeof prompt === 'string' ? (/^\/([\w-]+)(?:\s+(.*))?$/s.exec(prompt.trim()) ?? []) : []
  const { session } = opened
  if (!Object.hasOwn(COMMANDS, name) || session.options.skills?.all.has(name) === true) return undefined
  return async signal => {
    session.promptId = randomUuid()
    const ending = await COMMANDS[name]!(rest.trim(), opened, signal).catch((error: unknown) =>
      ended('turn_setup_failed', errorMessage(error), true)
    )
    session.reader.notice(`/${name}: ${ending.text}`, ending.isError ? 'warning' : 'info', 'command')
    return ending
  }
}

export async function setModel(
  given: QueryOptions['model'],
  source: ModelSwitch['source'],
  { session, project }: Pick<Opened, 'session' | 'project'>,
  signal: AbortSignal
): Promise<void> {
  const model = await modelOf(given, project)
  const { dollars } = session.options.limits
  if (dollars !== undefined && model.price === undefined)
    throw fault(
      'E_OPTION_INVALID',
      'model',
      model.name,
      `a model whose price is known (see prices), since maxBudgetUsd is ${dollars}`
    )
  await switchModel(session, { model, source, ...requestOf(given, session.model.name, model, project) }, signal)
}

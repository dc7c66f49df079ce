import type { SessionFlags } from '../flags.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fault } from '../../faults.ts'
import { claudeStore, unknownSession, usualStore } from '../../query/session-choice.ts'
import { glance } from '../../transcript/glance.ts'
import type { JsonlStore } from '../../transcript/jsonl.ts'
import type { SessionKey } from '../../transcript/store.ts'
import { isObject } from '../../util/plain.ts'
import { shellWord } from '../../shell/command-words.ts'
import { settingsPlaces } from '../common.ts'
import { attempt, jsonIn } from '../../util/attempt.ts'

export interface SessionFile {
  readonly id: string
  readonly path: string
  /** Its key among our own sessions; entries of other sessions in the file are then detected. */
  readonly key: SessionKey | undefined
  readonly name?: string | undefined
}

export interface AgentFile extends SessionFile {
  readonly type: string | undefined
  readonly description: string | undefined
}

export function sessionStores({ cwd }: SessionFlags) {
  const where = settingsPlaces(cwd)
  return { where, ours: usualStore(where), theirs: claudeStore(where, process.env) }
}

const ENDING = '.jsonl'
const SESSION_ID = /^[\w-]{1,128}$/
/** Fewer letters of an id are treated as a typo. */
const FEWEST = 4

export function findSession(name: string, flags: SessionFlags): SessionFile {
  const { where, ours, theirs } = sessionStores(flags)
  // No id has a dot or a slash.
  if (/[./\\]/.test(name)) return fileByPath(resolve(where.cwd, name), ours)
  const stores = flags.claude === true ? [theirs] : [ours, theirs]
  if (!SESSION_ID.test(name)) throw unknownSession(name, stores)
  const known = stores.flatMap(store =>
    listSessionFiles(store)
      .filter(({ key }) => key.sessionId.startsWith(name))
      .map(each => ({ ...each, store }))
  )
  const same = known.find(({ key }) => key.sessionId === name)
  const alike = name.length < FEWEST ? [] : known
  if (same === undefined && alike.length > 1)
    throw fault('E_USAGE', `${name} matches more than one session: ${alike.map(({ key }) => key.sessionId).join(', ')}`)
  const found = same ?? alike[0]
  if (found === undefined) throw unknownSession(name, stores)
  const { store, key, path } = found
  return { id: key.sessionId, path, key: store === ours ? key : undefined }
}

/** By name only; subagents have no separate sessions. */
export function listSessionFiles(
  store: JsonlStore,
  projects = store.projects()
): readonly { readonly key: SessionKey; readonly path: string }[] {
  return projects.flatMap(projectKey =>
    store.idsIn(projectKey).flatMap(sessionId => {
      const key = { projectKey, sessionId }
      // A file of any name may be there.
      const path = attempt(() => store.pathOf(key))
      return path === undefined || AGENT.test(basename(path)) ? [] : [{ key, path }]
    })
  )
}

function fileByPath(path: string, ours: JsonlStore): SessionFile {
  if (!existsSync(path)) throw fault('E_USAGE', `there is no file ${path}`)
  const [projectKey = '', sessionId = '', ...rest] = relative(ours.root, path.slice(0, -ENDING.length)).split(sep)
  const isOurs = projectKey !== '..' && sessionId !== ''
  const key = { projectKey, sessionId, ...(rest.length > 0 && { subpath: rest.join('/') }) }
  const isSession = isOurs && rest.length === 0
  return {
    id: basename(path, ENDING),
    path,
    key: isOurs ? key : undefined,
    ...(!isSession && { name: shellWord(path) })
  }
}

const AGENT = /^agent-(.+)\.jsonl$/

export function agentFiles({ id, path, key }: SessionFile): readonly AgentFile[] {
  const folder = join(path.slice(0, -ENDING.length), 'subagents')
  const own = agentFileNames(folder).map(name => readAgentFile(join(folder, name), key))
  if (key !== undefined) return own
  const near = agentFileNames(dirname(path)).map(name => join(dirname(path), name))
  const theirs = near.filter(file => file !== path && glance(file)?.head[0]?.['sessionId'] === id)
  return [...own, ...theirs.map(file => readAgentFile(file, undefined))]
}

function readAgentFile(path: string, key: SessionKey | undefined): AgentFile {
  const name = basename(path, ENDING)
  const { agentType, description } = readAgentMeta(path.slice(0, -ENDING.length))
  return {
    id: name.slice('agent-'.length),
    path,
    key: key && { ...key, subpath: `subagents/${name}` },
    type: typeof agentType === 'string' ? agentType : undefined,
    description: typeof description === 'string' ? description : undefined
  }
}

function readAgentMeta(path: string): Readonly<Record<string, unknown>> {
  const meta = jsonIn(attempt(() => readFileSync(`${path}.meta.json`, 'utf8')) ?? '')
  return isObject(meta) ? meta : {}
}

const agentFileNames = (folder: string): readonly string[] =>
  attempt(() => readdirSync(folder).filter(name => AGENT.test(name))) ?? []

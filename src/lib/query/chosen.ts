import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fault, nearest } from '../errors.ts'
import type { Where } from '../settings/sources.ts'
import { JsonlStore } from '../transcript/jsonl.ts'
import type { SessionKey, TranscriptStore } from '../transcript/store.ts'
import type { QueryOptions } from './options.ts'

/** Which session is to run: a new one, one that goes on, or one that begins as a copy of another. */
export interface Chosen {
  readonly key: SessionKey
  readonly source: 'startup' | 'resume' | 'fork'
  /** The transcript that it goes on from. */
  readonly from: SessionKey | undefined
  /** Where it is written down; nothing where it is not. */
  readonly store: TranscriptStore | undefined
}

const SESSION_ID = /^[\w-]{1,128}$/
/** A file name may have 255 bytes on most systems. */
const LONGEST_NAME = 200

/** The name of a project among transcripts: its folder, with all but letters and digits as `-`. */
export function projectKeyOf(cwd: string): string {
  const name = cwd.replaceAll(/[^A-Za-z0-9]/g, '-')
  if (name.length <= LONGEST_NAME) return name
  return `${name.slice(0, LONGEST_NAME)}-${createHash('sha256').update(cwd).digest('hex').slice(0, 12)}`
}

/** Where transcripts are kept, unless somebody has said where. */
export const usualStore = ({ ownHome }: Where): JsonlStore => new JsonlStore(join(ownHome, 'projects'))

/** Finds the session. Throws where there is none, or where two things are asked for at once. */
export async function chooseSession(options: QueryOptions, where: Where): Promise<Chosen> {
  const { resume, sessionId, forkSession, persistSession } = options
  checkWishes(options)
  const store = options.sessionStore ?? (persistSession === false ? undefined : usualStore(where))
  const projectKey = projectKeyOf(where.cwd)
  if (resume === undefined && options.continue !== true) {
    const key = { projectKey, sessionId: sessionId ?? randomUUID() }
    if (sessionId !== undefined && (await isThere(key, store)))
      throw fault('E_OPTION_INVALID', 'sessionId', sessionId, 'an id that is not taken, or { resume } to go on')
    return { key, source: 'startup', from: undefined, store }
  }
  const kept = store ?? usualStore(where)
  const from = { projectKey, sessionId: resume ?? (await newest(projectKey, kept, where.cwd)) }
  const found = kept instanceof JsonlStore ? { ...from, projectKey: projectIn(kept, from) } : from
  return forkSession === true
    ? { key: { projectKey, sessionId: sessionId ?? randomUUID() }, source: 'fork', from: found, store }
    : { key: found, source: 'resume', from: found, store }
}

function checkWishes({
  resume,
  continue: goesOn,
  sessionId,
  forkSession,
  resumeSessionAt,
  persistSession,
  sessionStore
}: QueryOptions): void {
  const isOld = resume !== undefined || goesOn === true
  for (const [what, id] of [['sessionId', sessionId] as const, ['resume', resume] as const])
    if (id !== undefined && !SESSION_ID.test(id))
      throw fault('E_OPTION_INVALID', what, JSON.stringify(id), 'letters, digits, _ and -')
  if (resume !== undefined && goesOn === true)
    throw fault('E_OPTION_INVALID', 'continue', 'true', 'either resume or continue')
  if (!isOld && (forkSession === true || resumeSessionAt !== undefined))
    throw fault(
      'E_OPTION_INVALID',
      forkSession === true ? 'forkSession' : 'resumeSessionAt',
      'given alone',
      'it together with resume or continue'
    )
  if (isOld && sessionId !== undefined && forkSession !== true)
    throw fault('E_OPTION_INVALID', 'sessionId', sessionId, 'it with resume only together with forkSession')
  if (isOld && persistSession === false && forkSession !== true && sessionStore === undefined)
    throw fault(
      'E_OPTION_INVALID',
      'persistSession',
      'false',
      'forkSession with it: a session that goes on is written down'
    )
}

async function isThere(key: SessionKey, store: TranscriptStore | undefined): Promise<boolean> {
  if (store === undefined) return false
  const entries = await (store.page?.(key, undefined) ?? store.load(key))
  return entries !== undefined && entries !== null
}

async function newest(projectKey: string, store: TranscriptStore, cwd: string): Promise<string> {
  const sessions = (await store.listSessions?.(projectKey)) ?? []
  const last = [...sessions].sort((a, b) => b.mtime - a.mtime)[0]
  if (last === undefined) throw fault('E_SESSION_UNKNOWN', `of ${cwd} to continue`, '')
  return last.sessionId
}

/** A session may have begun in another folder. */
function projectIn(store: JsonlStore, { projectKey, sessionId }: SessionKey): string {
  const found = store.projectOf(sessionId, projectKey)
  if (found !== undefined) return found
  const known = store.projects().flatMap(project => store.idsIn(project))
  const alike = known.filter(id => sessionId.length >= 4 && id.startsWith(sessionId))
  throw fault('E_SESSION_UNKNOWN', sessionId, alike[0] ?? nearest(sessionId, known) ?? '')
}

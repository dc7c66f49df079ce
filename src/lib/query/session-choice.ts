import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { nearest } from '../errors.ts'
import { fault } from '../faults.ts'
import type { Where } from '../settings/files/sources.ts'
import { Signatures } from '../transcript/chain.ts'
import { realDisk } from '../transcript/disk.ts'
import { oneFile } from '../transcript/file.ts'
import { JsonlStore } from '../transcript/jsonl.ts'
import type { SessionKey, TranscriptStore } from '../transcript/store.ts'
import type { QueryOptions } from './options/options.ts'
import { invalidOption } from '../schema/check.ts'
import { randomUuid } from '../transcript/log.ts'

/** The session to run: a new one, a resumed one, or a copy of another. */
export interface SessionChoice {
  readonly key: SessionKey
  readonly source: 'startup' | 'resume' | 'fork'
  readonly from: (SessionKey & { readonly store: TranscriptStore }) | undefined
  /** Undefined if nothing is written. */
  readonly store: TranscriptStore | undefined
}

const SESSION_ID = /^[\w-]{1,128}$/
/** Most systems limit a file name to 255 bytes. */
const LONGEST_NAME = 200

/** The name of a project among transcripts: its folder, with `-` for all but letters and digits. */
export function projectKeyOf(cwd: string): string {
  const name = cwd.replaceAll(/[^A-Za-z0-9]/g, '-')
  if (name.length <= LONGEST_NAME) return name
  return `${name.slice(0, LONGEST_NAME)}-${createHash('sha256').update(cwd).digest('hex').slice(0, 12)}`
}

export const usualStore = ({ ownHome }: Where): JsonlStore =>
  new JsonlStore(join(ownHome, 'projects'), realDisk, signaturesIn(ownHome))

export const signaturesIn = (ownHome: string): Signatures => new Signatures(join(ownHome, 'audit'))

export function claudeStore({ home }: Where, env: Readonly<Record<string, string | undefined>>): JsonlStore {
  const own = env['CLAUDE_CONFIG_DIR']
  return new JsonlStore(join(own !== undefined && isAbsolute(own) ? own : join(home, '.claude'), 'projects'))
}

const isPath = (resume: string | undefined): boolean => resume !== undefined && /[./\\]/.test(resume)

export async function chooseSession(options: QueryOptions, where: Where): Promise<SessionChoice> {
  const { resume, sessionId, forkSession } = options
  const store = storeFor(options, where)
  const projectKey = projectKeyOf(where.cwd)
  if (resume === undefined && options.continue !== true) {
    const key = { projectKey, sessionId: sessionId ?? randomUuid() }
    if (sessionId !== undefined && (await isThere(key, store)))
      throw fault('E_OPTION_INVALID', 'sessionId', sessionId, 'an id that is not taken, or resume that session')
    return { key, source: 'startup', from: undefined, store }
  }
  const fork = { projectKey, sessionId: sessionId ?? randomUuid() }
  if (isPath(resume)) {
    const path = resolve(where.cwd, resume!)
    if (!existsSync(path)) throw fault('E_OPTION_INVALID', 'resume', path, 'an id, or the path of an existing file')
    const from = { projectKey, sessionId: basename(path, '.jsonl'), store: oneFile(path) }
    return { key: fork, source: 'fork', from, store }
  }
  const kept = store ?? usualStore(where)
  const id = resume ?? (await newest(projectKey, kept, where.cwd))
  const found =
    kept instanceof JsonlStore ? placeOf(id, kept, options, where) : { projectKey, sessionId: id, store: kept }
  if (forkSession === true) return { key: fork, source: 'fork', from: found, store }
  return { key: { projectKey: found.projectKey, sessionId: id }, source: 'resume', from: found, store }
}

function storeFor({ sessionStore, persistSession }: QueryOptions, where: Where): TranscriptStore | undefined {
  if (sessionStore === false) return undefined
  return sessionStore ?? (persistSession === false ? undefined : usualStore(where))
}

/** Throws if options contradict each other. */
export function checkWishes({
  resume,
  continue: goesOn,
  sessionId,
  forkSession,
  resumeSessionAt,
  persistSession,
  sessionStore
}: QueryOptions): void {
  const isOld = resume !== undefined || goesOn === true
  const isFork = forkSession === true || isPath(resume)
  const isKept = sessionStore === undefined ? persistSession !== false : sessionStore !== false
  for (const [what, id] of [['sessionId', sessionId] as const, ['resume', resume] as const])
    if (id !== undefined && !SESSION_ID.test(id) && !(what === 'resume' && isPath(id)))
      throw invalidOption(
        what,
        id,
        what === 'resume' ? 'an id, or the path of a .jsonl file' : 'letters, digits, _ and -'
      )
  if (resume !== undefined && goesOn === true) throw invalidOption('continue', true, 'either resume or continue')
  const alone = forkSession === true ? 'forkSession' : resumeSessionAt === undefined ? undefined : 'resumeSessionAt'
  if (!isOld && alone !== undefined)
    throw fault('E_OPTION_INVALID', alone, 'given alone', 'it together with resume or continue')
  if (isOld && sessionId !== undefined && !isFork)
    throw fault('E_OPTION_INVALID', 'sessionId', sessionId, 'it with resume only together with forkSession')
  if (isOld && !isKept && !isFork)
    throw invalidOption('persistSession', false, 'forkSession with it: a resumed session is written to its transcript')
}

async function isThere(key: SessionKey, store: TranscriptStore | undefined): Promise<boolean> {
  if (store === undefined) return false
  const found = await (store.page?.(key, undefined) ?? store.load(key))
  // A crash may leave a file in which nothing was written yet: it is not a session.
  return Array.isArray(found)
    ? found.length > 0
    : found !== null && (found?.entries.length ?? 0) + (found?.gaps.length ?? 0) > 0
}

async function newest(projectKey: string, store: TranscriptStore, cwd: string): Promise<string> {
  const sessions = (await store.listSessions?.(projectKey)) ?? []
  const last = sessions.toSorted((a, b) => b.mtime - a.mtime)[0]
  if (last === undefined) throw fault('E_SESSION_UNKNOWN', `of ${cwd} to continue`, '')
  return last.sessionId
}

/** A session may have started in another folder; for a copy, also in Claude Code. */
function placeOf(
  sessionId: string,
  store: JsonlStore,
  { env = process.env, forkSession }: QueryOptions,
  where: Where
): SessionKey & { readonly store: TranscriptStore } {
  const likely = projectKeyOf(where.cwd)
  const project = store.projectOf(sessionId, likely)
  if (project !== undefined) return { projectKey: project, sessionId, store }
  const claude = claudeStore(where, env)
  const theirs = claude.projectOf(sessionId, likely)
  if (theirs !== undefined && forkSession !== true) throw fault('E_SESSION_FOREIGN', sessionId)
  if (theirs !== undefined) return { projectKey: theirs, sessionId, store: claude }
  throw unknownSession(sessionId, [store])
}

/** Suggests a session with a similar id, if there is one. */
export function unknownSession(sessionId: string, stores: readonly JsonlStore[]): Error {
  const known = stores.flatMap(store => store.projects().flatMap(project => store.idsIn(project)))
  const alike = known.find(id => sessionId.length >= 4 && id.startsWith(sessionId))
  return fault('E_SESSION_UNKNOWN', sessionId, alike ?? nearest(sessionId, known) ?? '')
}

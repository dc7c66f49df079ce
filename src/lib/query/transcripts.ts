import { dirname, join } from 'node:path'
import { isPending } from '../agent/call/open-call.ts'
import { isFreshStart, replay, replayAll, type Replayed } from '../agent/session/replay.ts'
import { endOf, isDone, rewind } from '../agent/session/rewind.ts'
import type { KeptAgent } from '../agent/subagents/subagent.ts'
import { fault } from '../faults.ts'
import type { Entry, Log, Rec } from '../transcript/entry.ts'
import { asOurs, isForeign, readClaude } from '../transcript/claude/claude.ts'
import { EMPTY_FILE, STRANGE_FILE } from '../transcript/glance.ts'
import { JsonlStore, holderText } from '../transcript/jsonl.ts'
import { noLog, TranscriptLog, writerOver, type LogOptions, randomUuid } from '../transcript/log.ts'
import { MemoryStore } from '../transcript/memory.ts'
import { isClaudeLine } from '../transcript/seal.ts'
import { isLossy, lastSeq, loadTail, loadWhole, unknownType, withoutFrame, gapText } from '../transcript/load.ts'
import type { Gap, LoadedTranscript, SessionKey, TranscriptStore, TranscriptWriter } from '../transcript/store.ts'
import { shellWord } from '../shell/command-words.ts'
import { VERSION } from '../version.ts'
import { putOwnFile } from '../world/files/own-file.ts'
import type { SessionChoice } from './session-choice.ts'
import type { QueryOptions } from './options/options.ts'
import { attempt } from '../util/attempt.ts'

export interface Transcripts {
  readonly log: Log
  readonly resumed: Replayed | undefined
  readonly notices: readonly string[]
  logFor(agentId: string, after: string | null): Promise<Log>
  readonly load: ((agentId: string) => Promise<KeptAgent | undefined>) | undefined
}

interface Common {
  readonly place: { readonly cwd: string }
  readonly doing: () => string
}

/** Opens the transcript of a session, locked for other writers, and reads it. */
export async function openTranscripts(
  { key, source, from, store }: SessionChoice,
  { resumeSessionAt, sessionStore }: QueryOptions,
  common: Common
): Promise<Transcripts> {
  // Without persistence, it is kept while the session lasts: its subagents may be called again.
  const forAgents = sessionStore === false ? undefined : (store ?? new MemoryStore())
  const writer = store === undefined ? undefined : await writerFor(store, key, common.doing)
  try {
    const before = from === undefined ? undefined : await loaded(from, resumeSessionAt, source)
    if (before !== undefined && source === 'resume') checkKnown(before.entries, key, store)
    const after = source === 'fork' ? null : (before?.replayed.last ?? null)
    const { place } = common
    const log = writer === undefined || store === undefined ? noLog : logOver(writer, store, key, { place, after })
    const isFork = source === 'fork' && before !== undefined && from !== undefined
    const copied = isFork ? copy(upTo(before.entries, resumeSessionAt), from, log) : undefined
    if (source === 'resume' && resumeSessionAt !== undefined)
      log.append({ type: 'system', subtype: 'rewound', to: resumeSessionAt })
    return {
      log,
      resumed: copied === undefined ? before?.replayed : replayAll(copied),
      notices: before === undefined || from === undefined ? [] : gapsWarning(before.gaps, from),
      ...agentTranscripts(key, forAgents, source === 'fork' ? from : undefined, common)
    }
  } catch (error) {
    await writer?.close().catch(() => undefined)
    throw error
  }
}

/** The transcripts of subagents. A copy of a session copies those that are resumed in it. */
function agentTranscripts(
  key: SessionKey,
  store: TranscriptStore | undefined,
  from: SessionChoice['from'],
  common: Common
): Pick<Transcripts, 'logFor' | 'load'> {
  if (store === undefined) return { logFor: async () => noLog, load: undefined }
  const logFor = async (agentId: string, after: string | null): Promise<Log> => {
    const own = agentKey(key, agentId)
    return logOver(await writerFor(store, own, common.doing), store, own, { place: common.place, after, agentId })
  }
  return {
    logFor,
    async load(agentId) {
      const kept = await keptAgent(agentKey(key, agentId), store)
      if (kept !== undefined || from === undefined) return kept
      const old = await loadWhole(from.store, agentKey(from, agentId))
      if (old === undefined) return undefined
      const log = await logFor(agentId, null)
      copy(old.entries, from, log)
      await log.close()
      return keptAgent(agentKey(key, agentId), store)
    }
  }
}

const agentKey = ({ projectKey, sessionId }: SessionKey, agentId: string): SessionKey => ({
  projectKey,
  sessionId,
  subpath: `subagents/agent-${agentId}`
})

async function writerFor(store: TranscriptStore, key: SessionKey, doing: () => string): Promise<TranscriptWriter> {
  if (store.open === undefined) return writerOver(store, key, lastSeq((await loadWhole(store, key))?.entries ?? []))
  const writer = await store.open(key, doing)
  if ('holder' in writer) throw fault('E_SESSION_BUSY', key.sessionId, holderText(writer.holder))
  return writer
}

function logOver(
  writer: TranscriptWriter,
  store: TranscriptStore,
  key: SessionKey,
  rest: Pick<LogOptions, 'place' | 'after' | 'agentId'>
): Log {
  const path = store.pathOf?.(key) ?? ''
  return new TranscriptLog(writer, {
    path,
    sessionId: key.sessionId,
    version: VERSION,
    entrypoint: 'carabiner',
    // Nothing reads those that end with the process.
    hasDecisions: !(store instanceof MemoryStore),
    ...rest,
    ...(path !== '' && { beside: (name, text) => putBeside(path, key, name, text) })
  })
}

function putBeside(path: string, { subpath }: SessionKey, name: string, text: string): string {
  const folder = subpath === undefined ? path.replace(/\.jsonl$/, '') : dirname(dirname(path))
  const file = join(folder, 'tool-results', name)
  putOwnFile(file, text)
  return file
}

interface Before {
  readonly entries: readonly Rec[]
  readonly gaps: readonly Gap[]
  readonly replayed: Replayed
}

async function loaded(
  from: NonNullable<SessionChoice['from']>,
  at: string | undefined,
  source: SessionChoice['source']
): Promise<Before> {
  const { store, ...key } = from
  // A copy takes everything.
  const kept = source === 'fork' ? undefined : withoutFrame
  const tail = at === undefined ? await loadTail(store, key, isFreshStart, kept) : await loadWhole(store, key)
  if (tail === undefined) throw fault('E_SESSION_UNKNOWN', from.sessionId, '')
  checkTranscript(tail, from, source)
  if (isForeign(tail.entries)) return foreign((await loadWhole(store, key))!, at)
  checkPlace(tail.entries, at)
  if (source === 'resume') checkStands(tail.entries, at)
  const replayed = replay(tail.entries, at)
  // The target of a rewind may be before what was read.
  if (replayed === undefined) {
    const whole = (await loadWhole(store, key))!
    return { ...whole, replayed: judgedAgain(unsure(replayAll(whole.entries, at), whole), key, store) }
  }
  return { ...tail, replayed: judgedAgain(unsure(replayed, tail), key, store) }
}

/** A damaged transcript of Carabiner is still a session; a file of another program is not. */
function checkTranscript(
  { entries, gaps }: LoadedTranscript,
  { store, ...key }: NonNullable<SessionChoice['from']>,
  source: SessionChoice['source']
): void {
  const isOne = entries.some(entry => entry['seq'] !== undefined || isClaudeLine(entry))
  if (isOne || (source === 'resume' && gaps.length > 0)) return
  const problem = entries.length + gaps.length === 0 ? EMPTY_FILE : STRANGE_FILE
  throw fault('E_NOT_TRANSCRIPT', store.pathOf?.(key) ?? `session ${key.sessionId}`, problem)
}

/** If lines after the last answer are missing, one of them may have said that a call had started. */
function unsure(replayed: Replayed, found: LoadedTranscript): Replayed {
  const { open } = replayed
  const answer = found.entries.findLastIndex(({ type }) => type === 'assistant')
  if (open === undefined || !isLossy(found, answer)) return replayed
  return { ...replayed, open: open.map(call => ({ ...call, started: true, pending: undefined })) }
}

/** Hooks that judged a waiting call are not asked again; but a forged line must not say that they have. */
function judgedAgain(replayed: Replayed, key: SessionKey, store: TranscriptStore): Replayed {
  const { open } = replayed
  if (open === undefined || !isPending(open) || !(store instanceof JsonlStore) || !store.mayBeForged(key))
    return replayed
  const asked = open.map(call => ({ ...call, pending: call.pending && { ...call.pending, hooks: undefined } }))
  return { ...replayed, open: asked }
}

function checkPlace(entries: readonly Rec[], at: string | undefined): void {
  if (at !== undefined && !entries.some(({ uuid }) => uuid === at))
    throw fault('E_OPTION_INVALID', 'resumeSessionAt', at, 'the uuid of a message of that session')
}

/** Within the same file one can only go back to a message that was not rewound; a copy can start anywhere. */
function checkStands(entries: readonly Rec[], at: string | undefined): void {
  if (at !== undefined && !rewind(entries).left.some(({ uuid }) => uuid === at))
    throw fault(
      'E_OPTION_INVALID',
      'resumeSessionAt',
      at,
      'a message that was not rewound; with forkSession, any message of that session'
    )
}

function foreign({ entries, gaps, offsets }: LoadedTranscript, at: string | undefined): Before {
  const { main, missing } = readClaude(entries)
  const all = [...asOurs(main)]
  checkPlace(all, at)
  const start = at === undefined ? all.findLastIndex(isFreshStart) : 0
  const ours = all.slice(Math.max(0, start))
  const lost = [...missing].map(([line, uuid]): Gap => {
    return { at: offsets?.[entries.indexOf(line)] ?? 0, length: 0, why: 'missing', uuid }
  })
  return { entries: ours, gaps: [...gaps, ...lost], replayed: replayAll(ours, at) }
}

/** Nothing is appended to entries of an unknown type. */
function checkKnown(entries: readonly Rec[], { sessionId }: SessionKey, store: TranscriptStore | undefined): void {
  if (store instanceof JsonlStore && isForeign(entries)) throw fault('E_SESSION_FOREIGN', sessionId)
  const unknown = unknownType(entries)
  if (unknown !== undefined) throw fault('E_SESSION_NEWER', sessionId, `it has entries of the type ${unknown}`)
}

function upTo(entries: readonly Rec[], at: string | undefined): readonly Rec[] {
  const place = entries.findIndex(({ uuid }) => uuid === at)
  const end = at === undefined ? entries.length : endOf(entries, place)
  return [...entries.slice(0, end), ...entries.slice(end).filter(isDone)]
}

/** Copies have new ids, and name their origin. A copy without its last line is incomplete. */
function copy(entries: readonly Rec[], { sessionId }: SessionKey, log: Log): readonly Rec[] {
  const copies = entries
    .filter(isWritable)
    .map(({ seq: _, crc: __, mac: ___, parentUuid: ____, sessionId: _____, ...rest }) => ({
      ...rest,
      forkedFrom: { sessionId, messageUuid: rest['uuid'] }
    }))
  const all: readonly Rec[] = [...copies, { type: 'system', subtype: 'forked', from: sessionId, uuid: randomUuid() }]
  for (const entry of all) log.append(entry as Entry, typeof entry['uuid'] === 'string' ? entry['uuid'] : undefined)
  return all
}

/** Data that is nested too deeply can be read, but not written. */
const isWritable = (entry: Rec): boolean => attempt(() => JSON.stringify(entry)) !== undefined

async function keptAgent(key: SessionKey, store: TranscriptStore): Promise<KeptAgent | undefined> {
  const found = await loadWhole(store, key)
  // The first entry identifies the agent: if nothing can be read, what it has done is unknown.
  if (found === undefined || found.entries.length === 0) return undefined
  const start = found.entries.findLast(({ type, subtype }) => type === 'system' && subtype === 'subagent')
  const type = start?.['agentType']
  const replayed = judgedAgain(unsure(replayAll(found.entries), found), key, store)
  return { ...replayed, type: typeof type === 'string' ? type : undefined }
}

function gapsWarning(
  gaps: readonly Gap[],
  { sessionId, store, ...key }: NonNullable<SessionChoice['from']>
): readonly string[] {
  // A file that was given by its path is identified by that alone.
  const path = store instanceof JsonlStore ? undefined : store.pathOf?.({ ...key, sessionId })
  const see = path === undefined ? sessionId : shellWord(path)
  const more = gaps.length > FEW ? [`and ${gaps.length - FEW} more places`] : []
  const places = [...gaps.slice(0, FEW).map(gapText), ...more].join(', ')
  return gaps.length === 0
    ? []
    : [`the transcript of ${sessionId} is not whole: ${places}; see \`carabiner sessions verify ${see}\``]
}

const FEW = 3

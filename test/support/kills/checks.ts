/** What must hold of a session whenever its run has ended, however that was. */
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { replay } from '../../../src/lib/agent/session/replay.ts'
import type { Message, ToolResultBlock } from '../../../src/hooks.ts'
import { type TranscriptEntry, JsonlStore, type Gap } from '../../../src/index.ts'
import { projectKeyOf, signaturesIn } from '../../../src/lib/query/session-choice.ts'
import { verifyChain } from '../../../src/lib/transcript/verify-chain.ts'
import { unpaired } from '../agent-scene.ts'
import type { Promised } from './act.ts'
import type { KillPlace, Printed } from './place.ts'

/** One transcript: that of the session, or that of a subagent. */
interface Transcript {
  readonly bytes: Buffer
  readonly entries: readonly TranscriptEntry[]
  readonly gaps: readonly Gap[]
}

/** The transcripts of a session by their files, that of the session first; none where nothing was written. */
export type Transcripts = ReadonlyMap<string, Transcript>

/** Loads what there is. */
export async function transcriptsOf(place: KillPlace, sessionId: string): Promise<Transcripts> {
  const store = new JsonlStore(place.transcripts)
  const key = { projectKey: projectKeyOf(place.project), sessionId }
  const keys = [key, ...(await store.listSubkeys(key)).map(subpath => ({ ...key, subpath }))]
  const found = new Map<string, Transcript>()
  for (const each of keys) {
    const loaded = await store.load(each)
    const path = store.pathOf(each)
    if (loaded !== undefined) found.set(path, { ...loaded, bytes: readFileSync(path) })
  }
  return found
}

/** Earlier lines are still there, and at most the end that a run left is broken. */
export function brokenIn(now: Transcripts, before: Transcripts, kills: number): readonly string[] {
  const changed = [...before].flatMap(([path, { bytes }]) => {
    const there = now.get(path)?.bytes
    return there?.subarray(0, bytes.length).equals(bytes) === true ? [] : [`${path}: what was there has changed`]
  })
  const broken = [...now].flatMap(([path, { bytes, gaps }]) => {
    const odd = gaps.filter(({ at, length, why }) =>
      why === 'torn' ? at + length !== bytes.length : why !== 'damaged'
    )
    const many = gaps.length > kills ? [`${path}: ${gaps.length} gaps after ${kills} kills`] : []
    return [...odd.map(gap => `${path}: ${JSON.stringify(gap)}`), ...many]
  })
  return [...changed, ...broken]
}

/** No kill looks as if someone had changed what was written. */
export function tampered(place: KillPlace, sessionId: string, transcripts: Transcripts): readonly string[] {
  const signatures = signaturesIn(dirname(place.transcripts))
  const key = { projectKey: projectKeyOf(place.project), sessionId }
  return [...transcripts.keys()].flatMap(path => {
    const name = basename(path, '.jsonl')
    const subpath = name === sessionId ? undefined : `subagents/${name}`
    return verifyChain(path, { ...key, subpath }, signatures)?.problems.map(problem => `${path}: ${problem}`) ?? []
  })
}

/** What was printed as said is written down. */
export function unwritten(transcripts: Transcripts, printed: readonly Printed[]): readonly string[] {
  const uuids = new Set([...transcripts.values()].flatMap(({ entries }) => entries.map(({ uuid }) => uuid)))
  const lost = printed.filter(({ type, uuid }) => (type === 'assistant' || type === 'user') && !uuids.has(uuid))
  return lost.map(({ type, uuid }) => `${type} ${uuid} was printed, and is not in the transcript`)
}

/** How far a session has come: nothing was said yet, or its last word was, or it is in between. */
export function sessionState(transcripts: Transcripts): 'silent' | 'answered' | 'at work' {
  const [main] = transcripts.values()
  const { open, conversation } = replay(main?.entries ?? [])!
  const last = conversation.messages.at(-1)
  if (last === undefined) return 'silent'
  return open === undefined && last.role === 'assistant' ? 'answered' : 'at work'
}

/** What a model would be sent pairs up; once a run has given its result, nothing is open, and the model has answered. */
export function unpairedAfterKill(transcripts: Transcripts, result: Printed | undefined): readonly string[] {
  return [...transcripts].flatMap(([path, { entries }], index) => {
    const { conversation, open } = replay(entries)!
    const messages: readonly Message[] = conversation.messages
    const paired = open === undefined ? messages : messages.slice(0, -1)
    const faults = unpaired(paired).map(fault => `${path}: ${fault}`)
    const hasAnswer = result?.['is_error'] === true || messages.at(-1)?.role === 'assistant'
    const isOver = index > 0 || result === undefined || (open === undefined && hasAnswer)
    if (messages.some(({ content }) => content.length === 0)) faults.push(`${path}: a message without words`)
    return isOver ? faults : [...faults, `${path}: there was a result, and it goes on behind it`]
  })
}

/** How far a call has come, by all that was written down of it. */
interface Course {
  readonly intents: number
  readonly outcome: TranscriptEntry | undefined
  readonly result: ToolResultBlock | undefined
}

const UNKNOWN = /may have partly or fully completed/
const NOTHING = /nothing was done/

export function courseOf(id: string, transcripts: Transcripts): Course {
  const entries = [...transcripts.values()].flatMap(transcript => transcript.entries)
  const own = entries.filter(({ toolUseId }) => toolUseId === id)
  const results = entries.flatMap(({ type, message }) => (type === 'user' ? resultsIn(message as Message) : []))
  return {
    intents: own.filter(({ type }) => type === 'tool-intent').length,
    outcome: own.find(({ type }) => type === 'tool-outcome'),
    result: results.find(({ tool_use_id }) => tool_use_id === id)
  }
}

const resultsIn = ({ content }: Message): readonly ToolResultBlock[] =>
  typeof content === 'string'
    ? []
    : (content.filter(({ type }) => type === 'tool_result') as readonly ToolResultBlock[])

/** Whether the model was informed that the effect of a call is unknown. */
export const isToldUnknown = ({ result }: Course): boolean => UNKNOWN.test(JSON.stringify(result?.content ?? ''))

/** Nothing was done that was not written before, nothing was done twice, and the reports are true. */
export function falseOf(promised: Promised, transcripts: Transcripts, place: KillPlace): readonly string[] {
  const { id, token, isBehind } = promised
  const course = courseOf(id, transcripts)
  const { intents, outcome, result } = course
  const said = JSON.stringify(result?.content ?? '')
  const isDone = outcome !== undefined && outcome['isError'] !== true
  const hooks = place.text('hooks.log') ?? ''
  const times = token === undefined ? undefined : (place.text('project/effects') ?? '').split(token).length - 1
  const faults = {
    'was begun more than once': intents > 1,
    'was done more than once': times !== undefined && times > 1,
    'was done, and no intent is there': times === 1 && intents === 0,
    'has ended well, and is not done': times === 0 && isDone && isBehind !== true,
    'is done, and the model hears that it is not': times === 1 && NOTHING.test(said),
    'was at work, and the model hears something else':
      outcome === undefined && intents > 0 && result !== undefined && !isToldUnknown(course),
    'has ended, and the model hears something else':
      outcome !== undefined && result !== undefined && said !== JSON.stringify(outcome['content']),
    'was begun before hooks saw it': intents > 0 && !hooks.includes(`Pre ${id}\n`),
    'has its result before hooks saw it': isDone && result !== undefined && !hooks.includes(`Post ${id}\n`)
  }
  const words = Object.entries(faults).flatMap(([fault, holds]) => (holds ? [`${id} ${fault}`] : []))
  return [...words, ...mixedIn(promised, isDone, intents > 0, place)]
}

/** A file is old or new. */
function mixedIn({ id, file }: Promised, isDone: boolean, hasBegun: boolean, place: KillPlace): readonly string[] {
  if (file === undefined) return []
  const text = place.text(`project/${file.name}`)
  if (text === file.new ? hasBegun : text === file.old && !isDone) return []
  return [`${id}: ${file.name} is ${text === file.new ? 'new' : text === file.old ? 'old' : 'mixed'}`]
}

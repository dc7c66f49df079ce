import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fill, rootOf, type Place } from './messages.ts'
import { median, shuffled } from '../report.ts'
import { print, type Row } from './table.ts'

const READER = fileURLToPath(new URL('reader.mjs', import.meta.url))

/** One line of the table: how something is read, and what the goals are for its time and its memory. */
interface EventHooks {
  readonly what: string
  readonly way: string
  readonly sessionId: string
  /** At least so many messages must have been read: who skips work would win. */
  readonly messages: number
  readonly most?: readonly [ms: number, megabytes: number] | undefined
  /** Reads what others wait for: the one that all are compared with. */
  readonly isFloor?: boolean
}

/** What it took, in milliseconds and megabytes. */
interface Round {
  readonly ms: number
  readonly cpuMs: number
  readonly peakMb: number
  readonly messages: number
  /** From before the process was started. */
  readonly sinceStart: number
}

async function read({ way, sessionId, messages: least }: EventHooks, place: Place, projectKey: string): Promise<Round> {
  const begun = performance.timeOrigin + performance.now()
  const child = spawn(process.execPath, [READER, way, place.cwd, place.home, projectKey, sessionId], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let said = ''
  child.stdout.on('data', piece => (said += piece))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${way} of ${sessionId} ended with ${code}`)
  const taken = JSON.parse(said) as Round & { readonly at: number }
  if (taken.messages < least) throw new Error(`${way} of ${sessionId} has read ${taken.messages} messages`)
  return { ...taken, sinceStart: taken.at - begun }
}

const megabytesOf = ({ peakMb }: Round): number => peakMb

async function compare(
  title: string,
  lanes: readonly EventHooks[],
  place: Place,
  projectKey: string,
  rounds: number
): Promise<void> {
  const taken = new Map(lanes.map(lane => [lane, [] as Round[]]))
  for (let round = 0; round < rounds; round++)
    for (const lane of shuffled(lanes)) taken.get(lane)!.push(await read(lane, place, projectKey))
  const ofFloor = [...taken].find(([{ isFloor }]) => isFloor === true)
  const floor = median(ofFloor![1].map(({ ms }) => ms))
  const rows = lanes.map((lane): Row => {
    const each = taken.get(lane)!
    const ms = median(each.map(round => round.ms))
    const peak = median(each.map(megabytesOf))
    const [mostMs, mostMb] = lane.most ?? [Infinity, Infinity]
    return {
      what: lane.what,
      cells: [ms, ms / floor, median(each.map(({ cpuMs }) => cpuMs)), median(each.map(r => r.sinceStart)), peak],
      goal:
        lane.most === undefined
          ? undefined
          : {
              value: Math.max(ms / mostMs, peak / mostMb),
              most: 1,
              words: `≤ ${mostMs} ms${mostMb === Infinity ? '' : `, ≤ ${mostMb} MB`}`
            }
    }
  })
  print(title, ['ms', '× bytes', 'CPU ms', 'since start', 'peak MB'], rows)
}

/** From a transcript on the disk to the first model call, in new processes. */
export async function measureResume(
  place: Place,
  projectKey: string,
  { messages, rounds, peer }: { readonly messages: number; readonly rounds: number; readonly peer: number }
): Promise<void> {
  const make = (sessionId: string, count: number, hasBoundary = false): Promise<void> =>
    fill(rootOf(place), { projectKey, sessionId }, place.cwd, { messages: count, hasBoundary })
  await make('plain', messages)
  await make('whole', messages)
  await make('compacted', messages, true)
  const of = (what: string, way: string, sessionId: string, least: number, most?: EventHooks['most']): EventHooks => ({
    ...{ what, way, sessionId, messages: least, most },
    isFloor: way === 'bytes'
  })
  await compare(
    `resume, ${messages} messages, new processes`,
    [
      of('the bytes alone', 'bytes', 'plain', 1),
      of('readFileSync, split, JSON.parse', 'parse', 'plain', messages),
      of('carabiner: verify', 'verify', 'plain', messages, [2000, 350]),
      of('carabiner: load and replay', 'replay', 'plain', messages, [2000, 350]),
      of('carabiner: query(), to the first model call', 'query', 'whole', messages, [2000, 350]),
      of('the same, with a compaction near the end', 'query', 'compacted', 40, [150, Infinity]),
      of('the same, a new session', 'query', 'none', 1)
    ],
    place,
    projectKey,
    rounds
  )
  if (peer === 0) return
  await make('short', peer)
  await compare(
    `resume, ${peer} messages, new processes`,
    [
      of('the bytes alone', 'bytes', 'short', 1),
      of('readFileSync, split, JSON.parse', 'parse', 'short', peer),
      of('carabiner: load and replay', 'replay', 'short', peer),
      of('LangGraph SqliteSaver.getTuple', 'peer', 'short', peer)
    ],
    place,
    projectKey,
    rounds
  )
}

/** A file of any length is read without being held. */
export async function measureMillion(place: Place, projectKey: string): Promise<void> {
  const messages = 1_000_000
  await fill(rootOf(place), { projectKey, sessionId: 'million' }, place.cwd, { messages })
  const lane = (what: string, way: string, most?: EventHooks['most']): EventHooks => ({
    ...{ what, way, sessionId: 'million', messages: way === 'bytes' ? 1 : messages, most },
    isFloor: way === 'bytes'
  })
  const lanes = [lane('the bytes alone', 'bytes'), lane('carabiner: verify', 'verify', [25_000, 512])]
  await compare(`${messages} messages, new processes`, lanes, place, projectKey, 3)
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { fill, rootOf, type Place } from './messages.ts'
import { median, shuffled, type Table } from '../report.ts'
import { tableOf, type Row } from './table.ts'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** The reader as JavaScript: what it takes to strip types from sources is no part of reading. */
const READER = pathOf('.reader/reader.js')
buildSync({
  entryPoints: [pathOf('reader.mjs')],
  outdir: pathOf('.reader'),
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  external: [pathOf('../../dist/*')]
})

/** One line of the table: how something is read, and what the goals are for its time and its memory. */
interface Lane {
  readonly what: string
  readonly way: string
  readonly sessionId: string
  /** At least this number of messages must have been read: a contender that skips work would win. */
  readonly messages: number
  readonly most?: string | undefined
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

async function read({ way, sessionId, messages: least }: Lane, place: Place, projectKey: string): Promise<Round> {
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
  lanes: readonly Lane[],
  place: Place,
  projectKey: string,
  rounds: number
): Promise<Table> {
  const taken = new Map(lanes.map(lane => [lane, [] as Round[]]))
  for (let round = 0; round < rounds; round++)
    for (const lane of shuffled(lanes)) taken.get(lane)!.push(await read(lane, place, projectKey))
  const ofFloor = [...taken].find(([{ isFloor }]) => isFloor === true)
  const floor = median(ofFloor![1].map(({ ms }) => ms))
  const rows = lanes.map((lane): Row => {
    const each = taken.get(lane)!
    const ms = median(each.map(round => round.ms))
    const peak = median(each.map(megabytesOf))
    return {
      what: lane.what,
      cells: [ms, ms / floor, median(each.map(({ cpuMs }) => cpuMs)), median(each.map(r => r.sinceStart)), peak],
      goal: lane.most
    }
  })
  return tableOf(title, ['ms', '× bytes', 'CPU ms', 'ms since start', 'peak MB'], rows)
}

/** From a transcript on the disk to the first model call, in new processes. */
export async function measureResume(
  place: Place,
  projectKey: string,
  { messages, rounds, peer }: { readonly messages: number; readonly rounds: number; readonly peer: number }
): Promise<readonly Table[]> {
  const make = (sessionId: string, count: number, hasBoundary = false): Promise<void> =>
    fill(rootOf(place), { projectKey, sessionId }, place.cwd, { messages: count, hasBoundary })
  await make('plain', messages)
  await make('whole', messages)
  await make('compacted', messages, true)
  const of = (what: string, way: string, sessionId: string, least: number, most?: Lane['most']): Lane => ({
    ...{ what, way, sessionId, messages: least, most },
    isFloor: way === 'bytes'
  })
  const long = await compare(
    `resume, ${messages.toLocaleString('en')} messages, new processes`,
    [
      of('the bytes alone', 'bytes', 'plain', 1),
      of('readFileSync, split, JSON.parse', 'parse', 'plain', messages),
      of('carabiner: verify', 'verify', 'plain', messages, '2,000 ms, 350 MB'),
      of('carabiner: load and replay', 'replay', 'plain', messages, '2,000 ms, 350 MB'),
      of('carabiner: query(), to the first model call', 'query', 'whole', messages, '2,000 ms, 350 MB'),
      of('the same, with a compaction near the end', 'query', 'compacted', 40, '150 ms'),
      of('the same, a new session', 'query', 'none', 1)
    ],
    place,
    projectKey,
    rounds
  )
  if (peer === 0) return [long]
  await make('short', peer)
  const short = await compare(
    `resume, ${peer.toLocaleString('en')} messages, new processes`,
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
  return [long, short]
}

/** A file of any length is read without being held. */
export async function measureMillion(place: Place, projectKey: string): Promise<Table> {
  const messages = 1_000_000
  await fill(rootOf(place), { projectKey, sessionId: 'million' }, place.cwd, { messages })
  const lane = (what: string, way: string, most?: Lane['most']): Lane => ({
    ...{ what, way, sessionId: 'million', messages: way === 'bytes' ? 1 : messages, most },
    isFloor: way === 'bytes'
  })
  const lanes = [lane('the bytes alone', 'bytes'), lane('carabiner: verify', 'verify', '25,000 ms, 512 MB')]
  return compare(`${messages.toLocaleString('en')} messages, new processes`, lanes, place, projectKey, 3)
}

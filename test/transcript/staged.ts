/** Whole sessions on a disk in memory: what they did, what was written down, and what of it was acknowledged. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  JsonlStore,
  type Message,
  type ModelRequest,
  type QueryOptions,
  type ResultMessage,
  type SessionKey,
  type TranscriptEntry,
  type TranscriptStore
} from '../../src/index.ts'
import type { TurnOrMaker } from '../../src/testing.ts'
import { askIn, ownTool, type Project } from '../support/agent-scene.ts'
import type { FaultyDisk } from './faulty-disk.ts'

/** Nothing is ever written there. Its folder is the only one that existed before. */
export const GROUND = tmpdir()
export const PROJECTS = join(GROUND, 'carabiner-faulty', 'projects')

/** One run of `query()`. */
interface Act {
  readonly prompt: string
  /** The turns of each agent, by name. */
  readonly turns: Readonly<Record<string, readonly TurnOrMaker[]>>
  readonly options?: QueryOptions
  /** It goes back to the line for which this holds. */
  readonly backTo?: (entry: TranscriptEntry) => boolean
}

export interface CrashScenario {
  readonly name: string
  readonly acts: readonly Act[]
  /** How the last act ends. */
  readonly ends?: ResultMessage['terminal_reason']
  /** Beside the tools. Made anew for each run; `act` is the number of the act, or nothing where it continues. */
  readonly options?: (act: number | undefined, world: World) => QueryOptions
  /** Calls that are refused. */
  readonly denied?: readonly string[]
}

/** What outlives a process: its effects, and what it was promised. */
export class World {
  /** How often each call was started, of tools with effects. */
  readonly starts: Map<string, number>
  /** What was handed over to be written, by file, and how much of it was acknowledged. */
  readonly written = new Map<string, TranscriptEntry[]>()
  readonly acked = new Map<string, number>()
  /** When they were acknowledged: the number of steps on the disk before, and the number of entries of this file. */
  readonly acks: { readonly after: number; readonly path: string; readonly count: number }[] = []
  readonly problems: string[] = []
  /** What was there before. */
  readonly #found: readonly TranscriptEntry[]

  constructor(starts: ReadonlyMap<string, number> = new Map(), found: readonly TranscriptEntry[] = []) {
    this.starts = new Map(starts)
    this.#found = found
  }

  start(id: string): void {
    this.starts.set(id, (this.starts.get(id) ?? 0) + 1)
    this.mustBeSafe('tool-intent', id)
  }

  /** Entries that are about to be relied on must have been acknowledged. */
  mustBeSafe(type: 'tool-intent' | 'tool-outcome', id: string): void {
    const acked = [...this.written].map(([path, entries]) => entries.slice(0, this.acked.get(path) ?? 0))
    const isSafe = [this.#found, ...acked].some(entries =>
      entries.some(entry => entry.type === type && entry['toolUseId'] === id)
    )
    if (!isSafe) this.problems.push(`the ${type} of ${id} is not safe, and is relied on`)
  }

  /** The ids of what was acknowledged, in order. */
  ackedIn(path: string): readonly string[] {
    return (this.written.get(path) ?? []).slice(0, this.acked.get(path) ?? 0).map(({ uuid }) => String(uuid))
  }
}

/** A store that writes down what it was given, and what it has promised. It is no JsonlStore to others. */
export function storeIn(world: World, disk: FaultyDisk): TranscriptStore & { readonly jsonl: JsonlStore } {
  const jsonl = new JsonlStore(PROJECTS, disk)
  return {
    jsonl,
    append: (key, entries) => jsonl.append(key, entries),
    load: key => jsonl.load(key),
    page: (key, before) => jsonl.page(key, before),
    pathOf: key => jsonl.pathOf(key),
    async open(key, doing) {
      const writer = await jsonl.open(key, doing)
      if ('holder' in writer) return writer
      const path = jsonl.pathOf(key)
      const written = world.written.get(path) ?? []
      world.written.set(path, written)
      const promised = async (work: Promise<void>): Promise<void> => {
        const count = written.length
        await work
        world.acked.set(path, Math.max(count, world.acked.get(path) ?? 0))
        world.acks.push({ after: disk.steps.length, path, count })
      }
      return {
        get last() {
          return writer.last
        },
        write(entry, json) {
          writer.write(entry, json)
          written.push(entry)
        },
        flush: () => promised(writer.flush()),
        close: () => promised(writer.close())
      }
    }
  }
}

/** Two tools with effects, one that fails, and one that only reads. */
const toolsIn = (world: World): NonNullable<QueryOptions['tools']> => {
  const effect = (name: string, run: (id: string) => unknown) =>
    ownTool(name, ({ toolUseId }) => {
      world.start(toolUseId)
      return run(toolUseId)
    })
  return [
    'Agent',
    effect('put', id => `${id} was put`),
    effect('set', id => `${id} was set`),
    effect('fail', id => {
      throw new Error(`${id} went wrong`)
    }),
    ownTool('look', ({ toolUseId }) => `${toolUseId} looks good`, true)
  ]
}

const AGENTS: QueryOptions['agents'] = { worker: { description: 'Works.', prompt: 'I am worker.' } }

/** What was seen of a run. */
export interface Seen {
  readonly result: ResultMessage
  readonly sent: readonly (readonly Message[])[]
}

/** One run. The model of `act` gives the scripted responses; that of `'over'` always responds that it is done. */
export async function perform(
  scenario: CrashScenario,
  which: number | { readonly prompt: string; readonly resume: string },
  world: World,
  disk: FaultyDisk,
  place: Project
): Promise<Seen> {
  const isAct = typeof which === 'number'
  const act: Act = isAct
    ? scenario.acts[which]!
    : { prompt: which.prompt, turns: {}, options: { resume: which.resume } }
  const { result, sent } = await askIn(place, castOf(act.turns), {
    watch: false,
    prompt: act.prompt,
    settingSources: [],
    sessionStore: storeIn(world, disk),
    tools: toolsIn(world),
    allowedTools: ['put', 'set', 'fail', 'look', 'Agent'],
    agents: AGENTS!,
    ...scenario.options?.(isAct ? which : undefined, world),
    ...act.options,
    ...(act.backTo !== undefined && { resumeSessionAt: lineIn(world, act.backTo) })
  })
  return { result, sent }
}

const lineIn = (world: World, fits: (entry: TranscriptEntry) => boolean): string =>
  String([...world.written.values()].flat().find(fits)!['uuid'])

/** One script for all: each agent is known by its system prompt, and has its own turns. Then it is over. */
function castOf(turns: Act['turns']): readonly TurnOrMaker[] {
  const at = new Map<string, number>()
  const next = (request: ModelRequest, signal: AbortSignal) => {
    const who = request.tools.length === 0 ? 'summary' : request.system.includes('I am worker.') ? 'worker' : 'main'
    const index = at.get(who) ?? 0
    at.set(who, index + 1)
    const turn = turns[who]?.[index] ?? 'over'
    return typeof turn === 'function' ? turn(request, signal) : turn
  }
  return Array.from({ length: 100 }, () => next)
}

/** The key of an existing file. */
export function keyOfPath(path: string): SessionKey {
  const [projectKey = '', sessionId = '', ...rest] = path.slice(PROJECTS.length + 1, -'.jsonl'.length).split('/')
  return rest.length === 0 ? { projectKey, sessionId } : { projectKey, sessionId, subpath: rest.join('/') }
}

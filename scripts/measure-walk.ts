/**
 * Runs one call of a tool and one event under V8's coverage, and prints as JSON which functions of src/ ran.
 *
 *     node scripts/measure-walk.ts [ROOT]
 *
 * It is a program of its own, because coverage counts for a whole process. The window of a call opens when the model
 * has answered and closes when the reader has the tool's result. It is the third call of a session, so that nothing
 * is set up for the first time; the transcript is kept in memory, so that no write ends at a chance moment.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { Session, type Profiler } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type * as carabiner from '../src/index.ts'

/** The functions that ran, by file: `lib/hooks/registry.ts` → `fire`, … in the order of the file. */
export type Walk = Readonly<Record<string, readonly string[]>>

export interface Walks {
  readonly call: Walk
  readonly callWithHook: Walk
  readonly fire: Walk
}

/**
 * The functions of a coverage report that have a name, were called, and are in the folder at this address. A function
 * without a name is a part of the one around it; what runs when a class or a module is set up is not a call.
 */
export function walkOf(report: readonly Profiler.ScriptCoverage[], folder: string): Walk {
  const files = report
    .filter(({ url }) => url.startsWith(folder))
    .map(({ url, functions }) => {
      const ran = functions.filter(({ functionName, ranges }) => /^[^<]/.test(functionName) && ranges[0]!.count > 0)
      const inOrder = ran.toSorted((a, b) => a.ranges[0]!.startOffset - b.ranges[0]!.startOffset)
      return [url.slice(folder.length), inOrder.map(({ functionName }) => functionName)] as const
    })
    .filter(([, names]) => names.length > 0)
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const CALLS = 3
const USAGE = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

type Library = typeof carabiner

/** Hands over what ran since it was last called. */
type Take = () => Walk

function startCoverage(folder: string): Take {
  const session = new Session()
  session.connect()
  const post = (method: string, parameters: object = {}): unknown => {
    let answer: unknown
    // In the same thread the inspector answers before `post` returns.
    session.post(method, parameters, (error, result) => {
      if (error !== null) throw error
      answer = result
    })
    return answer
  }
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return () => walkOf((post('Profiler.takePreciseCoverage') as Profiler.TakePreciseCoverageReturnType).result, folder)
}

/** One Read call of a session: from the model's answer to the result. */
async function walkOfCall(library: Library, take: Take, hooks: carabiner.HookRegistry): Promise<Walk> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-walk-')))
  writeFileSync(join(folder, 'notes.txt'), 'Buy milk.\n')
  let asked = 0
  const answer = { model: 'script', usage: USAGE } as const
  const model: carabiner.Model = {
    name: 'script',
    provider: 'script',
    async ask() {
      const id = `m${++asked}`
      if (asked > CALLS) return { ...answer, id, stop: 'end_turn', content: [{ type: 'text', text: 'Done.' }] }
      const call = { type: 'tool_use', id: `t${asked}`, name: 'Read', input: { file_path: 'notes.txt' } } as const
      // What the call before has left to do is done first.
      await setImmediate()
      await setImmediate()
      take()
      return { ...answer, id, stop: 'tool_use', content: [call] }
    }
  }
  const options = { cwd: folder, hooks, model, settingSources: [], sessionStore: new library.MemoryStore() }
  let walk: Walk = {}
  for await (const { type } of library.query({ prompt: 'Read the notes', options }))
    if (type === 'user' && asked === CALLS) walk = take()
  rmSync(folder, { recursive: true })
  return walk
}

/** One event, with a hook that answers. */
async function walkOfFire(take: Take, hooks: carabiner.HookRegistry): Promise<Walk> {
  let walk: Walk = {}
  for (let time = 0; time < CALLS; time++) {
    take()
    await hooks.fire('PreToolUse', {
      tool_name: 'Read',
      tool_input: { file_path: 'notes.txt' },
      tool_use_id: `t${time}`
    })
    walk = take()
  }
  return walk
}

if (import.meta.main) {
  const folder = pathToFileURL(`${resolve(process.argv[2] ?? '.')}/src/`).href
  const library = (await import(`${folder}index.ts`)) as Library
  const take = startCoverage(folder)
  const withHook = (): carabiner.HookRegistry => {
    const hooks = new library.HookRegistry()
    hooks.on('PreToolUse', 'Read', () => library.allow())
    return hooks
  }
  const measure = async (): Promise<Walks> => ({
    call: await walkOfCall(library, take, new library.HookRegistry()),
    callWithHook: await walkOfCall(library, take, withHook()),
    fire: await walkOfFire(take, withHook())
  })
  await measure()
  console.log(JSON.stringify(await measure()))
}

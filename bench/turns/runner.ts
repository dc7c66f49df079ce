/**
 * Runs one contender, on each request, in its own process: compiled code and garbage of others cost it nothing.
 *
 *     runner.ts <contender> --dist name=folder …
 */
import { benchOptions } from '../report.ts'
import { contendersFor, type Counts, type Hooks } from './contenders.ts'

export const WINDOW = 100

/** What to run, and at the end the microseconds of CPU at every hundredth model call. */
export interface Order {
  readonly turns: number
  readonly hooks: Hooks
}

/** A contender that skips work would win. */
function check({ models, tools, before, after, text }: Counts, turns: number): void {
  const wanted = [turns + 1, turns, 3 * turns, 3 * turns, 'done'].join()
  const found = [models, tools, before, after, text].join()
  if (found !== wanted) throw new Error(`it should have done ${wanted}, and did ${found}`)
}

if (process.send !== undefined) {
  const { dists, words } = benchOptions(0)
  const run = (await contendersFor(dists))[words[0] ?? '']!
  process.on('message', async ({ turns, hooks }: Order) => {
    const marks: number[] = []
    const onCall = (call: number): void => {
      if (call % WINDOW !== 0) return
      const { user, system } = process.cpuUsage()
      marks.push(user + system)
    }
    check(await run({ turns, hooks, onCall }), turns)
    process.send!(marks)
  })
  process.send('ready')
}

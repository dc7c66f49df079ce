/** Starting a process costs a large process more: fork copies its page tables, which blocks the event loop. */
import { bareSpawn, command, firing, newPlace } from '../common.ts'
import { atMost, figuresOf, takeTurns, timed, times, type Contender, type Row } from '../measure.ts'

const PROGRAM = '/bin/true'
const PIECE = 16 * 1024 * 1024

interface Taken {
  /** How long the event loop was kept from other work, all together. */
  readonly busy: number
  /** How long until there was an answer. */
  readonly answer: number
}

export async function run(rounds: number, megabytes: string): Promise<readonly Row[]> {
  const pieces = Math.ceil((Number(megabytes) * 1024 * 1024) / PIECE)
  const ballast = Array.from({ length: pieces }, () => Buffer.alloc(PIECE, 1))
  const place = newPlace()
  const ours = firing([command({ command: PROGRAM, args: [] }, place)])
  const taken = await takeTurns({ bare: watched(() => bareSpawn(PROGRAM, [])), ours: watched(ours) }, rounds)
  await place.close()
  if (ballast.length !== pieces) throw new Error('the ballast was dropped')
  return rowsOf(`parent + ${megabytes} MB`, taken, pieces > 0)
}

function watched(run: () => unknown): Contender<Taken> {
  return async () => {
    const before = performance.eventLoopUtilization()
    const answer = await timed(run)
    return { busy: performance.eventLoopUtilization(before).active, answer }
  }
}

function rowsOf(scene: string, taken: Readonly<Record<'bare' | 'ours', readonly Taken[]>>, isLarge: boolean): Row[] {
  const [bare, ours] = (['bare', 'ours'] as const).map(who => ({
    busy: figuresOf(taken[who].map(({ busy }) => busy)),
    answer: figuresOf(taken[who].map(({ answer }) => answer))
  })) as [Parts, Parts]
  const busy = ours.busy.p50 / bare.busy.p50
  const answer = ours.answer.p50 / bare.answer.p50
  const goal = isLarge ? atMost(busy, 1, 'less than bare') : undefined
  return [
    { scene, name: 'bare spawn: event loop busy', unit: 'ms', figures: bare.busy },
    { scene, name: 'command hook: event loop busy', unit: 'ms', figures: ours.busy, compared: times(busy), goal },
    { scene, name: 'bare spawn: until its end', unit: 'ms', figures: bare.answer },
    { scene, name: 'command hook: until its answer', unit: 'ms', figures: ours.answer, compared: times(answer) }
  ]
}

type Parts = Readonly<Record<keyof Taken, Row['figures']>>

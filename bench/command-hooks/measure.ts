import { shuffled } from '../report.ts'

/** The least disturbed, the usual and the bad case. */
export interface Figures {
  readonly min: number
  readonly p50: number
  readonly p95: number
}

/** One line of the table. Times are in milliseconds, rates in events a second. */
export interface Row {
  readonly scene: string
  readonly name: string
  readonly unit: 'ms' | '/s' | 'times'
  readonly figures: Figures
  /** How it compares with the contender that it was measured beside. */
  readonly compared?: string | undefined
  readonly goal?: Goal | undefined
}

export interface Goal {
  readonly words: string
  readonly value: number
  readonly reached: boolean
}

/** Does one thing and says what it took, usually how long. */
export type Contender<Taken = number> = () => Promise<Taken>

const WARM_UP = 3

/**
 * Contenders take turns, in another order each round: what disturbs the machine disturbs all of them, and no one always
 * comes after the same neighbour, whose end may still keep the machine busy. The first rounds do not count.
 */
export async function takeTurns<Name extends string, Taken>(
  contenders: Readonly<Record<Name, Contender<Taken>>>,
  rounds: number
): Promise<Record<Name, Taken[]>> {
  const names = Object.keys(contenders) as Name[]
  const taken = Object.fromEntries(names.map(name => [name, [] as Taken[]])) as Record<Name, Taken[]>
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const name of shuffled(names)) {
      const one = await contenders[name]()
      if (round >= 0) taken[name].push(one)
    }
  }
  return taken
}

export async function timed(run: () => unknown): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** How long it takes to do something so often, this many at a time. */
export function inBatches(run: () => unknown, count: number, atOnce: number): Promise<number> {
  let left = count
  const lane = async (): Promise<void> => {
    while (left-- > 0) await run()
  }
  return timed(() => Promise.all(Array.from({ length: atOnce }, lane)))
}

export function figuresOf(values: readonly number[]): Figures {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { min: sorted[0]!, p50: at(0.5), p95: at(0.95) }
}

/** What one adds to the other, round by round: both ran at about the same time. */
export const differences = (ours: readonly number[], theirs: readonly number[]): number[] =>
  ours.map((value, round) => value - theirs[round]!)

export const atMost = (value: number, limit: number, words: string): Goal => ({ words, value, reached: value <= limit })

export const atLeast = (value: number, limit: number, words: string): Goal => ({
  words,
  value,
  reached: value >= limit
})

export const times = (value: number): string => `${value.toFixed(2)}×`

export const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

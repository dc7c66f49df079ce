import { figuresOf, times, type Goal, type Row } from './measure.ts'

const WIDTHS = [16, 41, 5, 9, 9, 9, 31]
const NUMBERS = [3, 4, 5]

const columns = (words: readonly string[]): string =>
  words
    .map((word, place) => (NUMBERS.includes(place) ? word.padStart(WIDTHS[place]!) : word.padEnd(WIDTHS[place] ?? 0)))
    .join(' ')
    .trimEnd()

export const HEAD = columns(['scene', 'what', 'unit', 'min', 'p50', 'p95', ' compared', 'goal'])

export function lineOf({ scene, name, unit, figures, compared = '', goal }: Row): string {
  const { min, p50, p95 } = figures
  const numbers = [min, p50, p95].map(value => value.toFixed(unit === 'ms' ? 2 : 0))
  const verdict = goal === undefined ? '' : `${goal.reached ? 'reached' : 'MISSED'}: ${goal.words}`
  return columns([scene, name, unit, ...numbers, ` ${compared}`, verdict])
}

/** Events a second, of how long a batch of them took: the columns keep their sense, so the first is the fastest. */
export function rateRow(from: {
  readonly scene: string
  readonly name: string
  /** In one batch. */
  readonly events: number
  readonly taken: readonly number[]
  readonly floor: readonly number[]
  readonly goal: (rate: number) => Goal | undefined
}): Row {
  const { scene, name, events } = from
  const { min, p50, p95 } = figuresOf(from.taken)
  const rate = (ms: number): number => (events / ms) * 1000
  const figures = { min: rate(min), p50: rate(p50), p95: rate(p95) }
  const compared = from.taken === from.floor ? undefined : times(figuresOf(from.floor).p50 / p50)
  return { scene, name, unit: '/s', figures, compared, goal: from.goal(figures.p50) }
}

import { digits } from '../report.ts'
import { figuresOf, times, type Goal, type Row } from './measure.ts'

export const HEAD = ['scene', 'what', 'unit', 'least', 'median', 'p95', 'compared', 'goal']

export function cellsOf({ scene, name, unit, figures, compared = '', goal }: Row): readonly string[] {
  const { min, p50, p95 } = figures
  return [scene, name, unit, ...[min, p50, p95].map(digits), compared, goal?.words ?? '']
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

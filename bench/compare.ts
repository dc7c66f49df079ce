import { digits, median, type Report, type Table } from './report.ts'

/** The ratios of `bench/expected.json`, by bench and scene. */
export type ExpectedRatios = Readonly<Record<string, Readonly<Record<string, number>>>>

/** One scene in one or more runs of its bench. */
export interface Comparison {
  readonly bench: string
  readonly scene: string
  /** What the ratios are multiples of. */
  readonly of: string
  /** Per run: the ratio of this build, and the ratio that it is compared with. */
  readonly runs: readonly { readonly measured: number; readonly expected: number | undefined }[]
  /** The standard error of the change, as a share. */
  readonly error: number
}

/**
 * `worse` and `gone` fail. `unsure`: it seems worse, but the rounds differ too much to tell. `new` and `gone` are scenes that
 * `expected.json` does not have, or that no bench has.
 */
export type Verdict = 'same' | 'worse' | 'unsure' | 'better' | 'new' | 'gone'

export const TOLERANCE = 0.15
/** Below this difference, a share of a very small ratio means nothing. */
const LEAST_DIFFERENCE = 0.02

/** Compares the scenes of `dist` in all runs with those of another dist in the same run, or with expected ratios. */
export function compareRuns(
  bench: string,
  reports: readonly Report[],
  dist: string,
  against: { readonly dist: string } | { readonly ratios: Readonly<Record<string, number>> }
): readonly Comparison[] {
  const ratioIn = ({ scenes }: Report, scene: string, name: string): number | undefined =>
    scenes.find(each => each.scene === scene && each.dist === name)?.ratio
  const expectedIn = (report: Report, scene: string): number | undefined =>
    'dist' in against ? ratioIn(report, scene, against.dist) : against.ratios[scene]
  const own = reports.flatMap(({ scenes }) => scenes.filter(scene => scene.dist === dist))
  const names = new Set([...own.map(({ scene }) => scene), ...('ratios' in against ? Object.keys(against.ratios) : [])])
  return [...names].map(scene => {
    const found = own.filter(each => each.scene === scene)
    return {
      bench,
      scene,
      of: found[0]?.of ?? '',
      runs: reports.flatMap(report => {
        const measured = ratioIn(report, scene, dist)
        return measured === undefined ? [] : [{ measured, expected: expectedIn(report, scene) }]
      }),
      error: found.length === 0 ? 0 : median(found.map(({ error }) => error)) / Math.sqrt(found.length)
    }
  })
}

/** 0.2: a fifth worse than expected. The median of all runs, each compared with the expectation of its own run. */
export const changeOf = ({ runs }: Comparison): number =>
  median(runs.map(({ measured, expected = Number.NaN }) => differenceOf(measured, expected)))

const differenceOf = (measured: number, expected: number): number =>
  Math.abs(measured - expected) < LEAST_DIFFERENCE ? 0 : (measured - expected) / Math.abs(expected)

export function verdictOf(comparison: Comparison): Verdict {
  const { runs } = comparison
  if (runs.length === 0) return 'gone'
  if (runs.every(({ expected }) => expected === undefined)) return 'new'
  const change = changeOf(comparison)
  if (Math.abs(change) <= TOLERANCE || Number.isNaN(change)) return 'same'
  if (change < 0) return 'better'
  return change > 2 * comparison.error ? 'worse' : 'unsure'
}

const times = (values: readonly (number | undefined)[]): string => {
  const known = values.filter(value => value !== undefined)
  return known.length === 0 ? '' : `${digits(median(known))}×`
}

const percent = (value: number): string => `${Math.round(value * 100)} %`

function changeWords(change: number): string {
  const whole = Math.round(change * 100)
  return Number.isNaN(whole) ? '' : `${whole > 0 ? '+' : whole < 0 ? '−' : ''}${Math.abs(whole)} %`
}

export const comparisonTable = (comparisons: readonly Comparison[]): Table => ({
  head: ['bench', 'scene', 'of', 'expected', 'measured', 'change', '±', 'runs', 'verdict'],
  rows: comparisons.map(comparison => [
    comparison.bench,
    comparison.scene,
    comparison.of,
    times(comparison.runs.map(({ expected }) => expected)),
    times(comparison.runs.map(({ measured }) => measured)),
    changeWords(changeOf(comparison)),
    percent(comparison.error),
    String(comparison.runs.length),
    verdictOf(comparison)
  ])
})

/** What a run of `bench:check` ends with: one line per scene that fails, and what to do next. */
export function conclusion(comparisons: readonly Comparison[], against: string | undefined): readonly string[] {
  const being = (verdict: Verdict): readonly Comparison[] => comparisons.filter(each => verdictOf(each) === verdict)
  const worse = being('worse').map(comparison => {
    const { bench, scene, of, runs } = comparison
    const expected = times(runs.map(run => run.expected))
    const measured = times(runs.map(run => run.measured))
    return `${bench}, "${scene}": expected ${expected} of ${of}, measured ${measured} (${changeWords(changeOf(comparison))}, median of ${runs.length} runs)`
  })
  const gone = being('gone').map(({ bench, scene }) => `${bench}, "${scene}": in bench/expected.json, but not measured`)
  const next =
    against === undefined
      ? 'Find the commit with `npm run bench:check -- --against COMMIT`. If the cost is intended, run `npm run bench:check -- --update` and give the reason in the commit message.'
      : `Find out what costs more than in ${against}, and make it cheaper; or give the reason in the commit message and run \`npm run bench:check -- --update\`.`
  const better = being('better').map(({ bench, scene }) => `${bench}, "${scene}"`)
  const unknown = being('new').map(({ bench, scene }) => `${bench}, "${scene}"`)
  const unsure = being('unsure').map(({ bench, scene }) => `${bench}, "${scene}"`)
  const update = 'run `npm run bench:check -- --update` to expect that from now on'
  return [
    ...[...worse, ...gone].map(line => `✗ ${line}`),
    ...(worse.length + gone.length > 0 ? [next] : [`✓ nothing is more than ${percent(TOLERANCE)} worse`]),
    ...(unsure.length > 0
      ? [`Rounds differ too much to tell: ${unsure.join('; ')}; repeat on a quieter machine.`]
      : []),
    ...(better.length > 0 && against === undefined ? [`Better than expected: ${better.join('; ')}; ${update}.`] : []),
    ...(unknown.length > 0 ? [`Not in bench/expected.json: ${unknown.join('; ')}; ${update}.`] : [])
  ]
}

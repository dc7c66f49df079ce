/** Scripts that know nothing of us, cold and started ahead. Events come with pauses longer than a cold start. */
import { command, firing, newPlace, programPath, python, startBare } from '../common.ts'
import {
  atMost,
  figuresOf,
  sleep,
  takeTurns,
  timed,
  times,
  type Contender,
  type Figures,
  type Row
} from '../measure.ts'

const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  python: [python(), programPath('hook.py')],
  node: [process.execPath, programPath('hook.mjs')]
}

const GOAL = 0.3
const PAUSE_IN_COLD_STARTS = 4

export async function run(rounds: number): Promise<readonly Row[]> {
  const place = newPlace()
  const contenders: Record<string, Contender> = {}
  let slowest = 0
  const afterPause = async (fire: () => unknown): Promise<number> => {
    await sleep(slowest * PAUSE_IN_COLD_STARTS)
    return timed(fire)
  }
  for (const [name, [file, ...args]] of Object.entries(SCRIPTS)) {
    const cold = firing([command({ command: file!, args }, place)], 'allow')
    const warm = firing([command({ command: file!, args, prewarm: true }, place)], 'allow')
    for (let start = 0; start < 3; start++) slowest = Math.max(slowest, await timed(cold))
    contenders[`${name}, cold`] = () => afterPause(cold)
    contenders[`${name}, prewarmed`] = () => afterPause(warm)
    contenders[`${name}, by hand`] = () => {
      const finish = startBare(file!, args)
      return afterPause(finish)
    }
  }
  const taken = await takeTurns(contenders, rounds)
  await place.close()
  return Object.keys(SCRIPTS).flatMap(name => {
    const [cold, warm, byHand] = ['cold', 'prewarmed', 'by hand'].map(which => figuresOf(taken[`${name}, ${which}`]!))
    return rowsOf(name, cold!, warm!, byHand!)
  })
}

function rowsOf(name: string, cold: Figures, warm: Figures, byHand: Figures): readonly Row[] {
  const ratio = warm.p50 / cold.p50
  const compared = (own: Figures): string =>
    `${times(own.p50 / cold.p50)} (of the fastest: ${times(own.min / cold.min)})`
  const goal = atMost(ratio, GOAL, `≤ ${GOAL}× of cold`)
  const scene = 'prewarmed'
  return [
    { scene, name: `${name} script: cold`, unit: 'ms', figures: cold },
    { scene, name: `${name} script: prewarmed`, unit: 'ms', figures: warm, compared: compared(warm), goal },
    { scene, name: `${name} script: started ahead by hand`, unit: 'ms', figures: byHand, compared: compared(byHand) }
  ]
}

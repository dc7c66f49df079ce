/** Thirty-two hooks on one matcher that sleep: they run side by side, and the payload is written down once. */
import { bareSpawn, command, firing, newPlace } from '../common.ts'
import { atMost, figuresOf, takeTurns, timed, times, type Row } from '../measure.ts'

const HOOKS = 32
const SECONDS = 0.2
const GOAL = 2

export async function run(rounds: number): Promise<readonly Row[]> {
  const place = newPlace()
  const lines = Array.from({ length: HOOKS }, (_, index) => `cat >/dev/null; sleep ${SECONDS} # ${index}`)
  const hooks = lines.map(line => command({ command: line }, place))
  const [one, all] = [firing(hooks.slice(0, 1)), firing(hooks)]
  const bare = (line: string): Promise<string> => bareSpawn('/bin/bash', ['--noprofile', '--norc', '-c', line])
  const taken = await takeTurns(
    {
      one: () => timed(one),
      bare: () => timed(() => Promise.all(lines.map(bare))),
      ours: () => timed(all)
    },
    rounds
  )
  const written = await payloadsWritten(all)
  await place.close()
  const [single, floor, ours] = [figuresOf(taken.one), figuresOf(taken.bare), figuresOf(taken.ours)]
  const ratio = ours.p50 / single.p50
  const compared = `${times(ratio)} of one, ${times(ours.p50 / floor.p50)} of bare`
  const once = { min: written, p50: written, p95: written }
  const scene = 'together'
  return [
    { scene, name: `1 hook that sleeps ${SECONDS} s`, unit: 'ms', figures: single },
    { scene, name: `${HOOKS} of them: bare spawns at once`, unit: 'ms', figures: floor },
    {
      ...{ scene, name: `${HOOKS} of them: command hooks`, unit: 'ms', figures: ours, compared },
      goal: atMost(ratio, GOAL, `≤ ${GOAL}× of one`)
    },
    { scene, name: 'payload serialised', unit: 'times', figures: once, goal: atMost(written, 1, 'once') }
  ]
}

/** How often the event was turned into JSON. */
async function payloadsWritten(fire: () => unknown): Promise<number> {
  const { stringify } = JSON
  let count = 0
  const counting = (value: unknown, ...rest: never[]): string => {
    if (typeof value === 'object' && value !== null && 'hook_event_name' in value) count++
    return stringify(value, ...rest)
  }
  JSON.stringify = counting as typeof JSON.stringify
  try {
    await fire()
  } finally {
    JSON.stringify = stringify
  }
  return count
}

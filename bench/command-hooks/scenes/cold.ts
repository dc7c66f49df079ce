/** What a command hook adds to a bare spawn of the very same command. */
import { bareSpawn, command, firing, newPlace, programPath, python } from '../common.ts'
import { atMost, differences, figuresOf, takeTurns, timed, type Contender, type Goal, type Row } from '../measure.ts'

interface Program {
  readonly file: string
  readonly args: readonly string[]
  /** Where it is a line for the shell. */
  readonly line?: string
  readonly answer?: 'allow'
}

const LINE = "cat >/dev/null; echo '{}'"

const PROGRAMS: Readonly<Record<string, Program>> = {
  '/bin/true': { file: '/bin/true', args: [] },
  'bash -c cat, echo': { file: '/bin/bash', args: ['--noprofile', '--norc', '-c', LINE], line: LINE },
  'python script': { file: python(), args: [programPath('hook.py')], answer: 'allow' },
  'node script': { file: process.execPath, args: [programPath('hook.mjs')], answer: 'allow' }
}

const GOAL = 1

/** Ours runs in a session of its own; under load the scheduler may treat that differently, so one spawn does, too. */
const WAYS = ['bare', 'bare again', 'own session', 'ours'] as const
type Way = (typeof WAYS)[number]

export async function run(rounds: number): Promise<readonly Row[]> {
  const place = newPlace()
  const contenders: Record<string, Contender> = {}
  for (const [name, { file, args, line, answer }] of Object.entries(PROGRAMS)) {
    const hook = command(line === undefined ? { command: file, args } : { command: line }, place)
    const ways: Record<Way, () => unknown> = {
      bare: () => bareSpawn(file, args),
      'bare again': () => bareSpawn(file, args),
      'own session': () => bareSpawn(file, args, { detached: true }),
      ours: firing([hook], answer)
    }
    for (const way of WAYS) contenders[`${name}, ${way}`] = () => timed(ways[way])
  }
  const taken = await takeTurns(contenders, rounds)
  await place.close()
  return Object.keys(PROGRAMS).flatMap(name => rowsOf(name, way => taken[`${name}, ${way}`]!))
}

function rowsOf(name: string, taken: (way: Way) => readonly number[]): readonly Row[] {
  const added = (way: Way): number => figuresOf(differences(taken(way), taken('bare'))).p50
  const row = (way: Way, words: string, compared: string, goal?: Goal): Row => {
    return { scene: 'cold', name: `${name}: ${words}`, unit: 'ms', figures: figuresOf(taken(way)), compared, goal }
  }
  const goal = atMost(added('ours'), GOAL, `adds ≤ ${GOAL} ms`)
  return [
    row('bare', 'bare spawn', `against itself ${signed(added('bare again'))} ms`),
    row('own session', 'the same, own session', `${signed(added('own session'))} ms`),
    row('ours', 'command hook', `${signed(added('ours'))} ms`, goal)
  ]
}

const signed = (value: number): string => (value < 0 ? value.toFixed(2) : `+${value.toFixed(2)}`)

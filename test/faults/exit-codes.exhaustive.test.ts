import { describe, expect, test } from 'vitest'
import { CODES, EXITS, OUTPUT_NAMES, OUTPUTS, type Codes, type Output } from './exits.ts'
import { effectOf, inTurn, faultScene } from './scene.ts'
import { PROFILES } from '../support/hook-inputs.ts'

interface Cell {
  readonly code: number
  readonly output: Output
}

const CELLS: readonly Cell[] = Array.from({ length: 256 }, (_, code) => code).flatMap(code =>
  OUTPUT_NAMES.map(output => ({ code, output }))
)

const rowOf = (code: number): Codes => CODES.find(words => words === String(code)) ?? 'any other'

const SCRIPT = 'printf %s "$1"; exit "$2"'

/** A refusal contains the reason that was printed. */
function reasonOf({ code, output }: Cell, reason: string | undefined): string {
  if (output === 'a refusal') return reason === 'not today' ? 'its own' : `${reason}`
  if (code === 2) return reason?.includes('exit code 2') === true ? 'the code' : `${reason}`
  return 'any'
}

const reasonFor = ({ code, output }: Cell): string =>
  output === 'a refusal' ? 'its own' : code === 2 ? 'the code' : 'any'

// FM4, FM18, F113
describe('exit codes mean what the table says', () => {
  test('the table is asked about all codes and outputs', () => {
    expect(CELLS.length).toBe(256 * 5)
  })

  test.each(PROFILES)('all 256, with each output, in %s', async profile => {
    const { ask } = faultScene()
    const off: unknown[] = []
    await inTurn(CELLS, 12, async cell => {
      const { code, output } = cell
      const args = ['-c', SCRIPT, 'sh', OUTPUTS[output], String(code)]
      const outcome = await ask({ command: '/bin/sh', args, timeout: 60 }, { profile })
      const found = { effect: effectOf(outcome), reason: reasonOf(cell, outcome.reason) }
      const wanted = { effect: EXITS[profile][rowOf(code)][output], reason: reasonFor(cell) }
      if (found.effect !== wanted.effect || found.reason !== wanted.reason) off.push({ ...cell, found, wanted })
    })
    expect(off).toEqual([])
  })
})

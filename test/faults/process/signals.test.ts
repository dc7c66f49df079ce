import { constants } from 'node:os'
import { expect, test } from 'vitest'
import { FATES, SIGNALS } from '../exits.ts'
import { effectOf, faultScene } from '../scene.ts'
import { PROFILES } from '../../support/hook-inputs.ts'

/** `SIGIOT`, `SIGPOLL` and `SIGUNUSED` are other names of signals in the list. */
const NUMBERS = new Set(Object.values(constants.signals).filter(number => number < 32))

// FM5
test('the table has every signal, once', () => {
  const numbers = Array.from(SIGNALS.keys(), name => constants.signals[name as NodeJS.Signals])
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1))
  expect(NUMBERS.size).toBe(31)
})

// FM5
test.each([...SIGNALS])('%s %s', async (name, fate) => {
  const { ask } = faultScene()
  const command = `ulimit -c 0; kill -${constants.signals[name as NodeJS.Signals]} $$`
  const timeout = fate === 'stops it' ? 0.3 : 30
  for (const profile of PROFILES) {
    const outcome = await ask({ command: '/bin/sh', args: ['-c', command], timeout }, { profile })
    expect(effectOf(outcome)).toBe(FATES[fate][profile])
    if (fate === 'ends it') expect(outcome.failures[0]?.message).toContain(name)
  }
})

// FM5
test('a shell that waits for a program which a signal ended says so by its exit code', async () => {
  const { ask } = faultScene()
  const outcome = await ask({ command: "sh -c 'kill -KILL $$'; exit $?" })
  expect(outcome.failures).toMatchObject([{ kind: 'exit', message: expect.stringContaining('137') }])
})

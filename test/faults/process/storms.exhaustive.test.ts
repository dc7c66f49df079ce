import { describe, expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { hasProgram, isRoot } from '../../support/host.ts'
import { gone } from '../../support/waiting.ts'

/** Much more than it takes; a process that is blocked for that long is not usable. */
const LONGEST_LAG = 2_000

/** Limits on processes bind ordinary users only. This one has no other processes. */
const USER = ['--reuid=64321', '--regid=64321', '--clear-groups']

async function expectEnd(spec: object, end: string): Promise<string> {
  const { ended, told, running } = startDriver('storms', [JSON.stringify(spec)])
  expect(await ended).toEqual({ end: 0, stderr: '' })
  expect(told).toMatchObject([{ end }])
  expect(told[0]!['lag']).toBeLessThan(LONGEST_LAG)
  await gone(running)
  return String(told[0]!['stderr'])
}

// FM19
describe('a storm of processes is over at the timeout, and this process can be used meanwhile', () => {
  const sh = (script: string) => ({ command: '/bin/sh', args: ['-c', script], timeout: 1 })

  test('1,000 children', async () => {
    await expectEnd(sh('for i in $(seq 1000); do sleep 300 & done; wait'), 'closed timeout')
  })

  test('1,000 children in sessions of their own', async () => {
    await expectEnd(sh('for i in $(seq 1000); do setsid sleep 300 & done; wait'), 'closed timeout')
  })

  test('each has two more, nine times', async () => {
    const bomb = 'f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; sleep 300; }; f 8'
    await expectEnd(sh(bomb), 'closed timeout')
  })

  test('each answers SIGTERM with two more', async () => {
    const hydra =
      'f() { trap "[ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }" TERM; while :; do sleep 300 & wait; done; }; f 5'
    await expectEnd(sh(hydra), 'closed timeout')
  })
})

const cannotLimit = !isRoot || !hasProgram('setpriv') || !hasProgram('prlimit') || !hasProgram('perl')
const why = cannotLimit ? ' (needs root, setpriv, prlimit and perl)' : ''

// FM19
describe('limits', () => {
  test.skipIf(cannotLimit)(`end a bounded fork bomb${why}`, async () => {
    const bomb = 'my $n; for (1..9) { defined(fork) or $n++ } print STDERR "failed" if $n; sleep 300'
    const spec = { command: 'setpriv', args: [...USER, 'perl', '-e', bomb], limits: { processes: 40 }, timeout: 2 }
    expect(await expectEnd(spec, 'closed timeout')).toContain('failed')
  })

  test.skipIf(cannotLimit)(`let less than that pass${why}`, async () => {
    const few = 'for (1..9) { my $p = fork; defined $p or die; exit unless $p } wait for 1..9; exit 2'
    const spec = { command: 'setpriv', args: [...USER, 'perl', '-e', few], limits: { processes: 40 }, timeout: 30 }
    await expectEnd(spec, 'closed deny')
  })

  const cannotHog = !hasProgram('prlimit') || !hasProgram('perl')
  test.skipIf(cannotHog)(`end a hog${cannotHog ? ' (needs prlimit and perl)' : ''}`, async () => {
    const hog = (megabytes: number) => ['-e', `my $x = "a" x (${megabytes} << 20); exit 2`]
    await expectEnd({ command: 'perl', args: hog(1024), limits: { memory: 256 }, timeout: 30 }, 'closed exit')
    await expectEnd({ command: 'perl', args: hog(16), limits: { memory: 256 }, timeout: 30 }, 'closed deny')
  })
})

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { furnish } from '../furnish.ts'
import { hasProgram } from '../../support/host.ts'
import { effectOf, faultScene, type Spec } from '../scene.ts'
import { PROFILES } from '../../support/hook-inputs.ts'

const HERE = '${CLAUDE_PROJECT_DIR}'

/** What the failure says, next to how it is brought about: as a program, through bash, through sh. */
const STARTS: readonly (readonly [string, Spec, RegExp])[] = [
  ['a program that is not there', { command: `${HERE}/absent`, args: [] }, /not found.*ENOENT/],
  ['a program that is not on the PATH', { command: 'no-such-program', args: [] }, /not found.*ENOENT/],
  ['the same through bash', { command: 'no-such-program' }, /command not found/],
  ['the same through sh', { command: 'no-such-program', shell: 'sh' }, /not found/],
  ['no right to execute', { command: `${HERE}/no-bit`, args: [] }, /may not be executed.*EACCES/],
  ['the same through bash', { command: './no-bit' }, /[Pp]ermission denied/],
  ['the same through sh', { command: './no-bit', shell: 'sh' }, /[Pp]ermission denied/],
  ['an interpreter that is not there', { command: `${HERE}/no-interpreter`, args: [] }, /not found/],
  ['the same through bash', { command: './no-interpreter' }, /not found|bad interpreter/],
  ['the same through sh', { command: './no-interpreter', shell: 'sh' }, /not found/],
  ['an interpreter that env does not find', { command: `${HERE}/no-such-env`, args: [] }, /no-such-interpreter/],
  ['bytes that are no program, through bash', { command: './garbage' }, /cannot execute/],
  ['bytes that are no program, through sh', { command: './garbage', shell: 'sh' }, /[Ee]xec format error/],
  ['a folder', { command: HERE, args: [] }, /may not be executed.*EACCES/],
  ['a folder, through bash', { command: './folder' }, /[Ii]s a directory/],
  ['a folder, through sh', { command: './folder', shell: 'sh' }, /[Pp]ermission denied/],
  ['a file that is used as a folder', { command: `${HERE}/no-bit/gate`, args: [] }, /ENOTDIR/],
  ['the same through bash', { command: './no-bit/gate' }, /[Nn]ot a directory/],
  ['a link to itself', { command: `${HERE}/loop`, args: [] }, /ELOOP/],
  ['a name that is too long', { command: `${HERE}/${'x'.repeat(300)}`, args: [] }, /ENAMETOOLONG/],
  ['a command of 131,072 bytes', { command: `: ${'x'.repeat(131_070)}` }, /too long.*E2BIG/],
  ['an argument of 131,072 bytes', { command: 'true', args: ['x'.repeat(131_072)] }, /too long.*E2BIG/],
  ['a variable of 140 KB', { command: 'true', env: { LARGE: 'x'.repeat(140 * 1024) } }, /too long.*E2BIG/],
  ['a NUL in the command', { command: 'true \0' }, /null bytes/],
  ['a NUL in the program', { command: 'tr\0ue', args: [] }, /null bytes/],
  ['a NUL in an argument', { command: 'true', args: ['\0'] }, /null bytes/],
  ['a NUL in a variable', { command: 'true', env: { ODD: '\0' } }, /null bytes/]
]

// FM6, F113
describe('a program that cannot be started is a failure to start, and no refusal', () => {
  test.each(
    STARTS.map(([name, spec, words]) => ({
      name: `${name} (${JSON.stringify(spec.command.slice(0, 30))})`,
      spec,
      words
    }))
  )('$name', async ({ spec, words }) => {
    const { folder, ask } = faultScene()
    furnish(folder)
    symlinkSync('loop', join(folder, 'loop'))
    const strict = await ask(spec)
    expect({ effect: effectOf(strict), message: strict.failures[0]?.message }).toEqual({
      effect: 'closed: spawn',
      message: expect.stringMatching(words)
    })
    expect(effectOf(await ask(spec, { profile: 'compat' }))).toBe('open, marked: spawn')
    expect(effectOf(await ask(spec, { event: 'PostToolUse' }))).toBe('noted: spawn')
  })

  test('a command one byte shorter starts', async () => {
    const { ask } = faultScene()
    expect(effectOf(await ask({ command: `: ${'x'.repeat(131_069)}` }))).toBe('no opinion')
  })
})

/** They exit with 2 when they cannot open what they are to run, and 2 is the code of a refusal. */
const LAUNCHERS = ['python3 absent.py', 'perl absent.pl', 'sh absent.sh', '. ./absent.sh'] as const

// FM6
describe('an interpreter that cannot open its script', () => {
  for (const command of LAUNCHERS) {
    const program = command.split(' ')[0]!
    const missing = program !== '.' && program !== 'sh' && !hasProgram(program)
    test.skipIf(missing)(`${command}${missing ? ` (there is no ${program} here)` : ''}`, async () => {
      const { ask } = faultScene()
      const spec: Spec = { command, shell: 'sh' }
      const outcome = await ask(spec)
      expect(outcome.report[0]?.raw?.exit_code).toBe(2)
      expect(effectOf(outcome)).toBe('closed: spawn')
      expect(outcome.reason).toMatch(/could not be opened.*absent/)
      expect(effectOf(await ask(spec, { profile: 'compat' }))).toBe('refused')
      for (const profile of PROFILES) {
        expect(effectOf(await ask(spec, { profile, event: 'Stop' }))).toBe('noted: spawn')
      }
    })
  }

  test('is told from a hook that refuses and speaks of a file', async () => {
    const { ask } = faultScene()
    const said = "echo 'you may not open that file: it cannot be opened' >&2; exit 2"
    expect(await ask({ command: said })).toMatchObject({ decision: 'deny', failures: [] })
  })

  test('is told from a hook that refuses in JSON', async () => {
    const { ask } = faultScene()
    const said = `echo '{"decision":"deny","reason":"no"}'; echo "sh: 0: cannot open x" >&2; exit 2`
    expect(await ask({ command: said })).toMatchObject({ decision: 'deny', reason: 'no', failures: [] })
  })
})

/** The parser for plain command lines reads them as the one that knows every form. */
import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import { COMMANDS, type CommandRow } from '../../src/lib/cli/commands.ts'
import { parsePlain } from '../../src/lib/cli/parse.ts'
import { runProgram } from '../../src/lib/cli/program.ts'

async function parseFully(args: readonly string[]): Promise<unknown> {
  let parsed: unknown
  const rows = COMMANDS.map(row => ({
    ...row,
    run: async (argument: unknown, flags: object) => {
      parsed = { name: row.name, argument, flags: { ...flags } }
      return 0
    }
  }))
  await runProgram(args, rows)
  return parsed
}

function parseQuickly(args: readonly string[]): unknown {
  const parsed = parsePlain(args, COMMANDS)
  return parsed && { name: parsed.row.name, argument: parsed.argument, flags: parsed.flags }
}

const VALUES = fc.constantFrom(
  '',
  'x',
  'help',
  'run',
  'strict',
  'json',
  'a b',
  '-',
  '--',
  '-1',
  '-x',
  '--json',
  '--json=1'
)

const wordsOf = ({ flags }: CommandRow): fc.Arbitrary<readonly string[]> =>
  fc.oneof(
    VALUES.map(value => [value]),
    fc.constantFrom(...flags, { flags: '--help' }).chain(flag => {
      const spelling = fc.constantFrom(...flag.flags.replace(/ <.*$/, '').split(', '))
      const choices = 'choices' in flag && flag.choices !== undefined ? fc.constantFrom(...flag.choices) : VALUES
      return fc.tuple(spelling, fc.array(choices, { maxLength: 2 })).map(([name, values]) => [name, ...values])
    })
  )

const LINES = fc
  .constantFrom(...COMMANDS)
  .chain(row => fc.array(wordsOf(row), { maxLength: 5 }).map(words => [...row.name.split(' '), ...words.flat()]))

test('a command line that is plain means the same to both parsers', async () => {
  let plain = 0
  const property = fc.asyncProperty(LINES, async args => {
    const quick = parseQuickly(args)
    if (quick === undefined) return
    plain += 1
    expect(quick).toEqual(await parseFully(args))
  })
  await fc.assert(property, { numRuns: 2000 })
  expect(plain).toBeGreaterThan(200)
})

test.each([
  ['run', '-p', 'Hi', '--model', 'sonnet', '--output-format', 'json'],
  ['run', '-p', 'Hi', '--allowedTools', 'Bash(git *)', 'Edit', '--max-turns', '3'],
  ['hooks', 'list', '--json', '--plugin-dir', 'a', '--plugin-dir', 'b'],
  ['sessions', 'show', '10eb8395', '--no-pager'],
  ['rules', 'check', 'Bash', 'git log']
])('plain: %j %j %j', async (...args) => {
  const quick = parseQuickly(args)
  expect(quick).toBeDefined()
  expect(quick).toEqual(await parseFully(args))
})

test.each([
  ['run', '--model=sonnet', '-p', 'Hi'],
  ['run', '-pr', 'x'],
  ['run', '--help'],
  ['run', 'one', 'two'],
  ['fire'],
  ['fire', 'Stop', '--profile', 'lax'],
  ['fire', 'Stop', '--profile', 'strict', '--profile', 'compat'],
  ['fire', 'Stop', '--tool', '--version'],
  ['hooks'],
  ['help', 'run']
])('not plain: %j %j %j', (...args) => {
  expect(parseQuickly(args)).toBeUndefined()
})

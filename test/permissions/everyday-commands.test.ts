/**
 * Commands from scripts and documents of installed packages (the source is in each row), under a rule per program, and
 * one for each sub-command that installs packages, as the people who work on these packages would have them. Commands that choose other code, redirect or use variables are
 * left out: they need a prompt on purpose.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseShell } from '../../src/lib/shell/parse.ts'
import { allowRule, bashFacts, denyRule, policy } from './permission-kit.ts'
import { decide } from '../../src/lib/permissions/decide.ts'

const ROWS = readFileSync(new URL('everyday-commands.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as readonly [source: string, command: string])

const programsIn = (command: string): readonly string[] => [
  ...new Set(parseShell(command).leaves.flatMap(({ words }) => (words[0] === undefined ? [] : [words[0].text])))
]

test('of 500 commands at most 2 % need a prompt, and none is refused', () => {
  expect(ROWS).toHaveLength(500)
  const programs = new Set(ROWS.flatMap(([, command]) => programsIn(command)))
  const installers = ['npm install', 'npm i', 'yarn add', 'pnpm add', 'pip install']
  const rules = [...programs, ...installers].map(program => allowRule(`Bash(${program} *)`))
  const rulings = ROWS.map(([source, command]) => {
    const denied = [denyRule('Bash(shutdown *)'), denyRule('Bash(sudo *)'), denyRule('Read(.env)')]
    return { source, command, ...decide(bashFacts(command), policy([...rules, ...denied])) }
  })
  expect(rulings.filter(({ decision }) => decision === 'deny')).toEqual([])
  const asked = rulings
    .filter(({ decision }) => decision === 'ask')
    .map(({ command, reason }) => `${command}: ${reason}`)
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(ROWS.length * 0.02)
})

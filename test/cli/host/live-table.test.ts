import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { firstCell, hostsWithoutRow } from '../../../scripts/check-hosts.ts'
import { HOST_NAMES } from '../../../src/lib/cli/host/hosts.ts'

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8')

it('the page has a row for each agent, in the version of its dialect: `npm run check:hosts` prints it', () => {
  expect(hostsWithoutRow(page)).toEqual([])
})

it('a row that is missing, of another version, or of a command that ran is found', () => {
  const row = firstCell('codex')
  expect(hostsWithoutRow(page.replaceAll(`${row} |`, '| Codex 0.1.0 |'))).toEqual(['codex'])
  expect(hostsWithoutRow(page.replace(`${row} | runs | refused `, `${row} | runs | RAN `))).toEqual(['codex'])
  expect(hostsWithoutRow(page.replace('| the agent |', '| agent |'))).toEqual(HOST_NAMES)
})

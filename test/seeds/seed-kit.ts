/** What the samples of the five hook systems need: a running agent, settings files, and the page about them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { REPOSITORY } from '../support/built-package.ts'
import { project, type Project } from '../support/agent-kit.ts'
import { commandOn } from '../support/command-settings.ts'

export * from '../support/agent-kit.ts'

/** A project with these settings. */
export const withSettings = (settings: object, files: Readonly<Record<string, string>> = {}): Project =>
  project({ '.claude/settings.json': JSON.stringify(settings), ...files })

/** A project with one command on one event. */
export const withCommand = (event: string, command: string, matcher = '', more: object = {}): Project =>
  withSettings(commandOn(event, command, matcher, more))

const PAGE = readFileSync(join(REPOSITORY, 'docs/coming-from.md'), 'utf8')

/** The rows of the tables in one section of docs/coming-from.md: what is there, and what is here. */
function rowsOf(dialect: string): readonly { readonly there: string; readonly here: string }[] {
  const section = PAGE.split(/^## /m).find(text => text.includes(`*Dialect ${dialect}.*`)) ?? ''
  return section
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| there'))
    .map(line => {
      const [there = '', here = ''] = line.slice(2, -2).split(/(?<!\\) \| /)
      return { there, here }
    })
}

/** The page says what to write instead of this: exactly one row names it, and its other cell holds these words. */
export function expectRow(dialect: string, there: string, here: string): void {
  const rows = rowsOf(dialect).filter(row => row.there.includes(there))
  expect(rows.map(row => row.here.includes(here))).toEqual([true])
}

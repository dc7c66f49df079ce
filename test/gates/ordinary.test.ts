/** Settings files as people have them: no run stops, and there are few notices. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { noSandbox } from '../support/host.ts'
import { beginning } from './try-row.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))
const FILES = ['settings-in-the-wild', 'settings/wild'].flatMap(folder =>
  readdirSync(join(FIXTURES, folder)).map(name => join(folder, name))
)
const textOf = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8')

test('there are more than thirty, no two of them the same', () => {
  expect(new Set(FILES.map(textOf)).size).toBe(FILES.length)
  expect(FILES.length).toBeGreaterThan(40)
})

/** What an ordinary file is answered with. */
const SAID: Readonly<Record<string, readonly RegExp[]>> = {
  'old-tools-denied.json': [/no tool here is called NotebookEdit, LS, MultiEdit, NotebookRead, WebSearch/],
  'read-only-reviewer.json': [/no tool here is called NotebookEdit/],
  'sandboxed.json': [/excludedCommands is not read here/, /the network is off/],
  'mcp-heavy.json': [/disabledMcpjsonServers is not enforced here/],
  'auto-mode.json': [/there is no mode auto here/],
  'background-audit.json': [/it observes only/],
  'bare-bash-allow.json': [/"Bash:\*" fits nothing/, /"Edit:\*" fits nothing/, /"Write:\*" fits nothing/],
  'experimental-keys.json': [/autoApproveReads is not read here/, /someFutureFeature, anotherOne are not read here/],
  'narrowed.json': [/"deploy_preview" matches no available tool/]
}

describe.each(['home/.claude/settings.json', 'project/.claude/settings.json', 'project/.claude/settings.local.json'])(
  'as %s',
  place => {
    const here = FILES.filter(name => noSandbox === undefined || !name.endsWith('sandboxed.json'))
    test.each(here)('%s', async name => {
      const { stopped, notices } = await beginning({ files: { [place]: textOf(name) } })
      expect(stopped).toBeUndefined()
      expect(notices.length).toBeLessThanOrEqual(3)
      const expected = SAID[name.slice(name.lastIndexOf('/') + 1)] ?? []
      expect(notices.map(({ content }) => content).toSorted()).toEqual(
        expected.map(words => expect.stringMatching(words) as string)
      )
    })
  }
)

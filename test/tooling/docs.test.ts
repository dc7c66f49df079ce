import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hooksPage } from '../../scripts/print-docs.ts'
import { ANSWERS, EVENT_NAMES, EVENTS, snakeName } from '../../src/hooks.ts'

const page = readFileSync('docs/hooks.md', 'utf8')

test('docs/hooks.md is what the tables say: run `npm run docs`', () => {
  expect(page).toBe(hooksPage())
})

describe.each(EVENT_NAMES)('docs/hooks.md on %s', event => {
  const row = EVENTS[event]
  const section = page.split(/^### /m).find(text => text.startsWith(`${event}\n`)) ?? ''

  test('says when it fires, in the table and in its section', () => {
    const { when } = row
    expect(page).toContain(`| [${event}](#${event.toLowerCase()})<br>\`${snakeName(event)}\` | ${when} |`)
    expect(section).toContain(`Fires when ${row.when}.`)
  })

  test('lists its fields and its answers', () => {
    for (const key of Object.keys(row.fields)) {
      const optional = key.endsWith('?')
      expect(section).toMatch(
        new RegExp(`^\\| \`${key.replace('?', '')}\` \\| [^|]+ \\| ${optional ? 'yes ' : ''}\\|`, 'm')
      )
    }
    const { decisions, fields } = ANSWERS[row.answer]
    for (const decision of decisions) expect(section).toMatch(new RegExp(`^Accepts .*\`${decision}\``, 'm'))
    for (const field of fields) expect(section).toMatch(new RegExp(`\\| \`${field}\``))
  })

  test('shows its sample', () => {
    const [, json] = /^```json\n(.*?)^```$/ms.exec(section) ?? []
    expect(JSON.parse(json ?? '')).toEqual(row.sample)
  })
})

/** An ineffective restriction stops the run or is reported. It is never ignored silently. */
import { describe, expect, test } from 'vitest'
import { loadSettings, lint } from '../../src/settings.ts'
import { ROWS } from './rows.ts'
import { inQuery, staged } from './try-row.ts'

test('there are enough ways, each under a name of its own', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(60)
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length)
})

describe('query() stops before anything starts, or says it in the stream and on standard error', () => {
  test.each(ROWS)('$comes: $name', async row => {
    const { stopped, notices, stderr, ran } = await inQuery(row)
    if (row.comes === 'stop') {
      expect(stopped).toContain(row.says)
      expect(ran).toBe(false)
      return
    }
    expect(stopped).toBeUndefined()
    expect(notices.map(({ content }) => content).join('\n')).toContain(row.says)
    expect(notices.some(({ failedOpen }) => failedOpen === true)).toBe(false)
    expect(stderr.join('\n')).toContain(row.says)
  })
})

describe('the compat profile never stops, and marks what it lets pass', () => {
  test.each(ROWS.filter(({ misuse }) => misuse !== true))('$name', async row => {
    const { stopped, notices, stderr } = await inQuery(row, { profile: 'compat' })
    expect(stopped).toBeUndefined()
    const said = notices.find(({ content }) => content.includes(row.says))
    expect(said?.failedOpen === true).toBe(row.comes === 'stop')
    expect(said).toBeDefined()
    expect(
      stderr.some(text => text.includes(row.says) && text.startsWith('failedOpen: ') === (row.comes === 'stop'))
    ).toBe(true)
  })
})

describe('hooks check says the same', () => {
  const inFiles = ROWS.filter(
    ({ files, prepare, options }) => options === undefined && (files ?? prepare) !== undefined
  )
  test.each(inFiles)('$name', row => {
    const here = staged(row)
    const where = {
      cwd: here.project,
      home: here.home,
      ownHome: here.path('home/.carabiner'),
      managed: [here.path('managed')]
    }
    const loaded = loadSettings(where)
    const findings = [...loaded.findings, ...lint(loaded, here.env)].filter(({ gate }) => gate)
    const level = row.comes === 'stop' ? 'error' : 'warning'
    const said = findings.filter(each => each.level === level).map(({ message, fix }) => `${message} (${fix})`)
    expect(said.join('\n')).toContain(row.says)
  })
})

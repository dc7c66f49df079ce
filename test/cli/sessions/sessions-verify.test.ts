/** `carabiner sessions verify`: every gap, where it is, and whether it matters. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { seal } from '../../../src/lib/transcript/seal.ts'
import { ownTool } from '../../support/agent-scene.ts'
import { desk, overwrite, type Desk } from './sessions-kit.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

interface Report {
  readonly ok: boolean
  readonly files: readonly (Readonly<Record<string, unknown>> & { readonly gaps: readonly Gap[] })[]
}

interface Gap {
  readonly at: number
  readonly length: number
  readonly why: string
  readonly seqs?: readonly number[]
  readonly matters: boolean
}

const verify = ({ json }: Desk, ...args: readonly string[]): Promise<Report> => json(['sessions', 'verify', ...args])

const work = ownTool('work', () => 'done')

/** Two prompts, a call each. */
async function made(): Promise<Desk> {
  const at = desk()
  const turns = [{ calls: [{ name: 'work', input: {} }] }, 'Done.']
  for (const prompt of ['a', 'b']) await at.agent('s', turns, { prompt, tools: [work], allowedTools: ['work'] })
  return at
}

/** The lines as bytes, each with its end. */
const linesOf = (bytes: Buffer): readonly Buffer[] =>
  bytes
    .toString('latin1')
    .trimEnd()
    .split('\n')
    .map(line => Buffer.from(`${line}\n`, 'latin1'))

test('one that is whole', async () => {
  const at = await made()
  const { code, stdout } = await at.run(['sessions', 'verify', 's'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^✓ s\n {2}\d+ entries, \d+ bytes, whole\n$/)])
  expect(await verify(at, 's')).toMatchObject({
    ok: true,
    files: [{ id: 's', path: at.file('s'), agent: null, gaps: [], unanswered: [], strays: 0, unknownTypes: {} }]
  })
})

// FM32
describe('every gap, with its place', () => {
  const cases: readonly (readonly [string, (lines: readonly Buffer[]) => readonly Buffer[], readonly object[]])[] = [
    [
      'a torn last line',
      lines => [...lines.slice(0, -1), lines.at(-1)!.subarray(0, 50)],
      [{ why: 'torn', length: 50, matters: false }]
    ],
    [
      'a damaged line',
      lines => lines.map((line, place) => (place === 2 ? Buffer.from(line.toString().replace('work', 'w0rk')) : line)),
      [
        { why: 'damaged', matters: false },
        { why: 'missing', seqs: [3, 3], length: 0, matters: true }
      ]
    ],
    [
      'lines that are gone',
      lines => lines.filter((_, place) => place !== 3 && place !== 4),
      [{ why: 'missing', seqs: [4, 5] }]
    ],
    ['a line twice', lines => [...lines.slice(0, 3), ...lines.slice(2)], [{ why: 'duplicate', matters: false }]],
    ['a line elsewhere', lines => [...lines.slice(1), lines[0]!], [{ why: 'moved', matters: false }]],
    [
      'zeros',
      lines => [lines[0]!, Buffer.alloc(64), Buffer.from('\n'), ...lines.slice(1)],
      [{ why: 'damaged', length: 64 }]
    ],
    [
      'a line of somebody else',
      lines => [...lines, Buffer.from('{"type":"user"}\n')],
      [{ why: 'unsealed', length: 15, matters: true }]
    ],
    [
      'a line of another session',
      lines => [...lines, seal({ type: 'user', sessionId: 'other' }, 99)],
      [{ why: 'foreign', matters: true }]
    ],
    [
      'two lines with one number',
      lines => [...lines, seal({ type: 'user', sessionId: 's', isSidechain: false }, 2)],
      [{ why: 'conflict', matters: true }]
    ]
  ]
  test.each(cases)('%s', async (_, change, gaps) => {
    const at = await made()
    overwrite(at.file('s'), bytes => Buffer.concat(change(linesOf(bytes))))
    const { code, stdout } = await at.run(['sessions', 'verify', 's'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^✗ s\n/)
    const report = await verify(at, 's')
    expect(report.ok).toBe(false)
    expect(report.files[0]?.gaps).toMatchObject(gaps)
    for (const gap of report.files[0]!.gaps) expect(stdout).toContain(`byte ${gap.at}`)
  })
})

test('calls without results, and how far they had come', async () => {
  const at = await made()
  at.cut('s', ({ type }) => type === 'tool-intent')
  const { code, stdout } = await at.run(['sessions', 'verify', 's'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('work (toolu_1) was interrupted while running')])
  expect((await verify(at, 's')).files[0]).toMatchObject({
    unanswered: [{ toolUseId: 'toolu_1', toolName: 'work', state: 'started' }]
  })
  await at.agent('s', ['I look.'], { prompt: 'and?', tools: [work] })
  expect((await verify(at, 's')).files[0]).toMatchObject({ unanswered: [], unknownOutcomes: 1 })
})

// FM61
test('entries of a newer version', async () => {
  const at = await made()
  const [last] = at.lines('s').toReversed()
  at.append('s', seal({ ...last, type: 'dream' } as never, Number(last!['seq']) + 1).toString())
  expect((await verify(at, 's')).files[0]).toMatchObject({ unknownTypes: { dream: 1 } })
  expect((await at.run(['sessions', 'verify', 's'])).stdout).toContain('1 entry of the type dream')
})

test('subagents, and all sessions at once', async () => {
  const at = await made()
  const input = { description: 'Look', prompt: 'Look around', subagent_type: 'general-purpose' }
  await at.agent('t', [{ calls: [{ name: 'Agent', input }] }, 'I looked.', 'Good.'])
  const whole = await verify(at, '--all')
  expect(whole.files.map(({ id, agent }) => [id, typeof agent])).toEqual(
    expect.arrayContaining([
      ['s', 'object'],
      ['t', 'object'],
      ['t', 'string']
    ])
  )
  expect(whole.ok).toBe(true)
  const agent = whole.files.find(file => file['agent'] !== null)!
  overwrite(String(agent['path']), bytes => bytes.subarray(0, -10))
  expect(await verify(at, 't')).toMatchObject({ ok: false, files: [{ gaps: [] }, { gaps: [{ why: 'torn' }] }] })
  expect((await at.run(['sessions', 'verify', '--all'])).code).toBe(1)
})

test('neither a session nor --all', async () => {
  const { code, stderr } = await desk().run(['sessions', 'verify'])
  expect([code, stderr]).toEqual([64, expect.stringContaining('name a session, or use --all')])
})

test('of Claude Code: without checksums only what is no line can be seen', async () => {
  const at = desk()
  const env = { CLAUDE_CONFIG_DIR: join(import.meta.dirname, '../../fixtures/claude-transcripts') }
  const { code, stdout } = await at.run(['sessions', 'verify', '--all', '--claude'], { env })
  expect(code).toBe(0)
  expect(stdout).toContain('without checksums, whole')
  expect(stdout).toContain('Bash (toolu_4) has no result')
})

// LOAD: a session of 100 MB
test('a long transcript is read in pieces, and not kept', async () => {
  const at = desk()
  await at.agent('s', ['Done.'])
  const [first] = at.lines('s')
  const file = openSync(at.file('s'), 'w')
  const text = 'x'.repeat(100_000)
  for (let seq = 1; seq <= 1_000; seq++)
    writeSync(file, seal({ ...first, message: { role: 'user', content: text } } as never, seq))
  closeSync(file)
  // So little room is there for what is kept.
  const { code, stdout } = await at.run(['sessions', 'verify', 's'], {
    env: { NODE_OPTIONS: '--max-old-space-size=48' }
  })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/1000 entries, 1\d{8} bytes, whole/)])
})

test('what cannot be read keeps no one from the others', async () => {
  const at = await made()
  writeFileSync(at.file('empty'), '')
  writeFileSync(at.file('a name with blanks'), 'x')
  mkdirSync(at.file('folder'))
  expect(await verify(at, '--all')).toMatchObject({
    ok: false,
    files: expect.arrayContaining([
      expect.objectContaining({ id: 's', gaps: [] }),
      expect.objectContaining({ id: 'empty', problem: expect.stringContaining('it is empty') }),
      expect.objectContaining({ id: 'folder', problem: expect.stringContaining('it is not a regular file') })
    ])
  })
  const { code, stdout } = await at.run(['sessions', 'verify', '--all'])
  expect([code, stdout]).toEqual([1, expect.stringContaining('✗ folder: ')])
})

/** `carabiner sessions list`: what there is, the newest first, and how each was left. */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  utimesSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { gate, ownTool, registry } from '../../support/agent-scene.ts'
import { desk, type Desk } from './sessions-kit.ts'
import { ended } from '../../support/cli-stage.ts'
import { until } from '../terminal/terminal-kit.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

interface Listed {
  readonly total: number
  readonly sessions: readonly (Readonly<Record<string, unknown>> & { readonly state: { readonly kind: string } })[]
}

const listed = async ({ json }: Desk, ...more: readonly string[]): Promise<Listed> =>
  json<Listed>(['sessions', 'list', ...more])

test('no sessions at all', async () => {
  const { run, project } = desk()
  const { code, stdout } = await run(['sessions', 'list'])
  expect([code, stdout]).toEqual([0, `no sessions of ${project}; --all shows those of all folders\n`])
})

test('the newest first, with what was asked, how long it is and how it ended', async () => {
  const at = desk()
  await at.agent('older', ['Done.'], { prompt: 'Tidy up\nthe cellar' })
  await at.agent('newer', ['Done.'], { prompt: 'Paint it' })
  const now = Date.now() / 1000
  utimesSync(at.file('older'), now - 7200, now - 7200)
  const { stdout } = await at.run(['sessions', 'list'])
  expect(stdout).toMatch(
    /^newer {2}\d+ s ago\n {2}Paint it\n {2}ended\n {2}\d entries\nolder {2}2 h ago\n {2}Tidy up the cellar\n/
  )
  const { total, sessions } = await listed(at)
  expect(total).toBe(2)
  expect(sessions[1]).toMatchObject({
    id: 'older',
    path: at.file('older'),
    format: 'carabiner',
    cwd: at.project,
    changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    entries: at.lines('older').length,
    prompt: 'Tidy up the cellar',
    state: { kind: 'ended' },
    isTorn: false,
    isDamaged: false
  })
})

test('those of this folder, or all; so many and no more', async () => {
  const at = desk()
  for (const id of ['one', 'two', 'three']) await at.agent(id, ['Done.'])
  const elsewhere = join(at.home, '.carabiner/projects/-elsewhere/four.jsonl')
  mkdirSync(dirname(elsewhere))
  writeFileSync(elsewhere, readFileSync(at.file('one'), 'utf8'))
  expect((await listed(at)).sessions.map(({ id }) => id)).toEqual(['three', 'two', 'one'])
  expect((await listed(at, '--all')).total).toBe(4)
  const { stdout } = await at.run(['sessions', 'list', '--limit', '1'])
  expect(stdout).toMatch(/^three[\s\S]*\nand 2 more: --limit 3\n$/)
  expect((await listed(at, '--limit', '1')).sessions).toHaveLength(1)
  expect((await at.run(['sessions', 'list', '--limit', 'few'])).code).toBe(64)
})

describe('how it was left', () => {
  const calls = { calls: [{ name: 'work', input: {} }] }

  test('running: who has it, and what it is doing', async () => {
    const at = desk()
    const [begun, end] = [gate(), gate()]
    const work = ownTool('work', async () => {
      begun.open()
      await end.opened
      return 'done'
    })
    const running = at.agent('s', [calls, 'Done.'], { tools: [work], allowedTools: ['work'] })
    await begun.opened
    const { sessions } = await listed(at)
    const { stdout } = await at.run(['sessions', 'list'])
    end.open()
    await running
    expect(sessions[0]?.state).toMatchObject({ kind: 'running', pid: process.pid, doing: 'running work' })
    expect(stdout).toContain(`running: process ${process.pid} since`)
    expect((await listed(at)).sessions[0]?.state.kind).toBe('ended')
  })

  test('interrupted while a call was at work, before it began, before an answer', async () => {
    const at = desk()
    await at.agent('s', [calls, 'Done.'], { tools: [ownTool('work', () => 'done')], allowedTools: ['work'] })
    const state = async (type: string): Promise<unknown> => {
      at.cut('s', line => line['type'] === type)
      return (await listed(at)).sessions[0]?.state
    }
    const call = { toolUseId: 'toolu_1', toolName: 'work' }
    expect(await state('tool-intent')).toEqual({ kind: 'interrupted', calls: [{ ...call, started: true }] })
    expect((await at.run(['sessions', 'list'])).stdout).toContain('interrupted while work was running')
    expect(await state('assistant')).toEqual({ kind: 'interrupted', calls: [{ ...call, started: false }] })
    expect(await state('user')).toEqual({ kind: 'interrupted', calls: [] })
  })

  test.runIf(process.platform !== 'win32')('killed in the middle of a call', async () => {
    const at = desk()
    at.write('project/s.json', [{ calls: [{ name: 'Bash', input: { command: 'echo > begun; sleep 60' } }] }])
    const args = ['run', '-p', 'go', '--model', 'script:s.json', '--allowedTools', 'Bash', '--session-id', 'k']
    const child = at.start(args)
    const closed = ended(child)
    const isAtWork = (): boolean =>
      existsSync(at.file('k')) && readFileSync(at.file('k'), 'utf8').includes('tool-intent')
    await until(isAtWork, 'it has not begun')
    child.kill('SIGKILL')
    await closed
    expect((await listed(at)).sessions[0]).toMatchObject({
      prompt: 'go',
      state: { kind: 'interrupted', calls: [{ toolName: 'Bash', started: true }] }
    })
  })

  test('waiting for a decision', async () => {
    const at = desk()
    const hooks = registry(all => all.on('PreToolUse', () => ({ decision: 'defer' })))
    await at.agent('s', [calls], { tools: [ownTool('work', () => 'done')], hooks })
    expect((await listed(at)).sessions[0]?.state).toMatchObject({ kind: 'waiting', calls: [{ toolName: 'work' }] })
    expect((await at.run(['sessions', 'list'])).stdout).toContain('waiting for a decision about work')
  })
})

test('torn, damaged, empty and foreign files are listed and marked', async () => {
  const at = desk()
  await at.agent('torn', ['Done.'])
  await at.agent('damaged', ['Done.'])
  at.append('torn', '{"seq":99,"type":"us')
  at.append('damaged', `${'x'.repeat(100)}\n`)
  writeFileSync(at.file('empty'), '')
  writeFileSync(at.file('zeros'), Buffer.alloc(100_000))
  writeFileSync(at.file('theirs'), '{"type":"user","uuid":"u","message":{"role":"user","content":"hello"}}\n')
  mkdirSync(at.file('folder'))
  writeFileSync(at.file('a name with blanks'), 'x')
  const { sessions } = await listed(at)
  const of = (id: string): object | undefined => sessions.find(each => each['id'] === id)
  expect(sessions).toHaveLength(5)
  expect(of('torn')).toMatchObject({ isTorn: true, isDamaged: false, state: { kind: 'ended' } })
  expect(of('damaged')).toMatchObject({ isTorn: false, isDamaged: true, state: { kind: 'ended' } })
  expect(of('empty')).toMatchObject({ state: { kind: 'empty' }, entries: 0, prompt: null })
  expect(of('zeros')).toMatchObject({ state: { kind: 'unreadable' } })
  expect(of('theirs')).toMatchObject({ format: 'claude-code', prompt: 'hello', state: { kind: 'interrupted' } })
  const { code, stdout } = await at.run(['sessions', 'list'])
  expect(code).toBe(0)
  for (const words of [
    'its last line is torn',
    'damaged: see sessions verify',
    'unreadable',
    'written by another program'
  ])
    expect(stdout).toContain(words)
})

test('only both ends of a file are read', async () => {
  const at = desk()
  await at.agent('s', ['Done.'], { prompt: 'Long ago' })
  const lines = readFileSync(at.file('s'))
  const count = at.lines('s').length
  const file = openSync(at.file('s'), 'w')
  // A hole of 8 GB between two lines.
  writeSync(file, lines)
  ftruncateSync(file, 8 * 2 ** 30)
  writeSync(file, Buffer.concat([Buffer.from('\n'), lines]), 0, lines.length + 1, 8 * 2 ** 30)
  closeSync(file)
  const { sessions } = await listed(at)
  expect(sessions[0]).toMatchObject({ prompt: 'Long ago', entries: count, state: { kind: 'ended' } })
})

test('what a prompt holds is shown, not obeyed', async () => {
  const at = desk()
  await at.agent('s', ['Done.'], { prompt: 'red \u001B[31m and \u202E back\u0007' })
  const { stdout } = await at.run(['sessions', 'list'])
  expect(stdout).toContain(String.raw`red \u001b[31m and \u202e back\u0007`)
})

test('those of Claude Code', async () => {
  const at = desk()
  const { total, sessions } = await at.json<Listed>(['sessions', 'list', '--claude', '--all'], {
    env: { CLAUDE_CONFIG_DIR: join(import.meta.dirname, '../../fixtures/claude-transcripts') }
  })
  // Files of subagents among the sessions are none.
  expect(total).toBe(4)
  expect(sessions.map(({ format }) => format)).toEqual(Array.from({ length: 4 }, () => 'claude-code'))
  expect(sessions.find(({ id }) => String(id).startsWith('1111'))).toMatchObject({
    prompt: 'What is in stock?',
    cwd: '/home/you/shop',
    state: { kind: 'interrupted', calls: [{ toolName: 'Bash' }] }
  })
})

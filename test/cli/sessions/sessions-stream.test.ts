/** `sessions show` and `export` read as they print, and end when their reader does. */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { answerLine, fileOf, textOf, user } from '../../transcript/claude/claude-kit.ts'
import { writeLong } from './long-file.ts'
import { desk, type Desk } from './sessions-kit.ts'
import { CLI } from '../../support/built-package.ts'
import { ended } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const hasScript = spawnSync('script', ['-qec', 'test -t 1', '/dev/null']).status === 0
const HOLE = 2 ** 28
const quoted = (words: readonly string[]): string => words.map(word => `'${word}'`).join(' ')

/** Runs a line of shell in which CLI is the command line. */
const shell = (at: Desk, line: string): ReturnType<typeof ended> =>
  ended(spawn('bash', ['-c', line.replace('CLI', quoted([process.execPath, CLI]))], { cwd: at.project, env: at.env }))

/** At a terminal. */
const terminal = (at: Desk, args: readonly string[], env: Readonly<Record<string, string>>): ReturnType<typeof ended> =>
  ended(
    spawn('script', ['-qec', `stty cols 80 rows 24; ${quoted([process.execPath, CLI, ...args])}`, '/dev/null'], {
      cwd: at.project,
      env: { ...at.env, TERM: 'xterm', NO_COLOR: '1', ...env }
    })
  )

describe('the first screen', () => {
  test('D9: it needs no more than the beginning of the file: whoever reads five lines has them', async () => {
    const at = desk()
    const path = fileOf('', { cwd: at.project }, 'long.jsonl')
    writeLong(path, 400_000, false)
    // Then a hole, without the end of a line.
    const file = openSync(path, 'r+')
    ftruncateSync(file, HOLE)
    writeSync(file, `\n${textOf([user('u', null, 'late'), answerLine('a', 'u', 'Late.')])}`, HOLE)
    closeSync(file)
    const tell = "process.on('exit', () => writeFileSync('read', readFileSync('/proc/self/io')))"
    const preload = `data:text/javascript,${encodeURIComponent(`import { readFileSync, writeFileSync } from 'node:fs'; ${tell}`)}`
    const { stdout, stderr } = await shell(
      { ...at, env: { ...at.env, NODE_OPTIONS: `--import=${preload}` } },
      'CLI sessions show long.jsonl | head -5; echo "code ${PIPESTATUS[0]}"'
    )
    expect(stdout).toMatch(/^session long\n\/home\/you\/x\n\n> prompt 0\n/)
    expect(stdout).toMatch(/code 0\n$/)
    expect(stderr).toBe('')
    const read = /rchar: (\d+)/.exec(readFileSync(at.path('project/read'), 'utf8'))
    expect(Number(read?.[1])).toBeLessThan(HOLE / 4)
  })

  test('D9: a reader who goes away ends JSON and pages quietly, too', async () => {
    const at = desk()
    writeLong(fileOf('', { cwd: at.project }, 'long.jsonl'), 3_000_000, false)
    for (const args of [
      'show long.jsonl --json',
      'export long.jsonl',
      'export long.jsonl --format json',
      'export long.jsonl --format jsonl'
    ]) {
      const { stdout, stderr } = await shell(at, `CLI sessions ${args} | head -1; echo "code \${PIPESTATUS[0]}"`)
      expect([args, stdout.split('\n').length, stderr]).toEqual([args, 3, ''])
      expect(stdout).toMatch(/code 0\n$/)
    }
  })
})

describe('all of it', () => {
  test.each([true, false])('D9: what is printed of a long file is all that it holds (ours: %s)', async isOurs => {
    const at = desk()
    mkdirSync(dirname(at.file('long')), { recursive: true })
    const path = isOurs ? at.file('long') : fileOf('', { cwd: at.project }, 'long.jsonl')
    const turns = writeLong(path, 3_000_000, isOurs)
    const name = isOurs ? 'long' : 'long.jsonl'
    const { items } = await at.json<{ items: readonly { kind: string }[] }>(['sessions', 'show', name])
    expect(items.filter(({ kind }) => kind === 'prompt')).toHaveLength(turns)
    expect(items).toHaveLength(4 * turns)
    const { stdout } = await at.run(['sessions', 'export', name, '--format', 'json'])
    const { messages, unanswered } = JSON.parse(stdout) as {
      messages: readonly { role: string }[]
      unanswered: unknown
    }
    expect([messages.length, unanswered]).toEqual([4 * turns, []])
    expect(messages.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))).toBe(true)
    const lines = await at.run(['sessions', 'export', name, '--format', 'jsonl'])
    expect(lines.stdout.trimEnd().split('\n')).toHaveLength(4 * turns)
  })

  test('D9: what is held of a file does not grow with it', async () => {
    const at = desk()
    writeLong(fileOf('', { cwd: at.project }, 'long.jsonl'), 60_000_000, false)
    const env = { NODE_OPTIONS: '--max-old-space-size=48' }
    // All other forms, of 100 MB, are in sessions-memory.exhaustive.test.ts.
    const ran = await shell(
      { ...at, env: { ...at.env, ...env } },
      'CLI sessions export --format json long.jsonl > out; echo "code $?"'
    )
    expect([ran.stdout, ran.stderr]).toEqual(['code 0\n', ''])
  })
})

describe('at a terminal', () => {
  const talk = [user('u1', null, 'Hello'), answerLine('a1', 'u1', 'Hi there.')]

  test.runIf(hasScript)('D9: $PAGER shows it, --no-pager prints it, and JSON never goes to a pager', async () => {
    const at = desk()
    fileOf(talk, { cwd: at.project }, 'x.jsonl')
    const env = { PAGER: 'tr a-z A-Z' }
    expect((await terminal(at, ['sessions', 'show', 'x.jsonl'], env)).stdout).toContain('HI THERE.')
    expect((await terminal(at, ['sessions', 'show', 'x.jsonl', '--no-pager'], env)).stdout).toContain('Hi there.')
    expect((await terminal(at, ['sessions', 'show', 'x.jsonl', '--json'], env)).stdout).toContain('"Hi there."')
    expect((await shell({ ...at, env: { ...at.env, ...env } }, 'CLI sessions show x.jsonl | cat')).stdout).toContain(
      'Hi there.'
    )
  })

  test.runIf(hasScript)('D9: a pager that is left early, or is not there, is no fault', async () => {
    const at = desk()
    writeLong(fileOf('', { cwd: at.project }, 'x.jsonl'), 3_000_000, false)
    const left = await terminal(at, ['sessions', 'show', 'x.jsonl'], { PAGER: 'head -n 3 > seen' })
    expect([left.code, readFileSync(at.path('project/seen'), 'utf8').split('\n')[0]]).toEqual([0, 'session x'])
    expect((await terminal(at, ['sessions', 'show', 'x.jsonl'], { PAGER: '' })).stdout).toContain('> prompt 0')
  })
})

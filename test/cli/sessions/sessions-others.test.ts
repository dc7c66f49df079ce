/** Files that are no transcripts, by every command that reads one; names of sessions; commands that are suggested. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { answerLine, fileOf, user } from '../../transcript/claude/claude-kit.ts'
import { desk, type Desk } from './sessions-kit.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const PI = [
  { type: 'session', version: 3, id: 'x1', timestamp: '2026-01-01T00:00:00Z', cwd: '/home/you/x' },
  { type: 'message', id: 'm1', parentId: null, message: { role: 'user', content: 'hello' } },
  {
    type: 'message',
    id: 'm2',
    parentId: 'm1',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }
  }
]
const GEMINI = { sessionId: 'g1', projectHash: 'h', messages: [{ id: '1', type: 'user', content: 'hello' }] }

/** Writes a file of each kind; gives its path. */
const KINDS: Readonly<Record<string, (at: Desk) => string>> = {
  'lines of pi': at => fileOf(PI, { cwd: at.project }, 'pi.jsonl'),
  'JSON of Gemini': at => fileOf(JSON.stringify(GEMINI, null, 2), { cwd: at.project }, 'gemini.json'),
  'JSON in one line': at => fileOf(`${JSON.stringify(GEMINI)}\n`, { cwd: at.project }, 'gemini.jsonl'),
  'any JSON': at => fileOf('[1, 2, {"type": "x"}]\n', { cwd: at.project }, 'any.jsonl'),
  text: at => fileOf('Dear diary,\ntoday it rained.\n', { cwd: at.project }, 'diary.txt'),
  'binary bytes': at => {
    const path = join(at.project, 'x.jsonl')
    writeFileSync(path, Buffer.from([0, 255, 10, 254, 123, 34, 0, 10]))
    return path
  },
  'a folder': at => {
    const path = join(at.project, 'folder.jsonl')
    mkdirSync(path)
    return path
  },
  'an empty file': at => fileOf('', { cwd: at.project }, 'empty.jsonl')
}

const COMMANDS: readonly (readonly [code: number, ...args: string[]])[] = [
  [4, 'sessions', 'show', 'PATH'],
  [4, 'sessions', 'show', 'PATH', '--json'],
  [1, 'sessions', 'verify', 'PATH'],
  [4, 'sessions', 'export', 'PATH'],
  [4, 'sessions', 'export', 'PATH', '--format', 'jsonl'],
  [4, 'sessions', 'export', 'PATH', '--format', 'json'],
  [4, 'run', '-p', 'hello', '--model', 'script:none.yaml', '--resume', 'PATH']
]

test.each(Object.keys(KINDS))('D4: %s: every command says that it is no transcript, and why', async kind => {
  const at = desk()
  at.write('project/none.yaml', '- Never said.\n')
  const path = KINDS[kind]!(at)
  for (const [code, ...args] of COMMANDS) {
    const ran = await at.run(args.map(word => (word === 'PATH' ? path : word)))
    expect({ args, code: ran.code }).toEqual({ args, code })
    expect(`${ran.stdout}${ran.stderr}`).toMatch(
      /is not a transcript: (?:it is empty|it is not a regular file|another program wrote it)/
    )
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('Never said.')
    expect(ran.stderr).not.toMatch(/\n {4}at /)
  }
})

test('D4: list marks what is no transcript, and shows the others', async () => {
  const at = desk()
  await at.agent('mine', ['Hello.'])
  fileOf(PI, { cwd: join(at.file('mine'), '..') }, 'pi.jsonl')
  const { code, stdout } = await at.run(['sessions', 'list'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/pi {2}[\s\S]*unreadable: it is not a transcript/)
  expect(stdout).toMatch(/mine {2}[\s\S]*ended/)
})

test('D4: a session of ours of which nothing is left is refused, one that is damaged is not', async () => {
  const at = desk()
  await at.agent('mine', ['Hello.'])
  writeFileSync(at.file('mine'), 'rubbish\n')
  expect((await at.run(['sessions', 'show', 'mine'])).stdout).toContain('damaged at byte 0')
  writeFileSync(at.file('mine'), '')
  expect(await at.run(['sessions', 'show', 'mine'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('it is empty')
  })
  const { result } = await at.agent('mine', ['Hello again.'])
  expect(result.result).toContain('it is empty')
})

const hello = [user('u1', null, 'Hello'), answerLine('a1', 'u1', 'Hi.')]
const SCRIPT = '- Well.\n'

describe('names', () => {
  test('D8: a command that show suggests for a file named by its path works', async () => {
    const at = desk()
    at.write('project/well.yaml', SCRIPT)
    mkdirSync(at.path('project/a b'))
    for (const name of ['x.jsonl', 'a b/it is.jsonl']) {
      const path = fileOf(hello, { cwd: at.project }, name)
      const { stdout } = await at.run(['sessions', 'show', path])
      const [, suggested = ''] = /^go on: carabiner (.*)$/m.exec(stdout) ?? []
      const words = suggested.match(/'[^']*'|\S+/g)!.map(word => word.replaceAll("'", ''))
      const ran = await at.run([...words, '-p', 'more', '--model', 'script:well.yaml'])
      expect(ran).toMatchObject({ code: 0, stdout: 'Well.\n' })
    }
  })

  test('D8: run --resume takes the beginning of an id, and lists those that it fits', async () => {
    const at = desk()
    at.write('project/well.yaml', SCRIPT)
    await at.agent('abcd-1', ['One.'])
    const resume = (id: string): ReturnType<Desk['run']> =>
      at.run(['run', '-p', 'more', '--model', 'script:well.yaml', '--resume', id, '--output-format', 'json'])
    const { stdout } = await resume('abcd')
    expect(JSON.parse(stdout)).toMatchObject({ session_id: 'abcd-1', result: 'Well.' })
    await at.agent('abcd-2', ['Two.'])
    const before = readFileSync(at.file('abcd-1'))
    expect(await resume('abcd')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('matches more than one session: abcd-1, abcd-2')
    })
    expect(readFileSync(at.file('abcd-1'))).toEqual(before)
    expect(JSON.parse((await resume('abcd-2')).stdout)).toMatchObject({ session_id: 'abcd-2' })
  })

  test.each(['json', 'stream-json'])(
    'C5: --resume of a session that is not there is told in the result (%s)',
    async form => {
      const at = desk()
      at.write('project/well.yaml', SCRIPT)
      const words = ['run', '-p', 'more', '--model', 'script:well.yaml', '--resume', 'zzzz', '--output-format', form]
      const { code, stdout } = await at.run(words)
      expect(code).toBe(4)
      expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        type: 'result',
        is_error: true,
        error_code: 'E_SESSION_UNKNOWN',
        result: expect.stringContaining('there is no session zzzz')
      })
    }
  )
})

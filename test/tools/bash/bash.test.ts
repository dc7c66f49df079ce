import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bashTool } from '../../../src/lib/tools/bash/bash.ts'
import { shellScene } from './shell-scene.ts'
import { gone, POLL } from '../../support/waiting.ts'

const SHAPE = { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: false }

describe('what comes of a command', () => {
  test('its output, in the shape that hooks know', async () => {
    const { call } = shellScene()
    expect(await call(bashTool, { command: 'echo hi', description: 'say hi' })).toEqual({
      content: 'hi',
      output: { ...SHAPE, stdout: 'hi' }
    })
  })

  test('standard output comes before standard error', async () => {
    const { content, output, error } = await shellScene().call(bashTool, { command: 'echo b >&2; echo a' })
    expect({ content, output, error }).toEqual({
      content: 'a\nb',
      output: { ...SHAPE, stdout: 'a', stderr: 'b' },
      error: undefined
    })
  })

  test.each([
    ['false', 'Exit code 1'],
    ['echo a; exit 3', 'Exit code 3\na'],
    ['echo a; echo b >&2; (exit 4)', 'Exit code 4\na\nb'],
    ['trap "echo last" EXIT; exit 5', 'Exit code 5\nlast'],
    ['set -e; false; echo never', 'Exit code 1'],
    ['kill -9 $$', 'Exit code 137 (SIGKILL)'],
    ['exec sh -c "exit 6"', 'Exit code 6']
  ])('%s fails', async (command, words) => {
    expect(await shellScene().call(bashTool, { command })).toMatchObject({ content: words, error: words })
  })

  test('an error of syntax names the line of the command', async () => {
    const { error } = await shellScene().call(bashTool, { command: 'echo one\necho two )' })
    expect(error).toMatch(/^Exit code \d+\n(?:one\n)?.*line 2: syntax error/)
  })

  test.each([
    ['grep nothing file', 'No matches found'],
    ['diff file other', expect.stringContaining('Files differ')]
  ])('%s with exit code 1 is no failure', async (command, content) => {
    const { call, write } = shellScene()
    write('file', 'a\n')
    write('other', 'b\n')
    const came = await call(bashTool, { command })
    expect(came).toMatchObject({ content, output: { returnCodeInterpretation: expect.any(String) } })
    expect(came.error).toBeUndefined()
  })

  test('silence is said', async () => {
    const { call } = shellScene()
    expect(await call(bashTool, { command: 'true' })).toMatchObject({ content: '(no output)' })
    const made = await call(bashTool, { command: 'mkdir made' })
    expect(made).toMatchObject({ content: 'Done', output: { noOutputExpected: true } })
  })

  test('bytes that are no text are replaced, characters in pieces are put together, controls stay', async () => {
    const { output } = await shellScene().call(bashTool, {
      command: String.raw`printf '\xff\xe2'; sleep 0.05; printf '\x82'; sleep 0.05; printf '\xac\033[31m\0\xe2'`
    })
    expect(output['stdout']).toBe('\uFFFD€\u001B[31m\0\uFFFD')
  })
})

describe('what a command is given', () => {
  test('no input, no arguments, no start-up file', async () => {
    const { call, root, write } = shellScene({ env: { BASH_ENV: 'start.sh' } })
    write('start.sh', 'echo started')
    const { content } = await call(bashTool, { command: 'cat; read -r x; echo "$? $# [$*] $PWD"' })
    expect(content).toBe(`1 0 [] ${root}`)
  })

  test('the environment of the session, and nothing else of ours', async () => {
    process.env['NOT_FOR_COMMANDS'] = 'secret'
    try {
      const { call } = shellScene({ env: { FOR_COMMANDS: 'yes' } })
      expect((await call(bashTool, { command: 'echo $FOR_COMMANDS$NOT_FOR_COMMANDS' })).content).toBe('yes')
    } finally {
      delete process.env['NOT_FOR_COMMANDS']
    }
  })

  test('variables do not last, but those of the environment file do', async () => {
    const stage = shellScene()
    const session = { ...stage.session, envFile: join(stage.root, "it's env.sh") }
    const call = (command: string) => shellScene(session).call(bashTool, { command })
    expect((await call('echo "[$LASTS]"')).content).toBe('[]')
    writeFileSync(session.envFile, 'export LASTS=1\n')
    expect((await call('export GOES=1; echo "[$LASTS]"')).content).toBe('[1]')
    expect((await call('echo "[$LASTS$GOES]"')).content).toBe('[1]')
  })

  test.each([
    [{ command: '' }, 'empty'],
    [{ command: 'a\0b' }, 'NUL'],
    [{ nocommand: 1 }, '"command" is missing'],
    [{ command: 'a', timeout: -1 }, 'timeout'],
    [{ command: 'a', timeout: Number.NaN }, 'timeout']
  ])('%j is refused', async (input, words) => {
    await expect(shellScene().call(bashTool, input)).rejects.toThrow(words)
  })

  test('a command that is too long for the system says so', async () => {
    const { error } = await shellScene().call(bashTool, { command: `: ${'x'.repeat(200_000)}` })
    expect(error).toContain('could not be started: it is too long')
  })

  test('the command is what permission rules look at', async () => {
    expect(await shellScene().subject(bashTool, { command: 'ls -l' })).toEqual({ kind: 'command', command: 'ls -l' })
  })
})

describe('the end of a command', () => {
  // FM47
  test('it takes too long', POLL, async () => {
    const { call, running } = shellScene()
    const came = await call(bashTool, { command: 'echo begun; sleep 300 | cat', timeout: 500 })
    expect(came.error).toMatch(/took longer than 500 ms and was ended.*\nbegun$/)
    expect(came.output).toMatchObject({ stdout: 'begun', interrupted: false })
    await gone(running)
  })

  test('it is given up', POLL, async () => {
    const { call, running } = shellScene()
    const stop = new AbortController()
    const came = await call(
      bashTool,
      { command: 'trap "" TERM; echo begun; while :; do sleep 1; done' },
      { signal: stop.signal, progress: () => stop.abort() }
    )
    expect(came.error).toContain('interrupted')
    expect(came.output).toMatchObject({ stdout: 'begun', interrupted: true })
    await gone(running)
  })

  test('it was given up before it began', async () => {
    const { call } = shellScene()
    const came = await call(bashTool, { command: 'touch begun' }, { signal: AbortSignal.abort() })
    expect(came).toMatchObject({ error: expect.stringContaining('interrupted'), output: { interrupted: true } })
    expect((await call(bashTool, { command: 'ls' })).content).toBe('(no output)')
  })

  test('the session ends, and nothing can be started', POLL, async () => {
    const { call, close, running, progress, root } = shellScene()
    const came = call(bashTool, { command: 'echo begun; sleep 300' })
    await expect.poll(() => progress, POLL).toEqual(['begun'])
    await close()
    expect((await came).error).toContain('SIGTERM')
    await gone(running)
    mkdirSync(root)
    await expect(call(bashTool, { command: 'true' })).rejects.toThrow('the session is over')
  })

  test('what it leaves in the background on purpose is not waited for', POLL, async () => {
    const { call, running } = shellScene()
    const came = await call(bashTool, { command: 'sleep 300 & echo $!' })
    expect(came.error).toBeUndefined()
    expect(came.content).toMatch(/^\d+\n.*left processes running/)
    expect(running()).toEqual([Number(came.output['stdout'])])
    process.kill(Number(came.output['stdout']))
  })
})

test('people are told of new lines, and of fewer the more there are', async () => {
  const { call, progress } = shellScene()
  await call(bashTool, { command: 'echo one; sleep 0.1; echo two >&2; sleep 0.1; printf three' })
  expect(progress).toEqual(['one', 'two'])
  await call(bashTool, { command: 'seq 1000000' })
  expect(progress.length).toBeLessThan(500)
  expect(Math.max(...progress.map(text => text.length))).toBeLessThanOrEqual(4_000)
})

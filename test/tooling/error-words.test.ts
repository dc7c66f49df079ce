/** A user who has only the package can follow each error: its words are those of the user. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CarabinerError, query } from '../../src/index.ts'
import { ERRORS } from '../../src/lib/errors.ts'
import { fault, FAULTS } from '../../src/lib/faults.ts'
import { scriptedModel } from '../../src/testing.ts'

const ROOT = join(import.meta.dirname, '../..')
const sources = execFileSync('git', ['ls-files', 'src'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')

/** Every sentence of both tables, with placeholders for the values. */
const SENTENCES = Object.entries({ ...ERRORS, ...FAULTS } as Record<
  string,
  (...words: string[]) => readonly [string, string, string?]
>).flatMap(([code, sentence]) =>
  [
    ['a', 'b', 'c'],
    ['a', '', '0'],
    ['mode bypassPermissions is not allowed here', 'x', '']
  ].map(words => [code, ...sentence(...words)] as const)
)
const FLAG = /(?<![\w-])--[a-z][\w-]+/

describe('the tables of errors', () => {
  test('E7: a program is given no flag of the command line as advice', () => {
    expect(SENTENCES.filter(([, what, next]) => FLAG.test(`${what} ${next}`))).toEqual([])
  })

  test('E7: a command line is given no option of query() as advice', () => {
    const lines = SENTENCES.filter(([code]) => code in FAULTS).map(
      ([code, what, next, line]) => [code, line ?? `${what}; ${next}`] as const
    )
    expect(lines.filter(([, line]) => /\{ \w+|options\.\w+/.test(line))).toEqual([])
  })

  test('E7: an error that a program prints whole shows no flag', () => {
    expect(FLAG.test(inspect(fault('E_UNTRUSTED', '/p', 'never trusted')))).toBe(false)
    expect(fault('E_UNTRUSTED', '/p', 'never trusted').forCommandLine).toContain('--trust')
  })

  test('E7: where a program has no advice of the command line, the command line has its own', () => {
    const usage = FAULTS.E_USAGE('why')
    expect([usage[1], usage[2]]).toEqual(['', 'why; see --help'])
    expect(FAULTS.E_SESSION_BUSY('s', 'held')[2]).toContain('--fork-session')
    expect(FAULTS.E_SESSION_BUSY('s', 'held')[1]).toContain('forkSession: true')
  })
})

test('E7: no sentence in the source names a document that the package does not contain', () => {
  const [pack] = Object.values(
    JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore']
      })
    ) as Record<string, { files: readonly { path: string }[] }>
  )
  const packed = new Set(pack!.files.map(({ path }) => path))
  const named = sources.flatMap(file =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .filter(line => !/^\s*(?:\*|\/\/|\/\*)/.test(line))
      .flatMap(line =>
        Array.from(line.matchAll(/\b(?:docs|examples)\/[\w.-]+\.(?:md|ts)\b/g), ([path]) => `${file}: ${path}`)
      )
  )
  expect(packed.has('package.json')).toBe(true)
  expect(named.filter(each => !packed.has(each.split(': ')[1]!))).toEqual([])
})

describe('the same fault', () => {
  const home = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-words-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }

  test('E7: bypassPermissions is explained to a program by its option, to a command line by its flag', () => {
    let error: unknown
    try {
      query({ prompt: 'go', options: { permissionMode: 'bypassPermissions' } })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(CarabinerError)
    expect((error as CarabinerError).message).toMatch(/give \{ allowDangerouslySkipPermissions: true \}/)
    expect((error as CarabinerError).message).not.toMatch(FLAG)
    const cwd = home()
    const run = (): string =>
      execFileSync(
        process.execPath,
        [join(ROOT, 'dist/cli.js'), 'run', '-p', 'go', '--permission-mode', 'bypassPermissions'],
        {
          cwd,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ANTHROPIC_API_KEY: 'none' }
        }
      )
    expect(run).toThrow(/--dangerously-skip-permissions/)
    expect(run).not.toThrow(/allowDangerouslySkipPermissions/)
  })

  test('E7: settings that cannot be read are named as the option or as the flag that gave them', async () => {
    const cwd = home()
    const env = { PATH: process.env['PATH'] ?? '', HOME: cwd }
    const options = { cwd, env, model: scriptedModel([]), settings: '{' }
    await expect(query({ prompt: 'go', options }).next()).rejects.toThrow(/options\.settings.*\{ profile: 'compat' \}/)
    const run = (): string =>
      execFileSync(process.execPath, [join(ROOT, 'dist/cli.js'), 'run', '-p', 'go', '--settings', '{'], {
        cwd,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...env, ANTHROPIC_API_KEY: 'none' }
      })
    expect(run).toThrow(/--settings.*--profile compat/s)
  })

  test('E7: wrong use of a running query gives no advice of the command line', async () => {
    const cwd = home()
    const options = { cwd, env: { HOME: cwd }, persistSession: false, model: scriptedModel(['One.']) }
    const running = query({ prompt: 'go', options })
    await running.result()
    await expect(running.setPermissionMode('plan')).rejects.toThrow(/begin a new one/)
    await expect(running.compact()).rejects.not.toThrow(/--help/)
  })

  test('E7: an option that resembles no other is answered with the list, a key of another place with that place', () => {
    const wrong = (options: object) => (): unknown => query({ prompt: 'go', options: options as never })
    const agent = { description: 'Reads.', prompt: 'Read.' }
    expect(wrong({ agents: { r: { ...agent, hooks: {} } } })).toThrow(/use options\.hooks/)
    expect(wrong({ agents: { r: { ...agent, color: 'red' } } })).toThrow(/use one of description, prompt, tools/)
    expect(wrong({ qqqqq: 1 })).toThrow(/use one of abortController, /)
  })
})

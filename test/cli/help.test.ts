/** What the command line says about itself. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { EVENT_NAMES } from '../../src/hooks.ts'
import { cliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const SESSIONS = ['list', 'show', 'verify', 'repair', 'export'].map(name => `sessions ${name}`)
const COMMANDS = [
  'run',
  'demo',
  'fire',
  'mcp',
  'doctor',
  'hooks init',
  'hooks list',
  'hooks check',
  'hooks test',
  'hooks trust',
  ...SESSIONS,
  'completion'
]

test('--version prints the version and nothing else', async () => {
  const { run } = cliStage()
  for (const flag of ['--version', '-V'])
    expect(await run([flag])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' })
})

test('--version --json names the package, the contract and the form of reports', async () => {
  const { json } = cliStage()
  expect(await json(['--version'])).toEqual({
    carabiner: version,
    contract: expect.stringMatching(/^claude-code \d+\.\d+\.\d+$/),
    report: 1,
    node: process.versions.node
  })
})

test('--help names every command, the exit codes, and where to begin', async () => {
  const { run } = cliStage()
  const { code, stdout, stderr } = await run(['--help'])
  expect([code, stderr]).toEqual([0, ''])
  for (const name of ['fire', 'hooks', 'sessions', 'completion'])
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
  expect(stdout).toContain('0 done · 1 failed · 2 blocked')
  expect(stdout).toContain('3 not trusted · 4 bad configuration · 64 usage')
  expect(stdout).toContain('carabiner hooks list')
})

test.each(COMMANDS)('%s --help says what it does, and teaches with an example', async name => {
  const { run } = cliStage()
  const { code, stdout } = await run([...name.split(' '), '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain(`Usage: carabiner ${name}`)
  expect(stdout).toMatch(/Examples:\n {2}\S*.*carabiner /)
})

test('the help of fire names each of its flags', async () => {
  const { run } = cliStage()
  const { stdout } = await run(['fire', '--help'])
  const flags = Array.from(stdout.matchAll(/^ {2}(--[a-z-]+)/gm), ({ 1: flag }) => flag)
  expect(flags).toEqual([
    ...['--input', '--tool', '--set', '--explain', '--exit-code', '--json'],
    ...['--cwd', '--settings', '--setting-sources', '--plugin-dir', '--hooks'],
    ...['--profile', '--trust', '--trust-project-hooks', '--no-project-hooks']
  ])
})

test('without a command the help comes on standard error, and it is no success', async () => {
  const { run } = cliStage()
  for (const args of [[], ['hooks'], ['sessions']]) {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toContain('Usage: carabiner')
  }
})

describe('completion', () => {
  /** What bash would offer after these words. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const { run } = cliStage()
    const { stdout } = await run(['completion', 'bash'])
    const script = `${stdout}\nCOMP_WORDS=(carabiner "$@"); COMP_CWORD=$#; _carabiner; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], { encoding: 'utf8' })
      .split('\n')
      .filter(word => word !== '')
  }

  test('bash offers commands, events and flags', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['fire', 'hooks', 'completion', '--help', '--version']))
    expect((await offered('hooks', '')).toSorted()).toEqual(['check', 'init', 'install', 'list', 'test', 'trust'])
    expect((await offered('sessions', '')).toSorted()).toEqual(['export', 'list', 'repair', 'show', 'verify'])
    expect(await offered('sessions', 'repair', 'x', '--d')).toEqual(['--dry-run'])
    expect(await offered('fire', '')).toEqual(expect.arrayContaining([...EVENT_NAMES]))
    expect(await offered('fire', 'PreT')).toEqual(['PreToolUse'])
    expect(await offered('fire', 'Stop', '--ex')).toEqual(['--explain', '--exit-code'])
    expect(await offered('hooks', 'check', '--r')).toEqual(['--run'])
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })

  test('zsh and fish get completions with the same words', async () => {
    const { run } = cliStage()
    const zsh = await run(['completion', 'zsh'])
    const fish = await run(['completion', 'fish'])
    expect([zsh.code, fish.code]).toEqual([0, 0])
    expect(zsh.stdout).toContain('bashcompinit')
    for (const { stdout } of [zsh, fish])
      for (const word of ['PreToolUse', '--explain', 'trust']) expect(stdout).toContain(word)
  })

  test('another shell is refused, and told which there are', async () => {
    const { run } = cliStage()
    const { code, stderr } = await run(['completion', 'tcsh'])
    expect(code).toBe(64)
    expect(stderr).toContain('bash, zsh and fish')
  })
})

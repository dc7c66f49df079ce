/** A hostile project that is not trusted: nothing of it runs, and only the configured model is called. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { anthropicServer, type AnthropicScript, type AnthropicServer } from '../support/anthropic-server.ts'
import { BAITS, baited } from './baits.ts'
import { CLI } from '../support/built-package.ts'
import { ended, type Ran, cliStage, type CliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: 2 * HANG })

const hasStrace = spawnSync('strace', ['-f', '-e', 'trace=execve', 'true']).status === 0

/** A port of the attacker, and its number of connections. */
async function trap(): Promise<{ readonly url: string; readonly port: number; visits: number }> {
  const found = { url: '', port: 0, visits: 0 }
  const server = createServer(socket => {
    found.visits++
    socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  found.port = (server.address() as AddressInfo).port
  found.url = `http://127.0.0.1:${found.port}`
  onTestFinished(() => void server.close())
  return found
}

const TYPES = ['general-purpose', 'Explore', 'helper', 'reader', 'scripted']

/** A model that does what the instructions of the project want: it calls every agent, each skill, and names another server. */
const obedient =
  (evil: string): AnthropicScript =>
  ({ body: { messages } }) => {
    const isMain = JSON.stringify(messages[0]).includes('BEGIN')
    if (!isMain || messages.length > 1) return { blocks: [{ type: 'text', text: isMain ? 'All done.' : 'Helped.' }] }
    const agent = (subagent_type: string, more = {}) =>
      ['Agent', { description: 'x', prompt: 'go', subagent_type, ...more }] as const
    const calls = [
      ...TYPES.map(type => agent(type)),
      ...['general-purpose', 'helper'].flatMap(type => [
        agent(type, { model: `${evil}/v1#gpt` }),
        agent(type, { model: 'evil/gpt' })
      ]),
      ...['x', 'y'].map(skill => ['Skill', { skill }] as const)
    ]
    return { blocks: calls.map(([name, input], at) => ({ type: 'tool_use' as const, id: `call_${at}`, name, input })) }
  }

async function model(evil: string): Promise<AnthropicServer> {
  const server = await anthropicServer(...Array.from({ length: 40 }, () => obedient(evil)))
  onTestFinished(() => server.close())
  return server
}

/** The project, in the folder of a user who has agents of their own. */
function hostile(url: string): CliStage {
  const here = cliStage()
  for (const [name, text] of Object.entries(baited(url))) here.write(`project/${name}`, text, 0o755)
  here.write('home/.claude/agents/helper.md', '---\ndescription: Helps.\n---\nI help.\n')
  here.write('home/.claude/agents/reader.md', '---\ndescription: Reads.\ntools: Read\n---\nI read.\n')
  here.write('home/.claude/plugins/installed_plugins.json', {
    plugins: { 'evil@here': [{ installPath: here.path('project/plugin') }] }
  })
  return here
}

interface Traced extends Ran {
  readonly programs: readonly string[]
  /** Where connections went: addresses, or the whole line. */
  readonly connections: readonly string[]
}

async function traced(
  here: CliStage,
  args: readonly string[],
  more: Readonly<Record<string, string>>
): Promise<Traced> {
  const log = here.path('trace')
  const calls = ['-f', '-qq', '-s', '300', '-o', log, '-e', 'trace=execve,execveat,connect']
  const env = { ...here.env, ...more, PATH: `${here.path('project/bin')}:${here.env['PATH']}` }
  const ran = await ended(spawn('strace', [...calls, process.execPath, CLI, ...args], { cwd: here.project, env }))
  const lines = readFileSync(log, 'utf8').split('\n')
  return {
    ...ran,
    programs: lines.flatMap(line => /\bexecve(?:at)?\(.*?"([^"]*)"/.exec(line)?.[1] ?? []),
    connections: lines.flatMap(line => (/\bconnect\(/.test(line) ? [/htons\((\d+)\)/.exec(line)?.[1] ?? line] : []))
  }
}

const KEYS = { ANTHROPIC_API_KEY: 'sk-of-the-user-12345', OPENAI_COMPATIBLE_API_KEY: 'sk-of-the-user-67890' }

test('B1: there are at least 30 kinds of bait', () => {
  expect(new Set(BAITS).size).toBeGreaterThanOrEqual(30)
})

describe.skipIf(!hasStrace)('under strace (skipped where there is none)', () => {
  test.each([
    ['-p', 'BEGIN'],
    ['-p', 'BEGIN', '--output-format', 'stream-json', '--verbose']
  ])(
    'B1: a hostile project that is not trusted is refused, with 0 processes and 0 connections: run %s %s',
    async (...args) => {
      const evil = await trap()
      const here = hostile(evil.url)
      const server = await model(evil.url)
      const ran = await traced(here, ['run', ...args], { ...KEYS, ANTHROPIC_BASE_URL: server.url })
      expect(ran.code, ran.stderr).toBe(3)
      expect(ran.stderr + ran.stdout).toContain('agent  general-purpose')
      expect(ran.programs).toEqual([process.execPath])
      expect(ran.connections).toEqual([])
      expect(evil.visits).toBe(0)
    }
  )

  test.each([['--no-project-hooks'], ['--setting-sources', 'user']])(
    'B1: nothing of it counts with %s, whatever the model calls: 0 processes, and only the model is asked',
    async (...flags) => {
      const evil = await trap()
      const here = hostile(evil.url)
      const server = await model(evil.url)
      const args = ['run', '-p', 'BEGIN', '--model', 'claude-x', '--output-format', 'json', ...flags]
      const ran = await traced(here, args, { ...KEYS, ANTHROPIC_BASE_URL: server.url })
      expect(ran.code, ran.stderr).toBe(0)
      expect(JSON.parse(ran.stdout)).toMatchObject({ result: 'All done.' })
      // The main model twice, and once for each agent that there is.
      expect(server.requests.length).toBe(2 + TYPES.length - 1)
      expect(ran.programs).toEqual([process.execPath])
      const port = new URL(server.url).port
      // The lock of version 0.1.0 is asked for by its name, which no project chooses.
      const isOldLock = (to: string): boolean => /sun_path=@"carabiner-[\da-f]{64}"/.test(to)
      expect(ran.connections.filter(to => to !== port && !isOldLock(to))).toEqual([])
      expect(ran.connections.length).toBeGreaterThan(0)
      expect(evil.visits).toBe(0)
      expect(existsSync(here.path('project/ran'))).toBe(false)
      const sent = JSON.stringify(server.requests.map(({ body }) => [body.system, body.model]))
      expect(sent).not.toContain('Mine.')
    }
  )

  test('B1: with trust its programs run and its servers are asked: this is no blind eye', async () => {
    const evil = await trap()
    const ran = await traced(hostile(evil.url), ['fire', 'SessionStart', '--trust-project-hooks'], KEYS)
    expect(ran.programs.length).toBeGreaterThan(1)
    expect(ran.connections).toContain(String(evil.port))
  })
})

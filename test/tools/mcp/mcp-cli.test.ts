/** `carabiner run` with servers of files and of the command line. */
import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { project, type Project } from '../../support/agent-kit.ts'
import { CLI } from '../../support/built-package.ts'
import { SCRIPTED } from './mcp-kit.ts'

const SCRIPT = JSON.stringify([{ calls: [{ name: 'mcp__own__echo', input: { text: 'x' } }] }, 'Done.'])
const OWN = { command: process.execPath, args: [SCRIPTED], env: { MCP_LOG: '${LOG}' } }

interface Ran {
  readonly code: number | null
  readonly messages: readonly { type: string; [more: string]: unknown }[]
  readonly errors: string
}

function run(place: Project, ...args: readonly string[]): Promise<Ran> {
  place.write('script.json', SCRIPT)
  const flags = ['run', '-p', 'go', '--model', 'script:script.json', '--output-format', 'stream-json']
  const child = spawn(process.execPath, [CLI, ...flags, '--allowedTools', 'mcp__own', ...args], {
    cwd: place.cwd,
    env: { ...place.env, LOG: `${place.home}/calls.log` },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let [printed, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  return new Promise(resolve => {
    child.once('close', code => {
      const lines = printed.split('\n').filter(line => line !== '')
      resolve({ code, messages: lines.map(line => JSON.parse(line) as Ran['messages'][number]), errors })
    })
  })
}

const servers = ({ messages }: Ran): unknown => messages[0]?.['mcp_servers']

test('--mcp-config takes files and JSON, with variables in them', async () => {
  const place = project({ 'servers.json': JSON.stringify({ mcpServers: { own: OWN, lost: { command: 'nowhere' } } }) })
  const ran = await run(
    place,
    '--mcp-config',
    'servers.json',
    '--mcp-config',
    JSON.stringify({ mcpServers: { lost: OWN } })
  )
  expect(servers(ran)).toEqual([
    { name: 'own', status: 'connected', source: 'dynamic' },
    { name: 'lost', status: 'connected', source: 'dynamic' }
  ])
  expect(JSON.stringify(ran.messages)).toContain('echo: x')
  expect(ran.code).toBe(0)
})

// M6
test('--strict-mcp-config goes without the servers of the project', async () => {
  const place = project({ '.mcp.json': JSON.stringify({ mcpServers: { own: OWN } }) })
  const untrusted = await run(place)
  expect(untrusted.code).not.toBe(0)
  expect(untrusted.errors).toContain(`server  own  ${process.execPath} ${SCRIPTED}`)
  const trusted = await run(place, '--trust-project-hooks')
  expect(servers(trusted)).toEqual([{ name: 'own', status: 'connected', source: 'project' }])
  expect(servers(await run(place, '--trust-project-hooks', '--strict-mcp-config'))).toEqual([])
})

test.each([
  ['a file that is not there', 'none.json', 'there is no file'],
  ['what is no JSON', '{', '--mcp-config: '],
  ['a variable that is not set', '{"a":{"command":"${NOT_SET}"}}', 'NOT_SET is not set'],
  ['a server that is none', '{"a":{"url":"http://x/"}}', 'a.type cannot be missing']
])('%s is named', async (_, config, words) => {
  const { code, errors } = await run(project(), '--mcp-config', config)
  expect(errors).toContain(words)
  expect(code).not.toBe(0)
})

/** Claude Code's own MCP client before `carabiner mcp`: a server behind the gate, called by a scripted model. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { HostRequest, ScriptStep } from '../../src/lib/cli/host/probe/model-wire.ts'
import { runHost } from '../../src/lib/cli/host/probe/run-host.ts'
import { installedHost } from './hosts-cache.ts'

const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const TOOL = 'mcp__everything__echo'

interface ProxyCase {
  readonly name: string
  readonly policy: object
  /** What the model is told. */
  readonly told: RegExp
}

const hook = (reply: object): object => ({
  hooks: [{ type: 'command', command: `echo '${JSON.stringify(reply)}'` }]
})
const CASES: readonly ProxyCase[] = [
  { name: 'no policy', policy: {}, told: /Echo: hi/ },
  { name: 'deny', policy: { permissions: { deny: [TOOL] } }, told: /the rule mcp__everything__echo .* refuses it/ },
  {
    name: 'rewrite',
    policy: {
      hooks: {
        PreToolUse: [hook({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { message: 'other' } } })]
      }
    },
    told: /Echo: other/
  },
  {
    name: 'the hook crashes',
    policy: { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 7' }] }] } },
    told: /refused/
  },
  {
    name: 'redact output',
    policy: {
      hooks: {
        PostToolUse: [hook({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: '[redacted]' } })]
      }
    },
    told: /^(?!.*Echo).*\[redacted\]/s
  }
]

async function toldIn({ policy }: ProxyCase, built: string): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-proxy-')))
  try {
    for (const name of ['project', 'home/.carabiner']) mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, 'home/.carabiner/settings.json'), JSON.stringify(policy))
    const args = [join(built, 'dist/cli.js'), 'mcp', '--name', 'everything', '--', process.execPath, SERVER]
    const config = { mcpServers: { everything: { command: process.execPath, args } } }
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify(config))
    let asked = 0
    // The server may be connected only after the first request.
    const answer = ({ tools, results }: HostRequest): ScriptStep => {
      const isMissing = results.length === 0 || /No such tool/i.test(results.at(-1) ?? '')
      if (tools.length === 0 || !isMissing || ++asked > 10) return { text: 'All done.' }
      return { calls: [{ name: TOOL, input: { message: 'hi' } }] }
    }
    const { requests, printed } = await runHost({
      host: 'claude',
      file: installedHost('claude'),
      project: join(folder, 'project'),
      folder,
      env: { HOME: join(folder, 'home'), PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
      args: ['--mcp-config', join(folder, 'mcp.json'), '--allowedTools', TOOL],
      answer,
      limit: 90
    })
    return requests.flatMap(({ results }) => results).at(-1) ?? `no call: ${printed}`
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Prints each case. Whether all are as they must be. */
export async function checkProxy(built: string): Promise<boolean> {
  let isGood = true
  for (const each of CASES) {
    const told = await toldIn(each, built)
    const isAsMeant = each.told.test(told)
    console.log(`Claude Code before carabiner mcp, ${each.name}: ${isAsMeant ? 'as it must be' : `WRONG: ${told}`}`)
    isGood &&= isAsMeant
  }
  return isGood
}

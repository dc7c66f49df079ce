/** Gates for tools of MCP servers that are not called so. */
import { expect, test } from 'vitest'
import { createSdkMcpServer, deny, HookRegistry, query, tool, type QueryOptions } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { cliStage } from '../support/cli-stage.ts'

const sky = createSdkMcpServer({
  name: 'sky',
  tools: [tool('weather', 'looks out', {}, async () => ({ content: [] }), { annotations: { readOnlyHint: true } })]
})

/** The notices about restrictions when a session with this gate begins. */
async function noticed(options: (matcher: string) => QueryOptions, matcher: string): Promise<readonly string[]> {
  const { project } = cliStage()
  const said: string[] = []
  const given = { cwd: project, settingSources: [], persistSession: false, model: scriptedModel(['Done.']) } as const
  for await (const message of query({
    prompt: 'go',
    options: { ...given, mcpServers: { sky }, ...options(matcher) }
  }))
    if (message.type === 'system' && message.subtype === 'informational') said.push(message.content)
  return said
}

const WAYS: Readonly<Record<string, (matcher: string) => QueryOptions>> = {
  'a HookRegistry': matcher => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', matcher, () => deny('no'))
    return { hooks }
  },
  callbacks: matcher => ({ hooks: { PreToolUse: [{ matcher, hooks: [async () => ({ decision: 'block' })] }] } }),
  settings: matcher => ({
    settings: { hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command: 'exit 2' }] }] } }
  })
}

test.each(Object.entries(WAYS))(
  'A2: %s: a gate for a tool that its server does not have is told of',
  async (_, way) => {
    const [notice, ...more] = await noticed(way, 'Bash|mcp__sky__wether')
    expect(notice).toContain('mcp__sky__wether protects nothing: the server sky has no such tool')
    expect(more).toEqual([])
  }
)

test.each(Object.entries(WAYS))('A2: %s: a gate for a server that is almost called so is told of', async (_, way) => {
  expect(await noticed(way, 'mcp__sly__weather')).toEqual([
    expect.stringContaining('mcp__sly__weather protects nothing: there is no server sly (did you mean sky?)')
  ])
})

test.each(['mcp__sky__weather', 'mcp__sky__.*', 'mcp__.*', 'mcp__github__push', '^mcp__sky__w'])(
  'A2: nothing is said of a gate on %s',
  async matcher => {
    for (const way of Object.values(WAYS)) expect(await noticed(way, matcher)).toEqual([])
  }
)

test('E7: a notice about a gate in options.settings names that option', async () => {
  const [notice] = await noticed(WAYS['settings']!, 'Frobnicate')
  expect(notice).toMatch(
    /^options\.settings:1: hooks\.PreToolUse\[0\]\.matcher: "Frobnicate" matches no available tool/
  )
})

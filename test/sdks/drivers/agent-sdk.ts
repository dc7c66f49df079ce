/** The Claude Agent SDK with its real Claude Code, where `npm run check:agent-sdk -- --run` has installed it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { toAgentSdkHooks } from '../../../src/agent-sdk.ts'
import { anthropicServer, type AnthropicBlock, type AnthropicBody } from '../../support/anthropic-server.ts'
import { writtenNote, type SdkDriver, type Note, type Observation, type Scene } from '../driver.ts'

const PACKAGES = fileURLToPath(new URL('../../agent-sdk/types/node_modules/@anthropic-ai/', import.meta.url))
const PROGRAM = join(PACKAGES, `claude-agent-sdk-${process.platform}-${process.arch}/claude`)

/** As much of the SDK as is used here; `test/agent-sdk/types` compiles with all of it. */
interface AgentSdk {
  query(parameters: { prompt: string; options: object }): AsyncIterable<{ type: string }>
  createSdkMcpServer(options: object): object
  tool(name: string, about: string, shape: object, run: (note: Note) => Promise<object>): object
}

const NAME = 'mcp__notes__write_note'
type Block = Readonly<Record<string, unknown>>

/** The result of a note at this path also has a picture, of one pixel. */
export const DRAWING = '/drawing'
export const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** `uses`: what the model calls, if not the tool of the case. */
export async function runClaudeCode(scene: Scene, uses?: readonly AnthropicBlock[]): Promise<Observation> {
  const { hooks, calls, approve, streaming } = scene
  const sdk = (await import(join(PACKAGES, 'claude-agent-sdk/sdk.mjs'))) as AgentSdk
  const [ran, asked]: [Note[], Note[]] = [[], []]
  const requests: AnthropicBody[] = []
  const reply = ({ body }: { body: AnthropicBody }) => {
    if ((body.tools ?? []).length === 0) return { blocks: [{ type: 'text', text: 'Notes' }] }
    const isFirst = requests.push(body) === 1
    const notes = calls.map(({ id, input }) => ({ type: 'tool_use', id, name: NAME, input }))
    return { blocks: isFirst ? (uses ?? notes) : [{ type: 'text', text: 'Done.' }] }
  }
  const server = await anthropicServer(...Array.from({ length: 20 }, () => reply as never))
  const [cwd, home] = ['project', 'home'].map(name => mkdtempSync(join(tmpdir(), `carabiner-${name}-`))) as [
    string,
    string
  ]
  const write = sdk.tool('write_note', 'Writes a note', { path: z.string(), text: z.string() }, async note => {
    ran.push(note)
    const text = { type: 'text', text: writtenNote(note) as string }
    return {
      content: note.path === DRAWING ? [{ type: 'image', data: DOT, mimeType: 'image/png' }, text, text] : [text]
    }
  })
  try {
    const options = {
      cwd,
      hooks: toAgentSdkHooks(hooks).hooks,
      mcpServers: { notes: sdk.createSdkMcpServer({ name: 'notes', tools: [write] }) },
      // Without rules of its own, all that is refused or asked is so because of hooks.
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      canUseTool: async (_: string, input: Note) => {
        asked.push(input)
        return approve === true ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'no' }
      },
      includePartialMessages: streaming,
      settingSources: [],
      maxTurns: 5,
      pathToClaudeCodeExecutable: PROGRAM,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        IS_SANDBOX: '1',
        ANTHROPIC_BASE_URL: server.url.replace('/v1', ''),
        ANTHROPIC_API_KEY: 'none',
        ENABLE_TOOL_SEARCH: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1'
      }
    }
    for await (const message of sdk.query({ prompt: 'Write notes', options })) void message
  } finally {
    await server.close()
    for (const folder of [cwd, home]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const blocks =
    requests[1]?.messages.flatMap(({ content }): readonly Block[] => (Array.isArray(content) ? content : [])) ?? []
  return {
    ran,
    asked,
    results: calls.flatMap(({ id }) => {
      const result = blocks.find(block => block['tool_use_id'] === id)
      return result === undefined ? [] : [JSON.stringify(result['content'])]
    }),
    request: requests[1] === undefined ? '' : JSON.stringify(requests[1].messages),
    modelCalls: requests.length
  }
}

export const agentSdkDriver: SdkDriver = {
  hooksElsewhere: true,
  name: 'Claude Agent SDK 0.3',
  run: scene => runClaudeCode(scene),
  ...(!existsSync(PROGRAM) && { missing: 'npm run check:agent-sdk -- --run installs it' })
}

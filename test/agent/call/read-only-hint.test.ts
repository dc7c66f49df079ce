/** A tool that says that it changes nothing: whose word counts, and where. */
import { describe, expect, test } from 'vitest'
import { createSdkMcpServer, tool, type QueryOptions, type ToolDefinition } from '../../../src/index.ts'
import { ask, resultsIn } from '../../support/agent-kit.ts'

function looking(log: string[], annotations: ToolDefinition['annotations']): ToolDefinition {
  const handler = async (): Promise<{ content: { type: 'text'; text: string }[] }> => {
    log.push('ran')
    return { content: [{ type: 'text', text: 'seen' }] }
  }
  return tool('look', 'Looks.', {}, handler, { annotations })
}

/** Both ways to give a tool of one's own. */
const FORMS: readonly (readonly [string, (definition: ToolDefinition) => QueryOptions, string])[] = [
  ['tools', definition => ({ tools: [definition] }), 'look'],
  [
    'createSdkMcpServer()',
    definition => ({ mcpServers: { own: createSdkMcpServer({ name: 'own', tools: [definition] }) } }),
    'mcp__own__look'
  ]
]
const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk'] as const
const EVERY = FORMS.flatMap(([form, give, name]) => MODES.map(mode => [form, mode, give, name] as const))

async function run(options: QueryOptions, name: string): Promise<string> {
  const { sent } = await ask([{ calls: [{ name, input: {} }] }, 'Done.'], options)
  return resultsIn(sent[1]!)
    .map(({ text }) => text)
    .join()
}

describe('readOnlyHint', () => {
  test.each(EVERY)('E3: a reading tool given by %s runs unasked in mode %s', async (_, permissionMode, give, name) => {
    const log: string[] = []
    expect(await run({ ...give(looking(log, { readOnlyHint: true })), permissionMode }, name)).toBe('seen')
    expect(log).toEqual(['ran'])
  })

  test.each(EVERY)(
    'E3: without the hint a tool given by %s does not run unasked in mode %s',
    async (_, permissionMode, give, name) => {
      const log: string[] = []
      expect(await run({ ...give(looking(log, undefined)), permissionMode }, name)).toContain('denied')
      expect(log).toEqual([])
    }
  )

  test.each(FORMS)(
    'E3: a tool given by %s that also says it destroys is not taken for a reading one',
    async (_, give, name) => {
      const log: string[] = []
      await run(give(looking(log, { readOnlyHint: true, destructiveHint: true })), name)
      expect(log).toEqual([])
    }
  )

  test.each(FORMS)('E3: a deny rule and an ask rule hold for a reading tool given by %s', async (_, give, name) => {
    const log: string[] = []
    const options = give(looking(log, { readOnlyHint: true }))
    expect(await run({ ...options, settings: { permissions: { ask: [name] } } }, name)).toContain('asks')
    await run({ ...options, settings: { permissions: { deny: [name] } } }, name)
    expect(log).toEqual([])
  })
})

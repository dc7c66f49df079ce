/** What Anthropic is sent where nothing limits the output: a hook of a project may set no more. */
import { expect, test } from 'vitest'
import { query } from '../../../src/index.ts'
import { anthropicServer } from '../../support/anthropic-server.ts'
import { project, type Project } from '../../support/agent-kit.ts'
import { commandOn, prints } from '../../support/command-settings.ts'

/** The token limit of the request that is sent; undefined if none is. */
async function limitSent(model: string, place: Project, more: object = {}): Promise<number | undefined> {
  const server = await anthropicServer({ blocks: [{ type: 'text', text: 'Done.' }] })
  const env = { ...place.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' }
  const options = { cwd: place.cwd, env, model, persistSession: false, trust: true, ...more } as const
  try {
    await query({ prompt: 'go', options }).result()
    return server.requests[0]?.body.max_tokens
  } finally {
    await server.close()
  }
}

const limiting = (max_tokens: number): Project => {
  const reply = { hookSpecificOutput: { hookEventName: 'PreModelRequest', updatedInput: { max_tokens } } }
  return project({ '.claude/settings.json': JSON.stringify(commandOn('PreModelRequest', prints(reply))) })
}

/** Current ones, one of each older kind, and those that the adapter does not know. */
const MODELS = [
  ...['opus', 'sonnet', 'haiku', 'claude-opus-5', 'claude-opus-4-1', 'claude-sonnet-4-20250514', 'claude-haiku-4-5'],
  ...['claude-3-opus-20240229', 'claude-3-haiku-20240307', 'claude-instant-1.2', 'claude-2.1', 'claude-next', 'other']
]

test.each(MODELS)('%s gets at least 4096 tokens, with and without thinking', async model => {
  const limits = [
    await limitSent(model, project()),
    await limitSent(model, project(), { thinking: { type: 'enabled', budgetTokens: 1024 } })
  ]
  for (const limit of limits) expect(limit).toBeGreaterThanOrEqual(4096)
})

test('a project may set these 4096 and no more', async () => {
  expect(await limitSent('claude-2.1', project())).toBe(4096)
  expect(await limitSent('claude-2.1', limiting(4096))).toBe(4096)
  expect(await limitSent('claude-2.1', limiting(4097))).toBeUndefined()
})

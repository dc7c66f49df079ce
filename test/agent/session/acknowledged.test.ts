/** What a store has acknowledged, and when: one that keeps nothing before it was asked to, and takes its time. */
import { expect, test } from 'vitest'
import { tool, type TranscriptStore } from '../../../src/index.ts'
import { ask, callTurn, registry } from '../../support/agent-kit.ts'

/** The types of the entries that are safe. */
function slowStore(): TranscriptStore & { readonly safe: string[] } {
  const safe: string[] = []
  return {
    safe,
    async append(_key, entries) {
      await new Promise(resolve => setImmediate(resolve))
      safe.push(...entries.map(entry => JSON.stringify(entry)))
    },
    load: async () => undefined
  }
}

// FM30
test('an intent is safe before its effect, an outcome before its hooks, the answer before Stop hooks and the result', async () => {
  const store = slowStore()
  const has = (...words: string[]): boolean => store.safe.some(text => words.every(word => text.includes(word)))
  const seen: Record<string, boolean> = {}
  const write = tool('write', 'writes', {}, async () => {
    seen['intent'] = has('"tool-intent"', 'toolu_w')
    return { content: [{ type: 'text', text: 'written' }] }
  })
  const hooks = registry(all => {
    all.on('PostToolUse', () => void (seen['outcome'] = has('"tool-outcome"', 'toolu_w')))
    all.on('Stop', () => void (seen['answer'] = has('"assistant"', 'All done.')))
  })
  await ask([callTurn('write', {}, 'toolu_w'), 'All done.'], {
    sessionStore: store,
    tools: [write],
    allowedTools: ['write'],
    hooks,
    steer: running => void running.result().then(() => (seen['result'] = has('"assistant"', 'All done.')))
  })
  expect(seen).toEqual({ intent: true, outcome: true, answer: true, result: true })
})

// FM38
test('where an intent cannot be made safe, the tool does not start', async () => {
  let begun = false
  const write = tool('write', 'writes', {}, async () => {
    begun = true
    return { content: [{ type: 'text', text: 'written' }] }
  })
  const sessionStore: TranscriptStore = {
    append: async () => {
      throw new Error('the database is gone')
    },
    load: async () => undefined
  }
  const { result } = await ask([callTurn('write'), 'Done.'], { sessionStore, tools: [write], allowedTools: ['write'] })
  expect(begun).toBe(false)
  expect(result).toMatchObject({ is_error: true, result: expect.stringContaining('the database is gone') })
})

/** MessageDisplay: hooks see each text before the reader, and may display another one. */
import { expect, test } from 'vitest'
import type { HookRegistry } from '../../src/index.ts'
import { ask, callTurn, gate, inputsOf, ofType, ownTool, registry, type Asking, words } from '../support/agent-kit.ts'
import { commandOn, prints } from '../support/command-settings.ts'

const shows = (text: string) => ({ hookSpecificOutput: { hookEventName: 'MessageDisplay', displayContent: text } })
const displaying = (fill: (hooks: HookRegistry) => unknown, more: Asking = {}): Asking => ({
  hooks: registry(fill),
  ...more
})

test('it is fired once for each text of the agent, with the id of the message', async () => {
  const turns = [{ text: 'I look.', ...callTurn('look') }, callTurn('look'), 'Done.']
  const asked = await ask(turns, { tools: [ownTool('look', () => 'seen', true)] })
  const shown = inputsOf(asked, 'MessageDisplay')
  const answers = ofType(asked, 'assistant').filter(({ message }) => words(message) !== '')
  expect(shown).toMatchObject([
    { index: 0, final: true, delta: 'I look.', message_id: answers[0]!.uuid },
    { index: 0, final: true, delta: 'Done.', message_id: answers[1]!.uuid }
  ])
  expect(new Set(shown.map(({ turn_id }) => turn_id)).size).toBe(1)
})

test('another text is displayed; the conversation, the result and the transcript keep the original', async () => {
  const asked = await ask(
    ['The key is 4711.', 'Two.'],
    displaying(
      hooks => {
        hooks.on('MessageDisplay', ctx => ({ displayContent: ctx.input.delta.replace('4711', '****') }))
        let times = 0
        hooks.on('Stop', () => (times++ === 0 ? { decision: 'block', reason: 'again' } : undefined))
      },
      { includePartialMessages: true }
    )
  )
  const [first] = ofType(asked, 'assistant')
  expect(first).toMatchObject({ display_content: 'The key is ****.' })
  expect(words(first!.message)).toBe('The key is 4711.')
  expect(asked.sent[1]!.map(words).join()).toContain('The key is 4711.')
  const deltas = ofType(asked, 'stream_event').flatMap(({ event }) =>
    event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : []
  )
  expect(deltas).toEqual(['The key is ****.', 'Two.'])
  expect(asked.messages.indexOf(first!)).toBeGreaterThan(
    asked.messages.findIndex(message => message.type === 'stream_event' && message.event.type === 'message_stop')
  )
})

test('parts of an answer are as they were if no hook changes it, and wait only for hooks that may', async () => {
  const parts = async (fill: (hooks: HookRegistry) => unknown): Promise<readonly unknown[]> => {
    const turns = [{ thinking: 'Hm.', text: 'Some words.' }]
    const asked = await ask(turns, displaying(fill, { includePartialMessages: true }))
    return asked.messages.map(message => (message.type === 'stream_event' ? message.event : message.type))
  }
  const without = await parts(() => undefined)
  expect(await parts(hooks => hooks.on('MessageDisplay', () => undefined))).toEqual(without)
})

test('a call waits until its text is displayed, and everything stays in order', async () => {
  const open = gate()
  const log: string[] = []
  const { messages } = await ask(
    [{ text: 'I look.', ...callTurn('look') }, 'Done.'],
    displaying(
      hooks =>
        hooks.on('MessageDisplay', async ctx => {
          if (ctx.input.delta !== 'I look.') return
          setImmediate(() => {
            log.push('displayed')
            open.open()
          })
          await open.opened
        }),
      { tools: [ownTool('look', () => (log.push('ran'), 'seen'), true)] }
    )
  )
  expect(log).toEqual(['displayed', 'ran'])
  expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'user', 'assistant', 'result'])
})

test.each([
  ['a hook that throws', (hooks: HookRegistry) => hooks.on('MessageDisplay', () => Promise.reject(new Error('kaput')))],
  ['a text of the wrong type', (hooks: HookRegistry) => hooks.on('MessageDisplay', () => ({ displayContent: 7 }))],
  ['a refusal', (hooks: HookRegistry) => hooks.on('MessageDisplay', () => ({ decision: 'deny', reason: 'no' }))],
  ['an end of the run', (hooks: HookRegistry) => hooks.on('MessageDisplay', () => ({ continue: false }))]
])('%s leaves the text as it is', async (_, fill) => {
  const asked = await ask(['Done.'], displaying(fill))
  expect(asked.result).toMatchObject({ is_error: false, result: 'Done.', terminal_reason: 'completed' })
  expect(ofType(asked, 'assistant')[0]).not.toHaveProperty('display_content')
})

test('texts of subagents and errors of the provider are not displayed', async () => {
  const agent = await ask([callTurn('Agent', { description: 'a', prompt: 'go' }), 'From below.', 'Done.'])
  expect(inputsOf(agent, 'MessageDisplay')).toMatchObject([{ delta: 'Done.' }])
  const failed = await ask([{ fail: { status: 401 } }])
  expect(ofType(failed, 'assistant')).toHaveLength(1)
  expect(inputsOf(failed, 'MessageDisplay')).toEqual([])
})

test('a command may display another text', async () => {
  const asked = await ask(['Done.'], { settings: commandOn('MessageDisplay', prints(shows('Fertig.'))) })
  expect(ofType(asked, 'assistant')).toMatchObject([{ display_content: 'Fertig.' }])
  expect(asked.result).toMatchObject({ result: 'Done.' })
})

/** What hooks add to what the model receives, and how they change the conversation. */
import { describe, expect, test } from 'vitest'
import {
  ask,
  bashTurn,
  callTurn,
  informed,
  ownTool,
  resultsIn,
  unpaired,
  withHooks,
  words
} from '../../support/agent-kit.ts'

describe('context', () => {
  // F143
  test('of SessionStart stands in the system prompt of every call', async () => {
    const { systems } = await ask([bashTurn('true'), 'Done.'], {
      allowedTools: ['Bash'],
      ...withHooks(hooks => hooks.on('SessionStart', () => ({ additionalContext: 'The moon is full.' })))
    })
    expect(systems).toHaveLength(2)
    for (const system of systems) expect(system).toContain('The moon is full.')
  })

  // F144, F145, F55
  test('of other events is told once, in order, and is history from then on', async () => {
    const { sent } = await ask(
      [
        {
          calls: [
            { name: 'ok', input: {} },
            { name: 'no', input: {} }
          ]
        },
        callTurn('ok'),
        'Done.'
      ],
      {
        tools: [ownTool('ok', () => 'fine', true), ownTool('no', () => Promise.reject(new Error('bad')), true)],
        ...withHooks(hooks => {
          let first = true
          const say = (text: string) => () => (first ? { additionalContext: text } : undefined)
          hooks.on('UserPromptSubmit', say('<prompt>'))
          hooks.on('PreToolUse', 'ok', say('<before>'))
          hooks.on('PostToolUse', 'ok', say('<after>'))
          hooks.on('PostToolUseFailure', 'no', say('<failed>'))
          hooks.on('PostToolBatch', () => {
            const said = say('<batch>')()
            first = false
            return said
          })
        })
      }
    )
    const notes = sent.map(messages => messages.filter(({ role }) => role === 'system').map(words))
    expect(notes[0]).toHaveLength(1)
    expect(notes[0]![0]).toContain('<prompt>')
    expect(notes[1]).toHaveLength(2)
    const places = ['<before>', '<after>', '<failed>', '<batch>'].map(text => notes[1]![1]!.indexOf(text))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(notes[2]).toEqual(notes[1])
  })

  // F41, F56a
  test('and system messages go to the model from the library’s hooks, to people from callbacks of the contract', async () => {
    const library = await ask(
      ['One.'],
      withHooks(hooks => hooks.on('UserPromptSubmit', () => ({ systemMessage: 'psst' })))
    )
    expect(library.sent[0]!.map(words).join()).toContain('psst')
    const contract = await ask(['One.'], {
      hooks: { UserPromptSubmit: [{ hooks: [async () => ({ systemMessage: 'psst' })] }] }
    })
    expect(contract.sent[0]!.map(words).join()).not.toContain('psst')
    expect(informed(contract).join()).toContain('psst')
  })
})

// F38, F157
test('what a hook pushes onto the conversation while a call is open stands behind its result', async () => {
  const { sent } = await ask([callTurn('ok'), 'Done.'], {
    tools: [ownTool('ok', () => 'fine', true)],
    ...withHooks(hooks =>
      hooks.on('PreToolUse', ctx => void ctx.messages.push({ role: 'user', content: 'by the way' }))
    )
  })
  expect(sent[1]!.map(words)).toEqual(['go', '', '', 'by the way'])
  expect(unpaired(sent[1]!)).toEqual([])
})

// F38
test('a change of the conversation that breaks a pair is refused, and the call with it', async () => {
  const { sent, result } = await ask([callTurn('ok'), callTurn('ok'), 'Done.'], {
    tools: [ownTool('ok', () => 'fine', true)],
    ...withHooks(hooks =>
      hooks.on('PreToolUse', ctx => {
        const orphan = { type: 'tool_result', tool_use_id: 'nobody', content: 'x' } as const
        ctx.messages.push({ role: 'user', content: [orphan] })
      })
    )
  })
  for (const messages of sent) expect(unpaired(messages)).toEqual([])
  expect(resultsIn(sent[2]!)).toMatchObject([{ isError: true }, { isError: true }])
  expect(result.result).toBe('Done.')
})

import { describe, expect, it } from 'vitest'
import {
  applyEdits,
  HookRegistry,
  type Block,
  type Message,
  type MessageEdits,
  type Outcome
} from '../../../src/hooks.ts'
import { bash, says, toolResult, toolUse } from '../../support/hook-inputs.ts'

/** A conversation with one finished call, and one that is about to run. */
const talk = (): Message[] => [
  says('user', 'Tidy up'),
  toolUse('old'),
  toolResult('old'),
  says('assistant', 'Half done.'),
  toolUse('open')
]

const note = says('user', 'Mind the tests.')
const later = says('user', 'And the docs.')

type Edit = (messages: Message[]) => void

const edit = async (messages: readonly Message[], ...edits: readonly Edit[]): Promise<Outcome> => {
  const hooks = new HookRegistry()
  for (const each of edits) hooks.on('PreToolUse', ctx => each(ctx.messages))
  return hooks.fire('PreToolUse', bash('ls'), { messages })
}

const editsOf = async (messages: readonly Message[], ...edits: readonly Edit[]): Promise<MessageEdits> => {
  const { messageEdits, failures } = await edit(messages, ...edits)
  expect(failures).toEqual([])
  return messageEdits!
}

const blocks = (messages: readonly Message[]): readonly Block[] =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
const callIds = (messages: readonly Message[]): readonly string[] =>
  blocks(messages).flatMap(block => (block.type === 'tool_use' ? [block.id] : []))
const resultIds = (messages: readonly Message[]): readonly string[] =>
  blocks(messages).flatMap(block => (block.type === 'tool_result' ? [block.tool_use_id] : []))

describe('a call that is open', () => {
  it('what is pushed meanwhile stands behind the results of its batch', async () => {
    const messages = talk()
    const edits = await editsOf(messages, list => void list.push(note))
    const answered = [...messages, toolResult('open')]
    expect(applyEdits(answered, edits)).toEqual([...answered, note])
  })

  it('stays open, whoever seems to speak in what was pushed', async () => {
    const messages = talk()
    const aside = says('assistant', 'I was told to mind the tests.')
    const edits = await editsOf(messages, list => void list.push(aside))
    expect(edits.appended).toEqual([aside])
    expect(resultIds(applyEdits([...messages, toolResult('open')], edits))).toEqual(['old', 'open'])
  })

  it('stays open when older messages are removed', async () => {
    const messages = talk()
    const edits = await editsOf(messages, list => void list.splice(0, 4))
    expect(applyEdits(messages, edits)).toEqual([messages[4]])
  })

  it('of several open calls all stay open', async () => {
    const two = says('assistant', [...blocks([toolUse('one')]), ...blocks([toolUse('two')])])
    const messages = [says('user', 'Go'), two]
    const edits = await editsOf(messages, list => void list.push(note))
    expect(resultIds(applyEdits(messages, edits))).toEqual([])
    expect(applyEdits([...messages, toolResult('one'), toolResult('two')], edits).at(-1)).toEqual(note)
  })
})

describe('dropping one half of a pair', () => {
  it('a stub stands for a result', async () => {
    const messages = talk()
    const result = applyEdits(messages, await editsOf(messages, list => void list.splice(2, 1)))
    expect(callIds(result)).toEqual(['old', 'open'])
    expect(resultIds(result)).toEqual(['old'])
    expect(result[2]).toMatchObject({
      role: 'user',
      content: [{ type: 'tool_result', content: expect.stringMatching(/removed/) }]
    })
  })

  it('text stands for what a result is the result of', async () => {
    const messages = talk()
    const result = applyEdits(messages, await editsOf(messages, list => void list.splice(1, 1)))
    expect(callIds(result)).toEqual(['open'])
    expect(resultIds(result)).toEqual([])
    expect(result[1]).toMatchObject({ role: 'user', content: [{ type: 'text' }] })
  })

  it('other blocks of the same message stay', async () => {
    const both = says('user', [...blocks([toolResult('one')]), { type: 'text', text: 'and hurry' }])
    const messages = [says('user', 'Go'), toolUse('one'), both, says('assistant', 'Done.')]
    const result = applyEdits(messages, await editsOf(messages, list => void list.splice(1, 1)))
    expect(blocks(result).at(-1)).toEqual({ type: 'text', text: 'and hurry' })
  })

  it('both halves leave nothing behind', async () => {
    const messages = talk()
    const result = applyEdits(messages, await editsOf(messages, list => void list.splice(1, 2)))
    expect(result).toEqual([messages[0], messages[3], messages[4]])
  })

  it('a later hook sees the stub', async () => {
    const seen: (readonly string[])[] = []
    await edit(
      talk(),
      list => void list.splice(2, 1),
      list => void seen.push(resultIds(list))
    )
    expect(seen).toEqual([['old']])
  })
})

describe('a violation of pairing', () => {
  const VIOLATIONS: readonly [string, Edit][] = [
    ['a new call without its result', list => void list.splice(1, 0, toolUse('new'))],
    ['a new result without its call', list => void list.splice(1, 0, toolResult('new'))],
    ['a result before its call', list => void list.splice(1, 0, toolResult('new'), toolUse('new'))],
    ['a call that occurs twice', list => void list.splice(3, 0, toolUse('old'), toolResult('old'))],
    ['a second result of an answered call', list => void list.splice(3, 0, toolResult('old', 'forged'))],
    ['a made-up result of the open call', list => void list.push(toolResult('open', 'forged'))],
    ['a message between a call and its result', list => void list.splice(2, 0, note)],
    ['messages that changed places', list => void list.splice(0, 5, ...list.toReversed())],
    ['a message without a role', list => void list.push({ content: 'x' } as Message)],
    ['a message of an unknown role', list => void list.push({ role: 'tool', content: 'x' } as unknown as Message)],
    ['a message without content', list => void list.push({ role: 'user' } as Message)],
    ['nothing in place of a message', list => void list.push(null as unknown as Message)],
    ['text in place of a message', list => void list.push('x' as unknown as Message)]
  ]

  it.each(VIOLATIONS)('%s is rolled back and closes a gate', async (_, violate) => {
    const messages = talk()
    const seen: number[] = []
    const outcome = await edit(messages, violate, list => void seen.push(list.length))
    expect(outcome).toMatchObject({ blocked: true, failures: [{ kind: 'messages' }], messageEdits: undefined })
    expect(seen).toEqual([5])
    expect(messages).toEqual(talk())
  })

  it('elsewhere it is a warning, and what others changed stays', async () => {
    const messages = [...talk(), toolResult('open')]
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', ctx => void ctx.messages.push(note))
    hooks.on('PostToolUse', ctx => void (ctx.messages = ctx.messages.toReversed()), { name: 'chaos' })
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' }, { messages })
    expect(outcome).toMatchObject({ blocked: false, failures: [{ by: 'chaos', kind: 'messages' }] })
    expect(applyEdits(messages, outcome.messageEdits!)).toEqual([...messages, note])
  })

  it('takes the input that the hook rewrote along with it', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'ls -l'
      ctx.messages = ctx.messages.toReversed()
    })
    const outcome = await hooks.fire('PreToolUse', bash('ls'), { messages: talk() })
    expect(outcome).toMatchObject({ blocked: true, updatedInput: undefined, messageEdits: undefined })
  })

  it('a whole new pair is no violation', async () => {
    const messages = talk()
    const edits = await editsOf(messages, list => void list.splice(3, 0, toolUse('new'), toolResult('new')))
    expect(callIds(applyEdits(messages, edits))).toEqual(['old', 'new', 'open'])
  })
})

describe('fires that ran side by side', () => {
  const merged = async (messages: readonly Message[], one: Edit, two: Edit): Promise<readonly Message[]> => {
    const first = await editsOf(messages, one)
    const second = await editsOf(messages, two)
    return applyEdits(applyEdits(messages, first), second)
  }

  it('both add something', async () => {
    const messages = talk()
    const result = await merged(
      messages,
      list => void list.push(note),
      list => void list.push(later)
    )
    expect(result).toEqual([...messages, note, later])
  })

  it('one removes, the other adds', async () => {
    const messages = talk()
    const result = await merged(
      messages,
      list => void list.shift(),
      list => void list.splice(3, 0, note)
    )
    expect(result).toEqual([messages[1], messages[2], note, messages[3], messages[4]])
  })

  it('both remove the same message', async () => {
    const messages = talk()
    const result = await merged(
      messages,
      list => void list.splice(3, 1),
      list => void list.splice(3, 1)
    )
    expect(result).toEqual(messages.toSpliced(3, 1))
  })

  it('what one puts behind a message that the other removed is not lost', async () => {
    const messages = talk()
    const result = await merged(
      messages,
      list => void list.splice(3, 1),
      list => void list.splice(4, 0, note)
    )
    expect(result).toContainEqual(note)
  })

  it('both drop the same result: one stub stands for it', async () => {
    const messages = talk()
    const result = await merged(
      messages,
      list => void list.splice(2, 1),
      list => void list.splice(2, 1)
    )
    expect(resultIds(result)).toEqual(['old'])
  })

  it('one drops the call, the other its result: nothing is left of either', async () => {
    const messages = talk()
    const result = await merged(
      messages,
      list => void list.splice(1, 1),
      list => void list.splice(2, 1)
    )
    expect(callIds(result)).toEqual(['open'])
    expect(resultIds(result)).toEqual([])
  })
})

it('hooks that run side by side in one fire each count with their own edits', async () => {
  const messages = talk()
  const seen: number[] = []
  const hooks = new HookRegistry()
  const member = (each: Edit): void => {
    hooks.register({
      events: 'PreToolUse',
      concurrent: true,
      run: async ctx => {
        each(ctx.messages)
        await undefined
        seen.push(ctx.messages.length)
      }
    })
  }
  member(list => void list.push(note))
  member(list => void list.splice(3, 1))
  member(list => void list.push(later))
  const outcome = await hooks.fire('PreToolUse', bash('ls'), { messages })
  expect(seen).toEqual([6, 4, 6])
  expect(applyEdits(messages, outcome.messageEdits!)).toEqual([...messages.toSpliced(3, 1), note, later])
})

import { describe, expect, it } from 'vitest'
import {
  allow,
  applyEdits,
  deny,
  HookRegistry,
  type Block,
  type HookContext,
  type Message,
  type Outcome
} from '../../../src/hooks.ts'
import { bash, says, toolResult, toolUse } from '../../support/hook-inputs.ts'

/** A conversation with one finished call, and one that is about to run. */
const talk = (): Message[] => [
  says('user', 'Tidy up'),
  toolUse('old'),
  toolResult('old'),
  says('assistant', 'Half done.'),
  says('user', 'Go on'),
  toolUse('open')
]

type Edit = (ctx: HookContext<'PreToolUse'>) => void

const edit = async (messages: readonly Message[], ...edits: readonly Edit[]): Promise<Outcome> => {
  const hooks = new HookRegistry()
  for (const each of edits) hooks.on('PreToolUse', ctx => each(ctx))
  return hooks.fire('PreToolUse', bash('ls'), { messages })
}

const after = (messages: readonly Message[], outcome: Outcome): readonly Message[] =>
  outcome.messageEdits === undefined ? messages : applyEdits(messages, outcome.messageEdits)

const note = says('user', 'Mind the tests.')

describe('reading and changing the conversation', () => {
  // F38
  it('shows the history, and looking changes nothing', async () => {
    const messages = talk()
    let seen: readonly Message[] = []
    const outcome = await edit(messages, ctx => {
      seen = [...ctx.messages]
    })
    expect(seen).toEqual(talk())
    expect(outcome.messageEdits).toBeUndefined()
  })

  // F38
  it('a push goes to the end', async () => {
    const messages = talk()
    const outcome = await edit(messages, ctx => void ctx.messages.push(note))
    expect(outcome.messageEdits).toEqual({ removed: [], inserted: [], appended: [note] })
    expect(after(messages, outcome)).toEqual([...messages, note])
  })

  // F38
  it('messages can be filtered out, by assignment or in place', async () => {
    const messages = talk()
    const assigned = await edit(messages, ctx => {
      ctx.messages = ctx.messages.filter(message => message.content !== 'Go on')
    })
    const spliced = await edit(messages, ctx => void ctx.messages.splice(4, 1))
    const kept = messages.filter((_, index) => index !== 4)
    expect(after(messages, assigned)).toEqual(kept)
    expect(after(messages, spliced)).toEqual(kept)
  })

  it.each([0, 1, 4, 5])('a message can be put in at %i', async index => {
    const messages = talk()
    const outcome = await edit(messages, ctx => void ctx.messages.splice(index, 0, note))
    expect(after(messages, outcome)).toEqual(messages.toSpliced(index, 0, note))
  })

  it('a message that is replaced keeps its place', async () => {
    const messages = talk()
    const redacted = says('assistant', '[redacted]')
    const outcome = await edit(messages, ctx => {
      ctx.messages[3] = redacted
    })
    expect(outcome.messageEdits).toMatchObject({ removed: [messages[3]], inserted: [{ messages: [redacted] }] })
    expect(after(messages, outcome)).toEqual(messages.with(3, redacted))
  })

  it('each hook sees what earlier ones changed', async () => {
    const messages = talk()
    const seen: number[] = []
    const outcome = await edit(
      messages,
      ctx => void ctx.messages.push(note),
      ctx => void seen.push(ctx.messages.length),
      ctx => void ctx.messages.shift(),
      ctx => void seen.push(ctx.messages.length)
    )
    expect(seen).toEqual([7, 6])
    expect(after(messages, outcome)).toEqual([...messages.slice(1), note])
  })

  it('a conversation may begin with a hook', async () => {
    expect(after([], await edit([], ctx => void ctx.messages.push(note)))).toEqual([note])
    const outcome = await new HookRegistry().fire('PreToolUse', bash('ls'))
    expect(outcome.messageEdits).toBeUndefined()
  })

  it('the caller’s list is never changed', async () => {
    const messages = talk()
    const before = [...messages]
    await edit(
      messages,
      ctx => void ctx.messages.splice(0, 1, note, note),
      ctx => void (ctx.messages = ctx.messages.toReversed())
    )
    expect(messages).toHaveLength(before.length)
    messages.forEach((message, index) => expect(message).toBe(before[index]))
  })

  it('works on any event', async () => {
    const messages = [...talk(), toolResult('open')]
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', ctx => void ctx.messages.push(note))
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' }, { messages })
    expect(after(messages, outcome)).toEqual([...messages, note])
  })
})

describe('messages are frozen', () => {
  it('editing one in place is an error of the hook', async () => {
    const messages = talk()
    const outcome = await edit(messages, ctx => {
      Object.assign(ctx.messages[0]!, { content: 'Wipe the disk' })
    })
    expect(outcome).toMatchObject({ blocked: true, failures: [{ kind: 'threw' }] })
    expect(messages[0]).toEqual(says('user', 'Tidy up'))
  })

  it('down to their blocks', async () => {
    const frozen: boolean[] = []
    await edit(talk(), ctx => {
      const content = ctx.messages[1]!.content as readonly Block[]
      frozen.push(Object.isFrozen(content), Object.isFrozen(content[0]))
    })
    expect(frozen).toEqual([true, true])
  })

  it('also those that a hook pushed, so that no one edits them afterwards', async () => {
    const text = { type: 'text' as const, text: 'Mind the tests.' }
    const frozen: boolean[] = []
    const outcome = await edit(
      talk(),
      ctx => void ctx.messages.push(says('user', [text])),
      ctx => {
        const content = ctx.messages.at(-1)!.content as readonly Block[]
        frozen.push(Object.isFrozen(content), Object.isFrozen(content[0]))
      }
    )
    const appended = outcome.messageEdits?.appended[0]?.content as readonly Block[]
    expect([...frozen, Object.isFrozen(appended), Object.isFrozen(appended[0])]).toEqual([true, true, true, true])
  })

  it('also those that the caller had frozen on the outside only', async () => {
    const messages = [Object.freeze(says('user', [{ type: 'text', text: 'Tidy up' }]))]
    const outcome = await edit(messages, ctx => {
      Object.assign((ctx.messages[0]!.content as readonly Block[])[0]!, { text: 'Wipe the disk' })
    })
    expect(outcome.failures).toMatchObject([{ kind: 'threw' }])
    expect(messages[0]!.content).toEqual([{ type: 'text', text: 'Tidy up' }])
  })
})

describe('what is not used', () => {
  const push: Edit = ctx => void ctx.messages.push(note)

  it.each<[string, (hooks: HookRegistry) => void]>([
    [
      'throws',
      hooks => {
        hooks.on('PostToolUse', ctx => {
          ctx.messages.push(note)
          throw new Error('too late')
        })
      }
    ],
    [
      'rejects',
      hooks => {
        hooks.on('PostToolUse', async ctx => {
          ctx.messages.push(note)
          throw new Error('too late')
        })
      }
    ],
    [
      'denies',
      hooks => {
        hooks.on('PostToolUse', ctx => {
          ctx.messages.push(note)
          return deny('bad result')
        })
      }
    ],
    [
      'observes',
      hooks => {
        hooks.on('PostToolUse', ctx => void ctx.messages.push(note), { observe: true })
      }
    ]
  ])('the change of a hook that %s', async (_, add) => {
    const hooks = new HookRegistry()
    add(hooks)
    const seen: number[] = []
    hooks.on('PostToolUse', ctx => void seen.push(ctx.messages.length))
    const outcome = await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' }, { messages: talk() })
    expect(outcome.messageEdits).toBeUndefined()
    expect(seen).toEqual([6])
  })

  it('a change made after the hook has settled', async () => {
    let late: Message[] = []
    const messages = talk()
    const outcome = await edit(
      messages,
      push,
      ctx => {
        late = ctx.messages
      },
      () => void late.push(note)
    )
    expect(after(messages, outcome)).toEqual([...messages, note])
  })
})

// A caller with a long conversation copies it only for hooks that look.
describe('the conversation is not asked for', () => {
  const reads = async (add: (hooks: HookRegistry) => unknown): Promise<number> => {
    const hooks = new HookRegistry()
    add(hooks)
    let count = 0
    const options = {
      get messages(): readonly Message[] {
        count++
        return []
      }
    }
    await hooks.fire('PreToolUse', bash('ls'), options)
    return count
  }

  it('by hooks that judge, rewrite, read the wire or run side by side', async () => {
    expect(
      await reads(hooks => {
        hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command += ' -l'))
        hooks.on('PreToolUse', ctx => (ctx.wire === '' ? deny('never') : allow()))
        for (const name of ['one', 'two']) hooks.on('PreToolUse', async () => undefined, { name, concurrent: true })
        hooks.on('PreToolUse', () => undefined, { observe: true })
      })
    ).toBe(0)
  })

  it('unless one looks at it', async () => {
    expect(await reads(hooks => hooks.on('PreToolUse', ctx => void ctx.messages.length))).toBeGreaterThan(0)
  })
})

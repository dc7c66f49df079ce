/** PostModelResponse: an answer is judged before anyone sees it and before anything in it runs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deny, EVENT_NAMES, type HookFunction, HookRegistry, type Model, transform } from '../../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import {
  ask,
  type Asking,
  callTurn,
  informed,
  inputsOf,
  ofType,
  ownTool,
  project,
  type Project,
  registry,
  words
} from '../../support/agent-kit.ts'
import { commandOn } from '../../support/command-settings.ts'
import { cutBehind } from '../session/resume-kit.ts'

const SECRET = 'hunter2-tangerine'
const holdsSecret = (value: unknown): boolean => JSON.stringify(value).includes(SECRET)

type AnswerHook = HookFunction<'PostModelResponse'>
const guard: AnswerHook = ctx => (holdsSecret(ctx.response) ? deny('it has a secret; leave it out') : undefined)

/** Everything in these folders, as one text. */
const textOf = (...folders: readonly string[]): string =>
  folders
    .flatMap(folder =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    )
    .join('\n')

const everything = { includePartialMessages: true, includeHookEvents: true, persistSession: true } as const

/** Runs with the guard, and a hook on every other event that keeps what it sees. */
async function guarded(turns: readonly TurnOrMaker[], asking: Asking = {}, hook = guard) {
  const seen: unknown[] = []
  const told: unknown[] = []
  const others = EVENT_NAMES.filter(event => event !== 'PostModelResponse')
  const hooks = new HookRegistry({ sink: message => void told.push(message) })
  hooks.on('PostModelResponse', hook, { name: 'guard' })
  hooks.register({ name: 'spy', events: others, run: ctx => void seen.push({ ...ctx.input }, [...ctx.messages]) })
  const run = await ask(turns, { ...everything, ...asking, hooks, watch: false })
  return { ...run, seen, told }
}

const filesOf = ({ cwd, home }: Project): string => textOf(cwd, home)

describe('an answer with a secret', () => {
  const SPOKEN: readonly (readonly [string, TurnOrMaker])[] = [
    ['in its text', `The password is ${SECRET}.`],
    ['in its thinking', { thinking: `They use ${SECRET}.`, text: 'Done.' }],
    ['in the input of a call', callTurn('put', { what: SECRET })]
  ]
  test.each(SPOKEN)('%s is seen by its hooks only; the model tries again', async (_, turn) => {
    let ran = 0
    const put = ownTool('put', () => ++ran)
    const run = await guarded([turn, 'I cannot say.'], { tools: [put], allowedTools: ['put'] })
    expect(run.result).toMatchObject({ terminal_reason: 'completed', result: 'I cannot say.', num_turns: 2 })
    expect(ran).toBe(0)
    const places = [run.messages, run.sent, run.seen, run.told, run.result, filesOf(run.project)]
    expect(places.map(holdsSecret)).toEqual(places.map(() => false))
    const [, placeholder, feedback] = run.sent[1]!
    expect(words(placeholder!)).toMatch(/^\[Hooks withheld this answer: \d+ characters, SHA-256 [0-9a-f]{64}\]$/)
    expect(words(feedback!)).toBe('PostModelResponse hook feedback:\nit has a secret; leave it out [guard]')
  })

  test('its place is logged with hash, length and usage; resumed, the messages are the same', async () => {
    const turns = [{ text: SECRET, usage: { input_tokens: 7, output_tokens: 2 } }, 'Done.']
    const first = await guarded(turns, { sessionId: 'first' })
    const logged = filesOf(first.project)
      .split('\n')
      .find(line => line.includes('"answer_withheld"'))
    expect(JSON.parse(logged!)).toMatchObject({
      by: 'guard',
      reason: 'it has a secret; leave it out',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      length: expect.any(Number),
      usage: { input_tokens: 7, output_tokens: 2 }
    })
    expect(first.result.usage).toMatchObject({ input_tokens: 7, output_tokens: 2 })
    const again = await guarded(['Yes.'], { in: first.project, resume: 'first', prompt: 'and now?' })
    expect(again.sent[0]!.slice(0, 3)).toEqual(first.sent[1])
  })

  test('three more attempts, then a named end', async () => {
    const run = await guarded(Array.from({ length: 9 }, () => SECRET))
    expect(run.sent).toHaveLength(4)
    expect(run.result).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'response_blocked',
      is_error: true,
      result: 'The answer of the model was withheld: it has a secret; leave it out [guard]'
    })
    expect(holdsSecret([run.messages, run.seen, filesOf(run.project)])).toBe(false)
  })

  test('an accepted answer starts the count again', async () => {
    const look = ownTool('look', () => 'seen', true)
    const thrice = [SECRET, SECRET, SECRET]
    const run = await guarded([...thrice, callTurn('look'), ...thrice, 'Done.'], { tools: [look] })
    expect(run.result).toMatchObject({ terminal_reason: 'completed', num_turns: 8 })
  })

  test('is counted also after a kill: the turn has no more attempts than without it, and a new prompt has all', async () => {
    const secrets = Array.from({ length: 9 }, () => SECRET)
    const attempts: number[] = []
    const counting: AnswerHook = ctx => (attempts.push(ctx.input.attempt), guard(ctx))
    const resumed = { resume: 'known', hooks: registry(all => all.on('PostModelResponse', counting)) }
    for (const [refused, prompt, expected] of [
      [1, '', [2, 3, 4]],
      [2, '', [3, 4]],
      [3, '', [4]],
      [2, 'another', [1, 2, 3, 4]]
    ] as const) {
      const run = await guarded([...secrets], { sessionId: 'known' })
      let left: number = refused
      cutBehind(run.project, ({ subtype }) => subtype === 'answer_withheld' && --left === 0)
      attempts.length = 0
      const again = await ask(secrets, { ...everything, ...resumed, in: run.project, prompt, watch: false })
      expect([attempts, again.result.terminal_reason]).toEqual([expected, 'response_blocked'])
    }
  })

  test('is counted also after a compaction and a kill', async () => {
    const look = ownTool('look', () => 'seen', true)
    const full = { text: SECRET, usage: { input_tokens: 900 } }
    const turns = [...Array.from({ length: 4 }, () => callTurn('look')), full, 'A summary.', SECRET, SECRET, SECRET]
    const run = await guarded(turns, { sessionId: 'known', contextWindow: 1000, tools: [look] })
    expect(run.result.terminal_reason).toBe('response_blocked')
    cutBehind(run.project, ({ subtype }) => subtype === 'compact_boundary')
    const again = await guarded(
      Array.from({ length: 9 }, () => SECRET),
      { in: run.project, resume: 'known', prompt: '' }
    )
    expect(again.sent).toHaveLength(3)
  })

  test('that is interrupted while it is streamed is not kept', async () => {
    const abortController = new AbortController()
    const cut = { text: SECRET, cutAfter: 3 }
    const run = await guarded([cut, cut], {
      abortController,
      each: message => void (message.type === 'system' && message.subtype === 'api_retry' && abortController.abort())
    })
    expect(run.result.terminal_reason).toBe('aborted_streaming')
    expect(holdsSecret([run.messages, run.seen, filesOf(run.project)])).toBe(false)
  })

  test('of a subagent is withheld from it, and from its parent', async () => {
    const agents = { scribe: { description: 'Writes.', prompt: 'I am the scribe.' } }
    const call = callTurn('Agent', { description: 'a task', prompt: 'write', subagent_type: 'scribe' })
    const run = await guarded([call, SECRET, 'Written.', 'Done.'], { agents })
    expect(run.result.result).toBe('Done.')
    expect(holdsSecret([run.messages, run.sent, run.seen, run.told, filesOf(run.project)])).toBe(false)
  })

  test('that is the summary of a compaction leaves the conversation as it is', async () => {
    const look = ownTool('look', () => 'seen', true)
    const full = { ...callTurn('look'), usage: { input_tokens: 900 } }
    const turns = [...Array.from({ length: 4 }, () => callTurn('look')), full, SECRET, 'Done.']
    const run = await guarded(turns, { tools: [look], contextWindow: 1000 })
    expect(run.result.result).toBe('Done.')
    expect(informed(run).join()).toContain('could not be summarised: it has a secret')
    expect(run.sent.at(-1)!.length).toBeGreaterThan(10)
    expect(holdsSecret([run.messages, run.seen, run.told, filesOf(run.project)])).toBe(false)
  })

  test('that a hook rewrites before another one refuses it is in no message about hooks', async () => {
    const hooks = registry(all => {
      all.on('PostModelResponse', ctx => {
        ctx.progress(words({ role: 'assistant', content: ctx.response.content }))
        const content = ctx.response.content.map(block =>
          block.type === 'text' ? { ...block, text: `${block.text}!` } : block
        )
        return { updatedInput: { ...ctx.response, content } }
      })
      all.on('PostModelResponse', guard)
    })
    const { messages } = await ask([SECRET, 'Done.'], { ...everything, hooks, watch: false })
    expect(ofType({ messages }, 'system').filter(({ subtype }) => subtype.startsWith('hook_')).length).toBeGreaterThan(
      5
    )
    expect(holdsSecret(messages)).toBe(false)
  })
})

describe('the gate closes', () => {
  const broken: readonly (readonly [string, AnswerHook, string])[] = [
    ['throws', ctx => Promise.reject(new Error(JSON.stringify(ctx.response))), 'threw'],
    ['gives no answer in time', () => new Promise(() => undefined), 'timeout'],
    ['gives a reply that is not valid', ctx => ({ decision: JSON.stringify(ctx.response) as 'deny' }), 'reply'],
    [
      'changes a call',
      ctx => void (ctx.response.content = [{ type: 'tool_use', id: 'x', name: 'y', input: {} }]),
      'rewrite'
    ],
    ['leaves nothing', ctx => void (ctx.response.content = [{ type: 'text', text: ' ' }]), 'rewrite'],
    ['changes messages', ctx => void ctx.messages.splice(0), 'messages']
  ]
  test.each(broken)(
    'when its hook %s: the answer is not shown, and the model is not asked again',
    async (_, run, kind) => {
      const hooks = registry(all => all.on('PostModelResponse', run, { name: 'guard', timeout: 0.05 }))
      const place = project()
      const { messages, result, sent } = await ask([SECRET, 'Done.'], { in: place, ...everything, hooks, watch: false })
      expect(sent).toHaveLength(1)
      expect(result).toMatchObject({
        terminal_reason: 'response_blocked',
        result: `The answer of the model was withheld: gate_failed:${kind}: the hook guard failed [guard]`
      })
      expect(holdsSecret([messages, filesOf(place)])).toBe(false)
    }
  )
})

describe('a changed answer', () => {
  const softly: AnswerHook = ctx => {
    const { content } = ctx.response
    ctx.response.content = content.map(block =>
      block.type === 'text' ? { ...block, text: block.text.replaceAll(SECRET, '…') } : block
    )
  }

  test('is what everyone sees, in pieces as well, and what the model reads later', async () => {
    const look = ownTool('look', () => 'seen', true)
    const turns = [{ text: `It is ${SECRET}.`, ...callTurn('look') }, `Once more: ${SECRET}.`]
    const run = await guarded(turns, { tools: [look] }, softly)
    expect(run.result.result).toBe('Once more: ….')
    expect(words(run.sent[1]![1]!)).toBe('It is ….')
    const pieces = ofType(run, 'stream_event').flatMap(({ event }) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : []
    )
    expect(pieces).toEqual(['It is ….', 'Once more: ….'])
    expect(holdsSecret([run.messages, run.sent, run.seen, run.told, filesOf(run.project)])).toBe(false)
  })

  test('is judged again', async () => {
    const loud: AnswerHook = ctx => void (ctx.response.content = [{ type: 'text', text: SECRET }])
    const hooks = registry(all => {
      all.on('PostModelResponse', guard, { name: 'guard' })
      all.on('PostModelResponse', loud)
    })
    const { result } = await ask(['Fine.', 'Fine.', 'Fine.', 'Fine.'], { hooks, watch: false })
    expect(result.terminal_reason).toBe('response_blocked')
  })
})

test('hooks see the whole answer, its usage and the number of the attempt', async () => {
  const turn = { thinking: 'hm', text: 'Look.', ...callTurn('look', {}, 'toolu_1'), usage: { output_tokens: 3 } }
  const { events } = await ask([turn, 'Done.'], { tools: [ownTool('look', () => 'seen', true)] })
  expect(inputsOf({ events }, 'PostModelResponse')).toMatchObject([
    {
      model: 'scripted',
      purpose: 'turn',
      attempt: 1,
      response: {
        content: [{ type: 'thinking' }, { type: 'text' }, { type: 'tool_use', name: 'look' }],
        stop_reason: 'tool_use'
      },
      usage: { output_tokens: 3 }
    },
    { attempt: 1, response: { content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' } }
  ])
})

test('matchers compare the name that was asked, whatever the provider calls itself', async () => {
  const script = scriptedModel([SECRET, 'Done.'], { name: 'claude-opus-5-5' })
  const dated: Model = {
    ...script,
    ask: async (...request) => ({ ...(await script.ask(...request)), model: 'claude-opus-5-5-20270101' })
  }
  const hooks = registry(all =>
    all.register({ name: 'guard', events: ['PostModelResponse'], matcher: 'claude-opus-5-5', run: guard })
  )
  const { result, messages } = await ask(dated, { hooks, watch: false })
  expect([result.result, holdsSecret(messages)]).toEqual(['Done.', false])
})

describe('holdOutput', () => {
  const kinds = ({ messages }: Awaited<ReturnType<typeof ask>>): string =>
    messages.flatMap(({ type }) => (type === 'stream_event' || type === 'assistant' ? [type] : [])).join()

  test('true: pieces come when the answer is complete; a failed attempt shows none', async () => {
    const turns = [{ text: 'One two.', cutAfter: 3 }, 'One two.']
    const asking = { includePartialMessages: true, watch: false, maxRetries: 1 }
    const streamed = await ask(turns, asking)
    const held = await ask(turns, { ...asking, holdOutput: true })
    const pieces = (run: typeof held): number => ofType(run, 'stream_event').length
    expect([pieces(streamed) - pieces(held), held.result.result]).toEqual([3, 'One two.'])
    expect(kinds(held)).toMatch(/^(stream_event,)+assistant$/)
  })

  test('false beside a hook that judges answers is an error at the start; an observer holds nothing', async () => {
    const judging = registry(all => all.on('PostModelResponse', guard))
    const { result } = await ask(['Done.'], { hooks: judging, holdOutput: false, watch: false })
    expect(result).toMatchObject({
      is_error: true,
      terminal_reason: 'turn_setup_failed',
      error_code: 'E_OPTION_INVALID'
    })
    const files = project()
    mkdirSync(join(files.home, '.claude'))
    writeFileSync(join(files.home, '.claude/settings.json'), JSON.stringify(commandOn('PostModelResponse', 'exit 0')))
    const fromFile = await ask(['Done.'], { in: files, holdOutput: false, watch: false })
    expect(fromFile.result.error_code).toBe('E_OPTION_INVALID')
    const watching = registry(all => all.on('PostModelResponse', guard, { observe: true }))
    expect((await ask(['Done.'], { hooks: watching, holdOutput: false })).result.result).toBe('Done.')
  })
})

test('the developer of a failed hook reads the sentences of the engine, which quote nothing', async () => {
  const said = async (hook: HookFunction<'PostModelResponse'>): Promise<string> => {
    const hooks = registry(all => all.on('PostModelResponse', hook, { name: 'guard', timeout: 0.05 }))
    return JSON.stringify((await ask(['PLANTED'], { hooks })).messages)
  }
  expect(await said(() => transform({ content: [] }))).toContain('failed: only the texts of an answer can be changed')
  expect(await said(() => ({ decision: 'ask' }))).toContain('failed: PostModelResponse cannot be answered with ask')
  expect(await said(() => new Promise(() => undefined))).toContain('failed: gave no answer within 0.05 s')
  const quoting: readonly AnswerHook[] = [
    () => Promise.reject(new Error('PLANTED cannot be answered with ask')),
    ctx => ({ decision: words({ role: 'assistant', content: ctx.response.content }) as 'deny' }),
    ctx =>
      void (ctx.response.content = [
        {
          type: 'text',
          get text(): string {
            throw new Error('PLANTED')
          }
        }
      ])
  ]
  for (const hook of quoting) expect(await said(hook)).not.toContain('PLANTED')
})

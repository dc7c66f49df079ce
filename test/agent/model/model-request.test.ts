/** PreModelRequest: what hooks do to a request before it is sent, and what they cannot do. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  deny,
  transform,
  type HookFunction,
  type HookRegistry,
  type Model,
  type Query,
  type QueryOptions
} from '../../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import {
  ask,
  callTurn,
  inputsOf,
  ofType,
  ownTool,
  project,
  registry,
  resultsIn,
  words
} from '../../support/agent-kit.ts'
import { commandOn, prints } from '../../support/command-settings.ts'
import { again, counting, cutBehind, first as begin, isOf } from '../session/resume-kit.ts'

type RequestHook = HookFunction<'PreModelRequest'>

const tools = [ownTool('look', () => 'seen', true), ownTool('put', () => 'put')]

/** A run with this hook on each request; the requests as the model got them. */
async function runWith(hook: RequestHook, turns: readonly TurnOrMaker[] = ['Done.'], options: QueryOptions = {}) {
  const model = scriptedModel(turns)
  const hooks = registry(all => all.on('PreModelRequest', hook, { name: 'steward' }))
  const run = await ask(model, { tools, allowedTools: ['look', 'put'], ...options, hooks })
  return { ...run, requests: model.requests.map(({ request }) => request) }
}

test('the request is shown as data, once for each step and not for a retry', async () => {
  const { events } = await ask([callTurn('look'), 'Done.'], {
    tools,
    systemPrompt: 'Be brief.',
    effort: 'medium',
    maxOutputTokens: 900
  })
  const [first, second, ...more] = inputsOf({ events }, 'PreModelRequest')
  expect(more).toEqual([])
  expect(first).toMatchObject({
    model: 'scripted',
    purpose: 'turn',
    request: { model: 'scripted', tools: ['look', 'put'], append: [], effort: 'medium', max_tokens: 900 }
  })
  expect(first!['request']).toMatchObject({ system: expect.stringContaining('Be brief.') })
  expect(second!['request']).toEqual(first!['request'])
})

test('what hooks change is what is sent: model, system prompt, tools, limits, further messages', async () => {
  const { requests, sent, messages, result } = await runWith(ctx => {
    Object.assign(ctx.request, { model: 'small', system: 'Short.', tools: ['look'], effort: 'low', max_tokens: 5 })
    ctx.request.append = [{ role: 'user', content: 'One step is left.' }]
  })
  expect(requests).toMatchObject([{ system: 'Short.', effort: 'low', maxTokens: 5 }])
  expect(requests[0]!.tools.map(({ name }) => name)).toEqual(['look'])
  expect(sent[0]!.map(words)).toEqual(['go', 'One step is left.'])
  expect(ofType({ messages }, 'assistant')[0]!.message.model).toBe('small')
  expect(Object.keys(result.modelUsage)).toEqual(['small'])
})

test('each step starts from the session’s own request; added messages stay in the conversation', async () => {
  let step = 0
  const { requests, sent } = await runWith(
    ctx => {
      if (++step === 1) Object.assign(ctx.request, { model: 'small', append: [{ role: 'user', content: 'Hurry.' }] })
    },
    [callTurn('look'), 'Done.']
  )
  expect(requests[1]!.tools).toHaveLength(2)
  expect(sent[1]!.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'user'])
  expect(words(sent[1]![1]!)).toBe('Hurry.')
})

test('a deny ends the turn with its reason, and the model is not asked', async () => {
  const { result, sent, names } = await runWith(() => deny('not on Sundays'))
  expect(sent).toEqual([])
  expect(result).toMatchObject({
    subtype: 'error_during_execution',
    terminal_reason: 'request_blocked',
    is_error: true,
    result: 'The model was not asked: not on Sundays [steward]'
  })
  expect(names).not.toContain('PostModelResponse')
  expect(names.slice(-2)).toEqual(['AgentStop', 'SessionEnd'])
})

test('a step can be refused after others have run', async () => {
  let step = 0
  const { result, sent } = await runWith(
    () => (++step > 1 ? deny('one step is enough') : undefined),
    [callTurn('look'), 'Done.']
  )
  expect([sent.length, result.terminal_reason, result.num_turns]).toEqual([1, 'request_blocked', 2])
})

test('hooks that judged before a change judge again: what is sent is what was judged', async () => {
  const hooks = registry(all => {
    all.on('PreModelRequest', ctx => (ctx.request.model === 'large' ? deny('too dear') : undefined), { name: 'thrift' })
    all.on('PreModelRequest', () => transform({ model: 'large' }), { name: 'ambition' })
  })
  const { result, sent } = await ask(['Done.'], { hooks })
  expect([sent, result.result]).toEqual([[], 'The model was not asked: too dear [thrift]'])
})

describe('the model that is sent is the one that was judged', () => {
  /** As providers do: a short name, and the one that the server knows. */
  const aliased = (turns: readonly string[] = ['Done.']): Model => {
    const sibling = (name: string): Model =>
      scriptedModel(turns, { name: name === 'haiku' ? 'claude-haiku-5-5' : name })
    return { ...scriptedModel(turns), sibling }
  }

  test('a short name is resolved before other hooks see it', async () => {
    const seen: unknown[] = []
    const hooks = registry(all => {
      all.on('PreModelRequest', ctx => void seen.push(ctx.request.model, ctx.input.model))
      all.on('PreModelRequest', ctx => void (ctx.request.model = 'haiku'))
    })
    const { messages } = await ask(aliased(), { hooks })
    expect(seen).toEqual(['scripted', 'scripted', 'claude-haiku-5-5', 'claude-haiku-5-5'])
    expect(ofType({ messages }, 'assistant')[0]!.message.model).toBe('claude-haiku-5-5')
  })

  test.each(['before', 'after'])('a gate on a model that a hook chose, added %s it, is asked', async order => {
    const choose = (all: HookRegistry) =>
      all.on('PreModelRequest', ctx => (ctx.rejudge ? undefined : transform({ model: 'claude-haiku-5-5' })))
    const refuse = (all: HookRegistry) =>
      all.on('PreModelRequest', 'claude-haiku-5-5', () => deny('no haiku'), { name: 'gate' })
    const hooks = registry(all => (order === 'before' ? [refuse, choose] : [choose, refuse]).map(add => add(all)))
    const { result } = await ask(aliased(), { hooks })
    expect(result.result).toBe('The model was not asked: no haiku [gate]')
  })

  test('what such a gate restricts counts, and hooks before it judge the result', async () => {
    const seen: unknown[] = []
    const hooks = registry(all => {
      all.on('PreModelRequest', ctx => (ctx.rejudge ? void seen.push(ctx.request) : transform({ model: 'small' })))
      all.on('PreModelRequest', 'small', ctx => void (ctx.request.max_tokens = 5))
    })
    const model = scriptedModel(['Done.'])
    await ask(model, { hooks })
    expect(model.requests[0]!.request.maxTokens).toBe(5)
    expect(seen).toMatchObject([{ model: 'small', max_tokens: 5 }])
  })

  test('also if the model of the session is changed while a hook thinks', async () => {
    const [one, other] = [scriptedModel(['of one']), scriptedModel(['of the other'], { name: 'other' })]
    let running: Query | undefined
    const hooks = registry(all =>
      all.on('PreModelRequest', async ctx => {
        if (ctx.rejudge) return
        await running?.setModel(other)
        ctx.request.effort = 'low'
      })
    )
    const { result } = await ask(one, { hooks, steer: started => (running = started) })
    expect([result.result, one.requests.length, other.requests.length]).toEqual(['of one', 1, 0])
  })

  test.each(['', ' ', 'openai/gpt-9', 'https://127.0.0.1:9/v1#x', 'script:other.yaml'])(
    'the name %j is refused',
    async name => {
      const hooks = registry(all => all.on('PreModelRequest', ctx => void (ctx.request.model = name)))
      const { messages, result } = await ask({ ...aliased(), provider: 'anthropic' }, { hooks })
      expect(result.terminal_reason).toBe('request_blocked')
      expect(JSON.stringify(messages)).toContain('is not the name of another model of the same provider')
    }
  )
})

test('a call of a tool that was left out does not run', async () => {
  let ran = 0
  const put = ownTool('put', () => ++ran)
  const { sent } = await runWith(ctx => void (ctx.request.tools = ['look']), [callTurn('put'), 'Done.'], {
    tools: [tools[0]!, put]
  })
  expect(ran).toBe(0)
  expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: 'No such tool: put. There are: look' }])
})

test('a call of a tool that was left out does not run after a kill either', async () => {
  const { tools: own, begun } = counting()
  const place = project()
  const asking = () => ({
    tools: own,
    allowedTools: ['write'],
    hooks: registry(all => all.on('PreModelRequest', () => transform({ tools: ['look'] })))
  })
  await begin(place, [callTurn('write'), 'Done.'], asking())
  cutBehind(place, isOf('assistant'))
  const { sent } = await again(place, ['Done.'], { ...asking(), prompt: '' })
  expect(resultsIn(sent[0]!)[0]!.text).toBe('No such tool: write. There are: look')
  expect(begun).toEqual([])
})

test('a part of a request that is not accepted is named', async () => {
  for (const [part, problem] of [
    [{ tools: ['Evil'] }, 'request.tools can only leave out tools: Evil is not offered, or named twice'],
    [{ max_tokens: -1 }, 'request.max_tokens should be'],
    [{ effort: 'ultra' }, 'request.effort should be']
  ] as const)
    expect(JSON.stringify((await runWith(() => transform(part))).messages)).toContain(problem)
})

describe('the gate closes', () => {
  const cases: readonly (readonly [string, RequestHook, RegExp])[] = [
    ['when its hook throws', () => Promise.reject(new Error('down')), /gate_failed:threw/],
    ['on a reply that is not valid', () => ({ decision: 'maybe' as 'deny' }), /gate_failed:reply/],
    ['on a question', () => ({ decision: 'ask' }), /gate_failed:decision/],
    ['on an unknown tool', ctx => void (ctx.request.tools = ['Fly']), /gate_failed:rewrite/],
    ['on an unknown key', ctx => void Object.assign(ctx.request, { baseUrl: 'https://x' }), /gate_failed:rewrite/],
    ['on an effort that does not exist', () => transform({ effort: 'heroic' }), /gate_failed:rewrite/],
    ['on a limit that is no number', () => transform({ max_tokens: 'many' }), /gate_failed:rewrite/],
    [
      'on a message of the model',
      () => transform({ append: [{ role: 'assistant', content: 'Yes.' }] }),
      /gate_failed:rewrite/
    ],
    ['when messages would be dropped', ctx => void ctx.messages.splice(0), /gate_failed:messages/]
  ]
  test.each(cases)('%s', async (_, hook, reason) => {
    const { result, sent } = await runWith(hook)
    expect(sent).toEqual([])
    expect(result).toMatchObject({ terminal_reason: 'request_blocked', result: expect.stringMatching(reason) })
  })

  test('when its hook gives no answer in time, and onFailure: continue opens it', async () => {
    const outcome = async (onFailure: 'block' | 'continue') => {
      const hooks = registry(all =>
        all.on('PreModelRequest', () => new Promise(() => undefined), { timeout: 0.01, onFailure })
      )
      return (await ask(['Done.'], { hooks })).result.terminal_reason
    }
    expect([await outcome('block'), await outcome('continue')]).toEqual(['request_blocked', 'completed'])
  })

  test('on a model without a price where there is a budget, and where there is no other model', async () => {
    const other: RequestHook = ctx => void (ctx.request.model = 'small')
    const price = { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 }
    const priced = { ...scriptedModel(['Done.']), price, sibling: (name: string) => scriptedModel([], { name }) }
    const alone = { ...scriptedModel(['Done.']), sibling: undefined }
    for (const [model, why] of [
      [priced, 'the price of small'],
      [alone, 'no other models']
    ] as const) {
      const hooks = registry(all => all.on('PreModelRequest', other))
      const { messages, result } = await ask(model as never, { hooks, ...(model === priced && { maxBudgetUsd: 1 }) })
      expect(result.terminal_reason).toBe('request_blocked')
      expect(JSON.stringify(messages)).toContain(why)
    }
  })
})

describe('a hook in a file', () => {
  const reply = (updatedInput: object) =>
    commandOn('PreModelRequest', prints({ hookSpecificOutput: { hookEventName: 'PreModelRequest', updatedInput } }))

  async function runFrom(owner: 'project' | 'module of the project' | 'user', updatedInput: object) {
    const isModule = owner === 'module of the project'
    const settings = JSON.stringify(isModule ? { carabiner: { modules: ['m.mjs'] } } : reply(updatedInput))
    const code = `export default all => all.on('PreModelRequest', () => (${JSON.stringify({ updatedInput })}))`
    const place = project(owner === 'user' ? {} : { '.claude/settings.json': settings, 'm.mjs': code })
    mkdirSync(join(place.home, '.claude'), { recursive: true })
    if (owner === 'user') writeFileSync(join(place.home, '.claude/settings.json'), settings)
    const model = scriptedModel(['Done.'])
    const options = { in: place, trust: true, tools, effort: 'medium', maxOutputTokens: 900 } as const
    const { result } = await ask(model, options)
    return { reason: result.terminal_reason, request: model.requests[0]?.request, text: result.result }
  }

  test.each([
    ['limit', { max_tokens: 5000 }],
    ['effort', { effort: 'low' }]
  ])('of a project cannot set a %s where none is set', async (_, updatedInput) => {
    const place = project({ '.claude/settings.json': JSON.stringify(reply(updatedInput)) })
    expect((await ask(['Done.'], { in: place, trust: true })).result.terminal_reason).toBe('request_blocked')
    const anthropic = { ...scriptedModel(['Done.']), provider: 'anthropic' }
    const { result } = await ask(anthropic, { in: place, trust: true })
    // Anthropic is known to use more effort than this.
    expect(result.terminal_reason).toBe('effort' in updatedInput ? 'completed' : 'request_blocked')
  })

  test('restricts beside another one: both restrictions count, and no conflict is reported', async () => {
    const one = {
      model: 'small',
      tools: ['look'],
      max_tokens: 50,
      effort: 'low',
      append: [{ role: 'user', content: 'One.' }]
    }
    const two = { tools: ['put'], max_tokens: 500, effort: 'medium', append: [{ role: 'user', content: 'Two.' }] }
    const rules = [one, two].flatMap(each => (reply(each).hooks as Record<string, object[]>)['PreModelRequest']!)
    const both = { hooks: { PreModelRequest: rules } }
    const place = project()
    mkdirSync(join(place.home, '.claude'), { recursive: true })
    writeFileSync(join(place.home, '.claude/settings.json'), JSON.stringify(both))
    const model = scriptedModel(['Done.'])
    const { sent, messages } = await ask(model, { in: place, tools, effort: 'high', maxOutputTokens: 900 })
    expect(model.requests[0]!.request).toMatchObject({ tools: [], maxTokens: 50, effort: 'low' })
    expect(ofType({ messages }, 'assistant')[0]!.message.model).toBe('small')
    expect(sent[0]!.map(words)).toEqual(['go', 'One.', 'Two.'])
    expect(JSON.stringify(messages)).not.toContain('both changed')
  })

  test.each([
    ['fewer tools', { tools: ['look'] }, { tools: [{ name: 'look' }] }],
    ['a lower limit', { max_tokens: 10 }, { maxTokens: 10 }],
    ['less effort', { effort: 'low' }, { effort: 'low' }]
  ])('of a project may ask for %s', async (_, updatedInput, request) => {
    for (const owner of ['project', 'module of the project'] as const)
      expect(await runFrom(owner, updatedInput)).toMatchObject({ reason: 'completed', request })
  })

  test.each([
    ['another model', { model: 'small' }],
    ['another system prompt', { system: 'Obey.' }],
    ['a further message', { append: [{ role: 'user', content: 'Obey.' }] }],
    ['a higher limit', { max_tokens: 1000 }],
    ['more effort', { effort: 'max' }]
  ])('of a project cannot ask for %s; a hook of the user can', async (_, updatedInput) => {
    for (const owner of ['project', 'module of the project'] as const) {
      const refused = await runFrom(owner, updatedInput)
      expect(refused).toMatchObject({ reason: 'request_blocked', request: undefined })
      expect(refused.text).toContain('gate_failed:rewrite')
    }
    expect(await runFrom('user', updatedInput)).toMatchObject({ reason: 'completed' })
  })
})

test('requests of subagents pass the same gate, and an agent that works for a hook is part of the hook', async () => {
  const agents = { scribe: { description: 'Writes.', prompt: 'I am the scribe.' } }
  const call = callTurn('Agent', { description: 'a task', prompt: 'write', subagent_type: 'scribe' })
  const hooks = registry(all =>
    all.on('PreModelRequest', ctx => (ctx.input.agent_type === 'scribe' ? deny('no scribes today') : undefined))
  )
  const { sent } = await ask([call, 'Done.'], { agents, hooks })
  expect(sent).toHaveLength(2)
  expect(resultsIn(sent[1]!)[0]!.text).toContain('no scribes today')
})

test('no agent can have the name of those that work for hooks, whom the gates do not judge', async () => {
  const call = callTurn('Agent', { description: 'a task', prompt: 'write', subagent_type: 'hook' })
  const options = { agents: { hook: { description: 'Writes.', prompt: 'I am no hook.' } } }
  expect((await ask([call, 'Done.'], options)).result.error_code).toBe('E_OPTION_INVALID')
  const told: string[] = []
  const place = project({ '.claude/agents/hook.md': '---\nname: hook\ndescription: Writes.\n---\nI am no hook.\n' })
  const { systems } = await ask([call, 'Done.'], { in: place, trust: true, stderr: text => void told.push(text) })
  expect(systems.join()).not.toContain('I am no hook.')
  expect(told.join()).toContain('an agent hook is ignored')
})

/** Resumed subagents: by their own class, and through the Agent tool. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SubAgent, type TranscriptStore } from '../../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import { ask, callTurn, inputsOf, project, type Project, registry, resultsIn } from '../../support/agent-kit.ts'
import { again, counting, cutBehind, first, isOf, logOf } from '../session/resume-kit.ts'

const helper = { description: 'helps', prompt: 'Help.' }
const agents = { helper: { ...helper, tools: ['write', 'look'] } }
const task = (more: Record<string, unknown> = {}, id = 'toolu_a') =>
  callTurn('Agent', { description: 'help', prompt: 'do it', subagent_type: 'helper', ...more }, id)

/** The id of the agent that a result names. */
const agentIn = (text: string): string => /agentId: (\w+)/.exec(text)![1]!

describe('SubAgent.resume', () => {
  const make = (place: Project, turns: readonly TurnOrMaker[]) => {
    const model = scriptedModel(turns)
    return {
      model,
      options: { cwd: place.cwd, env: place.env, model, tools: counting().tools, allowedTools: ['write', 'look'] }
    }
  }

  // F173, F174, F175
  test('keeps the id, and continues from what someone kept', async () => {
    const place = project()
    const one = make(place, [callTurn('look'), 'Done.'])
    const agent = new SubAgent(helper, one.options)
    await agent.run('look at it')
    const transcript = agent.transcript()
    expect(transcript.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] })
    await agent.close()

    const two = make(place, ['More.'])
    const resumed = SubAgent.resume(agent.id, helper, { ...two.options, transcript })
    expect(resumed.id).toBe(agent.id)
    const result = await resumed.run('and then')
    expect(result).toMatchObject({ id: agent.id, content: 'More.', success: true })
    expect(two.model.requests[0]!.request.messages.slice(0, 5)).toEqual([
      ...transcript,
      { role: 'user', content: 'and then' }
    ])
    expect(resumed.transcript().slice(0, 4)).toEqual(transcript)
    expect(agent.transcript()).toEqual(transcript)
    await resumed.close()
  })

  // F183
  test('calls that had no results get some', async () => {
    const place = project()
    const { model, options } = make(place, ['I see.'])
    const transcript = [
      { role: 'user', content: 'go' } as const,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'write', input: {} }] } as const
    ]
    const agent = SubAgent.resume('a1', helper, { ...options, transcript })
    await agent.run('go on')
    expect(resultsIn(model.requests[0]!.request.messages)).toMatchObject([{ id: 'toolu_1', isError: true }])
    await agent.close()
  })

  test('from its store; while it runs, no one else has it', async () => {
    const place = project()
    const one = make(place, ['Done.', 'More.'])
    const agent = new SubAgent(helper, { ...one.options, persistSession: true })
    await agent.run('look at it')
    const early = SubAgent.resume(agent.id, helper, make(place, []).options)
    await expect(early.run('x')).rejects.toThrow(/is running: process/)
    await early.close()
    await agent.close()
    const two = make(place, ['More.'])
    const resumed = SubAgent.resume(agent.id, helper, two.options)
    expect((await resumed.run('and then')).content).toBe('More.')
    expect(two.model.requests[0]!.request.messages.slice(0, 2)).toEqual(agent.transcript())
    await resumed.close()
    const unknown = SubAgent.resume('anobody', helper, make(place, []).options)
    await expect(unknown.run('x')).rejects.toThrow(/no session anobody/)
    await unknown.close()
  })
})

describe('the Agent tool', () => {
  const { tools: own } = counting()
  const options = { agents, tools: [...own, 'Agent'], allowedTools: ['write', 'look'] }

  // F176, F180, F181
  test.each(['resume', 'resume_agent_id'])('%s: an agent that has worked before continues', async key => {
    const run = await ask(
      [
        task(),
        callTurn('look'),
        'First.',
        request => task({ [key]: agentIn(resultsIn(request.messages)[0]!.text), prompt: 'and then' }, 'toolu_b'),
        'Second.',
        'End.'
      ],
      options
    )
    const [one, two] = resultsIn(run.sent.at(-1)!)
    expect(one!.text).toContain('First.')
    expect(two!.text).toContain('Second.')
    expect(agentIn(two!.text)).toBe(agentIn(one!.text))
    expect(run.sent[4]!.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
    expect(run.sent[4]!.at(-1)).toEqual({ role: 'user', content: 'and then' })
    expect(inputsOf(run, 'SubagentStart')).toHaveLength(2)
    expect(inputsOf(run, 'SubagentStop')).toHaveLength(2)
  })

  // F180
  test('also after it failed', async () => {
    const run = await ask(
      [
        task(),
        { fail: { status: 400 } },
        request => task({ resume: agentIn(resultsIn(request.messages)[0]!.text), prompt: 'try again' }, 'toolu_b'),
        'Now.',
        'End.'
      ],
      options
    )
    expect(resultsIn(run.sent.at(-1)!)).toMatchObject([
      { isError: true },
      { isError: false, text: expect.stringContaining('Now.') }
    ])
  })

  // F177
  describe('starts no one, and says why', () => {
    const failing: TranscriptStore = {
      append: async () => undefined,
      load: async key => {
        if (key.subpath === undefined) return undefined
        throw new Error('the database is gone')
      }
    }
    test.each([
      ['nothing is kept', { sessionStore: false as const }, 'keeps no transcripts of agents'],
      ['there is no such agent', {}, 'There is no agent anobody'],
      ['the store fails', { sessionStore: failing }, 'the database is gone']
    ])('%s', async (_name, more, words) => {
      const run = await ask([task({ resume: 'anobody' }), 'End.'], { ...options, ...more })
      expect(resultsIn(run.sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining(words) }])
      expect(inputsOf(run, 'SubagentStart')).toEqual([])
    })

    test('two names for two agents', async () => {
      const run = await ask([task({ resume: 'a1', resume_agent_id: 'a2' }), 'End.'], options)
      expect(resultsIn(run.sent[1]!)).toMatchObject([
        { isError: true, text: expect.stringContaining('give one of them') }
      ])
    })

    // F183
    test('it is already running', async () => {
      const { promise, resolve } = Promise.withResolvers<string>()
      const turn: TurnOrMaker = request =>
        // The agent in the background waits until its parent has tried to call it again.
        request.messages[0]!.content === 'do it'
          ? promise
          : resultsIn(request.messages).length === 0
            ? task({ run_in_background: true })
            : resultsIn(request.messages).length === 1
              ? task({ resume: /as (a\w+)/.exec(resultsIn(request.messages)[0]!.text)![1]! }, 'toolu_b')
              : (resolve('Done.'), 'End.')
      const run = await ask(scriptedModel([turn], { repeatLast: true }), options)
      expect(resultsIn(run.sent.at(-1)!).at(-1)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/Agent a\w+ is already running \(helper: help\)/)
      })
    })
  })

  test('one that was at work when we were ended continues with what it did; its calls are not made twice', async () => {
    const place = project()
    const { begun, tools: mine } = counting()
    const more = { agents, tools: [...mine, 'Agent'], allowedTools: ['write', 'look'] }
    await first(place, [task(), callTurn('write', {}, 'toolu_w'), 'First.', 'End.'], more)
    cutBehind(place, line => line['subtype'] === 'subagent_started')
    const id = agentOf(place)
    cutBehind(place, isOf('tool-intent'), `known/subagents/agent-${id}`)
    const two = await again(place, ['Went on.', 'End.'], { ...more, prompt: '' })
    expect(begun).toEqual(['write'])
    expect(resultsIn(two.sent[0]!)).toMatchObject([
      { id: 'toolu_w', text: expect.stringContaining('may have partly or fully completed') }
    ])
    expect(two.result.result).toBe('End.')
    expect(resultsIn(two.sent.at(-1)!)[0]!.text).toContain(`agentId: ${id}`)
  })

  test('both logs tell who works for whom', async () => {
    const place = project()
    await first(place, [task(), 'First.', 'End.'], { ...options, hooks: registry() })
    const id = agentOf(place)
    const text = readFileSync(join(logOf(place).replace('.jsonl', ''), 'subagents', `agent-${id}.jsonl`), 'utf8')
    expect(JSON.parse(text.split('\n')[0]!)).toMatchObject({
      type: 'system',
      subtype: 'subagent',
      agentId: id,
      agentType: 'helper',
      toolUseId: 'toolu_a',
      depth: 1,
      isSidechain: true
    })
  })
})

/** The subagent that the log of the main agent names. */
function agentOf(place: Project): string {
  const line = readFileSync(logOf(place), 'utf8')
    .split('\n')
    .find(text => text.includes('subagent_started'))
  expect(line).toBeDefined()
  return String((JSON.parse(line!) as { subagentId: string }).subagentId)
}

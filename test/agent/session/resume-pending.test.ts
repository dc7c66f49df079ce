/** Calls with a pending decision, across a restart. */
import { describe, expect, test } from 'vitest'
import type { CanUseTool } from '../../../src/index.ts'
import { callTurn, inputsOf, ofType, project, registry, resultsIn } from '../../support/agent-kit.ts'
import { again, counting, cutBehind, first, isOf, logLines, logOf } from './resume-kit.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { seal } from '../../../src/lib/transcript/seal.ts'

const threeCalls = {
  calls: [
    { name: 'write', input: {}, id: 'toolu_1' },
    { name: 'write', input: {}, id: 'toolu_2' },
    { name: 'write', input: {}, id: 'toolu_3' }
  ]
}

/** Answers by the id of the call. */
const answering =
  (answers: Record<string, 'allow' | 'deny'>, asked: string[] = []): CanUseTool =>
  async (_tool, _input, { toolUseID }) => {
    asked.push(toolUseID)
    return answers[toolUseID] === 'allow' ? { behavior: 'allow' } : { behavior: 'deny', message: 'no' }
  }

describe('a question that was open when we were ended', () => {
  // FM60
  test('is put again, on the id of its call; what was decided before stays', async () => {
    const place = project()
    const { begun, tools } = counting()
    const canUseTool = answering({ toolu_1: 'allow', toolu_2: 'allow', toolu_3: 'allow' })
    await first(place, [threeCalls, 'Done.'], { tools, canUseTool })
    // As if the process had died while a person was asked about the second call.
    cutBehind(place, line => line['type'] === 'tool-pending' && line['toolUseId'] === 'toolu_2')
    begun.length = 0
    const asked: string[] = []
    const two = await again(place, ['I see.'], {
      tools,
      prompt: '',
      canUseTool: answering({ toolu_2: 'deny', toolu_3: 'allow' }, asked)
    })
    expect(asked).toEqual(['toolu_2', 'toolu_3'])
    expect(begun).toEqual(['write'])
    expect(resultsIn(two.sent[0]!)).toMatchObject([
      { id: 'toolu_1', text: 'write done' },
      { id: 'toolu_2', isError: true, text: expect.stringContaining('denied: no [') },
      { id: 'toolu_3', text: 'write done' }
    ])
  })

  test('hooks that had answered are not asked again, unless others have come', async () => {
    const place = project()
    const { tools } = counting()
    const hooks = () =>
      registry(all => all.on('PreToolUse', () => ({ decision: 'ask', reason: 'look at it' }), { name: 'asker' }))
    const canUseTool = answering({ toolu_w: 'allow' })
    await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], { tools, canUseTool, hooks: hooks() })
    cutBehind(place, isOf('tool-pending'))
    const log = readFileSync(logOf(place), 'utf8')
    const two = await again(place, ['I see.'], { tools, canUseTool, hooks: hooks(), prompt: '' })
    expect(inputsOf(two, 'PreToolUse')).toEqual([])
    expect(resultsIn(two.sent[0]!)).toMatchObject([{ text: 'write done' }])
    writeFileSync(logOf(place), log)
    const stricter = hooks()
    stricter.on('PreToolUse', () => ({ decision: 'deny', reason: 'not any more' }), { name: 'newcomer' })
    const three = await again(place, ['I see.'], { tools, canUseTool, hooks: stricter, prompt: '' })
    expect(resultsIn(three.sent[0]!)).toMatchObject([{ isError: true, text: expect.stringContaining('not any more') }])
  })

  test('a line that someone else has written does not keep hooks from being asked', async () => {
    const place = project()
    const { tools } = counting()
    const hooks = () =>
      registry(all => all.on('PreToolUse', () => ({ decision: 'ask', reason: 'look' }), { name: 'asker' }))
    const canUseTool = answering({ toolu_w: 'allow' })
    await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], { tools, canUseTool, hooks: hooks() })
    cutBehind(place, isOf('tool-pending'))
    const lines = readFileSync(logOf(place), 'utf8').trimEnd().split('\n')
    const forged = seal({ ...(JSON.parse(lines.at(-1)!) as { type: string }), forged: true }, lines.length)
    writeFileSync(logOf(place), `${lines.slice(0, -1).join('\n')}\n${forged.toString()}`)
    const two = await again(place, ['I see.'], { tools, canUseTool, hooks: hooks(), prompt: '' })
    expect(inputsOf(two, 'PreToolUse')).toHaveLength(1)
  })

  test('someone is asked though a rule would allow it by now', async () => {
    const place = project()
    const { begun, tools } = counting()
    const hooks = () => registry(all => all.on('PreToolUse', () => ({ decision: 'ask' }), { name: 'asker' }))
    const canUseTool = answering({ toolu_w: 'allow' })
    await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], { tools, canUseTool, hooks: hooks() })
    cutBehind(place, isOf('tool-pending'))
    begun.length = 0
    await again(place, ['I see.'], { tools, allowedTools: ['write'], hooks: hooks(), prompt: '' })
    expect(begun).toEqual([])
  })

  // Nothing in a log is a yes.
  test('is a no where no one can be asked now, whatever the log says', async () => {
    const place = project()
    const { begun, tools } = counting()
    await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], {
      tools,
      canUseTool: answering({ toolu_w: 'allow' })
    })
    cutBehind(place, isOf('tool-pending'))
    begun.length = 0
    const two = await again(place, ['I see.'], { tools, prompt: '' })
    expect(begun).toEqual([])
    expect(resultsIn(two.sent[0]!)).toMatchObject([
      { isError: true, text: expect.stringContaining('no one was available to approve it') }
    ])
    expect(ofType(two, 'system')).toContainEqual(
      expect.objectContaining({ subtype: 'permission_denied', decision_reason_type: 'default' })
    )
  })

  test('stays open when the session is closed, and is answered as undecided by whoever asks something else', async () => {
    const place = project()
    const { begun, tools } = counting()
    const abortController = new AbortController()
    const one = await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], {
      tools,
      abortController,
      canUseTool: async () => {
        abortController.abort()
        return new Promise(() => undefined)
      }
    })
    expect(one.result.terminal_reason).toBe('aborted_tools')
    expect(logLines(place).filter(line => JSON.stringify(line).includes('tool_result'))).toEqual([])
    const log = readFileSync(logOf(place), 'utf8')
    const asked: string[] = []
    const two = await again(place, ['I see.'], {
      tools,
      prompt: '',
      canUseTool: answering({ toolu_w: 'allow' }, asked)
    })
    expect(asked).toEqual(['toolu_w'])
    expect(resultsIn(two.sent[0]!)).toMatchObject([{ text: 'write done' }])
    expect(begun).toEqual(['write'])
    writeFileSync(logOf(place), log)
    const three = await again(place, ['I see.'], { tools })
    expect(resultsIn(three.sent[0]!)).toMatchObject([
      { isError: true, text: expect.stringContaining('No decision was made') }
    ])
    expect(begun).toEqual(['write'])
  })
})

describe('calls that a hook puts off', () => {
  const deferring = (decide: (id: string) => 'defer' | 'allow' | 'deny') =>
    registry(all =>
      all.on('PreToolUse', 'write', ctx => ({ decision: decide(String(ctx.input.tool_use_id)), reason: 'said so' }))
    )

  test('any number of them wait, and each is asked about again', async () => {
    const place = project()
    const { begun, tools } = counting()
    const one = await first(place, [threeCalls, 'Done.'], {
      tools,
      hooks: deferring(id => (id === 'toolu_2' ? 'allow' : 'defer'))
    })
    expect(one.result).toMatchObject({
      terminal_reason: 'tool_deferred',
      deferred_tool_use: { id: 'toolu_1' },
      deferred_tool_uses: [{ id: 'toolu_1' }, { id: 'toolu_3' }]
    })
    expect(begun).toEqual(['write'])
    const two = await again(place, ['never'], {
      tools,
      prompt: '',
      hooks: deferring(id => (id === 'toolu_1' ? 'deny' : 'defer'))
    })
    expect(two.result).toMatchObject({ terminal_reason: 'tool_deferred', deferred_tool_use: { id: 'toolu_3' } })
    const three = await again(place, ['I see.'], { tools, prompt: '', hooks: deferring(() => 'allow') })
    expect(inputsOf(three, 'PreToolUse')).toMatchObject([{ tool_use_id: 'toolu_3' }])
    expect(resultsIn(three.sent[0]!)).toMatchObject([
      { id: 'toolu_1', isError: true },
      { id: 'toolu_2', text: 'write done' },
      { id: 'toolu_3', text: 'write done' }
    ])
    expect(begun).toEqual(['write', 'write'])
  })

  test('within a subagent, the call that it works for waits, too, and it continues from there', async () => {
    const place = project()
    const { begun, tools: own } = counting()
    const tools = [...own, 'Agent']
    const agents = { helper: { description: 'helps', prompt: 'Help.', tools: ['write'] } }
    const task = callTurn('Agent', { description: 'help', prompt: 'write it', subagent_type: 'helper' }, 'toolu_a')
    const one = await first(place, [task, callTurn('write', {}, 'toolu_w')], {
      tools,
      agents,
      hooks: deferring(() => 'defer')
    })
    expect(one.result).toMatchObject({
      terminal_reason: 'tool_deferred',
      deferred_tool_use: { id: 'toolu_a', name: 'Agent' }
    })
    expect(begun).toEqual([])
    const two = await again(place, ['Written.', 'All done.'], {
      tools,
      agents,
      prompt: '',
      hooks: deferring(() => 'allow')
    })
    expect(begun).toEqual(['write'])
    expect(two.result.result).toBe('All done.')
    const [first_, second] = two.sent
    expect(resultsIn(first_!)).toMatchObject([{ id: 'toolu_w', text: 'write done' }])
    expect(first_![0]).toEqual({ role: 'user', content: 'write it' })
    expect(resultsIn(second!)).toMatchObject([{ id: 'toolu_a', text: expect.stringContaining('Written.') }])
    expect(ofType({ messages: two.messages }, 'result')).toHaveLength(1)
  })
})

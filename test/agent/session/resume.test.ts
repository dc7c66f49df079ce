/** A session that continues: what the model is sent, what runs, what hooks hear. */
import { readFileSync, writeFileSync } from 'node:fs'
import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type HookRegistry } from '../../../src/index.ts'
import { ask, callTurn, inputsOf, project, registry, resultsIn } from '../../support/agent-kit.ts'
import { again, counting, cutBehind, first, isOf, logLines, logOf } from './resume-kit.ts'
import { repetitions } from '../../support/seed.ts'

// F175
test('the model is sent all that was said before, then the new prompt', async () => {
  const place = project()
  const tools = { tools: counting().tools, allowedTools: ['write', 'look'] }
  const one = await first(place, [{ text: 'I look.', ...callTurn('look') }, 'Done.'], tools)
  const two = await again(place, ['Yes.'], tools)
  expect(two.result).toMatchObject({ result: 'Yes.', session_id: 'known' })
  expect(two.sent[0]).toEqual([
    ...one.sent[1]!,
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    { role: 'user', content: 'and now' }
  ])
  expect(inputsOf(two, 'SessionStart')).toMatchObject([{ source: 'resume', session_id: 'known' }])
  const three = await again(place, ['Again.'])
  expect(three.sent[0]!.slice(0, -2)).toEqual(two.sent[0])
  const lines = logLines(place)
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_line, at) => at + 1))
  for (const [at, line] of lines.entries()) expect(line['parentUuid']).toBe(at === 0 ? null : lines[at - 1]!['uuid'])
})

const prompts = (...texts: readonly string[]) =>
  (async function* () {
    for (const content of texts) yield { type: 'user', message: { role: 'user', content } } as const
  })()

/** Hooks that add to the conversation, change it, refuse, and send back, by what is in the input. */
function busyHooks(): HookRegistry {
  return registry(hooks => {
    hooks.on('PreToolUse', 'write', ctx => {
      const { say } = ctx.toolInput as { say?: string }
      if (say === 'deny') return { decision: 'deny', reason: 'not this' }
      return say === 'context' ? { additionalContext: 'mind the gap' } : undefined
    })
    hooks.on('PostToolUse', ctx => {
      const { say } = ctx.toolInput as { say?: string }
      if (say === 'drop') ctx.messages.splice(0, 1)
      if (say === 'push') ctx.messages.push({ role: 'user', content: 'pushed by a hook' })
      if (say === 'insert') ctx.messages.splice(1, 0, { role: 'user', content: 'put between' })
      return say === 'tell' ? { systemMessage: 'told', additionalContext: 'and more' } : undefined
    })
    let sent = 0
    hooks.on('Stop', ctx =>
      ctx.input.last_assistant_message === 'Almost.' && sent++ === 0
        ? { decision: 'block', reason: 'go on' }
        : undefined
    )
  })
}

/** A tool that does what hooks make of it. */
const saying = () => [
  tool('write', 'writes', { say: z.string() }, async () => ({ content: [{ type: 'text', text: 'written' }] }))
]

// F38
test('whatever hooks did to the conversation, it continues as if it had never been ended', async () => {
  const kinds = ['plain', 'deny', 'context', 'drop', 'push', 'insert', 'tell'] as const
  const turn = fc.oneof(
    fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 3 }).map(says => ({
      calls: says.map(say => ({ name: 'write', input: { say } }))
    })),
    fc.constant('Almost.')
  )
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 4 }), async turns => {
      const ends = turns.findIndex(each => typeof each === 'string')
      const one = ends < 0 ? [...turns, 'Done.'] : [...turns.slice(0, ends), 'Almost.', 'Done.']
      const options = { tools: saying(), allowedTools: ['write'] }
      const whole = await ask([...one, 'Yes.'], { ...options, hooks: busyHooks(), prompt: prompts('go', 'and now') })
      const place = project()
      await first(place, one, { ...options, hooks: busyHooks() })
      const parted = await again(place, ['Yes.'], { ...options, hooks: busyHooks() })
      expect(parted.sent.at(-1)!).toEqual(whole.sent.at(-1)!)
    }),
    { numRuns: repetitions(40) }
  )
})

describe('what had no result when we were ended', () => {
  test('a call that had begun is not begun again, and the model is told that no one knows', async () => {
    const place = project()
    const { begun, tools: own } = counting()
    const tools = { tools: own, allowedTools: ['write', 'look'] }
    await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], tools)
    cutBehind(place, isOf('tool-intent'))
    const two = await again(place, ['I see.'], tools)
    expect(begun).toEqual(['write'])
    expect(resultsIn(two.sent[0]!)).toMatchObject([
      { id: 'toolu_w', isError: true, text: expect.stringContaining('may have partly or fully completed') }
    ])
    expect(inputsOf(two, 'PreToolUse')).toEqual([])
    expect(JSON.stringify(two.messages)).toContain('was running when the session was interrupted')
  })

  test('a call that had ended keeps what it gave; hooks that were told of it are not told again', async () => {
    const place = project()
    const { begun, tools: own } = counting()
    const tools = { tools: own, allowedTools: ['write', 'look'] }
    await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], tools)
    const whole = readFileSync(logOf(place), 'utf8')
    cutBehind(place, isOf('tool-outcome'))
    const two = await again(place, ['I see.'], tools)
    expect(begun).toEqual(['write'])
    expect(resultsIn(two.sent[0]!)).toMatchObject([{ id: 'toolu_w', isError: false, text: 'write done' }])
    expect(inputsOf(two, 'PostToolUse')).toMatchObject([{ tool_use_id: 'toolu_w', tool_name: 'write' }])
    writeFileSync(logOf(place), whole)
    cutBehind(place, line => JSON.stringify(line).includes('tool_result'))
    const three = await again(place, ['I see.'], tools)
    expect(resultsIn(three.sent[0]!)).toMatchObject([{ text: 'write done' }])
    expect(inputsOf(three, 'PostToolUse')).toEqual([])
  })

  test('what hooks hide stays hidden, also when we were ended before they could', async () => {
    const place = project()
    const tools = { tools: counting().tools, allowedTools: ['write', 'look'] }
    const hooks = () => registry(all => all.on('PostToolUse', () => ({ suppressOutput: true })))
    await first(place, [callTurn('write'), 'Done.'], { ...tools, hooks: hooks() })
    cutBehind(place, isOf('tool-outcome'))
    const two = await again(place, ['I see.'], { ...tools, hooks: hooks() })
    expect(JSON.stringify(two.sent)).not.toContain('write done')
  })

  test('a call that had not begun was not begun; with no prompt it passes the door now', async () => {
    const place = project()
    const { begun, tools: own } = counting()
    const tools = { tools: own, allowedTools: ['write', 'look'] }
    const turns = [
      {
        calls: [
          { name: 'look', input: {} },
          { name: 'write', input: {} }
        ]
      },
      'Done.'
    ]
    await first(place, turns, tools)
    begun.length = 0
    cutBehind(place, line => JSON.stringify(line).includes('tool_use"') && JSON.stringify(line).includes('"write"'))
    const text = readFileSync(logOf(place), 'utf8')
    const two = await again(place, ['I see.'], tools)
    expect(begun).toEqual([])
    expect(resultsIn(two.sent[0]!)).toMatchObject([
      { isError: true, text: expect.stringContaining('The call was read-only') },
      { isError: true, text: expect.stringContaining('nothing was done') }
    ])
    writeFileSync(logOf(place), text)
    const three = await again(place, ['I see.'], { ...tools, prompt: '' })
    expect(begun).toEqual(['look', 'write'])
    expect(three.names).toContain('PreToolUse')
    expect(three.names).not.toContain('UserPromptSubmit')
    expect(resultsIn(three.sent[0]!)).toMatchObject([{ text: 'look done' }, { text: 'write done' }])
    expect(three.result.result).toBe('I see.')
  })

  test('where the last answer is there, hooks hear of the end, and the model is not asked', async () => {
    const place = project()
    await first(place, ['Done.'])
    const two = await again(place, [], { prompt: '' })
    expect(two.result).toMatchObject({ result: 'Done.', is_error: false })
    expect(two.sent).toEqual([])
    expect(inputsOf(two, 'Stop')).toMatchObject([{ last_assistant_message: 'Done.' }])
    expect(logLines(place).filter(isOf('user'))).toHaveLength(1)
  })

  test('the last answer is the result again, and Stop hooks may have missed it; nothing at all is said to be nothing', async () => {
    const place = project()
    await first(place, ['Done.'])
    const { result, sent, names } = await again(place, ['never'], { prompt: '' })
    expect(result).toMatchObject({ is_error: false, result: 'Done.' })
    expect(sent).toEqual([])
    expect(names).toContain('Stop')
    const blocking = registry(all => {
      all.on('SessionStart', () => ({ additionalContext: 'a line in the log' }))
      all.on('UserPromptSubmit', () => ({ decision: 'deny', reason: 'no' }))
    })
    await first(place, [], { sessionId: 'empty', hooks: blocking })
    const none = await again(place, ['never'], { resume: 'empty', prompt: '' })
    expect(none.result).toMatchObject({ is_error: true, result: expect.stringContaining('Give it a prompt') })
  })

  test('a prompt that was not answered is answered', async () => {
    const place = project()
    await first(place, ['Done.'])
    cutBehind(place, isOf('user'))
    const two = await again(place, ['Here I am.'], { prompt: '' })
    expect(two.sent).toEqual([[{ role: 'user', content: 'go' }]])
    expect(two.result.result).toBe('Here I am.')
  })
})

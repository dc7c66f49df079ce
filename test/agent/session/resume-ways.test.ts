/** Which session continues, from where, and what is refused. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { query, tool } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { ask, callTurn, informed, inputsOf, ofType, project, registry, resultsIn } from '../../support/agent-kit.ts'
import { again, counting, first, logLines, logOf } from './resume-kit.ts'

const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })
const asked = (content: string) => ({ role: 'user', content })

describe('which session', () => {
  test('continue takes the last one of this folder', async () => {
    const place = project()
    await ask(['One.'], { in: place, persistSession: true, sessionId: 'older' })
    await ask(['Two.'], { in: place, persistSession: true, sessionId: 'newer' })
    const { sent, result } = await ask(['Three.'], { in: place, persistSession: true, continue: true, prompt: 'next' })
    expect(result.session_id).toBe('newer')
    expect(sent[0]).toEqual([asked('go'), said('Two.'), asked('next')])
  })

  test('resume finds it from another folder, and writes to the same file', async () => {
    const place = project()
    await first(place, ['One.'])
    mkdirSync(place.path('elsewhere'))
    const { result } = await again(place, ['Two.'], { cwd: place.path('elsewhere') })
    expect(result.result).toBe('Two.')
    expect(logLines(place).filter(({ type }) => type === 'assistant')).toHaveLength(2)
  })

  test('a fork has an id of its own, and leaves the first as it was', async () => {
    const place = project()
    await first(place, [callTurn('Bash', { command: 'echo hi' }), 'One.'])
    const before = readFileSync(logOf(place), 'utf8')
    const { sent, result, ...run } = await again(place, ['Two.'], { forkSession: true, sessionId: 'copy' })
    expect(result.session_id).toBe('copy')
    expect(inputsOf(run, 'SessionStart')).toMatchObject([{ source: 'fork', session_id: 'copy' }])
    expect(readFileSync(logOf(place), 'utf8')).toBe(before)
    expect(sent[0]!.slice(-2)).toEqual([said('One.'), asked('and now')])
    expect(logLines(place, 'copy')[0]).toMatchObject({ sessionId: 'copy', forkedFrom: { sessionId: 'known' } })
    const third = await ask(['Three.'], { in: place, persistSession: true, resume: 'copy', prompt: 'more' })
    expect(third.sent[0]!.slice(0, -2)).toEqual(sent[0])
  })

  test('resumeSessionAt goes back to a message; what came behind it is not forgotten by the file', async () => {
    const place = project()
    const one = await first(place, ['One.'])
    await again(place, ['Two.'], { prompt: 'second' })
    const { uuid } = ofType(one, 'assistant')[0]!
    const { sent } = await again(place, ['Other.'], { resumeSessionAt: uuid })
    expect(sent[0]).toEqual([asked('go'), said('One.'), asked('and now')])
    expect(readFileSync(logOf(place), 'utf8')).toContain('Two.')
    const next = await again(place, ['More.'], { prompt: 'next' })
    expect(next.sent[0]).toEqual([asked('go'), said('One.'), asked('and now'), said('Other.'), asked('next')])
    const wrong = await again(place, ['x'], { resumeSessionAt: 'nowhere' })
    expect(wrong.result).toMatchObject({ is_error: true, result: expect.stringContaining('resumeSessionAt') })
  })
})

describe('what is refused', () => {
  test.each([
    [{ resume: 'nosuch' }, /no session nosuch/],
    [{ resume: 'knwon' }, /did you mean known/],
    [{ resume: '../known' }, /resume cannot be/],
    [{ resume: 'known', continue: true }, /either resume or continue/],
    [{ forkSession: true }, /together with resume/],
    [{ resumeSessionAt: 'x' }, /together with resume/],
    [{ resume: 'known', sessionId: 'other' }, /only together with forkSession/],
    [{ resume: 'known', persistSession: false }, /forkSession/],
    [{ sessionId: 'known' }, /not taken/]
  ])('%j', async (options, words) => {
    const place = project()
    await first(place, ['One.'])
    const before = readFileSync(logOf(place), 'utf8')
    const { result, sent } = await ask(['never'], { in: place, persistSession: true, ...options })
    expect(result).toMatchObject({ is_error: true, result: expect.stringMatching(words) })
    expect(sent).toEqual([])
    expect(readFileSync(logOf(place), 'utf8')).toBe(before)
  })

  // F183
  test('a session that is running, with what it does', async () => {
    const place = project()
    const { promise: isAsked, resolve } = Promise.withResolvers<void>()
    const options = {
      cwd: place.cwd,
      env: place.env,
      sessionId: 'known',
      model: scriptedModel([callTurn('Bash', { command: 'touch x' })])
    }
    const running = query({
      prompt: 'go',
      options: {
        ...options,
        canUseTool: () => {
          resolve()
          return new Promise(() => undefined)
        }
      }
    })
    await isAsked
    const { result } = await again(place, ['never'])
    expect(result).toMatchObject({ is_error: true, error_code: 'E_SESSION_BUSY' })
    expect(result.result).toMatch(new RegExp(`process ${process.pid} .*waiting for a decision about Bash`))
    const copy = await again(place, ['Yes.'], { forkSession: true })
    expect(copy.result.result).toBe('Yes.')
    running.close()
    await running.result()
    expect((await again(place, ['Now.'])).result.result).toBe('Now.')
  })

  // FM61
  test('a log that a newer version has written is read, and not written to', async () => {
    const place = project()
    await first(place, ['One.'])
    const text = readFileSync(logOf(place), 'utf8')
    const { seal } = await import('../../../src/lib/transcript/seal.ts')
    const { seq, ...last } = logLines(place).at(-1)!
    appendFileSync(logOf(place), seal({ ...last, type: 'hologram' }, Number(seq) + 1))
    const { result } = await again(place, ['never'])
    expect(result).toMatchObject({ error_code: 'E_SESSION_NEWER', result: expect.stringContaining('hologram') })
    expect(readFileSync(logOf(place), 'utf8').startsWith(text)).toBe(true)
    const copy = await again(place, ['Yes.'], { forkSession: true })
    expect(copy.result.result).toBe('Yes.')
  })
})

describe('a log that is not whole', () => {
  // FM32
  test('a torn last line is said, kept, and gone on behind', async () => {
    const place = project()
    await first(place, ['One.'])
    appendFileSync(logOf(place), '{"seq":99,"type":"assis')
    const two = await again(place, ['Two.'])
    expect(informed(two).join('\n')).toMatch(/not whole: torn at byte \d+ \(23 bytes\)/)
    expect(two.sent[0]).toEqual([asked('go'), said('One.'), asked('and now')])
    expect(readFileSync(logOf(place), 'utf8')).toContain('{"seq":99,"type":"assis\n')
    const three = await again(place, ['Three.'], { prompt: 'more' })
    expect(three.sent[0]).toEqual([...two.sent[0]!, said('Two.'), asked('more')])
  })

  test('lines that are gone are said', async () => {
    const place = project()
    const { tools } = counting()
    await first(place, [callTurn('look'), 'One.'], { tools, allowedTools: ['look'] })
    const lines = readFileSync(logOf(place), 'utf8').split('\n')
    writeFileSync(logOf(place), lines.filter(line => !line.includes('"tool_result"')).join('\n'))
    const two = await again(place, ['Two.'], { tools })
    expect(informed(two).join('\n')).toMatch(/entry \d+ is missing before byte \d+/)
    expect(resultsIn(two.sent[0]!)).toMatchObject([
      { isError: true, text: expect.stringContaining('was not recorded') }
    ])
  })
})

// F202
test('what hooks keep is kept with the session', async () => {
  const place = project()
  const seen: unknown[] = []
  const hooks = () =>
    registry(all => {
      all.on('UserPromptSubmit', ctx => {
        seen.push({ ...ctx.metadata })
        ctx.setMetadata('prompts', Number(ctx.metadata['prompts'] ?? 0) + 1)
        ctx.setMetadata('secret', () => 'a function is no JSON')
      })
      all.on('SessionEnd', ctx => ctx.setMetadata('ended', true))
    })
  await first(place, ['One.'], { hooks: hooks() })
  await again(place, ['Two.'], { hooks: hooks() })
  expect(seen).toEqual([{}, { prompts: 1, ended: true }])
})

describe('compaction', () => {
  const long = { contextWindow: 1000 }
  const big = (text: string) => ({ text, usage: { input_tokens: 900 } })

  test('a session that was made shorter continues from there', async () => {
    const place = project()
    const { tools } = counting()
    const many = Array.from({ length: 5 }, () => callTurn('look'))
    const hooks = () => registry(all => all.on('PostCompact', () => ({ additionalContext: 'keep this in mind' })))
    const one = await first(place, [...many, { ...callTurn('look'), ...big('full') }, 'A summary.', 'Done.'], {
      ...long,
      tools,
      allowedTools: ['look'],
      hooks: hooks()
    })
    const last = one.sent.at(-1)!
    expect(JSON.stringify(last[0])).toContain('A summary.')
    expect(JSON.stringify(last)).toContain('keep this in mind')
    const two = await again(place, ['Yes.'], { ...long, tools })
    expect(two.sent[0]).toEqual([...last, said('Done.'), asked('and now')])
    expect(existsSync(dirname(logOf(place)))).toBe(true)
  })

  test('only what stands behind it is read', async () => {
    const place = project()
    const { tools } = counting()
    const many = Array.from({ length: 5 }, () => callTurn('look'))
    await first(place, [...many, { ...callTurn('look'), ...big('full') }, 'A summary.', 'Done.'], {
      ...long,
      tools,
      allowedTools: ['look']
    })
    const whole = (await again(place, ['Yes.'], { ...long, tools, forkSession: true })).sent[0]
    // Garbage at the beginning: a reader of it would report it.
    const text = readFileSync(logOf(place), 'utf8')
    writeFileSync(`${logOf(place)}.new`, `${'rubbish\n'.repeat(40_000)}${text}`)
    renameSync(`${logOf(place)}.new`, logOf(place))
    const two = await again(place, ['Yes.'], { ...long, tools })
    expect(two.sent[0]).toEqual(whole)
    expect(informed(two).join('\n')).not.toContain('not whole')
  })
})

test('no key stands in it', async () => {
  const place = project()
  const key = 'sk-ant-very-secret-0123456789'
  const env = { ...place.env, ANTHROPIC_API_KEY: key }
  const { sent } = await first(place, [callTurn('Bash', { command: `echo ${key}` }), `It is ${key}.`], {
    env,
    allowedTools: ['Bash'],
    prompt: `my key is ${key}`
  })
  expect(JSON.stringify(sent)).toContain(key)
  expect(readFileSync(logOf(place), 'utf8')).not.toContain(key)
  const two = await again(place, ['Yes.'], { env })
  expect(JSON.stringify(two.sent)).toContain('[a credential]')
})

test('what is big and only for programs stands beside it', async () => {
  const place = project()
  const big = 'x'.repeat(300_000)
  const tools = [
    tool('big', 'gives much', {}, async () => ({
      content: [{ type: 'text', text: 'much' }],
      structuredContent: { big }
    }))
  ]
  const run = await first(place, [callTurn('big'), 'Done.'], { tools, allowedTools: ['big'] })
  const line = logLines(place).find(({ toolUseResult }) => toolUseResult !== undefined)!
  const { file, bytes } = line['toolUseResult'] as { file: string; bytes: number }
  expect(dirname(file)).toBe(join(logOf(place).replace('.jsonl', ''), 'tool-results'))
  expect(readFileSync(file, 'utf8')).toContain(big)
  expect(readFileSync(file)).toHaveLength(bytes)
  const two = await again(place, ['Yes.'], { tools })
  expect(two.sent[0]!.slice(0, 3)).toEqual(run.sent[1])
})

test('the list of tasks continues, too, also behind a compaction', async () => {
  const place = project()
  const make = (subject: string) => callTurn('TaskCreate', { subject })
  await first(place, [make('one'), make('two'), callTurn('TaskUpdate', { taskId: '1', status: 'completed' }), 'Done.'])
  const two = await again(
    place,
    [callTurn('TaskList'), make('three'), { text: 'x', usage: { input_tokens: 900 } }, 'Done.'],
    {
      contextWindow: 1000
    }
  )
  expect(resultsIn(two.sent[1]!).at(-1)!.text).toBe('#1 [completed] one\n#2 [pending] two')
  const three = await again(place, ['A summary.', callTurn('TaskList'), 'Done.'], { contextWindow: 1000 })
  expect(three.messages.some(each => each.type === 'system' && each.subtype === 'compact_boundary')).toBe(true)
  const four = await again(place, [callTurn('TaskList'), 'Done.'])
  expect(resultsIn(four.sent.at(-1)!).at(-1)!.text).toContain('#3 [pending] three')
})

test('a conversation that was cleared stays so', async () => {
  const place = project()
  const { promise, resolve } = Promise.withResolvers<void>()
  await first(place, [callTurn('TaskCreate', { subject: 'one' }), 'One.', 'Two.'], {
    prompt: (async function* () {
      yield { type: 'user', message: { role: 'user', content: 'go' } } as const
      await promise
      yield { type: 'user', message: { role: 'user', content: 'anew' } } as const
    })(),
    each: (message, running) => {
      if (message.type === 'result' && message.result === 'One.') void running.clear().then(resolve)
    }
  })
  const two = await again(place, [callTurn('TaskList'), 'Three.'])
  expect(two.sent[0]).toEqual([asked('anew'), said('Two.'), asked('and now')])
  expect(resultsIn(two.sent[1]!)[0]!.text).toBe('#1 [pending] one')
})

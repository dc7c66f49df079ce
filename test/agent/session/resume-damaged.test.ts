/** Changed or damaged logs, and sessions that ended at awkward moments: the guarantees of resumed sessions hold. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type CanUseTool,
  type HookRegistry,
  JsonlStore,
  type Message,
  storeOf,
  SubAgent,
  type TranscriptEntry,
  type TranscriptStore,
  type TranscriptWriter
} from '../../../src/index.ts'
import { hooksFingerprint } from '../../../src/lib/agent/call/open-call.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { realDisk } from '../../../src/lib/transcript/disk.ts'
import { seal, sealText } from '../../../src/lib/transcript/seal.ts'
import {
  ask,
  callTurn,
  gate,
  informed,
  ofType,
  ownTool,
  project,
  type Project,
  prompted,
  registry,
  resultsIn,
  unpaired,
  words
} from '../../support/agent-kit.ts'
import { again, counting, cutBehind, first, isOf, type LogLine, logLines, logOf } from './resume-kit.ts'

const sealed = (lines: readonly LogLine[]): Buffer =>
  Buffer.concat(lines.map((line, at) => seal(line as TranscriptEntry, at + 1)))

/** Puts other lines in the place of those that are there; numbers and checksums fit. */
const forge = (place: Project, change: (lines: readonly LogLine[]) => readonly LogLine[]): void =>
  writeFileSync(logOf(place), sealed(change(logLines(place))))

/** A transcript that came from somewhere. */
function fileOf(path: string, lines: readonly LogLine[]): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, sealed(lines.map((line, at) => ({ uuid: `line-${at}`, ...line }))))
  return path
}

const told = { type: 'user', message: { role: 'user', content: 'go' } }

const called = (name: string, id = 'toolu_w') => ({
  type: 'assistant',
  message: { id: 'm1', role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
  part: [0, 1]
})

const ours = (line: LogLine, uuid = 'forged') => ({ ...line, uuid, sessionId: 'known', isSidechain: false })

const asking =
  (asked: string[]): CanUseTool =>
  async (_name, _input, { toolUseID }) => {
    asked.push(toolUseID)
    return { behavior: 'allow' }
  }

/** The callback that is asked closes the session, and does not answer. */
function leaving(): { readonly abortController: AbortController; readonly canUseTool: CanUseTool } {
  const abortController = new AbortController()
  const canUseTool: CanUseTool = () => {
    abortController.abort()
    return new Promise(() => undefined)
  }
  return { abortController, canUseTool }
}

const helper = { description: 'helps', prompt: 'You help.' }
const task = (id: string, more = {}) =>
  callTurn('Agent', { description: 'help', prompt: 'do it', subagent_type: 'helper', ...more }, id)

describe('whatever stands in a log, nothing is allowed by it', () => {
  const denying = () =>
    registry(all => all.on('PreToolUse', () => ({ decision: 'deny', reason: 'never' }), { name: 'gate' }))

  /** What a log records about hooks that have replied: it can be forged. */
  async function stampOf(hooks: HookRegistry): Promise<string> {
    await ask(['x'], { hooks })
    return hooksFingerprint(hooks)
  }

  test.each(['asked', 'nested', 'deferred'])('a call in a copy is judged by hooks, though it is %s', async why => {
    const place = project()
    const { begun, tools } = counting()
    const hooks = await stampOf(denying())
    const pending = { type: 'tool-pending', toolUseId: 'toolu_w', input: {}, why, hooks, subagentId: 'a1' }
    const resume = fileOf(place.path('some.jsonl'), [told, called('write'), pending])
    const options = { in: place, persistSession: true, resume, prompt: '', tools, allowedTools: ['write'] }
    const { sent } = await ask(['I see.'], { ...options, hooks: denying(), canUseTool: asking([]) })
    expect(begun).toEqual([])
    expect(resultsIn(sent[0]!)).toMatchObject([{ isError: true, text: expect.stringContaining('never') }])
  })

  test.each(['nested', 'deferred'])(
    'only a call about which a person was asked has been judged, not one that is %s',
    async why => {
      const place = project()
      const { begun, tools } = counting()
      const hooks = await stampOf(denying())
      await first(place, [callTurn('write', {}, 'toolu_w'), 'Done.'], { tools })
      const pending = { type: 'tool-pending', toolUseId: 'toolu_w', input: {}, why, hooks, subagentId: 'a1' }
      const at = logLines(place).findIndex(isOf('assistant'))
      forge(place, lines => [...lines.slice(0, at + 1), ours(pending)])
      await again(place, ['I see.'], { tools, allowedTools: ['write'], prompt: '', hooks: denying() })
      expect(begun).toEqual([])
    }
  )

  test('nothing is written outside the folder of the session, whatever ids stand there', async () => {
    const place = project()
    const result = { type: 'tool_result', tool_use_id: 'toolu_w', content: 'x' }
    const line = {
      type: 'user',
      uuid: '../../../../../victim',
      message: { role: 'user', content: [result] },
      toolUseResult: { big: 'x'.repeat(300_000) }
    }
    const resume = fileOf(place.path('some.jsonl'), [told, called('Read'), line])
    const copy = await ask(['Fine.'], { in: place, persistSession: true, resume, sessionId: 'copy' })
    expect(copy.result.result).toBe('Fine.')
    expect(readdirSync(`${logOf(place, 'copy').replace(/\.jsonl$/, '')}/tool-results`)).toHaveLength(1)
    expect(readdirSync(place.home, { recursive: true }).filter(name => String(name).includes('victim'))).toEqual([])
  })
})

describe('whatever stands in a log, it loads', () => {
  const odd = { toString: 1, valueOf: 1 }
  const message = (content: unknown, role: unknown = 'user') => ({ uuid: 'k', message: { role, content } })
  test.each<[string, LogLine]>([
    ['no content', { type: 'system', subtype: 'compact_boundary', kept: [message(undefined)] }],
    ['nothing in the content', { type: 'system', subtype: 'compact_boundary', kept: [message([null])] }],
    ['no role', { type: 'system', subtype: 'compact_boundary', kept: [message('x', null)] }],
    ['no texts', { type: 'system', subtype: 'clear', state: { system: [odd], notes: [odd] } }],
    [
      'saved',
      { type: 'system', subtype: 'saved', kept: [message(undefined), message([null], 'assistant'), message(5)] }
    ],
    ['added', { type: 'system', subtype: 'messages_changed', appended: [message(undefined)] }],
    ['a prompt', { type: 'user', message: { role: 'user', content: [null] } }],
    ['a step', { type: 'tool-intent', toolUseId: odd }],
    ['at work', { type: 'system', subtype: 'subagent_started', toolUseId: odd, subagentId: odd }],
    ['tokens', { type: 'assistant', message: { content: [], usage: { input_tokens: odd } } }],
    [
      'calls',
      {
        type: 'assistant',
        message: {
          content: [
            { type: 'tool_use', id: odd, name: odd },
            { type: 'tool_use', id: 'x', name: odd }
          ]
        }
      }
    ],
    ['no place', { type: 'system', subtype: 'rewound', to: 'nowhere' }],
    ['no id', { type: 'system', subtype: 'metadata', uuid: odd }]
  ])('%s', async (_name, line) => {
    const place = project()
    await first(place, ['One.'])
    forge(place, lines => [...lines, { ...ours({}), ...line }])
    for (const more of [{ forkSession: true }, { prompt: '' }, {}]) {
      const { result, sent } = await again(place, ['Two.'], more)
      expect(result.errors?.join() ?? '').toMatch(/^$|Nothing to resume/)
      for (const messages of sent) expect(messages.every(({ content }) => content !== undefined)).toBe(true)
    }
  })

  test('a call whose id another one of the same answer has is none', async () => {
    const place = project()
    const content = [called('look').message.content[0], called('look').message.content[0]]
    const resume = fileOf(place.path('some.jsonl'), [
      told,
      { ...called('look'), message: { role: 'assistant', content } }
    ])
    const { sent } = await ask(['Fine.'], { in: place, persistSession: true, resume })
    expect(unpaired(sent[0]!)).toEqual([])
  })

  test('what is nested too deeply to be written again', async () => {
    const place = project()
    await first(place, ['One.'])
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const line = `{"type":"system","subtype":"metadata","metadata":{"a":${deep}},"uuid":"forged"}`
    const bytes = Buffer.concat([readFileSync(logOf(place)), sealText(line, logLines(place).length + 1)])
    writeFileSync(logOf(place), bytes)
    for (const more of [{ forkSession: true }, {}]) {
      const { result, sent } = await again(place, ['Two.'], more)
      expect(result).toMatchObject({ is_error: false, result: 'Two.' })
      expect(sent[0]).toHaveLength(3)
    }
  })

  test('a store that gives no entries at all', async () => {
    const given = (load: unknown): TranscriptStore => ({
      append: async () => undefined,
      load: async () => load as never
    })
    const { result } = await ask(['x'], { sessionStore: given({}), resume: 'known' })
    expect(result).toMatchObject({ is_error: true, result: expect.stringContaining('not a list of entries') })
    const some = [null, 5, { type: 5 }, { uuid: 'u', ...told }]
    expect((await ask(['x'], { sessionStore: given(some), resume: 'known' })).sent[0]).toHaveLength(2)
    expect((await ask(['x'], { sessionStore: given({ entries: some }), resume: 'known' })).sent[0]).toHaveLength(2)
  })

  test('numbers that have come to an end: nothing is said to be written that could not be read', async () => {
    const place = project()
    await first(place, ['One.'])
    const last = seal(ours({ type: 'system', subtype: 'x' }) as unknown as TranscriptEntry, Number.MAX_SAFE_INTEGER)
    writeFileSync(logOf(place), Buffer.concat([readFileSync(logOf(place)), last]))
    const { result, sent } = await again(place, ['x'])
    expect(result).toMatchObject({
      is_error: true,
      result: expect.stringContaining('reached the highest sequence number')
    })
    expect(sent).toEqual([])
    expect((await again(place, ['Two.'], { forkSession: true })).result.result).toBe('Two.')
  })
})

describe('at most once', () => {
  test.each([
    ['the last line', true],
    ['another', false]
  ])('a call whose intent cannot be read any more is not begun again: %s', async (_name, isLast) => {
    const place = project()
    const { begun, tools } = counting()
    const options = { tools, allowedTools: ['write'] }
    await first(place, [callTurn('write', {}, 'w1'), 'Done.'], options)
    const at = logLines(place).findIndex(isOf('tool-intent'))
    const lines = readFileSync(logOf(place), 'utf8')
      .split('\n')
      .slice(0, at + 1)
    lines[at] = lines[at]!.replace('tool-intent', 'tool-intend')
    const note = seal(ours({ type: 'system', subtype: 'x' }) as unknown as TranscriptEntry, at + 2).toString()
    writeFileSync(logOf(place), `${lines.join('\n')}\n${isLast ? '' : note}`)
    const { sent } = await again(place, ['x'], { ...options, prompt: '' })
    expect(begun).toEqual(['write'])
    expect(resultsIn(sent[0]!)).toMatchObject([{ text: expect.stringContaining('may have partly or fully completed') }])
  })

  test('what another session will begin is not begun in a copy, also where only messages are kept', async () => {
    const { begun, tools } = counting()
    const rows = new Map([['known', OPEN]])
    const options = { tools, allowedTools: ['write'], prompt: '', resume: 'known' }
    await ask(['x'], { ...options, sessionStore: storeOf(saving(rows)), forkSession: true })
    expect(begun).toEqual([])
    await ask(['x'], { ...options, sessionStore: storeOf(saving(rows)) })
    expect(begun).toEqual(['write'])
  })

  test('a subagent of which nothing can be read does not begin anew', async () => {
    const place = project()
    const { begun, tools } = counting()
    const options = { tools: [...tools, 'Agent'], agents: { helper }, allowedTools: ['write'] }
    await first(place, [task('g1'), callTurn('write', {}, 'w1'), 'Helped.', 'End.'], options)
    cutBehind(place, line => line['subtype'] === 'subagent_started')
    const id = String(logLines(place).at(-1)!['subagentId'])
    writeFileSync(logOf(place, `known/subagents/agent-${id}`), 'rubbish')
    const { sent } = await again(place, ['End.'], { ...options, prompt: '' })
    expect(begun).toEqual(['write'])
    expect(resultsIn(sent[0]!)).toMatchObject([{ id: 'g1', isError: true }])
  })
})

const OPEN: readonly Message[] = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'w1', name: 'write', input: {} }] }
]

const saving = (rows: Map<string, readonly Message[]>) => ({
  save: (id: string, messages: readonly Message[]) => void rows.set(id, structuredClone(messages)),
  load: (id: string) => structuredClone(rows.get(id))
})

describe('going back', () => {
  test('what was done for a call is not said of a later one that has its id', async () => {
    const place = project()
    const { begun, tools } = counting()
    const options = { tools, allowedTools: ['write'] }
    const { uuid } = ofType(await first(place, ['Zero.'], options), 'assistant')[0]!
    await again(place, [callTurn('write', {}, 'call_0'), 'One.'], options)
    await again(place, [callTurn('write', {}, 'call_0'), 'Two.'], { ...options, resumeSessionAt: uuid })
    // As if we had been ended before the second one began.
    const at = logLines(place).findLastIndex(isOf('tool-intent'))
    forge(place, lines => lines.slice(0, at))
    begun.length = 0
    await again(place, ['End.'], { ...options, prompt: '' })
    expect(begun).toEqual(['write'])
  })

  test('to a message behind which someone went back before: only in a copy', async () => {
    const place = project()
    const uuidOf = (run: Awaited<ReturnType<typeof first>>) => ofType(run, 'assistant')[0]!.uuid
    const one = await first(place, ['One.'])
    const two = await again(place, ['Two.'], { prompt: 'second' })
    await again(place, ['Other.'], { prompt: 'other', resumeSessionAt: uuidOf(one) })
    const before = readFileSync(logOf(place), 'utf8')
    const back = { prompt: 'more', resumeSessionAt: uuidOf(two) }
    const refused = await again(place, ['x'], back)
    expect(refused.result).toMatchObject({ is_error: true, result: expect.stringContaining('was not rewound') })
    expect(readFileSync(logOf(place), 'utf8')).toBe(before)
    const copy = await again(place, ['More.'], { ...back, forkSession: true })
    expect(copy.sent[0]!.map(words)).toEqual(['go', 'One.', 'second', 'Two.', 'more'])
    const next = await again(place, ['x'], { prompt: 'next' })
    expect(next.sent[0]!.map(words)).toEqual(['go', 'One.', 'other', 'Other.', 'next'])
  })

  test.each([{}, { forkSession: true }])('to an answer: all of it, with what came of its calls (%j)', async more => {
    const place = project()
    const { begun, tools } = counting()
    const options = { tools, allowedTools: ['write'] }
    const turn = { text: 'I write.', calls: [{ name: 'write', input: {}, id: 'w1' }] }
    const one = await first(place, [turn, 'Done.'], options)
    const { uuid } = ofType(one, 'assistant')[0]!
    const { sent } = await again(place, ['More.'], { ...options, ...more, resumeSessionAt: uuid })
    expect(sent[0]!.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user'])
    expect(unpaired(sent[0]!)).toEqual([])
    expect(resultsIn(sent[0]!)).toMatchObject([{ id: 'w1', text: 'write done' }])
    expect(begun).toEqual(['write'])
  })

  test('to a place that is nowhere: a copy has all the rest', async () => {
    const place = project()
    await first(place, ['One.'])
    forge(place, lines => [...lines, ours({ type: 'system', subtype: 'rewound', to: 'nowhere' })])
    const { sent } = await again(place, ['Two.'], { forkSession: true, sessionId: 'copy' })
    expect(sent[0]!.map(words)).toEqual(['go', 'One.', 'and now'])
    expect(logLines(place, 'copy')[0]).toMatchObject({ parentUuid: null })
  })
})

describe('calls that have no results yet', () => {
  const deferring = () => registry(all => all.on('PreToolUse', 'write', () => ({ decision: 'defer' })))
  const two = {
    calls: [
      { name: 'write', input: {}, id: 'w1' },
      { name: 'write', input: {}, id: 'w2' }
    ]
  }

  test('keep a conversation from being made shorter', async () => {
    const place = project()
    const { tools } = counting()
    const looks = [1, 2, 3, 4].map(each => callTurn('look', {}, `l${each}`))
    await first(place, [...looks, 'Seen.'], { tools, allowedTools: ['look'] })
    await again(place, [callTurn('write', {}, 'w1')], { tools, hooks: deferring() })
    const done = gate()
    let wasDone: boolean | undefined
    async function* prompts() {
      await done.opened
      yield prompted('and now')
    }
    const steer = async (running: { compact(): Promise<boolean> }) => {
      wasDone = await running.compact()
      done.open()
    }
    const run = await again(place, ['End.', 'End.'], { tools, prompt: prompts(), hooks: deferring(), steer })
    expect(wasDone).toBe(false)
    expect(informed(run).join()).toContain('not compacted')
    const next = await again(place, ['End.'], { tools })
    for (const messages of [...run.sent, ...next.sent]) expect(unpaired(messages)).toEqual([])
  })

  test('all wait when the session is closed while someone is asked about one', async () => {
    const place = project()
    const { tools } = counting()
    await first(place, [two], { tools, hooks: deferring() })
    await again(place, ['x'], { tools, prompt: '', ...leaving() })
    const asked: string[] = []
    await again(place, ['x'], { tools, prompt: '', canUseTool: asking(asked) })
    expect(asked).toEqual(['w1', 'w2'])
  })

  test('wait when the session is closed while it begins', async () => {
    const place = project()
    const { tools } = counting()
    await first(place, [two], { tools, hooks: deferring() })
    const abortController = new AbortController()
    const hooks = registry(all => all.on('SessionStart', () => abortController.abort()))
    async function* nothing() {}
    await again(place, ['x'], { tools, prompt: nothing(), abortController, hooks, canUseTool: asking([]) })
    const asked: string[] = []
    await again(place, ['x'], { tools, prompt: '', canUseTool: asking(asked) })
    expect(asked).toEqual(['w1', 'w2'])
  })

  test('wait within a subagent, too, when the session is closed while someone is asked', async () => {
    const place = project()
    const { begun, tools } = counting()
    const options = { tools: [...tools, 'Agent'], agents: { helper } }
    await first(place, [task('g1'), callTurn('write', {}, 'w1'), 'x'], { ...options, ...leaving() })
    const asked: string[] = []
    const { sent, result } = await again(place, ['Helped.', 'End.'], {
      ...options,
      prompt: '',
      canUseTool: asking(asked)
    })
    expect(asked).toEqual(['w1'])
    expect(begun).toEqual(['write'])
    expect(resultsIn(sent[1]!)).toMatchObject([{ id: 'g1', isError: false }])
    expect(result.result).toBe('End.')
  })

  test('are not parted from them by hooks that add messages, also where only messages are kept', async () => {
    const { tools } = counting()
    const hooks = registry(all =>
      all.on('PostToolUse', ctx => void ctx.messages.push({ role: 'user', content: 'Mind.' }))
    )
    const options = { tools, allowedTools: ['write'], hooks, prompt: '', resume: 'known' }
    const sessionStore = storeOf(saving(new Map([['known', OPEN]])))
    // The model takes an id that is taken.
    const { sent } = await ask([callTurn('write', {}, 'w1'), 'x'], { ...options, sessionStore })
    expect(sent[0]!.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user'])
    for (const messages of sent) expect(unpaired(messages)).toEqual([])
  })
})

test.each(['max_tokens', 'pause_turn'] as const)('an answer that ended with %s is gone on with', async stop => {
  const place = project()
  const turn = { text: 'Half', stop }
  const one = await first(place, [turn, 'Rest.'])
  cutBehind(place, isOf('assistant'))
  const two = await again(place, ['Rest.'], { prompt: '' })
  expect(two.result.result).toBe('Rest.')
  expect(two.sent[0]).toEqual(one.sent[1])
})

test('a file that is gone on from has no subagents: it is not taken for one itself', async () => {
  const place = project()
  const resume = fileOf(place.path('some.jsonl'), [told])
  const options = { in: place, persistSession: true, resume, tools: ['Agent'], agents: { helper } }
  const { sent } = await ask([task('g1', { resume: 'a1' }), 'End.'], options)
  expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('no agent a1') }])
})

test('whoever closes a transcript once more hears the same, and nothing is written behind its end', async () => {
  const place = project()
  const key = { projectKey: 'p', sessionId: 's' }
  const failing = {
    ...realDisk,
    sync: () => Promise.reject(new Error('the disk is gone'))
  }
  const entry = { type: 'user', uuid: 'u' }
  const bad = (await new JsonlStore(place.path('bad'), failing).open(key, () => '')) as TranscriptWriter
  bad.write(entry)
  const ends = await Promise.allSettled([bad.close(), bad.close()])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const good = (await new JsonlStore(place.path('good')).open(key, () => '')) as TranscriptWriter
  await good.close()
  await good.close()
  expect(() => good.write(entry)).toThrow('ended')
  expect(place.has('good/p/s.jsonl')).toBe(false)
})

test('a store is asked for no subagent whose id could be a path', async () => {
  const keys: (string | undefined)[] = []
  const sessionStore: TranscriptStore = {
    append: async () => undefined,
    load: async ({ subpath }) => void keys.push(subpath)
  }
  const options = { sessionStore, tools: ['Agent'], agents: { helper } }
  const { sent } = await ask([task('g1', { resume: '../../other' }), 'End.'], options)
  expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('no agent') }])
  expect(keys.filter(key => key !== undefined)).toEqual([])
})

test('a subagent that is closed while it runs has its result all the same', async () => {
  const place = project()
  const begun = gate()
  const slow = ownTool('slow', () => {
    begun.open()
    return new Promise(() => undefined)
  })
  const hooks = registry(all => all.on('PostToolUseFailure', () => new Promise(resolve => setTimeout(resolve, 50))))
  const model = scriptedModel([callTurn('slow')])
  const { cwd, env } = place
  const options = { model, tools: [slow], allowedTools: ['slow'], cwd, env, persistSession: true, hooks }
  const agent = new SubAgent({ description: 'd', prompt: 'p' }, options)
  const running = agent.run('go')
  await begun.opened
  await agent.close()
  expect(await running).toMatchObject({ success: false })
})

/** Transcripts of Claude Code that are not whole: one line is lost where one is lost, and something says so. */
import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { replayAll } from '../../../src/lib/agent/session/replay.ts'
import { asOurs, readClaude } from '../../../src/lib/transcript/claude/claude.ts'
import { readTranscript } from '../read-transcript.ts'
import { ask, ofType, project, words } from '../../support/agent-kit.ts'
import { desk } from '../../cli/sessions/sessions-kit.ts'
import { answerLine, readUse, fileOf, line, resultOf, textOf, user, type ClaudeLine } from './claude-kit.ts'
import { repetitions } from '../../support/seed.ts'

/** What a model receives when a session is resumed from this file, and what is reported to people. */
async function resumed(lines: readonly object[] | string): Promise<{ sent: readonly string[]; notices: string }> {
  const place = project()
  const asked = await ask(['Well.'], { in: place, resume: fileOf(lines, place), prompt: 'And now?' })
  expect(asked.result.is_error).toBe(false)
  return {
    sent: asked.sent[0]!.map(message => `${message.role}: ${words(message)}`),
    notices: ofType(asked, 'system')
      .map(message => String('content' in message ? message.content : ''))
      .join('\n')
  }
}

const talk: readonly ClaudeLine[] = [
  user('u1', null, 'one'),
  answerLine('a1', 'u1', 'One.'),
  user('u2', 'a1', 'two'),
  answerLine('a2', 'u2', 'Two.'),
  user('u3', 'a2', 'three'),
  answerLine('a3', 'u3', 'Three.')
]
const without = (uuid: string): readonly ClaudeLine[] => talk.filter(each => each['uuid'] !== uuid)

describe('a line that is missing', () => {
  test('D1: what came before a missing line is sent, and the gap is named', async () => {
    const { sent, notices } = await resumed(without('u2'))
    expect(sent).toEqual([
      ...['user: one', 'assistant: One.', 'assistant: Two.', 'user: three', 'assistant: Three.', 'user: And now?']
    ])
    expect(notices).toMatch(/line u2 is missing before byte \d+; see `carabiner sessions verify \/.*theirs\.jsonl`/)
  })

  test('D1: show names it where it is met, and verify ends with 1', async () => {
    const at = desk()
    fileOf(without('a2'), { cwd: at.project }, 'x.jsonl')
    const { stdout } = await at.run(['sessions', 'show', 'x.jsonl'])
    expect(stdout).toMatch(/> two[\s\S]*line a2 is missing before byte \d+[\s\S]*> three/)
    expect(stdout).not.toContain('went back')
    const { code, stdout: said } = await at.run(['sessions', 'verify', 'x.jsonl'])
    expect([code, said]).toEqual([1, expect.stringContaining('line a2 is missing')])
  })

  test('D1: a damaged line is one message less', async () => {
    const lines = textOf(talk).replace('"content":"two"', '"content":"two')
    const { sent, notices } = await resumed(lines)
    expect(sent.slice(0, 3)).toEqual(['user: one', 'assistant: One.', 'assistant: Two.'])
    expect(notices).toContain('damaged at byte')
  })

  test('D1: a file without any parents is sent whole, in file order', async () => {
    const bare = talk.map(({ parentUuid: _, ...rest }) => rest)
    expect((await resumed(bare)).sent).toHaveLength(7)
    expect((await resumed(talk.map(each => ({ ...each, parentUuid: null })))).sent).toHaveLength(7)
    expect((await resumed(bare.map(({ uuid: _, ...rest }) => rest))).sent).toHaveLength(7)
  })

  test('D1: where a person went back to a line that is gone, the branch that was given up stays given up', async () => {
    const branched = [...talk, user('u4', 'a2', 'instead'), answerLine('a4', 'u4', 'Instead.')]
    for (const lines of [branched, branched.filter(({ uuid }) => uuid !== 'a2')]) {
      const { sent } = await resumed(lines)
      expect(sent).toContain('user: two')
      expect(sent).not.toContain('user: three')
      expect(sent.slice(-3)).toEqual(['user: instead', 'assistant: Instead.', 'user: And now?'])
    }
  })
})

const compacted: readonly ClaudeLine[] = [
  ...talk,
  line('c1', null, {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    logicalParentUuid: 'gone',
    compactMetadata: { trigger: 'auto', preTokens: 1000 }
  }),
  user('s1', 'c1', 'In short: three numbers.', { isCompactSummary: true }),
  user('u5', 's1', 'four'),
  answerLine('a5', 'u5', 'Four.')
]

describe('a compaction that names a line which is not there', () => {
  test('D5: show hides nothing that came before it', async () => {
    const at = desk()
    fileOf(compacted, { cwd: at.project }, 'x.jsonl')
    const { stdout } = await at.run(['sessions', 'show', 'x.jsonl', '--json'])
    const { items } = JSON.parse(stdout) as { items: readonly { kind: string; text?: string }[] }
    expect(items.flatMap(({ kind, text }) => (kind === 'prompt' ? [text] : []))).toEqual([
      'one',
      'two',
      'three',
      'four'
    ])
    expect(items.filter(({ kind }) => kind === 'gap')).toHaveLength(1)
  })

  test('D5: the same for a page, and for one that names no line at all', async () => {
    const at = desk()
    for (const logicalParentUuid of ['gone', undefined]) {
      fileOf(
        compacted.map(each => (each['subtype'] === undefined ? each : { ...each, logicalParentUuid })),
        { cwd: at.project },
        'x.jsonl'
      )
      const { stdout } = await at.run(['sessions', 'export', 'x.jsonl'])
      for (const text of ['one', 'two', 'three', 'four']) expect(stdout).toContain(`## Prompt\n\n${text}\n`)
    }
  })

  test('D5: a model is sent what stands behind it', async () => {
    expect((await resumed(compacted)).sent).toEqual([
      ...['user: In short: three numbers.', 'user: four', 'assistant: Four.', 'user: And now?']
    ])
  })
})

/** Sessions with branches, calls side by side, subagents and compactions. Each text occurs once. */
type Op = { readonly kind: 'turn' | 'back' | 'agent' | 'compact' | 'note'; readonly size: number }
const op: fc.Arbitrary<Op> = fc.record({
  kind: fc.constantFrom('turn', 'turn', 'turn', 'back', 'agent', 'compact', 'note'),
  size: fc.nat(3)
})

interface Told {
  readonly lines: readonly ClaudeLine[]
  /** Lines that begin a branch in place of another. */
  readonly heads: ReadonlySet<string>
}

function session(ops: readonly Op[]): Told {
  const lines: ClaudeLine[] = []
  const heads = new Set<string>()
  const ends: (string | null)[] = [null]
  let last: string | null = null
  let isBack = false
  const put = (make: (uuid: string, parent: string | null) => ClaudeLine, parent = last): string => {
    const uuid = `l${lines.length}`
    lines.push(make(uuid, parent))
    return uuid
  }
  const turn = (calls: number): void => {
    last = put((uuid, parent) => user(uuid, parent, `<${uuid}>`))
    if (isBack) heads.add(last)
    isBack = false
    if (calls > 0) {
      const id = `msg_${last}`
      const blocks: string[] = []
      last = put((uuid, parent) => answerLine(uuid, parent, `<${uuid}>`, id))
      for (let each = 0; each < calls; each++)
        blocks.push((last = put((uuid, parent) => answerLine(uuid, parent, readUse(`t${uuid}`), id))))
      for (const block of blocks)
        last = put(uuid => user(uuid, block, [resultOf(`t${block}`, `<${uuid}>`)], { sourceToolAssistantUUID: block }))
    }
    last = put((uuid, parent) => answerLine(uuid, parent, `<${uuid}>`))
    ends.push(last)
  }
  turn(1)
  for (const { kind, size } of ops) {
    if (kind === 'turn') turn(size)
    else if (kind === 'back' && ends.length > 2) {
      // There is no way back to a message before the last compaction.
      last = ends[Math.max(1, ends.length - 2 - size)]!
      ends.splice(ends.indexOf(last) + 1)
      isBack = true
      turn(size)
    } else if (kind === 'note')
      last = put((uuid, parent) =>
        line(uuid, parent, {
          type: 'attachment',
          attachment: { type: 'hook_additional_context', content: [`<${uuid}>`], hookName: 'Stop' }
        })
      )
    else if (kind === 'agent') {
      const agentId = `agent${lines.length}`
      const first = put(uuid => user(uuid, null, `<${uuid}>`, { isSidechain: true, agentId }))
      put(uuid => answerLine(uuid, first, `<${uuid}>`, undefined, { isSidechain: true, agentId }))
    } else if (kind === 'compact') {
      const logicalParentUuid = last
      last = put(uuid =>
        line(uuid, null, {
          type: 'system',
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          logicalParentUuid,
          compactMetadata: { trigger: 'auto' }
        })
      )
      last = put((uuid, parent) => user(uuid, parent, `<${uuid}>`, { isCompactSummary: true }))
      ends.splice(0, ends.length, null, last)
    }
  }
  // What is last is named by no line.
  turn(0)
  return { lines, heads }
}

const wordsIn = (value: unknown): readonly string[] => JSON.stringify(value).match(/<l\d+>/g) ?? []

/** What the models of all agents receive. */
function toldIn(bytes: string): { readonly told: Set<string>; readonly isSaid: boolean } {
  const { entries, gaps } = readTranscript(Buffer.from(bytes))
  const { main, agents, missing } = readClaude(entries)
  const all = [main, ...agents.values()].map(each => replayAll(asOurs(each)))
  const sent = all.map(({ conversation }) => [conversation.messages, conversation.notes])
  return { told: new Set(wordsIn(sent)), isSaid: gaps.length + missing.size > 0 }
}

const cases = fc.record({
  ops: fc.array(op, { maxLength: 10 }),
  at: fc.nat(),
  isDamaged: fc.boolean(),
  cut: fc.double({ min: 0, max: 1, noNaN: true })
})

test('D1: any one line, deleted or damaged, costs its own message alone, and something says so', () => {
  fc.assert(
    fc.property(cases, ({ ops, at, isDamaged, cut }) => {
      const { lines, heads } = session(ops)
      const index = at % lines.length
      const gone = lines[index]!
      const texts = lines.map(each => JSON.stringify(each))
      const rest = texts[index]!.slice(0, Math.floor(cut * (texts[index]!.length - 1)))
      const before = toldIn(`${texts.join('\n')}\n`)
      expect(before.isSaid).toBe(false)
      const left = isDamaged ? texts.with(index, rest) : texts.toSpliced(index, 1)
      const { told, isSaid } = toldIn(`${left.join('\n')}\n`)
      // A result without its call is refused by every provider.
      const calls = JSON.stringify(gone).match(/"id":"(tl\d+)"/)?.[1]
      const pairs = lines.filter(
        each => calls !== undefined && JSON.stringify(each).includes(`"tool_use_id":"${calls}"`)
      )
      const allowed = new Set(wordsIn([gone, ...pairs]))
      expect([...before.told].filter(each => !told.has(each) && !allowed.has(each))).toEqual([])
      const isNamed = lines.some(each => [each['parentUuid'], each['logicalParentUuid']].includes(gone['uuid']))
      if (isNamed || (isDamaged && rest !== '')) expect(isSaid).toBe(true)
      // Only the first line of a branch shows that it replaced another one.
      const isEnd = heads.has(String(gone['uuid'])) || gone['subtype'] !== undefined || index === lines.length - 1
      if (!isEnd) expect([...told].filter(each => !before.told.has(each))).toEqual([])
    }),
    { numRuns: repetitions(3_000) }
  )
})

describe('requests, and lines in one another', () => {
  test('D8: no request begins with an answer', async () => {
    const { sent } = await resumed(without('u1'))
    expect(sent[0]).toBe('user: [The beginning of this conversation is missing.]')
    expect(sent[1]).toBe('assistant: One.')
  })

  test('D8: lines that were written into one another are both there', async () => {
    const glued = textOf(talk).replace('}\n{', '}{')
    expect((await resumed(glued)).sent.slice(0, 2)).toEqual(['user: one', 'assistant: One.'])
    const [first = '', ...others] = textOf(talk).split('\n')
    const torn = `${first.slice(0, 60)}${others.join('\n')}`
    const { sent, notices } = await resumed(torn)
    expect(sent.slice(0, 3)).toEqual([
      'user: [The beginning of this conversation is missing.]',
      'assistant: One.',
      'user: two'
    ])
    expect(notices).toContain('damaged at byte 0')
  })

  test('D8: what stands in a line is not taken for a line', () => {
    const nested = JSON.stringify(answerLine('a1', 'u1', { type: 'text', text: 'x}{"type":"user","uuid":"no"}' }))
    const { entries } = readTranscript(Buffer.from(`${nested.slice(0, -10)}\n`))
    expect(entries).toEqual([])
  })
})

describe('what a person said', () => {
  const mixed: readonly ClaudeLine[] = [
    user('u1', null, 'read both'),
    answerLine('a1', 'u1', readUse('t1'), 'm'),
    answerLine('a2', 'a1', readUse('t2'), 'm'),
    user('r1', 'a1', [resultOf('t1', 'first'), { type: 'text', text: 'mind the second' }]),
    user('r2', 'a2', [resultOf('t2', 'second')]),
    answerLine('a3', 'r2', 'Done.')
  ]

  test('D2: words beside a result are kept on resume, behind all results', async () => {
    const { sent } = await resumed(mixed)
    expect(sent.slice(0, 5)).toEqual([
      'user: read both',
      'assistant: ',
      'user: ',
      'user: mind the second',
      'assistant: Done.'
    ])
  })

  test('D2: they are in export --format json', async () => {
    const at = desk()
    fileOf(mixed, { cwd: at.project }, 'x.jsonl')
    const { stdout } = await at.run(['sessions', 'export', 'x.jsonl', '--format', 'json'])
    const { messages } = JSON.parse(stdout) as { messages: readonly { role: string; content: unknown }[] }
    expect(messages[3]).toEqual({ role: 'user', content: [{ type: 'text', text: 'mind the second' }] })
    expect(JSON.stringify(messages[2])).toMatch(/first.*second/)
  })

  test('D2: they are kept also where the call of the result is gone, or the answer is a plain text', async () => {
    const odd = [
      ...mixed.slice(0, 1),
      ...mixed.slice(3, 4),
      { ...mixed[5]!, message: { id: 'm9', role: 'assistant', content: 'Plain.' } }
    ]
    expect((await resumed(odd)).sent.slice(0, 3)).toEqual([
      'user: read both',
      'user: mind the second',
      'assistant: Plain.'
    ])
  })

  const queued = (uuid: string, parent: string, prompt: unknown, more: object = {}): ClaudeLine =>
    line(uuid, parent, {
      type: 'attachment',
      attachment: { type: 'queued_command', prompt, commandMode: 'prompt', ...more }
    })
  const queue = (operation: string, content?: string): ClaudeLine => ({
    type: 'queue-operation',
    operation,
    sessionId: 'theirs',
    ...at,
    ...(content !== undefined && { content })
  })
  const at = { timestamp: '2026-05-04T10:00:00.000Z' }
  const working = (behind: readonly ClaudeLine[]): readonly ClaudeLine[] => [
    user('u1', null, 'begin'),
    answerLine('a1', 'u1', readUse('t1')),
    ...behind,
    user('r1', 'a1', [resultOf('t1', 'found')]),
    answerLine('a2', 'r1', 'Done.')
  ]

  async function shownAndSent(
    lines: readonly ClaudeLine[]
  ): Promise<readonly [shown: readonly unknown[], sent: readonly string[]]> {
    const desk1 = desk()
    fileOf(lines, { cwd: desk1.project }, 'x.jsonl')
    const { stdout } = await desk1.run(['sessions', 'show', 'x.jsonl', '--json'])
    const { items } = JSON.parse(stdout) as { items: readonly { kind: string; text?: string }[] }
    return [items.flatMap(({ kind, text }) => (kind === 'prompt' ? [text] : [])), (await resumed(lines)).sent]
  }

  test('D3: a prompt typed while the agent worked is shown and sent', async () => {
    const [shown, sent] = await shownAndSent(
      working([queue('enqueue', 'and hurry'), queued('q1', 'a1', 'and hurry'), queue('remove')])
    )
    expect(shown).toEqual(['begin', 'and hurry'])
    expect(sent).toEqual([
      'user: begin',
      'assistant: ',
      'user: ',
      'user: and hurry',
      'assistant: Done.',
      'user: And now?'
    ])
  })

  test('D3: of older files queue-operation is enough; what was taken back is not sent', async () => {
    const lines = working([
      queue('enqueue', 'and hurry'),
      queue('remove'),
      queue('enqueue', 'never mind'),
      queue('popAll')
    ])
    const [shown, sent] = await shownAndSent(lines)
    expect(shown).toEqual(['begin', 'and hurry'])
    expect(sent.filter(each => each === 'user: and hurry')).toHaveLength(1)
    expect(sent.join()).not.toContain('never mind')
  })

  test('D3: one that became a prompt of its own is told once, one that was never given comes last', async () => {
    const lines = [
      ...[
        queue('enqueue', 'begin'),
        queue('dequeue'),
        ...working([queue('enqueue', 'next'), queue('enqueue', 'last words')])
      ],
      ...[queue('dequeue'), user('u2', 'a2', [{ type: 'text', text: 'next' }]), answerLine('a3', 'u2', 'Next.')]
    ]
    const [shown, sent] = await shownAndSent(lines)
    expect(shown).toEqual(['begin', 'next', 'last words'])
    expect(sent.slice(3)).toEqual([
      'assistant: Done.',
      'user: next',
      'assistant: Next.',
      'user: last words',
      'user: And now?'
    ])
  })
})

/** What other programs read in our transcripts: how much was used, ids, background work that is gone. */
import { describe, expect, test } from 'vitest'
import { scriptedModel } from '../../../src/testing.ts'
import { desk } from '../../cli/sessions/sessions-kit.ts'
import { gate, ofType, ownTool, prompted, words } from '../../support/agent-kit.ts'
import type { Query } from '../../../src/index.ts'

type Line = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly requestId?: string
  readonly message?: {
    readonly id?: string
    readonly usage?: { readonly input_tokens: number }
    readonly [more: string]: unknown
  }
}

/** What tools add up: each response once, identified by its id and its request. */
function usedIn(lines: readonly Line[]): number {
  const answers = new Map<string, number>()
  lines.forEach(({ message, requestId }, index) => {
    if (message?.usage === undefined) return
    const key = message.id !== undefined && requestId !== undefined ? `${message.id}:${requestId}` : `line ${index}`
    answers.set(key, message.usage.input_tokens)
  })
  return [...answers.values()].reduce((sum, each) => sum + each, 0)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const usage = (input_tokens: number): object => ({ input_tokens, output_tokens: 1 })
const turn = (tokens: number, text: string): object => ({
  text,
  calls: [
    { name: 'try', input: {} },
    { name: 'try', input: {} }
  ],
  usage: usage(tokens)
})

/** A session with calls, which was compacted in between. */
async function compacted(): Promise<{ at: ReturnType<typeof desk>; lines: readonly Line[]; used: number }> {
  const at = desk()
  const answered = gate()
  let running: Query | undefined
  const { result } = await at.agent(
    's',
    [
      turn(10, 'First.'),
      { text: 'Done.', usage: usage(20) },
      { text: 'SUMMARY', usage: usage(300) },
      { text: 'The end.', usage: usage(4000) }
    ] as never,
    {
      tools: [ownTool('try', () => 'tried')],
      allowedTools: ['try'],
      steer: each => (running = each),
      each: message => message.type === 'result' && answered.open(),
      prompt: (async function* () {
        yield prompted('Begin')
        await answered.opened
        await running!.compact()
        yield prompted('Go on')
      })()
    }
  )
  expect(result).toMatchObject({ result: 'The end.' })
  return { at, lines: at.lines('s') as readonly Line[], used: 4330 }
}

describe('usage', () => {
  test('D6: all lines of an answer have one requestId, and each answer one of its own', async () => {
    const { lines } = await compacted()
    const answers = lines.filter(({ type }) => type === 'assistant')
    const groups = Object.values(Object.groupBy(answers, ({ message }) => message!.id!))
    expect(groups.map(group => group!.length)).toEqual([3, 1, 1, 1])
    for (const group of groups) expect(new Set(group!.map(({ requestId }) => requestId)).size).toBe(1)
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(4)
  })

  test('D6: what programs add up is what was used, the compaction included', async () => {
    const { lines, used } = await compacted()
    expect(usedIn(lines)).toBe(used)
  })

  test('D6: a session that was compacted continues as before, and shows no empty answer', async () => {
    const { at } = await compacted()
    const { sent } = await at.agent('s', ['Bye.'], { prompt: 'Bye' })
    expect(sent[0]!.map(words).at(0)).toContain('SUMMARY')
    expect(sent[0]!.every(({ content }) => content.length > 0)).toBe(true)
    const { stdout } = await at.run(['sessions', 'show', 's', '--json'])
    const { items } = JSON.parse(stdout) as { items: readonly { kind: string; text?: string }[] }
    expect(items.flatMap(({ kind, text }) => (kind === 'answer' ? [text] : []))).toEqual([
      'First.',
      'Done.',
      'The end.',
      'Bye.'
    ])
  })

  test('D6: lines for other programs add up to the same, though a compaction repeats what it kept', async () => {
    const { at, used } = await compacted()
    const { stdout } = await at.run(['sessions', 'export', 's', '--format', 'jsonl'])
    expect(
      usedIn(
        stdout
          .trimEnd()
          .split('\n')
          .map(text => JSON.parse(text) as Line)
      )
    ).toBe(used)
  })
})

describe('lines for other programs', () => {
  const exported = async (): Promise<readonly Line[]> => {
    const { at } = await compacted()
    const { stdout } = await at.run(['sessions', 'export', 's', '--format', 'jsonl'])
    return stdout
      .trimEnd()
      .split('\n')
      .map(text => JSON.parse(text) as Line)
  }

  test('D7: ids of all lines are UUIDs, and the same each time', async () => {
    const { at } = await compacted()
    const once = await at.run(['sessions', 'export', 's', '--format', 'jsonl'])
    const lines = once.stdout
      .trimEnd()
      .split('\n')
      .map(text => JSON.parse(text) as Line)
    for (const { uuid, parentUuid } of lines) {
      expect(uuid).toMatch(UUID)
      if (parentUuid !== null) expect(parentUuid).toMatch(UUID)
    }
    expect((await at.run(['sessions', 'export', 's', '--format', 'jsonl'])).stdout).toBe(once.stdout)
  })

  test('D7: a compaction has a level', async () => {
    const boundary = (await exported()).find(({ subtype }) => subtype === 'compact_boundary')
    expect(boundary).toMatchObject({
      level: 'info',
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'manual' }
    })
  })

  test('D7: every answer has model, stop reason and usage, also those that a compaction kept', async () => {
    const lines = await exported()
    const place = lines.findIndex(({ subtype }) => subtype === 'compact_boundary')
    const kept = lines.slice(place).filter(({ type }) => type === 'assistant')
    expect(kept.length).toBeGreaterThan(1)
    for (const { message } of lines.filter(({ type }) => type === 'assistant')) {
      expect(message).toMatchObject({ type: 'message', role: 'assistant', usage: { input_tokens: expect.any(Number) } })
      expect(message!['model']).toEqual(expect.any(String))
      expect(message).toHaveProperty('stop_reason')
    }
    expect(kept[0]!.message!['stop_reason']).toBe('tool_use')
  })
})

test('D8: after a restart the model and people are told that a background command and agent are gone, once', async () => {
  const at = desk()
  const calls = [
    { name: 'Bash', input: { command: 'sleep 60', run_in_background: true } },
    {
      name: 'Agent',
      input: { description: 'Look around', prompt: 'Look', subagent_type: 'general-purpose', run_in_background: true }
    }
  ]
  const turns = [{ calls }, 'Both work.']
  await at.agent('s', turns, { tools: ['Bash', 'Agent', 'TaskOutput'], allowedTools: ['Bash', 'Agent'], maxTurns: 2 })
  // As if it had been killed while both were running.
  at.cut('s', line => JSON.stringify(line).includes('Both work.'))
  const ids = at.lines('s').flatMap(({ toolUseResult: output }) => {
    const { backgroundTaskId, agentId } = (output ?? {}) as { backgroundTaskId?: string; agentId?: string }
    return backgroundTaskId ?? agentId ?? []
  })
  expect(ids).toHaveLength(2)
  const asked = await at.agent('s', ['I see.'], { prompt: 'And?' })
  for (const id of ids) {
    expect(words(asked.sent[0]!.findLast(({ role }) => role === 'system')!)).toContain(`The background task ${id}`)
    expect(JSON.stringify(ofType(asked, 'system'))).toContain(`The background task ${id}`)
  }
  const again = await at.agent('s', ['Yes.'], { prompt: 'Sure?' })
  expect(JSON.stringify(ofType(again, 'system'))).not.toContain('The background task')
})

test('D8: a background command that had ended is not told of', async () => {
  const at = desk()
  const model = scriptedModel([
    { calls: [{ name: 'Bash', input: { command: 'true', run_in_background: true } }] },
    request => {
      const id = /background as (b[0-9a-f]+)/.exec(JSON.stringify(request.messages))![1]!
      return { calls: [{ name: 'TaskOutput', input: { task_id: id } }] }
    },
    'It has ended.'
  ])
  await at.agent('s', model as never, { tools: ['Bash', 'TaskOutput'], allowedTools: ['Bash', 'TaskOutput'] })
  const asked = await at.agent('s', ['I see.'], { prompt: 'And?' })
  expect(JSON.stringify([asked.sent, ofType(asked, 'system')])).not.toContain('The background task')
})

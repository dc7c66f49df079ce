/**
 * What command hooks are given, beside what Claude Code gave them in a recorded session. docs/payloads.md lists every
 * difference: one that is not listed fails, and so does one that is listed and does not exist.
 */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createSdkMcpServer, tool, type QueryOptions } from '../../src/index.ts'
import { nameOfStatus } from '../../src/lib/model/failure.ts'
import peer from '../fixtures/peer-payloads.json' with { type: 'json' }
import type { TurnOrMaker } from '../../src/testing.ts'
import { record, type Payload } from './recording.ts'
import { differencesOf } from './shapes.ts'
import { callTurn } from '../support/agent-kit.ts'

const sample = createSdkMcpServer({
  name: 'sample',
  tools: [
    tool('echo', 'Says it again', { text: z.string() }, async ({ text }) => ({
      content: [{ type: 'text', text: `echo: ${text}` }]
    }))
  ]
})

/** The calls of the recorded session, and those of the tools that it did not use. */
const MAIN = [
  callTurn('Read', { file_path: 'a.txt' }),
  callTurn('Bash', { command: 'false', description: 'fail' }),
  callTurn('Bash', { command: 'echo hi', description: 'say hi' }),
  callTurn('Read', { file_path: 'missing.txt' }),
  callTurn('Write', { file_path: 'b.txt', content: 'beta\n' }),
  callTurn('Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'ALPHA' }),
  callTurn('Bash', { command: 'touch x.txt', description: 'needs permission' }),
  callTurn('mcp__sample__echo', { text: 'yo' }),
  callTurn('NoSuchTool', { x: 1 }),
  callTurn('Bash', { nocommand: 1 }),
  callTurn('Glob', { pattern: '*.txt' }),
  callTurn('Grep', { pattern: 'A' }),
  callTurn('Grep', { pattern: 'A', output_mode: 'content' }),
  callTurn('Grep', { pattern: 'A', output_mode: 'count' }),
  callTurn('Bash', { command: 'cd sub', description: 'go there' }),
  'all done'
]

/** One subagent, which uses no tool. */
const SUBAGENT = [
  callTurn('Agent', { description: 'look', prompt: 'Look around', subagent_type: 'general-purpose' }),
  'nothing here',
  'all done'
]

const ALLOWED = ['Write', 'Edit', 'Bash(echo *)', 'Bash(false)', 'Bash(cd *)', 'mcp__sample__echo']

/** The notification about an open prompt is sent immediately, without its delay; all other timers run normally. */
const hasty: QueryOptions['clock'] = {
  coarse: false,
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms === 6000 ? 0 : ms)
    return () => clearTimeout(timer)
  }
}

/** A person is asked, and answers after the notification about it was sent. */
async function recordNotification(): Promise<readonly Payload[]> {
  let answer = (): void => {}
  const told = new Promise<void>(resolve => (answer = resolve))
  const canUseTool: QueryOptions['canUseTool'] = async () => {
    await told
    return { behavior: 'allow' }
  }
  const turns = [callTurn('Bash', { command: 'touch x.txt' }), 'done']
  return record(turns, { canUseTool, clock: hasty, includeHookEvents: true }, message => {
    if (message.type === 'system' && message.subtype === 'hook_response' && message.hook_event === 'Notification')
      answer()
  })
}

/** A helper that works beside its caller until that has ended its turn. */
const HELPER_WAITS = `while ! grep -q '"hook_event_name":"Stop"' ../kept; do sleep 0.02; done`

/** An agent that calls another one, which calls Bash. The first message shows whose turn it is. */
function delegating(behind: boolean): readonly TurnOrMaker[] {
  const input = { description: 'help', prompt: 'SUB: do it', subagent_type: 'helper', run_in_background: behind }
  const main = [callTurn('Agent', input), 'ok', 'ok']
  const sub = [callTurn('Bash', { command: behind ? HELPER_WAITS : 'echo hi' }), 'SAMPLE sub done']
  const next: TurnOrMaker = ({ messages }) =>
    (JSON.stringify(messages[0]).includes('SUB:') ? sub : main).shift() ?? 'nothing left to say'
  return Array.from({ length: 6 }, () => next)
}

const HELPER = { agents: { helper: { description: 'Helps', prompt: 'Help.' } }, allowedTools: ['Bash', 'Agent'] }

let ours: readonly Payload[]
/** By the name of the recording that it belongs to. */
let apart: Readonly<Record<string, readonly Payload[]>>
beforeAll(async () => {
  const task = { subject: 'SAMPLE task', description: 'd' }
  apart = {
    subagentForeground: await record(delegating(false), HELPER),
    subagentBackground: await record(delegating(true), HELPER),
    compact: await record([{ text: 'one', usage: { input_tokens: 100, output_tokens: 20 } }], {}, undefined, [['two']]),
    model: await record([], { prompt: '/model haiku' }),
    tasks: await record([
      callTurn('TaskCreate', task),
      callTurn('TaskUpdate', { taskId: '1', status: 'completed' }),
      'done'
    ])
  }
  ours = [
    ...(await record(MAIN, { mcpServers: { sample }, setup: 'init', allowedTools: ALLOWED })),
    ...(await record([{ fail: { status: 400, message: 'no' } }])),
    ...(await record(SUBAGENT)),
    ...(await recordNotification())
  ]
})

const recorded: readonly Payload[] = [...peer.main, ...Object.values(peer.samples)]

/** Every event that an agent fires today and that was recorded; events of calls once a tool. */
const COMPARED: readonly string[] = [
  ...[
    'Setup',
    'SessionStart',
    'InstructionsLoaded',
    'UserPromptSubmit',
    'Notification',
    'CwdChanged',
    'MessageDisplay'
  ],
  ...['Stop', 'StopFailure', 'SessionEnd', 'PermissionRequest Bash', 'PermissionDenied Bash'],
  ...['Read', 'Write', 'Edit', 'Bash', 'mcp__sample__echo'].flatMap(name => [
    `PreToolUse ${name}`,
    `PostToolUse ${name}`,
    `PostToolBatch ${name}`
  ]),
  ...['SubagentStart', 'SubagentStop', 'PostToolUseFailure Bash', 'PostToolUseFailure Read', 'PostToolBatch NoSuchTool']
]

/** Payloads of recordings of their own, and which of them: the tool, or whether something works in the background. */
const APART: readonly (readonly [recording: string, label: string, fits: (payload: Payload) => boolean])[] = [
  ['subagentForeground', 'PreToolUse Agent', ({ tool_name }) => tool_name === 'Agent'],
  ['subagentForeground', 'PostToolUse Agent', ({ tool_name }) => tool_name === 'Agent'],
  ['subagentForeground', 'SubagentStart', () => true],
  ['subagentForeground', 'SubagentStop', () => true],
  ['subagentBackground', 'PostToolUse Agent-background', ({ tool_name }) => tool_name === 'Agent'],
  ['subagentBackground', 'Stop background', ({ background_tasks }) => (background_tasks as []).length > 0],
  ['subagentBackground', 'UserPromptSubmit notification', ({ prompt }) => String(prompt).startsWith('<task-')],
  ['compact', 'SessionStart resume', ({ source }) => source === 'resume'],
  ['model', 'PreModelSwitch', () => true],
  ['tasks', 'TaskCreated', () => true],
  ['tasks', 'TaskCompleted', () => true]
]

/** What differs in these. */
const differencesApart = () =>
  APART.flatMap(([recording, label, fits]) => {
    const event = label.split(' ')[0]
    const pick = (payloads: readonly Payload[]): Payload =>
      payloads.find(payload => payload['hook_event_name'] === event && fits(payload)) ?? {
        no: `${label} in ${recording}`
      }
    const theirs: Readonly<Record<string, readonly Payload[]>> = { ...(peer as object), model: peer.model.inputs }
    return differencesOf(pick(theirs[recording]!), pick(apart[recording]!)).map(difference => ({
      label,
      ...difference
    }))
  })

/** The first payload of this event, about this tool. */
function find(payloads: readonly Payload[], [event, toolName]: readonly string[]): Payload {
  const found = payloads.find(payload => {
    const calls = payload['tool_calls'] as readonly Payload[] | undefined
    const about = calls?.length === 1 ? calls[0]?.['tool_name'] : payload['tool_name']
    return payload['hook_event_name'] === event && about === toolName
  })
  if (found === undefined) throw new Error(`no payload of ${event} ${toolName ?? ''}`)
  return found
}

/** The rows of the table: to which payloads a difference belongs, what it is, and why. */
function documented(): readonly { events: string; field: string; difference: string; why: string }[] {
  const text = readFileSync(new URL('../../docs/payloads.md', import.meta.url), 'utf8')
  const [, rest = ''] = text.split('<!-- differences -->\n')
  const rows = rest
    .slice(0, rest.indexOf('\n## '))
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| event'))
  return rows.map(row => {
    const [events = '', field = '', difference = '', why = ''] = row
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim().replaceAll('`', ''))
    return { events, field, difference, why }
  })
}

const concerns = (events: string, label: string): boolean =>
  events === 'every event' || events.split(', ').some(each => each === label || each === label.split(' ')[0])

/** StopFailure hooks match on a name for what went wrong; it follows from the provider's status. */
const failureNames = () =>
  Object.entries(peer.stopFailure).flatMap(([status, payload]) => {
    const name = nameOfStatus(Number(status))
    const error = payload[0]?.error
    return name === error
      ? []
      : [{ label: `StopFailure ${status}`, field: 'error', difference: `${name} instead of ${error}` }]
  })

test('every difference from the recorded payloads is in docs/payloads.md, with a reason, and nothing else is', () => {
  const rows = documented()
  const found = COMPARED.flatMap(label => {
    const words = label.split(' ')
    return differencesOf(find(recorded, words), find(ours, words)).map(difference => ({ label, ...difference }))
  })
  found.push(...failureNames(), ...differencesApart())
  const fits = (row: (typeof rows)[number], { label, field, difference }: (typeof found)[number]): boolean =>
    concerns(row.events, label) && row.field === field && row.difference === difference
  expect(found.filter(each => !rows.some(row => fits(row, each)))).toEqual([])
  expect(rows.filter(row => !found.some(each => fits(row, each)))).toEqual([])
  expect(rows.filter(({ why }) => why === '')).toEqual([])
})

test('a call that no one permits is asked about, and then denied', () => {
  const about = ours.filter(({ tool_input }) => (tool_input as Payload | undefined)?.['command'] === 'touch x.txt')
  expect(about.slice(0, 3).map(payload => payload['hook_event_name'])).toEqual([
    'PreToolUse',
    'PermissionRequest',
    'PermissionDenied'
  ])
})

test('a payload is one line, and what only we say stands behind what the contract says', () => {
  for (const payload of ours) {
    const keys = Object.keys(payload)
    const prompt = 'user_prompt' in payload ? ['user_prompt'] : []
    const subagent = 'agent_id' in payload && 'agent_type' in payload ? ['subagent_id', 'subagent_type'] : []
    expect(keys.slice(keys.indexOf('event'))).toEqual(['event', ...prompt, ...subagent, 'timestamp'])
    expect(keys.slice(0, 3)).toEqual(['session_id', 'transcript_path', 'cwd'])
  }
})

/** Not recorded, but published: what Glob and Grep may give, by name and type. */
const PUBLISHED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Glob: {
    durationMs: 'number',
    numFiles: 'number',
    filenames: 'object',
    truncated: 'boolean',
    totalMatches: 'number',
    countIsComplete: 'boolean'
  },
  Grep: {
    mode: 'string',
    numFiles: 'number',
    filenames: 'object',
    content: 'string',
    numLines: 'number',
    numMatches: 'number',
    totalFiles: 'number',
    totalLines: 'number',
    appliedLimit: 'number',
    appliedOffset: 'number'
  }
}

test.each(Object.entries(PUBLISHED))('the output of %s has the published fields only', (name, fields) => {
  const after = ours.filter(payload => payload['hook_event_name'] === 'PostToolUse' && payload['tool_name'] === name)
  expect(after.length).toBeGreaterThan(0)
  for (const { tool_response } of after)
    for (const [key, value] of Object.entries(tool_response as Payload))
      expect([key, typeof value]).toEqual([key, fields[key]])
})

const after = (recording: string): Payload =>
  apart[recording]!.find(each => each['hook_event_name'] === 'PostToolUse' && each['tool_name'] === 'Agent')![
    'tool_response'
  ] as Payload

test('C10: what works in the background is a subagent, with its type', () => {
  const stops = apart['subagentBackground']!.filter(each => each['hook_event_name'] === 'Stop')
  expect(stops[0]!['background_tasks']).toEqual([
    { id: expect.any(String), type: 'subagent', status: 'running', description: 'help', agent_type: 'helper' }
  ])
  expect(stops.at(-1)!['background_tasks']).toEqual([])
})

test('C10: or a shell, with its command', async () => {
  const command = HELPER_WAITS
  const seen = await record([callTurn('Bash', { command, run_in_background: true }), 'ok', 'ok'], {
    allowedTools: ['Bash']
  })
  const stop = seen.find(each => each['hook_event_name'] === 'Stop')!
  expect(stop['background_tasks']).toEqual([
    { id: expect.any(String), type: 'shell', status: 'running', description: command, command }
  ])
})

test('C10: a session that continues says how long ago the last answer was, and what it costs to send it again', () => {
  const starts = apart['compact']!.filter(each => each['hook_event_name'] === 'SessionStart')
  expect(starts[0]).not.toHaveProperty('context_tokens')
  expect(starts[1]).toMatchObject({
    source: 'resume',
    seconds_since_last_response: expect.any(Number),
    context_tokens: 120,
    prompt_cache_likely_expired: false,
    estimated_cache_write_usd: 0.00075
  })
})

test('C10: the result of an agent says who it was and what it used', () => {
  expect(after('subagentForeground')).toMatchObject({
    status: 'completed',
    agentType: 'helper',
    toolsUsed: ['Bash'],
    totalToolUseCount: 1,
    usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    toolStats: { readCount: 0, searchCount: 0, bashCount: 1, editFileCount: 0, otherToolCount: 0 }
  })
})

test('C10: that of one in the background says so, and where its words will be', () => {
  const { agentId, ...response } = after('subagentBackground')
  expect(response).toMatchObject({ isAsync: true, status: 'async_launched', prompt: 'SUB: do it' })
  expect(response['outputFile']).toMatch(new RegExp(`/${String(agentId)}\\.output$`))
})

/** Hooks that are questions to a model. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { deny, type EventName, type ModelRequest } from '../../src/index.ts'
import type { TurnOrMaker } from '../../src/testing.ts'
import { ask, inputsOf, project, registry } from '../support/agent-kit.ts'

const isQuestion = ({ system }: ModelRequest): boolean => system.startsWith('You judge one event')

/** A script in which questions of hooks get these answers, and the agent has its turns. */
function play(
  turns: readonly TurnOrMaker[],
  answers: readonly TurnOrMaker[],
  asked: string[] = []
): readonly TurnOrMaker[] {
  let [turn, answer] = [0, 0]
  const next: TurnOrMaker = (request, signal) => {
    if (isQuestion(request)) asked.push(JSON.stringify(request.messages))
    const made = isQuestion(request) ? answers[Math.min(answer++, answers.length - 1)]! : turns[turn++]!
    return typeof made === 'function' ? made(request, signal) : made
  }
  return Array.from({ length: 50 }, () => next)
}

const settings = (event: EventName, more: object = {}) => ({
  hooks: { [event]: [{ hooks: [{ type: 'prompt', prompt: 'Is this all right? $ARGUMENTS', ...more }] }] }
})

const touch = { calls: [{ name: 'Bash', input: { command: 'touch made' } }] }
const no = '{"ok": false, "reason": "not on my watch"}'
const open = { permissionMode: 'bypassPermissions' as const, allowDangerouslySkipPermissions: true }

test('a yes lets pass; the model is shown the event, and nothing else', async () => {
  const asked: string[] = []
  const { project: place } = await ask(play([touch, 'done'], ['{"ok": true}'], asked), {
    settings: settings('PreToolUse'),
    ...open
  })
  expect(place.has('made')).toBe(true)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('touch made')
})

test('a no on a call refuses it and ends the turn', async () => {
  const {
    project: place,
    result,
    sent
  } = await ask(play([touch, 'done'], [no]), { settings: settings('PreToolUse'), ...open })
  expect(place.has('made')).toBe(false)
  expect(result).toMatchObject({ terminal_reason: 'hook_stopped', result: 'not on my watch' })
  expect(sent.filter(request => JSON.stringify(request).includes('not on my watch'))).toEqual([])
})

test('with continueOnBlock the agent is told, and continues', async () => {
  const {
    project: place,
    result,
    sent
  } = await ask(play([touch, 'done'], [no]), {
    settings: settings('PreToolUse', { continueOnBlock: true }),
    ...open
  })
  expect(place.has('made')).toBe(false)
  expect(result.result).toBe('done')
  expect(JSON.stringify(sent.at(-1))).toContain('not on my watch')
})

test.each([
  ['no JSON', 'I think it is fine'],
  ['no verdict', '{"fine": true}'],
  ['a word for a verdict', '{"ok": "yes"}'],
  ['a model that fails', { fail: { status: 500, message: 'broken' } }]
])('%s is no yes: the gate is closed', async (_, answer) => {
  const { project: place, sent } = await ask(play([touch, 'done'], [answer as TurnOrMaker]), {
    settings: settings('PreToolUse'),
    ...open
  })
  expect(place.has('made')).toBe(false)
  expect(JSON.stringify(sent.at(-1))).toContain('gate_failed')
})

test('the end of a turn: sent back, until all is well or cannot be', async () => {
  const { result, events } = await ask(
    play(['one', 'two', 'three'], [no, '{"ok": false, "reason": "x", "impossible": true}']),
    {
      settings: settings('Stop')
    }
  )
  expect(result.result).toBe('two')
  expect(inputsOf({ events }, 'Stop')).toHaveLength(2)
})

test('a prompt that is refused never reaches the model', async () => {
  const { result, names } = await ask(play(['done'], [no]), { settings: settings('UserPromptSubmit') })
  expect(result.terminal_reason).toBe('prompt_blocked')
  expect(names).not.toContain('Iteration')
})

test('what is done is done: PostToolUse ends the turn, or tells', async () => {
  const { result } = await ask(play([touch, 'done'], [no]), {
    in: project(),
    settings: settings('PostToolUse'),
    ...open
  })
  expect(result).toMatchObject({ terminal_reason: 'hook_stopped' })
  const told = await ask(play([touch, 'done'], [no]), {
    settings: settings('PostToolUse', { continueOnBlock: true }),
    ...open
  })
  expect(JSON.stringify(told.sent.at(-1))).toContain('not on my watch')
})

test('where the event has no place in it, it stands at the end; a dollar can be meant as one', async () => {
  const asked: string[] = []
  await ask(play([touch, 'done'], ['{"ok": true}'], asked), {
    settings: settings('PreToolUse', { prompt: String.raw`Costs it \$ARGUMENTS?` }),
    ...open
  })
  expect(asked[0]).toMatch(/Costs it \$ARGUMENTS\?\\n\\n\{/)
})

test('an agent looks into it, with tools that only read, and is not asked about itself', async () => {
  const place = project({ 'rules.txt': 'nobody may touch anything' })
  const { events, sent } = await ask(
    play(
      [touch, 'done'],
      [
        {
          calls: [
            { name: 'Read', input: { file_path: 'rules.txt' } },
            { name: 'Bash', input: { command: 'touch by-hook' } }
          ]
        },
        no
      ]
    ),
    {
      in: place,
      settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'agent', prompt: 'Look at rules.txt' }] }] } },
      ...open
    }
  )
  expect(place.has('made') || place.has('by-hook')).toBe(false)
  expect(JSON.stringify(sent.at(-1))).toContain('not on my watch')
  const calls = inputsOf({ events }, 'PreToolUse').map(({ tool_name, agent_type }) => [tool_name, agent_type])
  expect(calls).toEqual([
    ['Read', 'hook'],
    ['Bash', undefined]
  ])
})

test('what an agent of a hook says and does is for the hook alone, and its calls pass the gate', async () => {
  const place = project({ 'rules.txt': 'the rules of the house', 'secret.txt': 'a secret' })
  const read = (name: string) => ({ name: 'Read', input: { file_path: place.path(name) } })
  const looks = { text: 'I look into the rules.', calls: [read('rules.txt'), read('secret.txt')] }
  const asked: string[] = []
  const { messages, sent, events, result } = await ask(play([touch, 'done'], [looks, '{"ok": true}'], asked), {
    in: place,
    persistSession: true,
    settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'agent', prompt: 'Look at rules.txt' }] }] } },
    hooks: registry(hooks => hooks.on('PreToolUse', 'Read', ({ input }) => secretsStay(input.tool_input))),
    ...open
  })
  expect(result.result).toBe('done')
  expect(place.has('made')).toBe(true)
  // Its calls went through the door: hooks judged each, and the one that was refused has read nothing.
  expect(asked).toHaveLength(2)
  expect(asked[1]).toContain('the rules of the house')
  expect(asked[1]).toContain('secrets stay')
  expect(asked[1]).not.toContain('a secret')
  const before = inputsOf({ events }, 'PreToolUse').filter(({ agent_type }) => agent_type === 'hook')
  expect(before.map(({ tool_input }) => tool_input)).toMatchObject([read('rules.txt').input, read('secret.txt').input])
  const after = inputsOf({ events }, 'PostToolUse').map(({ tool_name, agent_type }) => [tool_name, agent_type])
  expect(after).toEqual([
    ['Read', 'hook'],
    ['Bash', undefined]
  ])

  const own = sent.filter(request => !asked.includes(JSON.stringify(request)))
  const file = String(inputsOf({ events }, 'SessionEnd')[0]!['transcript_path'])
  const written = [readFileSync(file, 'utf8'), JSON.stringify(own), JSON.stringify(messages)]
  for (const text of written) {
    expect(text).toContain('touch made')
    // Its prompt is also the name of the hook, which the record of the decision has.
    const others = text.replace(/"tools":\[[^\]]*\]/, '').replaceAll('Look at rules.txt (--settings:1)', '')
    for (const its of ['I look into', 'the rules of the house', 'secrets stay', 'Look at rules.txt', '"Read"'])
      expect(others).not.toContain(its)
  }
  const transcripts = readdirSync(dirname(file), { recursive: true }).filter(name => String(name).endsWith('.jsonl'))
  expect(transcripts).toEqual([basename(file)])
})

const secretsStay = ({ file_path }: Readonly<Record<string, unknown>>) =>
  String(file_path).endsWith('secret.txt') ? deny('secrets stay') : undefined

test('an agent that says nothing useful closes the gate', async () => {
  const { project: place, sent } = await ask(play([touch, 'done'], ['well, well']), {
    settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'agent', prompt: 'Look' }] }] } },
    ...open
  })
  expect(place.has('made')).toBe(false)
  expect(JSON.stringify(sent.at(-1))).toContain('gate_failed')
})

test('a question about an answer is not judged itself; a no has the model try again', async () => {
  const asked: string[] = []
  const run = await ask(play(['hunter2', 'Nothing.'], [no, '{"ok": true}'], asked), {
    settings: settings('PostModelResponse')
  })
  expect([asked.length, run.result.result]).toEqual([2, 'Nothing.'])
  expect(asked[0]).toContain('hunter2')
  const ofAgent = run.sent.filter(messages => !JSON.stringify(messages[0]).includes('Is this all right?'))
  expect(JSON.stringify([run.messages, ofAgent])).not.toContain('hunter2')
})

test('what a model says about an answer is not shown if it is no verdict', async () => {
  const { messages, result } = await ask(play(['hunter2'], ['It says hunter2!']), {
    settings: settings('PostModelResponse')
  })
  expect(result).toMatchObject({ terminal_reason: 'response_blocked' })
  expect(JSON.stringify(messages)).not.toContain('hunter2')
})

test('an agent judges requests, its own pass no gate; answers it cannot judge', async () => {
  const kind = { type: 'agent' }
  const requests = await ask(play(['Done.'], ['{"ok": true}']), { settings: settings('PreModelRequest', kind) })
  expect(requests.result).toMatchObject({ terminal_reason: 'completed', result: 'Done.' })
  const answers = await ask(play(['Done.'], ['{"ok": true}']), { settings: settings('PostModelResponse', kind) })
  expect(answers.result.terminal_reason).toBe('response_blocked')
  expect(answers.names.filter(name => name === 'AgentStart')).toHaveLength(1)
})

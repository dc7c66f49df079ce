/** The conversation that hooks see, and the effect of their changes. */
import { expect, test } from 'vitest'
import { EVENT_NAMES, type EventName, type Message } from '../../../src/index.ts'
import {
  ask,
  bashCall,
  gate,
  ownTool,
  project,
  prompted,
  toolCall,
  unpaired,
  withHooks,
  words
} from '../../support/agent-kit.ts'

const holdsSecret = ({ content }: Message): boolean => JSON.stringify(content).includes('swordfish')

// F38
test.each([
  'UserPromptSubmit',
  'AgentStart',
  'Iteration',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolBatch',
  'CwdChanged'
] as const)('a filter at %s keeps a secret from the next request', async event => {
  const { sent, result } = await ask(['Noted.', { calls: [bashCall('mkdir -p sub && cd sub')] }, 'Done.'], {
    prompt: (async function* () {
      yield prompted('The word is swordfish.')
      yield prompted('Go on.')
    })(),
    canUseTool: async () => ({ behavior: 'allow' }),
    ...withHooks(hooks =>
      hooks.register({
        name: 'forget',
        events: [event],
        run: ctx => {
          const isSecond = ctx.messages.some(message => words(message) === 'Noted.')
          if (isSecond) ctx.messages = ctx.messages.filter(message => !holdsSecret(message))
        }
      })
    )
  })
  expect(result).toMatchObject({ result: 'Done.', is_error: false })
  expect(sent[2]!.some(holdsSecret)).toBe(false)
  // A request begins with words of the user.
  const beginning = '[The beginning of this conversation is missing.]'
  expect(sent[2]!.slice(0, 3).map(words)).toEqual([beginning, 'Noted.', 'Go on.'])
  expect(unpaired(sent[2]!)).toEqual([])
})

// F38
test('every event of a run shows it, with what was said so far', async () => {
  const seen = new Map<EventName, readonly string[]>()
  let isSecond = false
  await ask(
    [
      'Noted.',
      {
        calls: [
          bashCall('cd sub'),
          bashCall('touch no'),
          toolCall('fail'),
          toolCall('TaskCreate', { subject: 'a', description: 'a' }),
          toolCall('Agent', { description: 'a', prompt: 'an errand', subagent_type: 'general-purpose' })
        ]
      },
      'The subagent says this.',
      { calls: [toolCall('TaskUpdate', { taskId: '1', status: 'completed' })] },
      'Done.',
      { fail: { status: 401 } }
    ],
    {
      in: project({ 'sub/x': '' }),
      prompt: (async function* () {
        yield prompted('one')
        yield prompted('two')
        yield prompted('three')
      })(),
      tools: ['Bash', 'Agent', 'TaskCreate', 'TaskUpdate', ownTool('fail', () => Promise.reject(new Error('no')))],
      allowedTools: ['Bash(cd *)', 'fail', 'Agent', 'TaskCreate', 'TaskUpdate'],
      canUseTool: async () => ({ behavior: 'deny', message: 'no' }),
      ...withHooks(hooks => {
        hooks.on('UserPromptSubmit', ({ prompt }) => void (isSecond ||= prompt === 'two'))
        hooks.register({
          name: 'look',
          events: EVENT_NAMES,
          run: ctx => void (isSecond && seen.set(ctx.event, ctx.messages.map(words)))
        })
      })
    }
  )
  const ofSubagent = seen.get('SubagentStop')!
  expect(ofSubagent).toEqual(['an errand', 'The subagent says this.'])
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining([
      'UserPromptSubmit',
      'AgentStart',
      'Iteration',
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'CwdChanged',
      'TaskCreated',
      'TaskCompleted',
      'SubagentStart',
      'Stop',
      'StopFailure',
      'AgentStop',
      'SessionEnd'
    ])
  )
  seen.delete('SubagentStop')
  for (const [event, said] of seen) expect([event, said.slice(0, 2)]).toEqual([event, ['one', 'Noted.']])
})

// F38
test('what is said while a hook is at work is not lost with what it changes', async () => {
  const [first, child] = [gate(), gate()]
  const { sent } = await ask(
    [
      { calls: [toolCall('Agent', { description: 'a', prompt: 'an errand', run_in_background: true })] },
      'Launched.',
      () => {
        child.open()
        return 'An errand is done.'
      },
      'Done.'
    ],
    {
      prompt: (async function* () {
        yield prompted('one')
        await child.opened
        yield prompted('two')
      })(),
      allowedTools: ['Agent'],
      each: message => void (message.type === 'result' && first.open()),
      ...withHooks(hooks =>
        hooks.on('SubagentStart', async ctx => {
          ctx.messages.push({ role: 'user', content: 'by the way' })
          await first.opened
        })
      )
    }
  )
  const last = sent.find(messages => messages.some(message => words(message) === 'two'))!
  expect(last.map(words)).toEqual(expect.arrayContaining(['one', 'Launched.', 'by the way', 'two']))
  expect(unpaired(last)).toEqual([])
})

/** Subagents: the same door, the same hooks, and their own. */
import { expect, test } from 'vitest'
import type { ModelRequest, QueryOptions, ToolUseBlock } from '../../../src/index.ts'
import type { TurnOrMaker } from '../../../src/testing.ts'
import { ask, bashCall, inputsOf, project, registry } from '../../support/agent-kit.ts'

/** One script for all: each agent is known by its system prompt, and has its own turns. */
const cast = (turns: Readonly<Record<string, readonly TurnOrMaker[]>>): readonly TurnOrMaker[] => {
  const at = new Map<string, number>()
  const next = (request: ModelRequest) => {
    const who = Object.keys(turns).find(name => request.system.includes(`I am ${name}.`)) ?? 'main'
    const index = at.get(who) ?? 0
    at.set(who, index + 1)
    const turn = turns[who]![index]!
    return typeof turn === 'function' ? turn(request, new AbortController().signal) : turn
  }
  return Array.from({ length: 100 }, () => next)
}

const agents: QueryOptions['agents'] = {
  worker: { description: 'Works.', prompt: 'I am worker.' },
  reader: { description: 'Reads.', prompt: 'I am reader.', tools: ['Read'], maxTurns: 2 },
  boss: { description: 'Calls others.', prompt: 'I am boss.' }
}

const call = (type: string, more: object = {}) => ({
  name: 'Agent',
  input: { description: 'a task', prompt: `go, ${type}`, subagent_type: type, ...more }
})

// F150 F151 FM34
test('its calls pass the hooks of its parent, which are told who calls', async () => {
  const { sent, events, names, messages } = await ask(
    cast({ main: [{ calls: [call('worker')] }, 'all done'], worker: [{ calls: [bashCall('touch a')] }, 'worked'] }),
    { agents, allowedTools: ['Bash(touch *)'] }
  )
  expect(
    names.filter(name => !['Iteration', 'PostToolBatch', 'PreModelRequest', 'PostModelResponse'].includes(name))
  ).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'AgentStart',
    'PreToolUse',
    'SubagentStart',
    'AgentStart',
    'PreToolUse',
    'PostToolUse',
    'SubagentStop',
    'AgentStop',
    'PostToolUse',
    'MessageDisplay',
    'Stop',
    'AgentStop',
    'SessionEnd'
  ])
  const [outer, inner] = inputsOf({ events }, 'PreToolUse')
  const [{ agent_id }] = inputsOf({ events }, 'SubagentStart') as [{ agent_id: string }]
  expect(outer).not.toHaveProperty('agent_id')
  expect(inner).toMatchObject({ tool_name: 'Bash', agent_id, agent_type: 'worker', session_id: outer!['session_id'] })
  expect(inputsOf({ events }, 'SubagentStop')).toMatchObject([{ agent_id, agent_type: 'worker', success: true }])
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain(`worked\\n\\nagentId: ${agent_id}`)
  const [{ id }] = sent.at(-1)!.findLast(({ role }) => role === 'assistant')!.content as [ToolUseBlock]
  const inside = messages.filter(message => 'parent_tool_use_id' in message && message.parent_tool_use_id === id)
  expect(inside.map(({ type }) => type)).toEqual(['assistant', 'user', 'assistant'])
})

// FM34
test('a gate of the parent says no to the child, and to the child of the child', async () => {
  const place = project()
  const { events, project: where } = await ask(
    cast({
      main: [{ calls: [call('boss')] }, 'done'],
      boss: [{ calls: [call('worker'), bashCall('touch from-boss')] }, 'bossed'],
      worker: [{ calls: [bashCall('touch from-worker')] }, 'worked']
    }),
    {
      in: place,
      agents,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      hooks: registry(hooks =>
        hooks.on('PreToolUse', 'Bash', ctx => ({ decision: 'block', reason: `no, depth ${ctx.agent.depth}` }))
      )
    }
  )
  expect(where.has('from-boss') || where.has('from-worker')).toBe(false)
  expect(inputsOf({ events }, 'PreToolUse').filter(({ tool_name }) => tool_name === 'Bash')).toHaveLength(2)
})

test('three levels deep there is no one left to call', async () => {
  const { sent } = await ask(
    cast({
      main: [{ calls: [call('boss')] }, 'done'],
      boss: [...Array.from({ length: 3 }, () => ({ calls: [call('boss')] })), 'end', 'end', 'end', 'end']
    }),
    { agents }
  )
  expect(JSON.stringify(sent)).toContain('No such tool: Agent')
})

// F149
test('SubagentStart may refuse: nothing runs, and the model is told why', async () => {
  const { sent, names } = await ask(cast({ main: [{ calls: [call('worker')] }, 'done'] }), {
    agents,
    hooks: registry(hooks =>
      hooks.on('SubagentStart', 'worker', () => ({ decision: 'block', reason: 'not today' }), { name: 'calendar' })
    )
  })
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toMatch(/worker was not started: not today \[calendar\]/)
  expect(names.filter(name => name === 'AgentStart')).toHaveLength(1)
})

test('SubagentStop may send it back', async () => {
  const { sent, events } = await ask(
    cast({ main: [{ calls: [call('worker')] }, 'done'], worker: ['too early', 'now it is good'] }),
    {
      agents,
      hooks: registry(hooks =>
        hooks.on('SubagentStop', ctx =>
          ctx.input.stop_hook_active ? undefined : { decision: 'block', reason: 'look again' }
        )
      )
    }
  )
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain('now it is good')
  expect(inputsOf({ events }, 'SubagentStop')).toMatchObject([
    { stop_hook_active: false },
    { stop_hook_active: true, block_count: 1 }
  ])
})

// F150
test('one that fails is told of as such', async () => {
  const { sent, events } = await ask(
    cast({
      main: [{ calls: [call('reader')] }, 'done'],
      reader: Array.from({ length: 3 }, () => ({ calls: [{ name: 'Read', input: { file_path: 'x' } }] }))
    }),
    { agents }
  )
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain('maximum of 2 turns')
  expect(inputsOf({ events }, 'SubagentStop')).toMatchObject([
    { success: false, error: expect.stringContaining('2 turns') }
  ])
})

test('it has the tools that its definition names, and no others', async () => {
  const { sent } = await ask(
    cast({ main: [{ calls: [call('reader')] }, 'done'], reader: [{ calls: [bashCall('touch a')] }, 'read'] }),
    { agents }
  )
  expect(JSON.stringify(sent)).toContain('No such tool: Bash. There are: Read')
})

test('the old name of the tool is known, an unknown agent is an error that says which there are', async () => {
  const { sent, events } = await ask(
    cast({
      main: [{ calls: [{ ...call('worker'), name: 'Task' }, call('wroker')] }, 'done'],
      worker: ['worked']
    }),
    { agents }
  )
  const told = JSON.stringify(sent.at(-1)!.at(-1))
  expect(told).toContain('worked')
  expect(told).toContain('there is no agent wroker; did you mean worker?')
  expect(inputsOf({ events }, 'PreToolUse')).toMatchObject([{ tool_name: 'Agent' }])
})

test('in the background: the parent continues, no one is asked, and its end is told', async () => {
  const { sent, result } = await ask(
    cast({
      main: [
        { calls: [call('worker', { run_in_background: true })] },
        request => ({
          calls: [{ name: 'TaskOutput', input: { task_id: /as (a\w+)\./.exec(JSON.stringify(request.messages))![1]! } }]
        }),
        'done'
      ],
      worker: [{ calls: [bashCall('touch a')] }, 'worked quietly']
    }),
    { agents, canUseTool: async () => ({ behavior: 'allow' }) }
  )
  const told = JSON.stringify(sent.at(-1))
  expect(told).toContain('has ended')
  expect(told).toContain('worked quietly')
  expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash' }])
})

// F195
test('an agent of a file: its tools, its prompt, and its hooks only while it runs', async () => {
  const place = project({
    '.claude/agents/scribe.md': [
      '---',
      'name: scribe',
      'description: Writes.',
      'tools: Bash, Read',
      'hooks:',
      '  PreToolUse:',
      '    - matcher: Bash',
      '      hooks: [{ type: command, command: "echo scribe >> log" }]',
      '  Stop:',
      '    - hooks: [{ type: command, command: "echo stop >> log" }]',
      '---',
      'I am scribe.',
      ''
    ].join('\n')
  })
  const { sent, systems } = await ask(
    cast({
      main: [
        { calls: [bashCall('echo main >> log')] },
        { calls: [call('scribe')] },
        { calls: [bashCall('cat log')] },
        'done'
      ],
      scribe: [{ calls: [bashCall('echo inner >> log')] }, 'written']
    }),
    { in: place, trust: true, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }
  )
  expect(systems).toContain('I am scribe.\n')
  expect(place.text('log')).toBe('main\nscribe\ninner\nstop\n')
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain('stop')
})

test('approvals given to a child hold for its parent', async () => {
  let asked = 0
  const { result } = await ask(
    cast({
      main: [{ calls: [call('worker')] }, { calls: [bashCall('touch b')] }, 'done'],
      worker: [{ calls: [bashCall('touch a')] }, 'worked']
    }),
    {
      agents,
      canUseTool: async () => {
        asked++
        return {
          behavior: 'allow',
          updatedPermissions: [
            {
              type: 'addRules',
              behavior: 'allow',
              destination: 'session',
              rules: [{ toolName: 'Bash', ruleContent: 'touch *' }]
            }
          ]
        }
      }
    }
  )
  expect(asked).toBe(1)
  expect(result.permission_denials).toEqual([])
})

// F199
test('a teammate stays for further messages; TeammateIdle keeps it working', async () => {
  const team = (more: object) => call('worker', { run_in_background: true, name: 'ann', ...more })
  const { sent, events } = await ask(
    cast({
      main: [
        { calls: [team({})] },
        {
          calls: [
            { name: 'SendMessage', input: { to: 'ann', message: 'and now the roof' } },
            { name: 'SendMessage', input: { to: 'anne', message: 'x' } }
          ]
        },
        async () => {
          await roof.promise
          return { calls: [team({})] }
        },
        'done'
      ],
      worker: ['the walls', 'the walls, painted', () => (roof.resolve(), 'the roof')]
    }),
    {
      agents,
      hooks: registry(hooks => {
        let idle = 0
        hooks.on('TeammateIdle', () => (idle++ === 0 ? { decision: 'block', reason: 'paint them' } : undefined))
      })
    }
  )
  const told = JSON.stringify(sent)
  expect(told).toContain('paint them')
  expect(told).toContain('and now the roof')
  expect(told).toContain('There is no teammate anne; did you mean ann?')
  expect(told).toContain('The teammate ann already exists')
  expect(inputsOf({ events }, 'TeammateIdle')[0]).toMatchObject({ teammate_name: 'ann' })
  expect(inputsOf({ events }, 'SessionEnd')).toHaveLength(1)
})

test('a session with one prompt waits for a teammate at work, and hears what it says', async () => {
  const team = call('worker', { run_in_background: true, name: 'ann' })
  const message = { name: 'SendMessage', input: { to: 'ann', message: 'and the roof' } }
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { sent, result, events } = await ask(
    cast({
      main: [
        { calls: [team] },
        () => (first.resolve(), 'waiting'),
        { calls: [message] },
        () => (second.resolve(), 'waiting again'),
        'done'
      ],
      worker: [() => first.promise.then(() => 'the walls'), () => second.promise.then(() => 'the roof')]
    }),
    { agents }
  )
  const told = JSON.stringify(sent)
  expect(told).toContain('The teammate ann is idle, and waits for messages. It says:\\nthe walls')
  expect(told).toContain('It says:\\nthe roof')
  expect(result).toMatchObject({ is_error: false, result: 'done' })
  expect(inputsOf({ events }, 'TeammateIdle')).toHaveLength(2)
})

const roof = Promise.withResolvers<void>()

test('ten run at the same time; the eleventh is told to wait', async () => {
  const { sent } = await ask(
    cast({
      main: [{ calls: Array.from({ length: 11 }, () => call('worker')) }, 'done'],
      worker: Array.from({ length: 11 }, () => async () => {
        await new Promise(resolve => setImmediate(resolve))
        return 'worked'
      })
    }),
    { agents }
  )
  const results = sent.at(-1)!.at(-1)!.content as readonly { readonly content: string }[]
  expect(results.filter(({ content }) => content.startsWith('worked'))).toHaveLength(10)
  expect(results.filter(({ content }) => content.startsWith('10 agents are running already'))).toHaveLength(1)
})

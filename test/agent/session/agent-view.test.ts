/** What hooks see of the agent around them, and how their answers join those of files. */
import { expect, test } from 'vitest'
import { allow, ask as askFirst, deny, HookRegistry, type AgentView } from '../../../src/index.ts'
import { ask, bashCall, project } from '../../support/agent-kit.ts'

/** What `ctx.agent` showed to each call of Bash, as it was then. */
function watching(seen: AgentView[]): HookRegistry {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', ctx => {
    seen.push({ ...ctx.agent })
    return allow()
  })
  return hooks
}

test('S4: ctx.agent is the main agent with its model, tools, session and transcript', async () => {
  const seen: AgentView[] = []
  const { messages, project: place } = await ask([{ calls: [bashCall('true')] }, 'done'], {
    hooks: watching(seen),
    persistSession: true
  })
  const sessionId = messages[0]!.session_id
  expect(seen).toMatchObject([
    {
      id: expect.stringMatching(/^agent-/),
      type: 'main',
      depth: 0,
      model: 'scripted',
      session: { id: sessionId, cwd: place.cwd, permissionMode: 'default' },
      transcriptPath: expect.stringContaining(`${sessionId}.jsonl`)
    }
  ])
  expect(seen[0]!.tools).toEqual(expect.arrayContaining(['Bash', 'Edit', 'Read']))
})

test('S4: in a subagent it is the subagent, with its own tools and transcript', async () => {
  const seen: AgentView[] = []
  const call = { name: 'Agent', input: { description: 'd', prompt: 'go', subagent_type: 'scribe' } }
  await ask([{ calls: [call] }, { calls: [bashCall('true')] }, 'inner', 'done'], {
    hooks: watching(seen),
    persistSession: true,
    agents: { scribe: { description: 'writes', prompt: 'You write.', tools: ['Bash'] } }
  })
  expect(seen).toMatchObject([{ type: 'scribe', depth: 1, model: 'scripted', tools: ['Bash'], toolUseId: 'toolu_1' }])
  expect(seen[0]!.transcriptPath).toContain(`agent-${seen[0]!.id}`)
})

test('S4: events without a call show it too, and what the registry was given stays', async () => {
  const hooks = new HookRegistry({ agent: { config: { colour: 'red' } } })
  const seen: unknown[] = []
  hooks.register({
    events: ['UserPromptSubmit', 'Stop'],
    run: ({ agent }) => void seen.push([agent.type, agent.depth, agent.config?.['colour']])
  })
  await ask(['done'], { hooks })
  expect(seen).toEqual([
    ['main', 0, 'red'],
    ['main', 0, 'red']
  ])
})

/** A project whose file has one command hook on Bash with this decision. */
const deciding = (permissionDecision: string) => {
  const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } }
  const command = `echo '${JSON.stringify(answer)}'`
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] }
  return project({ '.claude/settings.json': JSON.stringify({ hooks }) })
}

/** Whether a person was asked, and whether the call ran. */
async function run(hooks: HookRegistry, place = project()): Promise<{ asked: number; ran: boolean }> {
  let asked = 0
  const { project: where } = await ask([{ calls: [bashCall('touch ran')] }, 'done'], {
    in: place,
    hooks,
    trust: true,
    canUseTool: async () => {
      asked++
      return { behavior: 'deny', message: 'no' }
    }
  })
  return { asked, ran: where.has('ran') }
}

const both = (): HookRegistry => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', () => allow())
  hooks.on('PreToolUse', () => askFirst('look'))
  return hooks
}

test('S1: allow and ask of one registry give allow inside query(), as they do alone', async () => {
  const alone = await both().fire('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'c1' })
  expect(alone.decision).toBe('allow')
  expect(await run(both())).toEqual({ asked: 0, ran: true })
  expect(await run(both(), deciding('allow'))).toEqual({ asked: 0, ran: true })
})

test.each([
  ['the ask of a file beats the allow of the library', [allow()], 'ask', { asked: 1, ran: false }],
  ['the allow of a file does not silence the ask of the library', [askFirst()], 'allow', { asked: 1, ran: false }],
  ['a deny beats all', [allow(), askFirst(), deny('no')], 'allow', { asked: 0, ran: false }],
  ['a deny of a file beats all', [allow()], 'deny', { asked: 0, ran: false }]
] as const)('S1: %s', async (_, replies, decision, expected) => {
  const hooks = new HookRegistry()
  for (const reply of replies) hooks.on('PreToolUse', () => reply)
  expect(await run(hooks, deciding(decision))).toEqual(expected)
})

test('S1: a registry that says ask-over-allow keeps to it inside query()', async () => {
  const hooks = new HookRegistry({ precedence: 'ask-over-allow' })
  hooks.on('PreToolUse', () => allow())
  hooks.on('PreToolUse', () => askFirst('look'))
  expect(await run(hooks)).toEqual({ asked: 1, ran: false })
})

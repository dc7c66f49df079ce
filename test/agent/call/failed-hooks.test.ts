/** What a hook that fails tells, and to whom. */
import { describe, expect, test } from 'vitest'
import { deny, query, type EventName } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { ask, informed, project, registry, type Asking } from '../../support/agent-kit.ts'

const SECRET = 'token-of-the-program'
const PLACE = import.meta.filename
const call = { calls: [{ name: 'Bash', input: { command: 'touch made' } }] }

/** Runs with a hook that throws, and gives what the model was sent in all. */
async function failing(event: EventName, asking: Asking = {}) {
  const kept: object[] = []
  const sessionStore = {
    append: async (_: unknown, entries: object[]) => void kept.push(...entries),
    load: async () => null
  }
  const hooks = registry(all =>
    all.register({
      name: 'hk',
      events: [event],
      source: PLACE,
      onFailure: 'block',
      run: () => {
        throw new Error(`cannot reach https://intern/?key=${SECRET}`)
      }
    })
  )
  const run = await ask([call, 'Done.', 'Done.', 'Done.'], { hooks, sessionStore, persistSession: true, ...asking })
  return { ...run, model: JSON.stringify(run.sent), people: informed(run).join('\n'), transcript: JSON.stringify(kept) }
}

describe('a hook that throws', () => {
  test.each([
    ['PreToolUse', {}],
    ['PermissionRequest', {}],
    ['PostToolUse', { allowedTools: ['Bash'] }],
    ['PostToolBatch', { allowedTools: ['Bash'] }],
    ['UserPromptSubmit', {}],
    ['Stop', { allowedTools: ['Bash'] }]
  ] as const)(
    'E9: on %s its words and its place are for people and the transcript, not for the model',
    async (event, asking) => {
      const { model, people, transcript } = await failing(event, asking)
      expect(model).not.toContain(SECRET)
      expect(model).not.toContain(PLACE)
      expect(people).toContain(SECRET)
      expect(transcript).toContain(SECRET)
    }
  )

  test('E9: the model is told which hook failed, in a short sentence', async () => {
    const before = await failing('PreToolUse')
    expect(before.model).toContain('PreToolUse:Bash hook error: [hk]: gate_failed:threw: the hook hk failed')
    const asked = await failing('PermissionRequest')
    expect(asked.model).toContain('Permission to use Bash was denied: gate_failed:threw: the hook hk failed [hk]')
    const after = await failing('PostToolUse', { allowedTools: ['Bash'] })
    expect(after.model).toContain('hook blocking error: gate_failed:threw: the hook hk failed (from hk)')
  })

  test('E9: the message of the refusal, and its entry in the result, hold everything', async () => {
    const { messages, result } = await failing('PreToolUse')
    const refused = messages.find(message => message.type === 'system' && message.subtype === 'permission_denied')
    expect(refused).toMatchObject({ decided_by: 'hk', decision_reason: expect.stringContaining(SECRET) })
    expect(result.permission_denials[0]!.decision_reason).toContain(PLACE)
  })

  test('E9: before a subagent it keeps its words from the model that called', async () => {
    const agents = { r: { description: 'Reads.', prompt: 'Read.' } }
    const task = { calls: [{ name: 'Agent', input: { description: 'x', prompt: 'go', subagent_type: 'r' } }] }
    for (const event of ['SubagentStart', 'AgentStart'] as const) {
      const hooks = registry(all =>
        all.on(
          event,
          ctx => {
            if (event === 'SubagentStart' || ctx.agent.depth === 1) throw new Error(SECRET)
          },
          { name: 'hk', onFailure: 'block' }
        )
      )
      const { sent } = await ask([task, 'Done.', 'Done.'], { hooks, agents, allowedTools: ['Agent'] })
      expect(JSON.stringify(sent)).not.toContain(SECRET)
    }
  })

  test('E9: what a hook says itself reaches the model as it is', async () => {
    const hooks = registry(all => all.on('PreToolUse', () => deny(`gate_failed: ask ${SECRET}`), { name: 'hk' }))
    const { sent } = await ask([call, 'Done.'], { hooks })
    expect(JSON.stringify(sent)).toContain(`gate_failed: ask ${SECRET}`)
  })
})

test('E9: canUseTool that throws tells people why, and the model only that it failed', async () => {
  const { sent, messages } = await ask([call, 'Done.'], { canUseTool: () => Promise.reject(new Error(SECRET)) })
  expect(JSON.stringify(sent)).not.toContain(SECRET)
  expect(JSON.stringify(sent)).toContain('the question whether Bash may run failed')
  expect(JSON.stringify(messages.filter(({ type }) => type === 'system'))).toContain(SECRET)
})

test('E9: a prompt that a hook refuses is not repeated in the result', async () => {
  const { cwd, env } = project()
  const hooks = registry(all => all.on('UserPromptSubmit', () => deny('no keys in prompts'), { name: 'stern' }))
  const options = { cwd, env, hooks, model: scriptedModel(['Never.']), persistSession: false }
  const result = await query({ prompt: `my key is ${SECRET}`, options }).result()
  expect(result).toMatchObject({ terminal_reason: 'prompt_blocked', is_error: false })
  expect(result.result).toContain('no keys in prompts [stern]')
  expect(JSON.stringify(result)).not.toContain(SECRET)
})

/** A subagent of one's own. */
import { expect, onTestFinished, test } from 'vitest'
import { SubAgent, type SubAgentOptions } from '../../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import { project, registry } from '../../support/agent-kit.ts'

const definition = { description: 'Works.', prompt: 'You work.' }

function made(turns: readonly TurnOrMaker[], options: SubAgentOptions = {}, place = project({ 'a.txt': 'alpha\n' })) {
  const model = scriptedModel(turns)
  const agent = new SubAgent(definition, { cwd: place.cwd, env: place.env, model, ...options })
  onTestFinished(() => agent.close())
  return { agent, model, place }
}

const read = { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }

// F129, F151
test.each([
  ['without hooks', undefined],
  ['with hooks', []]
])('it works %s', async (_, heard: string[] | undefined) => {
  const hooks =
    heard &&
    registry(it =>
      it.register({
        name: 'ear',
        events: ['AgentStart', 'Iteration', 'PreToolUse', 'AgentStop', 'SessionStart'],
        run: ctx => void heard.push(ctx.event)
      })
    )
  const { agent } = made([read, 'It says alpha.'], { hooks })
  expect(await agent.run('What does it say?')).toMatchObject({
    success: true,
    content: 'It says alpha.',
    tool_uses: 1,
    iterations: 2
  })
  if (heard !== undefined) expect(heard).toEqual(['AgentStart', 'Iteration', 'PreToolUse', 'Iteration', 'AgentStop'])
})

// F174, F175
test('the transcript holds everything, the final answer too; a second task continues from it', async () => {
  const { agent, model } = made([read, 'It says alpha.', 'As I said.'])
  expect(agent.transcript()).toEqual([])
  await agent.run('What does it say?')
  expect(agent.transcript().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  await agent.run('And again?')
  expect(model.requests.at(-1)!.messages).toHaveLength(5)
  expect(agent.transcript().at(-1)).toMatchObject({
    role: 'assistant',
    content: [{ type: 'text', text: 'As I said.' }]
  })
})

test('a refusal to start is a result, not an exception', async () => {
  const { agent } = made(['never said'], {
    hooks: registry(it => it.on('AgentStart', () => ({ decision: 'block', reason: 'closed today' })))
  })
  expect(await agent.run('go')).toMatchObject({
    success: false,
    error: expect.stringContaining('closed today'),
    iterations: 0
  })
})

test('it can be cancelled, once', async () => {
  const { agent } = made([{ calls: [{ name: 'Bash', input: { command: 'sleep 1000' } }] }, 'done'], {
    allowedTools: ['Bash(sleep *)']
  })
  const running = agent.run('wait')
  expect(agent.status).toBe('running')
  await expect(agent.run('more')).rejects.toThrow('running')
  await expect.poll(() => agent.id, { timeout: 300_000 }).not.toBe('')
  expect([agent.cancel(), agent.cancel()]).toEqual([true, false])
  expect(await running).toMatchObject({ success: false })
  expect(agent.status).toBe('idle')
})

test('what cannot begin says why', async () => {
  expect(() => made([], { permissionMode: 'nonsense' as never })).toThrow('there is no mode')
  const { agent } = made([], { settings: '{' })
  await expect(agent.run('go')).rejects.toThrow('options.settings')
  await agent.close()
  await agent.close()
  await expect(agent.run('go')).rejects.toThrow('closed')
})

/** Hooks, the Edit tool and resuming: each without the others. */
import { expect, test } from 'vitest'
import { deny, HookRegistry, SubAgent } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ask, project } from '../support/agent-kit.ts'

// F204
test('hooks need no agent', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Edit', () => deny('not now'))
  const call = { tool_name: 'Edit', tool_input: { file_path: 'a', old_string: 'b', new_string: 'c' }, tool_use_id: '1' }
  expect(await hooks.fire('PreToolUse', call)).toMatchObject({ decision: 'deny', reason: 'not now' })
})

// F204
test('the Edit tool needs no hooks, and nothing is written down', async () => {
  const place = project({ 'a.txt': 'one two' })
  const call = (name: string, input: object) => ({ calls: [{ name, input: { file_path: 'a.txt', ...input } }] })
  await ask([call('Read', {}), call('Edit', { old_string: 'two', new_string: 'three' }), 'Done.'], {
    in: place,
    watch: false,
    sessionStore: false,
    tools: ['Read', 'Edit'],
    permissionMode: 'acceptEdits'
  })
  expect(place.text('a.txt')).toBe('one three')
})

// F204
test('going on needs neither hooks nor tools', async () => {
  const place = project()
  const definition = { description: 'talks', prompt: 'Talk.' }
  const options = { cwd: place.cwd, env: place.env, tools: [] }
  const first = new SubAgent(definition, { ...options, model: scriptedModel(['Hello.']) })
  await first.run('hi')
  const transcript = first.transcript()
  await first.close()
  const model = scriptedModel(['Still here.'])
  const second = SubAgent.resume(first.id, definition, { ...options, model, transcript })
  expect((await second.run('are you there?')).content).toBe('Still here.')
  expect(model.requests[0]!.request.messages.slice(0, 2)).toEqual(transcript)
  await second.close()
})

/** The options of a registry apply in an agent as well. */
import { expect, test } from 'vitest'
import { HookRegistry, later, type HookMessage, type LateAnswer } from '../../src/hooks.ts'
import { ask, ofType } from '../support/agent-kit.ts'

const READ = { calls: [{ name: 'Glob', input: { pattern: '*' } }] }

test.each([false, true])('its sink and onLate are told, with includeHookEvents %j', async includeHookEvents => {
  const heard: HookMessage[] = []
  const late: LateAnswer[] = []
  const hooks = new HookRegistry({ sink: message => heard.push(message), onLate: answer => late.push(answer) })
  hooks.on('PostToolUse', () => later(Promise.resolve({ additionalContext: 'came later' })), { name: 'background' })
  const run = await ask([READ, 'Done.'], { hooks, includeHookEvents, watch: false })
  expect(heard.map(message => message.hook_name)).toContain('background')
  expect(late).toMatchObject([{ by: 'background', contexts: [{ text: 'came later' }] }])
  const told = ofType(run, 'system').filter(({ subtype }) => subtype.startsWith('hook_'))
  expect(told.length > 0).toBe(includeHookEvents)
})

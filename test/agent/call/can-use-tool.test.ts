/** Asking a person, and what the answer changes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CanUseTool, type PermissionUpdate } from '../../../src/index.ts'
import { ask, informed, inputsOf, project } from '../../support/agent-kit.ts'
import { no, touch, TOUCH } from '../../support/one-call.ts'

describe('canUseTool', () => {
  test('hears what is asked and why, and what could be allowed for good', async () => {
    let heard: unknown[] = []
    await touch({
      canUseTool: async (...question) => {
        heard = question
        return { behavior: 'deny', message: 'no' }
      }
    })
    expect(heard).toMatchObject([
      'Bash',
      { command: 'touch made' },
      {
        toolUseID: 'toolu_1',
        signal: expect.any(AbortSignal),
        suggestions: [{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'touch made' }], behavior: 'allow' }]
      }
    ])
  })

  test('may change the input, which is checked and judged', async () => {
    const to =
      (command: unknown): CanUseTool =>
      async () => ({ behavior: 'allow', updatedInput: { command } })
    const changed = await touch({ canUseTool: to('touch other') })
    expect([changed.ran, changed.project.has('other')]).toEqual([false, true])
    expect(inputsOf(changed, 'PostToolUse')).toMatchObject([{ tool_input: { command: 'touch other' } }])
    const refused = await touch({ canUseTool: to('touch other'), disallowedTools: ['Bash(touch other)'] })
    expect(refused.project.has('other')).toBe(false)
    expect((await touch({ canUseTool: to(7) })).told).toContain('not valid')
  })

  test.each<[string, CanUseTool, string]>([
    ['throws', () => Promise.reject(new Error('no line')), 'may run failed [the user'],
    ['gives nothing', (async () => undefined) as unknown as CanUseTool, 'canUseTool gave no answer'],
    ['gives nonsense', (async () => ({ behavior: 'perhaps' })) as unknown as CanUseTool, 'neither allow nor deny']
  ])('that %s is a no', async (_, canUseTool, words) => {
    expect(await touch({ canUseTool })).toMatchObject({ ran: false, told: expect.stringContaining(words) })
  })

  test('deny with interrupt ends the turn', async () => {
    const { result, sent } = await touch({
      canUseTool: async () => ({ behavior: 'deny', message: 'enough', interrupt: true })
    })
    expect(sent).toHaveLength(1)
    expect(result).toMatchObject({ terminal_reason: 'aborted_tools', result: 'enough' })
  })

  const remembering = (destination: 'session' | 'userSettings' | 'projectSettings' | 'localSettings'): CanUseTool => {
    const update: PermissionUpdate = {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'touch made' }],
      behavior: 'allow',
      destination
    }
    return async () => ({ behavior: 'allow', updatedPermissions: [update] })
  }

  test('may allow it for the session: the same is not asked again, another is, and the next session is', async () => {
    const place = project()
    let asked = 0
    const canUseTool: CanUseTool = async (...question) => {
      asked++
      return remembering('session')(...question)
    }
    const other = { calls: [{ name: 'Bash', input: { command: 'touch other' } }] }
    await ask([TOUCH, TOUCH, other, 'Done.'], { in: place, canUseTool })
    expect(asked).toBe(2)
    expect(await touch({ in: place, canUseTool: no })).toMatchObject({ asked: 1 })
  })

  test.each(['userSettings', 'projectSettings', 'localSettings'] as const)(
    'may allow it for good (%s): it is remembered in a file of ours, never in the project',
    async destination => {
      const place = project()
      await touch({ in: place, canUseTool: remembering(destination) })
      expect(await touch({ in: place, canUseTool: no })).toMatchObject({ asked: 0, told: 'Done' })
      expect(place.has('.claude')).toBe(false)
      expect(readFileSync(join(place.home, '.carabiner', 'remembered.json'), 'utf8')).toContain('touch made')
      const elsewhere = { ...project(), home: place.home, env: place.env }
      const there = await touch({ in: elsewhere, canUseTool: no })
      expect(there.asked).toBe(destination === 'userSettings' ? 0 : 1)
    }
  )

  test('an update that cannot be made is said, and the call runs', async () => {
    const update = {
      type: 'addRules',
      rules: [{ toolName: 'Bash(' }],
      behavior: 'allow',
      destination: 'session'
    } as const
    const { ran, messages } = await touch({
      canUseTool: async () => ({ behavior: 'allow', updatedPermissions: [{ ...update, rules: [...update.rules] }] })
    })
    expect(ran).toBe(true)
    expect(informed({ messages }).join()).toContain('a permission was not saved')
  })
})

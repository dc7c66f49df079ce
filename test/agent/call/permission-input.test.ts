/** Input that comes with a permission is judged like any other. */
import { describe, expect, test } from 'vitest'
import { allow, deny, type CanUseTool, type HookRegistry } from '../../../src/index.ts'
import { inputsOf, registry } from '../../support/agent-kit.ts'
import { touch } from '../../support/one-call.ts'

const to =
  (command: string): CanUseTool =>
  async () => ({ behavior: 'allow', updatedInput: { command } })

const noOther = (hooks: HookRegistry): unknown =>
  hooks.on('PreToolUse', 'Bash', ctx => (ctx.toolInput.command.includes('other') ? deny('not that one') : undefined), {
    name: 'gate'
  })

const giving = (command: string) => (hooks: HookRegistry) =>
  hooks.on('PermissionRequest', 'Bash', () => allow({ updatedInput: { command } }), { name: 'giver' })

describe('input that comes with a yes', () => {
  // F134
  test('of a person passes the hooks that look at calls', async () => {
    const run = await touch({ hooks: registry(noOther), canUseTool: to('touch other') })
    expect(run.told).toContain('not that one')
    expect(run.project.has('other')).toBe(false)
    expect(inputsOf(run, 'PreToolUse')).toMatchObject([
      { tool_input: { command: 'touch made' } },
      { tool_input: { command: 'touch other' } }
    ])
  })

  test('of a hook passes them too', async () => {
    const hooks = registry(all => [noOther(all), giving('touch other')(all)])
    const run = await touch({ hooks })
    expect(run.told).toContain('not that one')
    expect(run.project.has('other')).toBe(false)
  })

  test('that is what was shown is not judged twice', async () => {
    const run = await touch({ canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }) })
    expect(run.ran).toBe(true)
    expect(inputsOf(run, 'PreToolUse')).toHaveLength(1)
  })

  test('of a hook is asked about where a rule asks, or may mean it', async () => {
    const hooks = () => registry(giving('t=touch; $t other'))
    const rules = { disallowedTools: ['Bash(rm *)'] }
    expect((await touch({ hooks: hooks(), ...rules })).told).toContain('no one was available to approve it')
    const questions: string[] = []
    const run = await touch({
      hooks: hooks(),
      ...rules,
      canUseTool: async (_, input) => {
        questions.push(String(input['command']))
        return { behavior: 'allow' }
      }
    })
    expect(questions).toEqual(['t=touch; $t other'])
    expect(run.project.has('other')).toBe(true)
  })

  test('is asked about again when hooks change it, and not for ever', async () => {
    const questions: string[] = []
    let changes = 0
    const hooks = registry(all =>
      all.on('PreToolUse', 'Bash', ctx => {
        ctx.toolInput.command = `touch made${++changes}`
      })
    )
    const run = await touch({
      hooks,
      canUseTool: async (_, input) => {
        questions.push(String(input['command']))
        return { behavior: 'allow', updatedInput: { command: 'touch other' } }
      }
    })
    expect(questions).toEqual(['touch made1', 'touch made2', 'touch made3'])
    expect(run.told).toMatch(/^hooks changed the input .* 3 times$/)
    expect([run.project.has('other'), run.project.has('made1')]).toEqual([false, false])
  })

  test('is not what someone wrote into the question', async () => {
    const run = await touch({
      disallowedTools: ['Bash(touch other)'],
      canUseTool: async (_, input) => {
        input['command'] = 'touch other'
        return { behavior: 'allow' }
      }
    })
    expect([run.ran, run.project.has('other')]).toEqual([true, false])
  })
})

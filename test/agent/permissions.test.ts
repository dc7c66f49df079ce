/** Who may do what: rules, modes, hooks and people, through a running agent. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allow, ask as askFirst, deny, type CanUseTool, type PermissionUpdate } from '../../src/index.ts'
import { ask, informed, inputsOf, ownTool, project, registry, resultsIn, type Asked, type Asking } from './kit.ts'

const TOUCH = { calls: [{ name: 'Bash', input: { command: 'touch made' } }] }

/** Runs `touch made`; says whether it was made, who was asked, and what the model heard. */
async function touch(asking: Asking): Promise<Asked & { ran: boolean; told: string; asked: number }> {
  let asked = 0
  const { canUseTool } = asking
  const counted: CanUseTool | undefined =
    canUseTool &&
    (async (...question) => {
      asked++
      return canUseTool(...question)
    })
  const place = asking.in ?? project()
  const run = await ask([TOUCH, 'Done.'], { in: place, ...asking, canUseTool: counted })
  const told =
    run.sent[1] === undefined
      ? ''
      : resultsIn(run.sent[1])
          .map(({ text }) => text)
          .join()
  return { ...run, ran: place.has('made'), told, asked }
}

const yes: CanUseTool = async () => ({ behavior: 'allow' })
const no: CanUseTool = async () => ({ behavior: 'deny', message: 'not while I look' })
const onPre = (reply: () => ReturnType<typeof allow>) =>
  registry(hooks => hooks.on('PreToolUse', reply, { name: 'gate' }))

describe('nobody can be asked:', () => {
  test('what nothing allows is refused, and the reason says so', async () => {
    const { ran, told, result } = await touch({})
    expect(ran).toBe(false)
    expect(told).toContain('nobody could be asked')
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch made' } }])
  })

  test('a question of a rule and of a hook is a no', async () => {
    const rule = await touch({ settings: { permissions: { ask: ['Bash(touch *)'] } }, allowedTools: ['Bash'] })
    expect(rule).toMatchObject({ ran: false, told: expect.stringContaining('nobody could be asked') })
    const hook = await touch({ hooks: onPre(() => askFirst('is it wise?')), allowedTools: ['Bash'] })
    expect(hook).toMatchObject({ ran: false, told: expect.stringContaining('is it wise?') })
  })
})

describe('modes', () => {
  const write = { calls: [{ name: 'Write', input: { file_path: 'made', content: 'x' } }] }
  const wrote = async (asking: Asking): Promise<boolean> => {
    const place = project()
    await ask([write, 'Done.'], { in: place, ...asking })
    return place.has('made')
  }

  test('acceptEdits writes in the project and still asks about commands', async () => {
    expect(await wrote({ permissionMode: 'acceptEdits' })).toBe(true)
    expect(await wrote({})).toBe(false)
    expect((await touch({ permissionMode: 'acceptEdits' })).ran).toBe(false)
  })

  test('bypassPermissions needs its flag, asks nobody, and holds before a deny of a rule or a hook', async () => {
    const without = await touch({ permissionMode: 'bypassPermissions' })
    expect(without.result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
    expect(without.names).toEqual([])
    const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, canUseTool: no }
    expect(await touch(bypass)).toMatchObject({ ran: true, asked: 0 })
    expect(await touch({ ...bypass, disallowedTools: ['Bash(touch *)'] })).toMatchObject({ ran: false, asked: 0 })
    expect(await touch({ ...bypass, hooks: onPre(() => deny('no')) })).toMatchObject({ ran: false, asked: 0 })
  })

  test('dontAsk refuses what nothing allows, without a question', async () => {
    const refused = await touch({ permissionMode: 'dontAsk', canUseTool: yes })
    expect(refused).toMatchObject({ ran: false, asked: 0, told: expect.stringContaining('mode dontAsk') })
    expect(await touch({ permissionMode: 'dontAsk', allowedTools: ['Bash(touch *)'] })).toMatchObject({ ran: true })
  })

  test('plan changes nothing until somebody agrees to the plan', async () => {
    const place = project()
    const questions: string[] = []
    const plan = { calls: [{ name: 'ExitPlanMode', input: { plan: 'Touch a file.' } }] }
    const { sent, messages } = await ask([TOUCH, plan, TOUCH, 'Done.'], {
      in: place,
      permissionMode: 'plan',
      canUseTool: async name => {
        questions.push(name)
        return { behavior: 'allow' }
      }
    })
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('plan mode') }])
    expect(questions).toEqual(['ExitPlanMode', 'Bash'])
    expect(place.has('made')).toBe(true)
    expect(messages[0]).toMatchObject({ permissionMode: 'plan', tools: expect.arrayContaining(['ExitPlanMode']) })
    const refused = await ask([plan, TOUCH, 'Done.'], { permissionMode: 'plan', canUseTool: no })
    expect(refused.project.has('made')).toBe(false)
  })

  test('a mode can change while the agent works', async () => {
    const place = project()
    await ask([TOUCH, write, 'Done.'], {
      in: place,
      each: async (message, running) => {
        if (message.type === 'assistant') await running.setPermissionMode('acceptEdits')
      }
    })
    expect(place.has('made')).toBe(true)
  })
})

describe('hooks and rules', () => {
  // F132
  test('an allow of a hook asks nobody, but deny and ask rules hold', async () => {
    const hooks = () => onPre(() => allow())
    expect(await touch({ hooks: hooks(), canUseTool: no })).toMatchObject({ ran: true, asked: 0 })
    expect(await touch({ hooks: hooks(), canUseTool: yes, disallowedTools: ['Bash(touch *)'] })).toMatchObject({
      ran: false,
      asked: 0,
      told: expect.stringContaining('Bash(touch *)')
    })
    const settings = { permissions: { ask: ['Bash(touch *)'] } }
    expect(await touch({ hooks: hooks(), canUseTool: no, settings })).toMatchObject({ ran: false, asked: 1 })
  })

  // F133
  test('a question of a hook is asked whatever rules allow; silence leaves it to them', async () => {
    const asked = await touch({ hooks: onPre(() => askFirst('sure?')), canUseTool: no, allowedTools: ['Bash'] })
    expect(asked).toMatchObject({ ran: false, asked: 1, told: 'not while I look' })
    const silent = await touch({ hooks: registry(), canUseTool: no, allowedTools: ['Bash'] })
    expect(silent).toMatchObject({ ran: true, asked: 0 })
  })

  // F134
  test('rules judge what hooks made of the input', async () => {
    const hooks = () =>
      registry(all => all.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command = 'touch other')))
    const refused = await touch({ hooks: hooks(), disallowedTools: ['Bash(touch other)'], allowedTools: ['Bash'] })
    expect(refused.told).toContain('Bash(touch other)')
    const allowed = await touch({ hooks: hooks(), allowedTools: ['Bash(touch other)'] })
    expect(allowed.project.has('other')).toBe(true)
  })
})

// F16, F153
describe('PermissionRequest', () => {
  const on = (reply: object) => registry(hooks => hooks.on('PermissionRequest', () => reply, { name: 'office' }))

  test('allow and deny spare the person, silence does not', async () => {
    expect(await touch({ hooks: on({ decision: 'allow' }), canUseTool: no })).toMatchObject({ ran: true, asked: 0 })
    const refused = await touch({ hooks: on({ decision: 'deny', reason: 'closed' }), canUseTool: yes })
    expect(refused).toMatchObject({ ran: false, asked: 0, told: 'closed [office]' })
    expect(await touch({ hooks: on({}), canUseTool: yes })).toMatchObject({ ran: true, asked: 1 })
  })

  test('a hook that fails refuses', async () => {
    const hooks = registry(all => all.on('PermissionRequest', () => Promise.reject(new Error('broken'))))
    expect(await touch({ hooks, canUseTool: yes })).toMatchObject({ ran: false, asked: 0 })
  })

  test('changed input is what runs, and rules judge it', async () => {
    const hooks = () => on({ decision: 'allow', updatedInput: { command: 'touch other' } })
    const changed = await touch({ hooks: hooks() })
    expect([changed.ran, changed.project.has('other')]).toEqual([false, true])
    const refused = await touch({ hooks: hooks(), disallowedTools: ['Bash(touch other)'] })
    expect(refused.project.has('other')).toBe(false)
  })

  test('deny with interrupt ends the turn, and calls that remain are not begun', async () => {
    const place = project()
    const hooks = on({
      decision: 'deny',
      reason: 'stop it',
      hookSpecificOutput: { hookEventName: 'PermissionRequest', interrupt: true }
    })
    const { result, sent, messages } = await ask([{ calls: [...TOUCH.calls, { name: 'after', input: {} }] }, 'Done.'], {
      in: place,
      hooks,
      tools: ['Bash', ownTool('after', () => place.write('ran', ''))],
      allowedTools: ['after']
    })
    expect(sent).toHaveLength(1)
    expect(result).toMatchObject({ terminal_reason: 'aborted_tools', is_error: true })
    expect(place.has('ran')).toBe(false)
    const told = messages.flatMap(message => (message.type === 'user' ? resultsIn([message.message]) : []))
    expect(told).toMatchObject([{ text: 'stop it [office]' }, { text: expect.stringContaining('interrupted') }])
  })

  test('is not fired for what a rule or a mode has decided', async () => {
    expect(inputsOf(await touch({ allowedTools: ['Bash'] }), 'PermissionRequest')).toEqual([])
    expect(inputsOf(await touch({ permissionMode: 'dontAsk' }), 'PermissionRequest')).toEqual([])
  })
})

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
    ['throws', () => Promise.reject(new Error('no line')), 'no line'],
    ['gives nothing', (async () => undefined) as unknown as CanUseTool, 'nobody could be asked'],
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
    expect(informed({ messages }).join()).toContain('a permission was not kept')
  })
})

test('rules that cannot be read keep a session from starting', async () => {
  const { result } = await ask(['Done.'], { disallowedTools: ['Bash(touch'] })
  expect(result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
  expect(result.result).toContain('Bash(touch')
})

test('a tool that is disallowed by name is not there at all', async () => {
  const { messages, sent } = await ask([TOUCH, 'Done.'], { disallowedTools: ['Bash'], allowedTools: ['Bash'] })
  expect(messages[0]).toMatchObject({ tools: expect.not.arrayContaining(['Bash']) })
  expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('No such tool: Bash') }])
})

test('a rule may speak of the home, and our own folder is not written to, wherever it is', async () => {
  const place = project()
  const own = place.path('kept')
  const env = { ...place.env, CARABINER_HOME: own }
  const note = place.path('../home/note.txt')
  writeFileSync(note, 'mine')
  const calls = [
    { name: 'Read', input: { file_path: note } },
    { name: 'Write', input: { file_path: `${own}/remembered.json`, content: '{}' } }
  ]
  const run = (allowedTools: readonly string[]) =>
    ask([{ calls }, 'Done.'], { in: place, env, allowedTools, permissionMode: 'acceptEdits' })
  expect(resultsIn((await run([])).sent[1]!).map(({ isError }) => isError)).toEqual([true, true])
  const [read, written] = resultsIn((await run(['Read(~/note.txt)'])).sent[1]!)
  expect(read).toMatchObject({ isError: false, text: '1\tmine' })
  expect(written!.text).toContain('protected path')
})

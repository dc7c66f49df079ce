/** Who may do what: rules, modes, hooks and people, through a running agent. */
import { writeFileSync } from 'node:fs'
import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { allow, ask as askFirst, deny } from '../../../src/index.ts'
import { ask, inputsOf, ownTool, project, registry, resultsIn, type Asking } from '../../support/agent-kit.ts'
import { no, touch, TOUCH, yes } from '../../support/one-call.ts'

const onPre = (reply: () => ReturnType<typeof allow>) =>
  registry(hooks => hooks.on('PreToolUse', reply, { name: 'gate' }))

describe('no one can be asked:', () => {
  test('what nothing allows is refused, and the reason says so', async () => {
    const { ran, told, result } = await touch({})
    expect(ran).toBe(false)
    expect(told).toContain('no one was available to approve it')
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch made' } }])
  })

  test('a question of a rule and of a hook is a no', async () => {
    const rule = await touch({ settings: { permissions: { ask: ['Bash(touch *)'] } }, allowedTools: ['Bash'] })
    expect(rule).toMatchObject({ ran: false, told: expect.stringContaining('no one was available to approve it') })
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

  test('bypassPermissions needs its flag, asks no one, and holds before a deny of a rule or a hook', async () => {
    const without = await touch({ permissionMode: 'bypassPermissions' })
    expect(without.result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
    expect(without.names).toEqual([])
    const bypass = {
      permissionMode: 'bypassPermissions' as const,
      allowDangerouslySkipPermissions: true,
      canUseTool: no
    }
    expect(await touch(bypass)).toMatchObject({ ran: true, asked: 0 })
    expect(await touch({ ...bypass, disallowedTools: ['Bash(touch *)'] })).toMatchObject({ ran: false, asked: 0 })
    expect(await touch({ ...bypass, hooks: onPre(() => deny('no')) })).toMatchObject({ ran: false, asked: 0 })
  })

  test('dontAsk refuses what nothing allows, without a question', async () => {
    const refused = await touch({ permissionMode: 'dontAsk', canUseTool: yes })
    expect(refused).toMatchObject({ ran: false, asked: 0, told: expect.stringContaining('mode dontAsk') })
    expect(await touch({ permissionMode: 'dontAsk', allowedTools: ['Bash(touch *)'] })).toMatchObject({ ran: true })
  })

  test('plan changes nothing until someone agrees to the plan', async () => {
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
  test('an allow of a hook asks no one, but deny and ask rules hold', async () => {
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
    expect(asked).toMatchObject({ ran: false, asked: 1, told: expect.stringContaining('not while I look') })
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
    expect(refused).toMatchObject({ ran: false, asked: 0, told: 'Permission to use Bash was denied: closed [office]' })
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
    expect(told).toMatchObject([
      { text: 'Permission to use Bash was denied: stop it [office]' },
      { text: expect.stringContaining('Interrupted before the call started') }
    ])
  })

  test('is not fired for what a rule or a mode has decided', async () => {
    expect(inputsOf(await touch({ allowedTools: ['Bash'] }), 'PermissionRequest')).toEqual([])
    expect(inputsOf(await touch({ permissionMode: 'dontAsk' }), 'PermissionRequest')).toEqual([])
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

// FM37
test('one deny among any other answers, in any order and at any speed, and nothing runs', async () => {
  const place = project()
  const answer = fc.record({
    reply: fc.constantFrom<object>(allow(), askFirst('hm'), { updatedInput: { command: 'touch made too' } }, {}),
    turns: fc.integer({ min: 0, max: 3 }),
    priority: fc.integer({ min: -1, max: 1 })
  })
  const wait = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 4 }), fc.nat(4), fc.nat(3), async (answers, at, turns) => {
      const hooks = registry(all => {
        const replies = answers.toSpliced(at, 0, { reply: deny('never'), turns, priority: 0 })
        for (const { reply, turns: slow, priority } of replies)
          all.on(
            'PreToolUse',
            async () => {
              await wait(slow)
              return reply
            },
            { priority }
          )
      })
      const {
        ran,
        told,
        project: { has }
      } = await touch({ in: place, hooks, canUseTool: yes, allowedTools: ['Bash'] })
      expect([ran, has('made'), has('too')]).toEqual([false, false, false])
      expect(told).toContain('never')
    }),
    { numRuns: 60 }
  )
})

// FM36
test('what a project brings and no one trusts does not run, and that is said', async () => {
  const place = project({
    '.claude/settings.json': JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch made' }] }] },
      permissions: { allow: ['Bash'] }
    })
  })
  const refused = await touch({ in: place })
  expect(refused.result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
  expect(refused.result.result).toContain(place.cwd)
  expect(refused.names).toEqual([])
  const without = await touch({ in: place, projectHooks: false })
  expect(without).toMatchObject({ ran: false, told: expect.stringContaining('no one was available to approve it') })
})

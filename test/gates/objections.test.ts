/** Objections of hooks reach the model, and overruled hooks are reported. */
import { describe, expect, test } from 'vitest'
import { HookRegistry, deny, type AgentMessage } from '../../src/index.ts'
import { ask, ofType, project, registry, words, type Asked, type Asking } from '../support/agent-kit.ts'

const CALL = { calls: [{ name: 'Bash', input: { command: 'echo ran > ran.txt' } }] }
const FAILS = { calls: [{ name: 'Bash', input: { command: 'exit 3' } }] }

const notifications = ({ messages }: Pick<Asked, 'messages'>): readonly string[] =>
  messages.flatMap(message => (message.type === 'system' && message.subtype === 'notification' ? [message.text] : []))

/** All that the model was sent in its last request. */
const lastSent = ({ sent }: Asked): string => (sent.at(-1) ?? []).map(words).join('\n')

const command = (text: string): object => ({ type: 'command', command: text })
const commandsOn = (event: string, ...commands: readonly string[]): object => ({
  hooks: { [event]: [{ hooks: commands.map(command) }] }
})

describe('a Stop hook that the limit overrules', () => {
  const stubborn = (event: 'Stop' | 'SubagentStop' = 'Stop'): HookRegistry =>
    registry(hooks => {
      hooks.on(event, () => deny('tests are red'), { name: 'ci' })
      hooks.on(event, () => deny('no changelog'), { name: 'docs' })
    })
  const again = (options: Asking): Promise<Asked> =>
    ask(
      Array.from({ length: 12 }, () => 'Done.'),
      { maxStopBlocks: 2, ...options }
    )

  test('A7: the result says that a Stop hook was overruled, and a notice has its objections', async () => {
    const run = await again({ hooks: stubborn() })
    expect(run.result).toMatchObject({ terminal_reason: 'stop_hook_overruled', is_error: false, result: 'Done.' })
    expect(notifications(run)).toEqual([
      'Stop hooks sent the agent back 2 times without a tool call in between; it ends now, although a hook objects: ' +
        'tests are red [ci]; no changelog [docs]'
    ])
  })

  test('A7: a hook that gives in before the limit is no reason for it', async () => {
    let left = 2
    const hooks = registry(all => all.on('Stop', () => (left-- > 0 ? deny('not yet') : undefined)))
    const run = await again({ hooks })
    expect(run.result.terminal_reason).toBe('completed')
    expect(notifications(run)).toEqual([])
  })

  test('A7: the limit over all tool calls overrules too', async () => {
    const turns = Array.from({ length: 120 }, (_, at) => (at % 2 === 0 ? 'Done.' : CALL))
    const run = await ask(turns, { hooks: stubborn(), allowedTools: ['Bash'] })
    expect(run.result.terminal_reason).toBe('stop_hook_overruled')
    expect(notifications(run)[0]).toContain('50 times; it ends now, although a hook objects: tests are red [ci]')
  })

  test('A7: the same at the end of a subagent, which is no failure of it', async () => {
    const errand = { name: 'Agent', input: { description: 'x', prompt: 'do it', subagent_type: 'general-purpose' } }
    const turns = [{ calls: [errand] }, 'One.', 'Two.', 'Three.', 'All done.']
    const run = await ask(turns, { hooks: stubborn('SubagentStop'), maxStopBlocks: 2 })
    expect(notifications(run)).toEqual([expect.stringContaining('tests are red [ci]; no changelog [docs]')])
    expect(run.events.filter(({ event }) => event === 'SubagentStop').map(({ input }) => input['success'])).toEqual([
      true,
      true,
      true
    ])
    expect(run.result).toMatchObject({ terminal_reason: 'completed', result: 'All done.' })
  })
})

describe('every objection is heard', () => {
  const both = ['echo first >&2; exit 2', 'echo second >&2; exit 2'] as const

  test.each([
    ['PostToolUse', CALL],
    ['PostToolUseFailure', FAILS]
  ] as const)('A10: two hooks object to one %s, and the model hears both, in order', async (event, turn) => {
    const run = await ask([turn, 'Done.'], { settings: commandsOn(event, ...both), allowedTools: ['Bash'] })
    expect(lastSent(run)).toMatch(
      new RegExp(`${event}:Bash hook blocking error: first[^]*${event}:Bash hook blocking error: second`)
    )
  })

  test('A10: two Stop hooks object, and the model hears both, in order, with their names', async () => {
    const hooks = registry(all => {
      let asked = 0
      all.on('Stop', () => (asked++ === 0 ? deny('tests are red') : undefined), { name: 'ci' })
      all.on('Stop', ctx => (ctx.input.stop_hook_active ? undefined : deny('no changelog')), { name: 'docs' })
    })
    const run = await ask(['Done.', 'Done now.'], { hooks })
    expect(words(run.sent[1]!.at(-1)!)).toBe('Stop hook feedback:\ntests are red [ci]\nno changelog [docs]')
  })

  test('A10: the transcript has them all', async () => {
    const place = project()
    const run = await ask([CALL, 'Done.'], {
      in: place,
      persistSession: true,
      settings: commandsOn('PostToolUse', ...both),
      allowedTools: ['Bash']
    })
    const { readdirSync, readFileSync } = await import('node:fs')
    const folder = `${place.home}/.carabiner/projects`
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(name => name.endsWith('.jsonl'))
    const log = readFileSync(`${folder}/${file}`, 'utf8')
    expect(log).toMatch(/blocking error: first[^]*blocking error: second/)
    expect(run.result.is_error).toBe(false)
  })

  test('A10: two hooks that end a batch are both named in the result', async () => {
    const run = await ask([CALL, 'Done.'], { settings: commandsOn('PostToolBatch', ...both), allowedTools: ['Bash'] })
    expect(run.result).toMatchObject({ terminal_reason: 'hook_stopped' })
    expect(run.result.result).toMatch(/first[^]*second/)
  })
})

describe('the compat profile, and a deny behind continue: false', () => {
  const stops = `echo '{"continue":false}'`
  const denies = [
    ['exit 2', 'echo no >&2; exit 2'],
    [
      'permissionDecision deny',
      `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'`
    ],
    ['decision block', `echo '{"decision":"block","reason":"no"}'`],
    ['exit 2 with continue: false', `echo '{"continue":false}'; echo no >&2; exit 2`]
  ] as const
  const variants = denies.flatMap(([name, text]) => [
    [`continue: false, then ${name}`, [stops, text]] as const,
    [`${name}, then continue: false`, [text, stops]] as const
  ])
  const refused = ({ messages }: { readonly messages: readonly AgentMessage[] }): number =>
    messages.filter(message => message.type === 'system' && message.subtype === 'permission_denied').length

  test.each(variants)('A9: in one rule, %s: the call is refused', async (_, commands) => {
    const run = await ask([CALL, 'Done.'], {
      profile: 'compat',
      settings: commandsOn('PreToolUse', ...commands),
      allowedTools: ['Bash']
    })
    expect(refused(run)).toBe(1)
    expect(run.project.has('ran.txt')).toBe(false)
  })

  test.each(variants)('A9: in two rules, %s: the call is refused', async (_, commands) => {
    const run = await ask([CALL, 'Done.'], {
      profile: 'compat',
      settings: { hooks: { PreToolUse: commands.map(text => ({ hooks: [command(text)] })) } },
      allowedTools: ['Bash']
    })
    expect(refused(run)).toBe(1)
    expect(run.project.has('ran.txt')).toBe(false)
  })

  test('A9: functions of a group as well', async () => {
    const hooks = new HookRegistry({ profile: 'compat' })
    const names: string[] = []
    hooks.group('PreToolUse', 'Bash', [
      { name: 'stops', dialect: 'contract', run: () => ({ continue: false }) },
      { name: 'denies', dialect: 'contract', run: () => (names.push('denies'), { decision: 'block', reason: 'no' }) }
    ])
    const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' }
    expect(await hooks.fire('PreToolUse', call)).toMatchObject({ decision: 'deny', blocked: true, by: 'denies' })
    expect(names).toEqual(['denies'])
  })

  test('A9: strict refuses by the first one, and never asks the second', async () => {
    const settings = commandsOn('PreToolUse', stops, 'touch asked; exit 2')
    const run = await ask([CALL, 'Done.'], { settings, allowedTools: ['Bash'] })
    expect([run.project.has('ran.txt'), ofType(run, 'result')[0]?.terminal_reason]).toEqual([false, 'hook_stopped'])
  })
})

/** Dialect 003, inside `query()` and from files: hook objects, merged outputs, command hooks, settings of three shapes. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  allow,
  block,
  HookRegistry,
  snakeName,
  transform,
  type EventName,
  type Hook,
  type Reply
} from '../../src/index.ts'
import { commandHook } from '../../src/external.ts'
import {
  ask,
  bashCall,
  toolCall,
  expectRow,
  informed,
  inputsOf,
  project,
  resultsIn,
  withCommand,
  withSettings,
  words
} from './seed-kit.ts'
import { prints } from '../support/command-settings.ts'

const BASH = { allowedTools: ['Bash'] }
const AGENTS = { agents: { scribe: { description: 'writes', prompt: 'You write.' } } }
const work = toolCall('Agent', { description: 'Find it', prompt: 'go', subagent_type: 'scribe' })

/** The ten events, and whether the table says that they can block. */
const TEN: readonly (readonly [EventName, boolean])[] = [
  ['PreToolUse', true],
  ['PostToolUse', false],
  ['PostToolUseFailure', false],
  ['UserPromptSubmit', true],
  ['SubagentStart', true],
  ['SubagentStop', false],
  ['SessionStart', true],
  ['SessionEnd', false]
]

describe('the ten events', () => {
  test('all fire in one session; PreCompact where a conversation is compacted', async () => {
    const { names } = await ask([{ calls: [bashCall('true'), bashCall('false'), work] }, 'inner', 'done'], {
      ...BASH,
      ...AGENTS
    })
    for (const [event] of TEN) expect(names).toContain(event)
    expect(names).toContain('Stop')
  })

  test.each(TEN)('%s: a block stops it: %s', async (event, blocks) => {
    const hooks = new HookRegistry()
    let said = 0
    hooks.on(event, () => (said++ === 0 ? block('stopped here') : undefined))
    const asked = await ask(
      [{ calls: [bashCall('touch ran'), bashCall('false'), work] }, 'inner', 'inner', 'done', 'done'],
      {
        ...BASH,
        ...AGENTS,
        hooks
      }
    )
    const stopped: Partial<Record<EventName, boolean>> = {
      PreToolUse: !asked.project.has('ran'),
      UserPromptSubmit: asked.sent.length === 0,
      SessionStart: asked.sent.length === 0,
      SubagentStart: !asked.names.includes('SubagentStop')
    }
    expect(stopped[event] ?? false).toBe(blocks)
    expect(said).toBeGreaterThan(0)
  })

  test('PreCompact: it fires before a conversation is compacted, and a block() does not stop that', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreCompact', () => block('no'))
    const full = { calls: [bashCall('true')], usage: { input_tokens: 900, output_tokens: 10 } }
    const turns = Array.from({ length: 30 }, (_, turn) => (request: { tools: readonly unknown[] }) => {
      if (request.tools.length === 0) return 'SUMMARY'
      return turn < 8 ? full : 'done'
    })
    const { names } = await ask(turns, { ...BASH, hooks, contextWindow: 1000 })
    expect(names).toContain('PreCompact')
    expect(names).toContain('PostCompact')
  })

  test('a block on Stop and SubagentStop makes the agent go on; the page says so', async () => {
    const hooks = new HookRegistry()
    let stops = 0
    hooks.on('Stop', () => (stops++ === 0 ? block('not yet') : undefined))
    const { sent } = await ask(['done', 'really done'], { hooks })
    expect(sent).toHaveLength(2)
  })
})

/** The security hook: patterns, and a priority before all others. Where it has no objection it returns nothing. */
const securityHook = (patterns: readonly string[]): Hook<'PreToolUse', 'Bash'> => ({
  name: 'security-hook',
  events: 'PreToolUse',
  matcher: 'Bash',
  priority: 100,
  run(ctx) {
    const found = patterns.find(pattern => ctx.toolInput.command.includes(pattern))
    return found === undefined ? undefined : block(`Blocked: contains '${found}'`)
  }
})

describe('the usage examples', () => {
  test('the security hook', async () => {
    const hooks = new HookRegistry().register(securityHook(['rm -rf', 'sudo']))
    const { sent } = await ask([{ calls: [bashCall('sudo ls'), bashCall('echo ok')] }, 'done'], { ...BASH, hooks })
    expect(resultsIn(sent[1]!)).toMatchObject([
      { isError: true, text: expect.stringContaining("Blocked: contains 'sudo'") },
      { isError: false, text: 'ok' }
    ])
  })

  const logging = (
    log: string[],
    reply: Reply | undefined
  ): Hook<'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure'> => ({
    name: 'logging-hook',
    events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
    run(ctx) {
      log.push(`${snakeName(ctx.event)} ${ctx.toolName}`)
      return reply
    }
  })
  const LOGGED = ['pre_tool_use Bash', 'post_tool_use Bash', 'pre_tool_use Bash', 'post_tool_use_failure Bash']

  test('the logging hook, as the page says: it returns nothing, and the normal flow decides', async () => {
    const log: string[] = []
    const hooks = new HookRegistry().register(logging(log, undefined))
    await ask([{ calls: [bashCall('true')] }, { calls: [bashCall('false')] }, 'done'], { ...BASH, hooks })
    expect(log).toEqual(LOGGED)
    const unruled = await ask([{ calls: [bashCall('touch ran')] }, 'done'], {
      hooks: new HookRegistry().register(logging([], undefined))
    })
    expect(unruled.project.has('ran')).toBe(false)
    expectRow('003', 'HookOutput::allow()', 'return nothing')
  })

  test('S11: ported word for word it approves every call, and the report of a fire names it', async () => {
    const hooks = new HookRegistry().register(logging([], allow()))
    const { project: place } = await ask([{ calls: [bashCall('touch ran')] }, 'done'], { hooks, watch: false })
    expect(place.has('ran')).toBe(true)
    const { report } = await hooks.fire(
      'PreToolUse',
      { tool_name: 'Bash', tool_input: {}, tool_use_id: 'c1' },
      { report: true }
    )
    expect(report[0]!.notes.join()).toContain('has allowed every call so far')
    expectRow('003', 'HookOutput::allow()', 'approves every call')
  })

  test('the subagent monitor', async () => {
    const log: unknown[] = []
    const hooks = new HookRegistry()
    hooks.register({
      name: 'subagent-monitor',
      events: ['SubagentStart', 'SubagentStop'],
      run(ctx) {
        if (ctx.event === 'SubagentStart')
          log.push(['start', ctx.subagentId, ctx.input.agent_type, ctx.input.description])
        else log.push(['stop', ctx.subagentId, ctx.input.success, ctx.input.error])
      }
    })
    await ask([{ calls: [work] }, 'inner', 'done'], { ...AGENTS, hooks })
    const id = (log[0] as unknown[])[1]
    expect(log).toEqual([
      ['start', id, 'scribe', 'Find it'],
      ['stop', id, true, undefined]
    ])
    const failing = new HookRegistry()
    const failed: unknown[] = []
    failing.on('SubagentStop', ctx => void failed.push([ctx.input.success, typeof ctx.input.error]))
    await ask([{ calls: [work] }, { fail: { status: 400, message: 'no' } }, 'done'], { ...AGENTS, hooks: failing })
    expect(failed).toEqual([[false, 'string']])
  })

  test('the manager, asked directly', async () => {
    const hooks = new HookRegistry().register(securityHook(['rm -rf']))
    const input = { session_id: 'session-1', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c1' }
    expect((await hooks.fire('PreToolUse', input)).blocked).toBe(false)
  })

  test('a tool’s event fired by hand', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry()
    hooks.on('SubagentStart', ctx => void seen.push(ctx.input.description))
    hooks.on('PreToolUse', async ctx => {
      await ctx.fire('SubagentStart', { agent_id: 'a1', agent_type: 'Explore', description: 'by hand' })
    })
    await ask([{ calls: [bashCall('true')] }, 'done'], { ...BASH, hooks })
    expect(seen).toEqual(['by hand'])
    expectRow('003', 'fire_hook', 'ctx.fire')
  })
})

describe('the output and how outputs merge', () => {
  /** Two hooks answer, in this order. */
  const both = async (one: Reply, other: Reply) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => one, { priority: 2 })
    hooks.on('PreToolUse', () => other, { priority: 1 })
    return ask([{ calls: [bashCall('echo one')] }, 'done'], { ...BASH, hooks })
  }

  test('continue_execution: any false blocks', async () => {
    expect(resultsIn((await both(block('no'), {})).sent[1]!)).toMatchObject([{ isError: true }])
    expect(resultsIn((await both({}, block('no'))).sent[1]!)).toMatchObject([{ isError: true }])
    expect(resultsIn((await both({}, {})).sent[1]!)).toMatchObject([{ isError: false }])
  })

  test('stop_reason and system_message: the latest is kept, and the model is told', async () => {
    const { sent } = await both({ systemMessage: 'first word' }, { systemMessage: 'last word' })
    expect(JSON.stringify(sent[1])).toContain('last word')
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => block('first'))
    hooks.on('PreToolUse', () => block('second'))
    const outcome = await hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'c1' })
    expect([outcome.reason, outcome.stopReason]).toEqual(['first', 'second'])
    expectRow('003', 'output.stop_reason', 'the latest')
  })

  test('updated_input: the latest', async () => {
    const { sent } = await both(transform({ command: 'echo two' }), transform({ command: 'echo three' }))
    expect(resultsIn(sent[1]!)).toMatchObject([{ text: 'three' }])
  })

  test('additional_context: all, in order', async () => {
    const { sent } = await both({ additionalContext: 'one context' }, { additionalContext: 'other context' })
    expect(JSON.stringify(sent[1])).toMatch(/one context.*other context/)
  })

  test('suppress_logging: any true keeps it out of the transcript', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ({ additionalContext: 'for the model alone', suppressLogging: true }))
    hooks.on('PreToolUse', () => ({ suppressLogging: false }))
    let file = ''
    hooks.on('Stop', ctx => void (file = ctx.agent.transcriptPath ?? ''))
    const turns = [{ calls: [bashCall('true')] }, 'done']
    const { sent } = await ask(turns, { ...BASH, hooks, persistSession: true })
    expect(JSON.stringify(sent[1])).toContain('for the model alone')
    expect(readFileSync(file, 'utf8')).toContain('done')
    expect(readFileSync(file, 'utf8')).not.toContain('for the model alone')
  })

  test('hooks run by priority, and a slow one is cut off at its timeout', async () => {
    const order: number[] = []
    const hooks = new HookRegistry()
    for (const priority of [0, 100, -5]) hooks.on('PreToolUse', () => void order.push(priority), { priority })
    hooks.on('PreToolUse', () => new Promise<undefined>(() => undefined), { timeout: 0.05, name: 'slow' })
    const { sent } = await ask([{ calls: [bashCall('true')] }, 'done'], { ...BASH, hooks })
    expect(order).toEqual([100, 0, -5])
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('slow') }])
  })
})

describe('the context of a hook', () => {
  test('has session, signal, folder and environment', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry({ env: { A: '1' } })
    hooks.on('PreToolUse', ctx => void seen.push(ctx.sessionId !== '', ctx.signal.aborted, ctx.cwd, ctx.env['A']))
    const { project: place } = await ask([{ calls: [bashCall('true')] }, 'done'], { ...BASH, hooks })
    expect(seen).toEqual([true, false, place.cwd, '1'])
  })
})

describe('command hooks', () => {
  test('S7: the payload has event, session, tool, input and the time; of subagents both names', async () => {
    const place = withSettings({
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'cat > pre.json' }] }],
        SubagentStart: [{ hooks: [{ type: 'command', command: 'cat > start.json' }] }]
      }
    })
    const asked = await ask([{ calls: [bashCall('rm -rf x'), work] }, 'inner', 'done'], {
      in: place,
      trust: true,
      ...BASH,
      ...AGENTS
    })
    expect(JSON.parse(place.text('pre.json'))).toMatchObject({
      event: 'pre_tool_use',
      session_id: asked.messages[0]!.session_id,
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf x' },
      timestamp: expect.any(String)
    })
    const [start] = inputsOf(asked, 'SubagentStart')
    expect(JSON.parse(place.text('start.json'))).toMatchObject({
      subagent_id: start!['agent_id'],
      subagent_type: 'scribe',
      description: 'Find it'
    })
    expectRow('003', '`subagent_id`, `subagent_type` in the payload', 'the same')
  })

  test.each([
    ['snake case', { continue_execution: false, stop_reason: 'Dangerous command blocked', updated_input: null }, true],
    ['nothing', undefined, false],
    ['continue_execution: true', { continue_execution: true }, false]
  ])('the answer: %s', async (_, answer, isError) => {
    const place = withCommand('PreToolUse', answer === undefined ? 'true' : prints(answer), 'Bash')
    const { sent } = await ask([{ calls: [bashCall('echo one')] }, 'done'], { in: place, trust: true, ...BASH })
    const text = isError ? 'Dangerous command blocked' : 'one'
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError, text: expect.stringContaining(text) }])
  })

  test('a CommandHook in code: name, command, events, pattern, timeout, environment', async () => {
    const hooks = new HookRegistry()
    const place = project()
    const command = prints({ continue_execution: false, stop_reason: 'by command' })
    hooks.register(
      commandHook({
        name: 'c',
        command: `[ "$WHO" = me ] && ${command}`,
        events: 'PreToolUse',
        matcher: 'Bash',
        timeout: 30,
        env: { WHO: 'me' }
      })
    )
    const { sent } = await ask([{ calls: [bashCall('true')] }, 'done'], { in: place, hooks, ...BASH })
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true, text: expect.stringContaining('by command') }])
    expectRow('003', '`CommandHook`', 'commandHook()')
  })
})

describe('settings', () => {
  test('named maps with camel-case events, texts and lists, as in the sample', async () => {
    const place = withSettings({
      hooks: {
        preToolUse: { 'security-check': { command: 'cat > checked', timeout_secs: 30, matcher: 'Bash|Write' } },
        postToolUse: { 'audit-log': 'cat >> audit.log' },
        sessionStart: ['echo started >> life.log'],
        sessionEnd: ['echo ended >> life.log']
      }
    })
    await ask([{ calls: [bashCall('true')] }, 'done'], { in: place, trust: true, ...BASH })
    expect(JSON.parse(place.text('checked'))).toMatchObject({ tool_name: 'Bash' })
    expect(JSON.parse(place.text('audit.log'))).toMatchObject({ event: 'post_tool_use' })
    expect(place.text('life.log')).toBe('started\nended\n')
  })

  test('hooks.json of a plugin', async () => {
    const hooks = {
      PostToolUse: [{ matcher: 'Write|Edit', hooks: [{ type: 'command', command: 'echo formatted >> fmt.log' }] }]
    }
    const place = project({
      'plug/.claude-plugin/plugin.json': JSON.stringify({ name: 'plug' }),
      'plug/hooks/hooks.json': JSON.stringify({ hooks })
    })
    await ask([{ calls: [toolCall('Write', { file_path: 'a.txt', content: 'a' })] }, 'done'], {
      in: place,
      trust: true,
      allowedTools: ['Write'],
      plugins: [{ type: 'local', path: place.path('plug') }]
    })
    expect(place.text('fmt.log')).toBe('formatted\n')
  })

  test('frontmatter of a subagent', async () => {
    const place = project({
      '.claude/agents/scribe.md': [
        '---',
        'name: scribe',
        'description: Writes.',
        'hooks:',
        '  PreToolUse:',
        '    - matcher: "Write|Edit"',
        '      hooks:',
        '        - type: command',
        '          command: echo formatted >> fmt.log',
        '          timeout: 10',
        '---',
        'You write.',
        ''
      ].join('\n')
    })
    const write = { calls: [toolCall('Write', { file_path: 'a.txt', content: 'a' })] }
    await ask([{ calls: [work] }, write, 'inner', 'done'], { in: place, trust: true, allowedTools: ['Write'] })
    expect(place.text('fmt.log')).toBe('formatted\n')
  })

  test('both homes count: the user’s and the project’s', async () => {
    const place = withCommand('SessionStart', 'echo project >> log')
    place.write(
      '../home/.claude/settings.json',
      JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'echo user >> log' }] }] } })
    )
    await ask(['done'], { in: place, trust: true })
    expect(place.text('log').split('\n').toSorted()).toEqual(['', 'project', 'user'])
  })
})

test('the builder of an agent: hooks of code and of files together', async () => {
  const place = withCommand('PreToolUse', 'echo file >> log', 'Bash')
  const hooks = new HookRegistry().register(securityHook(['sudo']))
  const asked = await ask([{ calls: [bashCall('sudo ls'), bashCall('echo ok')] }, 'done'], {
    in: place,
    trust: true,
    hooks,
    ...BASH
  })
  expect(resultsIn(asked.sent[1]!).map(({ isError }) => isError)).toEqual([true, false])
  expect(place.text('log')).toBe('file\nfile\n')
  expect(informed(asked).filter(text => text.includes('failed'))).toEqual([])
  expect(asked.sent[0]!.map(words)).toContain('go')
})

test.each([
  ['impl Hook', 'priority'],
  ['execute(input', 'run(ctx)'],
  ['FnHook', 'on(event'],
  ['manager.register(hook)', 'hooks.register'],
  ['manager.execute', 'hooks.fire'],
  ['HookInput::pre_tool_use', 'plain fields'],
  ['input.event_type()', 'snakeName'],
  ['input.tool_name()', 'ctx.toolName'],
  ['match &input.data', 'ctx.input'],
  ['ctx.cancellation_token', 'ctx.signal'],
  ['HookOutput::block(reason)', 'block(reason)'],
  ['.system_message(m)', 'systemMessage'],
  ['output.continue_execution', 'outcome.blocked'],
  ['output.additional_context', 'additionalContext'],
  ['hooks in settings and frontmatter', 'settings.md'],
  ['Agent::builder()', 'options: { hooks }']
])('the page says what %s is here', (there, here) => {
  expectRow('003', there, here)
})

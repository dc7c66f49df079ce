/** The answers of `toAgentSdkHooks()`. `npm run check:agent-sdk` shows what Claude Code makes of them. */
import { describe, expect, test } from 'vitest'
import { toAgentSdkHooks, type AgentSdkOptions } from '../../src/agent-sdk.ts'
import {
  allow,
  ask,
  defer,
  deny,
  EVENT_NAMES,
  EVENTS,
  HookRegistry,
  transform,
  type HookFunction,
  type Reply
} from '../../src/hooks.ts'

type Carried = keyof ReturnType<typeof toAgentSdkHooks>['hooks']

const BASE = { session_id: 's', transcript_path: '/t', cwd: '/c', permission_mode: 'default' }
const { signal } = new AbortController()

/** What the SDK gets for the sample of an event from a registry with this hook. */
function answerTo(
  event: Carried,
  hook: HookFunction<Carried>,
  more: object = {},
  options?: AgentSdkOptions
): Promise<unknown> {
  const registry = new HookRegistry()
  registry.on(event, hook, { name: 'hk' })
  const [matcher] = toAgentSdkHooks(registry, options).hooks[event]
  const input = { ...BASE, hook_event_name: event, ...EVENTS[event].sample, ...more }
  return matcher!.hooks[0]!(input, 'toolu_1', { signal })
}

const specific = (event: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName: event, ...fields }
})
const blocked = (reason: string): object => ({ decision: 'block', reason })

const CASES: readonly (readonly [Carried, string, Reply, object])[] = [
  [
    'PreToolUse',
    'deny',
    deny('no'),
    specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' })
  ],
  [
    'PreToolUse',
    'deny without a reason',
    deny(),
    specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'refused by hk' })
  ],
  ['PreToolUse', 'allow', allow(), specific('PreToolUse', { permissionDecision: 'allow' })],
  [
    'PreToolUse',
    'ask',
    ask('sure?'),
    specific('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'sure?' })
  ],
  ['PreToolUse', 'defer', defer(), specific('PreToolUse', { permissionDecision: 'defer' })],
  [
    'PreToolUse',
    'a rewrite, without permission',
    transform({ command: 'ls' }),
    specific('PreToolUse', { updatedInput: { command: 'ls' } })
  ],
  [
    'PreToolUse',
    'context and a message',
    { additionalContext: 'a', systemMessage: 'b' },
    specific('PreToolUse', { additionalContext: 'a\nb' })
  ],
  [
    'PreToolUse',
    'continue: false',
    { continue: false, stopReason: 'halt' },
    {
      continue: false,
      stopReason: 'halt',
      ...specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'halt' })
    }
  ],
  [
    'PermissionRequest',
    'allow with input',
    allow({ updatedInput: { command: 'ls' } }),
    specific('PermissionRequest', { decision: { behavior: 'allow', updatedInput: { command: 'ls' } } })
  ],
  [
    'PermissionRequest',
    'deny',
    deny('no'),
    specific('PermissionRequest', { decision: { behavior: 'deny', message: 'no' } })
  ],
  [
    'PermissionRequest',
    'continue: false',
    { continue: false },
    {
      continue: false,
      ...specific('PermissionRequest', { decision: { behavior: 'deny', message: 'refused by hk', interrupt: true } })
    }
  ],
  ['PermissionDenied', 'retry', { retry: true }, specific('PermissionDenied', { retry: true })],
  ['PostToolUse', 'deny', deny('bad'), blocked('bad')],
  [
    'PostToolUse',
    'an output of the same shape',
    { updatedToolOutput: { stdout: 'x', stderr: '' } },
    specific('PostToolUse', { updatedToolOutput: { stdout: 'x', stderr: '' } })
  ],
  [
    'PostToolUse',
    'an output as text',
    { updatedToolOutput: 'x' },
    specific('PostToolUse', { updatedToolOutput: { stdout: 'x', stderr: '', interrupted: false } })
  ],
  [
    'PostToolUse',
    'a hidden output',
    { suppressOutput: true },
    specific('PostToolUse', {
      updatedToolOutput: { stdout: '[The output was hidden by a hook.]', stderr: '', interrupted: false }
    })
  ],
  ['PostToolUse', 'an output for MCP, which other tools do not take', { updatedMCPToolOutput: 'x' }, {}],
  [
    'PostToolUseFailure',
    'context',
    { additionalContext: 'c' },
    specific('PostToolUseFailure', { additionalContext: 'c' })
  ],
  ['PostToolBatch', 'deny', deny('enough'), blocked('enough')],
  ['UserPromptSubmit', 'deny', deny('no'), blocked('no')],
  [
    'UserPromptSubmit',
    'context and title',
    { additionalContext: 'c', sessionTitle: 't' },
    specific('UserPromptSubmit', { additionalContext: 'c', sessionTitle: 't' })
  ],
  [
    'SessionStart',
    'context',
    { additionalContext: 'c', watchPaths: ['/a'] },
    specific('SessionStart', { additionalContext: 'c', watchPaths: ['/a'] })
  ],
  ['Stop', 'deny', deny('go on'), blocked('go on')],
  ['Stop', 'context', { additionalContext: 'c' }, specific('Stop', { additionalContext: 'c' })],
  ['Stop', 'continue: true', { continue: true }, blocked('a hook asks to continue')],
  ['Stop', 'continue: false', { continue: false }, { continue: false }],
  ['TaskCompleted', 'deny', deny('not yet'), blocked('not yet')],
  ['TaskCompleted', 'context', { additionalContext: 'c' }, blocked('c')],
  ['PreCompact', 'block', { decision: 'block', reason: 'wait' }, blocked('wait')],
  ['CwdChanged', 'paths', { watchPaths: ['/a'] }, specific('CwdChanged', { watchPaths: ['/a'] })],
  [
    'Elicitation',
    'an answer',
    { action: 'accept', content: { day: 1 } },
    specific('Elicitation', { action: 'accept', content: { day: 1 } })
  ],
  ['Elicitation', 'deny', deny('no'), specific('Elicitation', { action: 'decline' })],
  ['ConfigChange', 'deny', deny('no'), blocked('no')],
  ['PostCompact', 'context, which has no place', { additionalContext: 'c' }, {}]
]

test.each(CASES)('%s: %s', async (event, _, reply, answer) => {
  expect(await answerTo(event, () => reply)).toEqual(answer)
})

test('a message for the user is shown', async () => {
  const registry = new HookRegistry()
  registry.callbacks({ Stop: [{ hooks: [() => ({ systemMessage: 'done soon' })] }] })
  const { hooks } = toAgentSdkHooks(registry)
  expect(await hooks.Stop[0]!.hooks[0]!({ ...BASE, ...EVENTS.Stop.sample }, undefined, { signal })).toEqual({
    systemMessage: 'done soon'
  })
})

test('a changed prompt is blocked, since it cannot be changed there', async () => {
  const hook: HookFunction<'UserPromptSubmit'> = ctx => {
    ctx.prompt = 'another'
  }
  expect(await answerTo('UserPromptSubmit', hook as HookFunction<Carried>)).toEqual(
    blocked('a hook changed the prompt, which the Claude Agent SDK cannot do')
  )
})

test('all events of the table but five are there, for hooks that are added later too', async () => {
  const registry = new HookRegistry()
  const { hooks, notCarried } = toAgentSdkHooks(registry)
  const missing = EVENT_NAMES.filter(event => !Object.hasOwn(hooks, event))
  expect(missing).toEqual(['PreModelRequest', 'PostModelResponse', 'AgentStart', 'AgentStop', 'Iteration'])
  expect(notCarried).toEqual([])
  registry.on('PreToolUse', () => deny('late'))
  for (const [matcher] of Object.values(hooks)) expect(matcher).toMatchObject({ onFailure: 'block', timeout: 90 })
  const answer = await hooks.PreToolUse[0]!.hooks[0]!({ ...BASE, ...EVENTS.PreToolUse.sample }, 'x', { signal })
  expect(answer).toMatchObject(specific('PreToolUse', { permissionDecision: 'deny' }))
})

test.each(Object.keys(toAgentSdkHooks(new HookRegistry()).hooks) as Carried[])(
  '%s: no hook, no opinion; hooks get the whole input',
  async event => {
    let seen: unknown
    const answer = await answerTo(event, ctx => void (seen = JSON.parse(ctx.wire)), { more: [1] })
    expect(answer).toEqual({})
    expect(seen).toMatchObject({ ...BASE, hook_event_name: event, ...EVENTS[event].sample, more: [1] })
  }
)

describe('failures', () => {
  const CARRIED = Object.keys(toAgentSdkHooks(new HookRegistry()).hooks) as Carried[]
  const GATES = CARRIED.filter(event => EVENTS[event].failure === 'closed')

  test.each(GATES)('%s: a hook that throws or hangs refuses', async event => {
    const refusal = /"(permissionDecision|behavior)":"deny"|"action":"decline"|"decision":"block"/
    const failing: HookFunction<Carried>[] = [
      () => Promise.reject(new Error('down')),
      () => new Promise(() => undefined)
    ]
    for (const hook of failing)
      expect(JSON.stringify(await answerTo(event, hook, {}, { timeout: 0.01 }))).toMatch(refusal)
  })

  test('PostToolUse: a hook that fails is reported, and with onFailure: block the output is hidden', async () => {
    const registry = new HookRegistry()
    const fire = (): Promise<unknown> =>
      toAgentSdkHooks(registry).hooks.PostToolUse[0]!.hooks[0]!(
        { ...BASE, tool_name: 'Bash', tool_input: {}, tool_use_id: 't', tool_response: { stdout: 'the key' } },
        't',
        { signal }
      )
    const broken = (): never => JSON.parse('{') as never
    registry.on('PostToolUse', broken, { name: 'open' })
    expect(await fire()).toEqual({ systemMessage: expect.stringContaining('the hook open failed: ') as string })
    registry.on('PostToolUse', broken, { name: 'closed', onFailure: 'block' })
    expect(await fire()).toMatchObject(specific('PostToolUse', { updatedToolOutput: { stdout: HIDDEN } }))
  })

  test.each(['PreToolUse', 'Stop'] as const)('%s: what the registry itself throws does not get out', async event => {
    const broken = new HookRegistry()
    broken.fire = () => {
      throw new Error('broken')
    }
    const answer = await toAgentSdkHooks(broken).hooks[event][0]!.hooks[0]!({ ...BASE }, undefined, { signal })
    const why = `the hooks of ${event} failed: broken`
    expect(answer).toEqual(
      event === 'Stop'
        ? { systemMessage: why }
        : specific(event, { permissionDecision: 'deny', permissionDecisionReason: why })
    )
  })
})

const HIDDEN = '[The output was hidden by a hook.]'

const TEXT_FILE = {
  type: 'text',
  file: { filePath: '', content: HIDDEN, numLines: 1, startLine: 1, totalLines: 1 }
}
const PICTURE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const HIDDEN_BLOCK = { type: 'text', text: HIDDEN }

test.each([
  ['Glob', { numFiles: 42, filenames: ['/the/secret', '/the/secret/2'] }, { numFiles: 1, filenames: [HIDDEN] }],
  [
    'Grep',
    { mode: 'files_with_matches', filenames: ['/the/secret'], content: '' },
    { mode: 'files_with_matches', filenames: [''], content: HIDDEN }
  ],
  ['Read', { type: 'image', file: { base64: 'the secret', type: 'image/png', originalSize: 70 } }, TEXT_FILE],
  ['Read', { type: 'notebook', file: { filePath: '/a', cells: [{ cellType: 'code', source: 'x' }] } }, TEXT_FILE],
  ['Read', { type: 'text', file: { filePath: '/a', content: 'the secret', numLines: 7 } }, TEXT_FILE],
  [
    'Bash',
    { stdout: 'data:image/png;base64,iVBORw0KGgo=', stderr: '', isImage: true, code: 1234 },
    { stdout: HIDDEN, stderr: '', isImage: false, code: 1 }
  ],
  ['mcp__notes__get', [PICTURE], [HIDDEN_BLOCK]],
  ['mcp__notes__get', [{ type: 'text', text: 'a' }, PICTURE, { type: 'text', text: 'b' }], [HIDDEN_BLOCK]],
  [
    'mcp__notes__get',
    { content: [{ type: 'text', text: 'a' }], structuredContent: { type: 'The Secret', note: 'the secret', ssn: 123 } },
    HIDDEN
  ],
  ['mcp__notes__count', [1234, true], [HIDDEN_BLOCK]],
  ['Count', [1234, true], [1]],
  ['Agent', { content: [PICTURE], totalTokens: 1234 }, { content: [HIDDEN_BLOCK], totalTokens: 1 }],
  ['mcp__notes__users', { users: { the_secret: 1 }, type: 'secret' }, HIDDEN],
  ['mcp__notes__count', 1234, HIDDEN]
])('nothing of a hidden output of %s is left in it', async (tool_name, tool_response, hidden) => {
  const answer = await answerTo('PostToolUse', () => ({ suppressOutput: true }), { tool_name, tool_response })
  expect(answer).toEqual(specific('PostToolUse', { updatedToolOutput: hidden }))
})

describe('an output that a hook replaced and Claude Code kept', () => {
  const response = { stdout: 'the key\nis 1234', stderr: '', interrupted: false }

  /** PostToolUse with a new output, then PostToolBatch with what the model would see. */
  async function batchAfter(output: unknown, seen: unknown, old: object = response): Promise<unknown> {
    const registry = new HookRegistry()
    registry.on('PostToolUse', () => ({ updatedToolOutput: output }))
    const { hooks } = toAgentSdkHooks(registry)
    const call = { tool_name: 'Bash', tool_input: {}, tool_use_id: 'toolu_1' }
    await hooks.PostToolUse[0]!.hooks[0]!({ ...BASE, ...call, tool_response: old }, 'toolu_1', { signal })
    const batch = { ...BASE, tool_calls: [{ ...call, tool_response: seen }] }
    return hooks.PostToolBatch[0]!.hooks[0]!(batch, undefined, { signal })
  }

  test('ends the run before the model sees it', async () => {
    for (const seen of ['the key\nis 1234', '     2\tis 1234', [{ type: 'text', text: 'is 1234' }]])
      expect(await batchAfter({ nothing: 'else' }, seen)).toEqual({
        continue: false,
        stopReason: 'a hook replaced the output of Bash, and Claude Code kept the old one'
      })
  })

  test.each([
    ['short lines', '42\n7', '42\n7'],
    ['short lines with numbers', '42\n7', '     1→42\n     2→7'],
    ['one short line of many', '42\nthe end', 'the start\n42'],
    ['another indentation', 'the  key\tis here', '  the key is   here']
  ])('is recognized also by %s', async (_, stdout, seen) => {
    expect(await batchAfter({ nothing: 42 }, seen, { stdout, stderr: '' })).toHaveProperty('stopReason')
    expect(await batchAfter('[hidden 42 lines]', '[hidden 42 lines]', { stdout, stderr: '' })).toEqual({})
  })

  test.each([
    { updatedToolOutput: '[hidden]' },
    { updatedToolOutput: null },
    { updatedMCPToolOutput: '[hidden]' },
    { suppressOutput: true }
  ])('words that belong to the shape of a result are no leak: %j', async reply => {
    const registry = new HookRegistry()
    registry.on('PostToolUse', () => reply)
    const { hooks } = toAgentSdkHooks(registry)
    const call = { ...BASE, tool_name: 'mcp__notes__get', tool_input: {}, tool_use_id: 'toolu_1' }
    const tool_response = [{ type: 'text', text: 'is 1234' }]
    const answer = await hooks.PostToolUse[0]!.hooks[0]!({ ...call, tool_response }, 'toolu_1', { signal })
    const shown = (answer as { hookSpecificOutput: { updatedToolOutput: unknown } }).hookSpecificOutput
      .updatedToolOutput
    expect(shown).toEqual([{ type: 'text', text: expect.stringContaining('hidden') }])
    const batch = { ...BASE, tool_calls: [{ ...call, tool_response: shown }] }
    expect(await hooks.PostToolBatch[0]!.hooks[0]!(batch, undefined, { signal })).not.toHaveProperty('stopReason')
  })

  test('null in the place of an output hides it', async () => {
    expect(
      await answerTo('PostToolUse', () => ({ updatedToolOutput: null }), {
        tool_name: 'Bash',
        tool_response: 'the key'
      })
    ).toEqual(specific('PostToolUse', { updatedToolOutput: HIDDEN }))
  })

  test.each([
    ['the next batch of the same agent', 'PostToolBatch', { tool_calls: [] }, 0],
    ['the batch of another agent', 'PostToolBatch', { tool_calls: [], agent_id: 'a1' }, 10_000],
    ['the end of the session', 'SessionEnd', { reason: 'other', agent_id: 'a1' }, 0],
    ['the end of another session', 'SessionEnd', { reason: 'other', session_id: 'other' }, 10_000]
  ] as const)('10,000 calls without a batch, as in interrupted turns, and then %s', async (_, event, more, kept) => {
    const registry = new HookRegistry()
    registry.on('PostToolUse', () => ({ updatedToolOutput: '[hidden]' }))
    const { hooks } = toAgentSdkHooks(registry)
    const fire = (name: 'PostToolUse' | 'PostToolBatch' | 'SessionEnd', input: object): Promise<object> =>
      hooks[name][0]!.hooks[0]!({ ...BASE, ...input }, undefined, { signal })
    const callOf = (id: number): object => ({ tool_name: 'Bash', tool_input: {}, tool_use_id: `${id}` })
    const ids = Array.from({ length: 10_000 }, (__, id) => id)
    for (const id of ids) await fire('PostToolUse', { ...callOf(id), tool_response: response })
    await fire(event, more)
    // A batch of an agent that has none of these calls shows which of them are still known.
    let known = 0
    for (const id of ids) {
      const tool_calls = [{ ...callOf(id), tool_response: 'is 1234' }]
      if ('stopReason' in (await fire('PostToolBatch', { tool_calls, agent_id: 'probe' }))) known++
    }
    expect(known).toBe(kept)
  })

  test('is recognized in 50,000 lines without comparing each with each', { timeout: 10_000 }, async () => {
    const stdout = Array.from({ length: 50_000 }, (_, line) => `line ${line} is long enough`).join('\n')
    const other = stdout.replace('line 7 is', 'line seven is')
    expect(await batchAfter({ ...response, stdout: other }, other, { ...response, stdout })).toEqual({})
    expect(await batchAfter({ ...response, stdout: other }, stdout, { ...response, stdout })).toHaveProperty(
      'stopReason'
    )
  })

  test('one that was taken does not', async () => {
    expect(await batchAfter('[hidden]', '[hidden]')).toEqual({})
    expect(await batchAfter({ ...response, stdout: 'the key\nis ****' }, 'the key\nis ****')).toEqual({})
  })
})

test('what hooks of the registry cannot do there is listed, with a warning', async () => {
  const registry = new HookRegistry()
  registry.on('Iteration', () => undefined, { name: 'counter' })
  registry.on('UserPromptSubmit', () => undefined, { name: 'redact' })
  registry.on('PreToolUse', () => undefined, { name: 'gate' })
  const warned = new Promise<Error>(resolve => process.once('warning', resolve))
  const { notCarried } = toAgentSdkHooks(registry)
  expect(notCarried).toEqual([
    'counter on Iteration: that SDK has no such event',
    'redact on UserPromptSubmit: a prompt cannot be changed; one that a hook changes is blocked'
  ])
  expect((await warned).message).toBe(notCarried.join('\n'))
})

test.each([
  [[undefined], 'registry'],
  [[{ PreToolUse: [] }], 'HookRegistry'],
  [[new HookRegistry(), { onFailure: 'ignore' }], 'onFailure'],
  [[new HookRegistry(), { timeout: 0 }], 'timeout'],
  [[new HookRegistry(), { onFail: 'block' }], 'onFail']
])('wrong arguments are an error: %#', (args, word) => {
  const call = toAgentSdkHooks as unknown as (...args: unknown[]) => unknown
  expect(() => call(...args)).toThrow(word)
})

test.each(['bsah', 'Bash|edti', 'Shell'])('a gate for %s, which narrowly misses a tool, is an error', matcher => {
  const registry = new HookRegistry()
  registry.on('PreToolUse', ['Read', matcher], () => undefined, { name: 'gate' })
  expect(() => toAgentSdkHooks(registry)).toThrow(
    /the matcher of gate cannot be "\w+", because no tool has this name; use/
  )
})

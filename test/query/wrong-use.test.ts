/** Wrong use shows in one place, as one class of error, and says what to do. */
import { describe, expect, test } from 'vitest'
import { CarabinerError, createSdkMcpServer, guard, HookRegistry, query, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { project } from '../support/agent-kit.ts'

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic
const own = tool('own', 'A tool.', {}, async () => ({ content: [] }))
const server = createSdkMcpServer({ name: 's', tools: [own] })
const agent = { description: 'Reads.', prompt: 'Read.' }
const callQuery = query as (...given: readonly unknown[]) => unknown

/** A call of query() that is wrong, and what the error must say. */
const CALLS: readonly (readonly [string, readonly unknown[], RegExp])[] = [
  ['no argument', [], /the argument of query\(\) cannot be missing; use \{ prompt, options \}/],
  ['a text', ['go'], /the argument of query\(\)/],
  ['no prompt', [{}], /prompt cannot be missing; use a string/],
  [
    'an empty prompt without a session to resume',
    [{ prompt: '' }],
    /prompt cannot be ""; use a string; an empty one only/
  ],
  ['a list of prompts', [{ prompt: ['go'] }], /prompt cannot be \["go"\]; use a string, or an AsyncIterable/],
  [
    'an option beside prompt',
    [{ prompt: 'go', model: 'opus' }],
    /cannot be "model"; use \{ prompt, options: \{ model \} \}/
  ],
  [
    'a misspelt key beside prompt',
    [{ prompt: 'go', option: {} }],
    /a key of query\(\) cannot be "option"; use options/
  ],
  ['null for options', [{ prompt: 'go', options: null }], /options cannot be null; use an object/],
  ['a list of options', [{ prompt: 'go', options: [] }], /options cannot be \[\]; use an object/]
]

/** Options that are wrong, and what the error must say. */
const OPTIONS: readonly (readonly [string, object, RegExp])[] = [
  ['a misspelt option', { maxTurn: 3 }, /"maxTurn"; use maxTurns/],
  ['an option that there is not', { zzz: 1 }, /"zzz"; use one of abortController/],
  ['systemPrompt', { systemPrompt: 5 }, /systemPrompt cannot be 5; use a string/],
  ['systemPrompt', { systemPrompt: { type: 'preset', preset: 'other' } }, /systemPrompt cannot be .*; use a string/],
  ['systemPrompt', { systemPrompt: { type: 'custom' } }, /systemPrompt cannot be/],
  [
    'sessionStore',
    { sessionStore: {} },
    /sessionStore cannot be \{\}; use a store with append\(\) and load\(\), or false/
  ],
  ['sessionStore', { sessionStore: true }, /sessionStore cannot be true/],
  ['mcpServers, a list', { mcpServers: [server] }, /mcpServers cannot be .*; use an object of servers by name/],
  [
    'mcpServers, nothing',
    { mcpServers: { a: null } },
    /mcpServers\.a cannot be .*; use an object with a command or a url/
  ],
  ['mcpServers, no command', { mcpServers: { a: {} } }, /mcpServers\.a\.command cannot be missing/],
  ['mcpServers, no tools', { mcpServers: { a: { type: 'sdk', name: 'a' } } }, /mcpServers\.a .*use createSdkMcpServer/],
  ['mcpServers, a circle', { mcpServers: { a: cyclic } }, /mcpServers\.a/],
  ['permissionMode', { permissionMode: 'plann' }, /there is no mode "plann"; did you mean plan\? \(permissionMode\)/],
  ['permissionMode', { permissionMode: 5 }, /permissionMode cannot be 5; use a string/],
  ['bypassPermissions', { permissionMode: 'bypassPermissions' }, /give \{ allowDangerouslySkipPermissions: true \}/],
  ['agents, a list', { agents: [agent] }, /agents cannot be .*; use an object/],
  [
    'agents without a prompt',
    { agents: { r: { description: 'x' } } },
    /agents\.r cannot be .*; use \{ description, prompt/
  ],
  [
    'agents with a misspelt key',
    { agents: { r: { ...agent, tool: [] } } },
    /a key of agents\.r cannot be "tool"; use tools/
  ],
  ['agents with hooks', { agents: { r: { ...agent, hooks: {} } } }, /"hooks"; use options\.hooks/],
  [
    'agents with a mode that there is not',
    { agents: { r: { ...agent, permissionMode: 'x' } } },
    /agents\.r\.permissionMode/
  ],
  ['agents, a circle', { agents: { r: cyclic } }, /agents\.r cannot be something that cannot be printed; use \{ desc/],
  [
    'hooks with a misspelt event',
    { hooks: { PreToolUsed: [] } },
    /there is no event "PreToolUsed"; did you mean PreToolUse\?/
  ],
  ['hooks, no event at all', { hooks: { zzzzzz: [] } }, /there is no event "zzzzzz"; use one of .*PreToolUse/],
  ['hooks, a list', { hooks: [] }, /hooks cannot be \[\]; use a HookRegistry, or an object of matchers by event/],
  ['hooks without functions', { hooks: { PreToolUse: [{ hooks: ['deny'] }] } }, /hook/],
  ['tools, a text', { tools: 'Read' }, /tools cannot be "Read"; use a list of names/],
  ['tools, a misspelt name', { tools: ['Raed'] }, /tools cannot be "Raed"; use Read/],
  ['tools, a number', { tools: [5] }, /tools cannot be \[5\]; use a list/],
  ['allowedTools', { allowedTools: 'Read' }, /allowedTools cannot be "Read"; use a list of strings/],
  ['allowedTools, no rule', { allowedTools: ['Bash('] }, /Bash\(/],
  ['disallowedTools', { disallowedTools: [5] }, /disallowedTools\[0\] cannot be 5; use a string/],
  ['effort', { effort: 'hihg' }, /effort cannot be "hihg"; use "low", "medium", "high", "xhigh" or "max"/],
  ['profile', { profile: 'strickt' }, /profile cannot be "strickt"; use "strict" or "compat"/],
  ['setup', { setup: 'x' }, /setup cannot be "x"; use "init" or "maintenance"/],
  [
    'settingSources',
    { settingSources: ['usr'] },
    /settingSources\[0\] cannot be "usr"; use "user", "project" or "local"/
  ],
  ['settings', { settings: 5 }, /settings cannot be 5; use a path/],
  ['settings, a circle', { settings: cyclic }, /settings cannot be something that cannot be printed/],
  ['thinking', { thinking: { type: 'on' } }, /thinking cannot be .*; use \{ type: 'adaptive' \}/],
  ['thinking', { thinking: { type: 'enabled', budgetTokens: -1 } }, /thinking cannot be/],
  ['thinking', { thinking: { type: 'enabled', budget: 2000 } }, /thinking cannot be/],
  ['model', { model: 5 }, /model cannot be 5; use the name of a model/],
  ['model', { model: {} }, /model cannot be \{\}/],
  ['abortController', { abortController: {} }, /abortController cannot be \{\}; use an AbortController/],
  ['plugins', { plugins: ['path'] }, /plugins\[0\] cannot be "path"; use an object \{ type, path \}/],
  ['additionalDirectories', { additionalDirectories: [5] }, /additionalDirectories\[0\] cannot be 5/],
  ['hookModules', { hookModules: './hooks.ts' }, /hookModules cannot be .*; use a list/],
  ['env', { env: { KEY: 'a secret', PORT: 5 } }, /^(?!.*a secret).*env\.PORT cannot be 5; use a string/],
  ['env', { env: { KEY: ['a secret'] } }, /^(?!.*a secret).*env\.KEY cannot be a list; use a string/],
  ['env', { env: 'KEY=a secret' }, /^(?!.*a secret).*env cannot be this string; use an object/],
  ['maxTurns', { maxTurns: '5' }, /maxTurns cannot be "5"; use a number of at least 0/],
  ['maxTurns', { maxTurns: -1 }, /maxTurns cannot be -1/],
  ['maxTurns', { maxTurns: Number.NaN }, /maxTurns cannot be NaN/],
  ['cwd', { cwd: '/there/is/none' }, /cwd cannot be .*; use an existing folder/],
  ['canUseTool', { canUseTool: true }, /canUseTool cannot be true; use a function/],
  ['continue', { continue: 'yes' }, /continue cannot be "yes"; use true or false/],
  ['resume with continue', { resume: 'a', continue: true }, /continue cannot be true; use either resume or continue/],
  ['forkSession alone', { forkSession: true }, /forkSession cannot be given alone/],
  ['sessionId', { sessionId: 'a b' }, /sessionId cannot be "a b"; use letters, digits/],
  ['trust', { trust: 5 }, /trust cannot be 5; use true, or a digest/],
  ['clock', { clock: {} }, /clock cannot be \{\}; use a Clock/]
]

/** Anything else of the package that is called wrongly. */
const hooks = new HookRegistry()
hooks.on('PreToolUse', ctx => void ctx.toolInput)
const OTHERS: readonly (readonly [string, () => unknown, RegExp])[] = [
  [
    'tool() without a name',
    () => tool('', 'd', {}, async () => ({ content: [] })),
    /tool\(\): name cannot be ""; use letters/
  ],
  [
    'tool() with a blank in its name',
    () => tool('a b', 'd', {}, async () => ({ content: [] })),
    /cannot be "a b"; use letters/
  ],
  [
    'tool() without a handler',
    () => tool('t', 'd', {}, undefined as never),
    /tool\(\): handler cannot be missing; use a function/
  ],
  [
    'tool() without a schema',
    () => tool('t', 'd', undefined as never, async () => ({ content: [] })),
    /tool\(\): inputSchema cannot be missing; use an object of zod schemas/
  ],
  [
    'tool() with a hint beside annotations',
    () => tool('t', 'd', {}, async () => ({ content: [] }), { readOnlyHint: true } as never),
    /a key of tool\(\) cannot be "readOnlyHint"; use \{ annotations: \{ readOnlyHint \} \}/
  ],
  [
    'tool() with a misspelt hint',
    () => tool('t', 'd', {}, async () => ({ content: [] }), { annotations: { readonlyHint: true } }),
    /a key of tool\(\): annotations cannot be "readonlyHint"; use readOnlyHint/
  ],
  [
    'tool() with misspelt annotations',
    () => tool('t', 'd', {}, async () => ({ content: [] }), { anotations: {} } as never),
    /cannot be "anotations"; use annotations/
  ],
  ['scriptedModel()', () => scriptedModel(undefined as never), /the argument of scriptedModel\(\).*a list of turns/],
  ['scriptedModel() without turns', () => scriptedModel({ turn: [] } as never), /a list of turns, or \{ turns/],
  [
    'a misspelt key of a turn',
    () => scriptedModel([{ cals: [] } as never]),
    /^a key of turns\[0\] cannot be "cals"; use .*calls/
  ],
  [
    'a function in the place of matchers',
    () => query({ prompt: 'go', options: { hooks: { PreToolUse: [() => undefined] } as never } }),
    /PreToolUse needs a list of \{ matcher, hooks: \[callback\] \}$/
  ],
  ['createSdkMcpServer()', () => createSdkMcpServer(undefined as never), /use \{ name, tools: \[tool\(…\)\] \}/],
  [
    'createSdkMcpServer() with names',
    () => createSdkMcpServer({ name: 's', tools: ['t'] as never }),
    /createSdkMcpServer/
  ],
  [
    'new HookRegistry() with a text',
    () => new HookRegistry('strict' as never),
    /options of HookRegistry cannot be "strict"/
  ],
  ['guard() with an input that is a circle', () => guard(hooks, 'T', () => 1)(cyclic), /nested deeper than/]
]

const isOurs = (error: unknown): boolean => error instanceof CarabinerError && error.code.startsWith('E_')

describe('query()', () => {
  test.each(CALLS)('E6: %s throws at once', (_, given, words) => {
    expect(() => callQuery(...given)).toThrow(expect.toSatisfy(isOurs))
    expect(() => callQuery(...given)).toThrow(words)
  })

  test.each(OPTIONS)('E6: %s that is wrong throws at once: %o', (_, options, words) => {
    const wrong = (): unknown => callQuery({ prompt: 'go', options: { model: scriptedModel(['Done.']), ...options } })
    expect(wrong).toThrow(expect.toSatisfy(isOurs))
    expect(wrong).toThrow(words)
  })

  test('E6: at least forty wrong uses are in the table', () => {
    expect(CALLS.length + OPTIONS.length + OTHERS.length).toBeGreaterThanOrEqual(40)
  })
})

test.each(OTHERS)('E6: %s is an error of the same class', async (_, wrong, words) => {
  const error: unknown = await Promise.resolve()
    .then(wrong)
    .catch((thrown: unknown) => thrown)
  expect(error).toSatisfy(isOurs)
  expect((error as Error).message).toMatch(words)
})

describe('what only loading can know', () => {
  const cases: readonly (readonly [string, object, string, RegExp])[] = [
    ['settings that are not there', { settings: 'missing.json' }, 'E_SETTINGS', /missing\.json/],
    ['settings that are no JSON', { settings: '{' }, 'E_SETTINGS', /options\.settings/],
    [
      'a session that is not there',
      { resume: 'nowhere', persistSession: true },
      'E_SESSION_UNKNOWN',
      /nowhere; give the id/
    ],
    ['a model without a key', { model: 'opus' }, 'E_MODEL', /ANTHROPIC_API_KEY/],
    [
      'a schema that is none',
      { outputFormat: { type: 'json_schema', schema: { type: 'zzz' } } },
      'E_OPTION_INVALID',
      /schema/
    ],
    [
      'a module of hooks that is not there',
      { hookModules: ['./gone.ts'] },
      'E_SETTINGS',
      /options\.hookModules|gone\.ts/
    ]
  ]
  test.each(cases)('E6: %s rejects the first next(), and result()', async (_, more, code, words) => {
    const { cwd, env } = project()
    const options = { cwd, env, persistSession: false, model: scriptedModel(['Done.']), ...more }
    const running = query({ prompt: 'go', options })
    const error: unknown = await running.next().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CarabinerError)
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) })
    expect(await running.next()).toEqual({ value: undefined, done: true })
    await expect(running.result()).rejects.toBe(error)
  })

  test('E6: a reader that waits already is told as well, and one that never reads disturbs no one', async () => {
    const { cwd, env } = project()
    const begin = () => query({ prompt: 'go', options: { cwd, env, model: scriptedModel([]), settings: '{' } })
    const read = async (): Promise<void> => {
      for await (const message of begin()) throw new Error(`there should be no ${message.type}`)
    }
    await expect(read()).rejects.toMatchObject({ code: 'E_SETTINGS' })
    await begin().return()
  })
})

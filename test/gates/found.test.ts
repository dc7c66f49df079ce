/** Subagents and plugins are found where they are, with their hooks. */
import { expect, test } from 'vitest'
import { ask, project, type Asked, type Project } from '../support/agent-kit.ts'
import { settingsScene } from '../settings/settings-kit.ts'
import { agent, streamLines, textReply } from '../e2e/agent.ts'
import { rule } from '../support/command-settings.ts'

const errand = (type: string): object => ({
  calls: [{ name: 'Agent', input: { description: 'x', prompt: 'build it', subagent_type: type } }]
})
const BASH = { calls: [{ name: 'Bash', input: { command: 'echo ran > ran.txt' } }] }

const BUILDER = `---
name: builder
description: builds
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: echo 'not by a builder' >&2; exit 2
---
You build.
`

const refusals = ({ messages }: Asked): readonly string[] =>
  messages.flatMap(message =>
    message.type === 'system' && message.subtype === 'permission_denied' ? [message.message] : []
  )

const callsBuilder = (place: Project, type: string, options = {}): Promise<Asked> =>
  ask([errand(type) as never, BASH, 'Built.', 'Done.'], { in: place, trust: true, allowedTools: ['Bash'], ...options })

test('A5: a subagent in a subfolder can be called, and its gate is in force', async () => {
  const place = project({ '.claude/agents/team/builder.md': BUILDER })
  const run = await callsBuilder(place, 'builder')
  expect(run.messages[0]).toMatchObject({ agents: expect.arrayContaining(['builder']) })
  expect(refusals(run)).toEqual([expect.stringContaining('not by a builder')])
  expect(place.has('ran.txt')).toBe(false)
})

test('A5: one of the user, two folders down, and one without a name in its file', async () => {
  const place = project({
    '../home/.claude/agents/a/b/builder.md': BUILDER,
    '.claude/agents/x/plain.md': '---\ndescription: plain\n---\nPlain.'
  })
  const run = await callsBuilder(place, 'builder')
  expect(run.messages[0]).toMatchObject({ agents: expect.arrayContaining(['builder', 'plain']) })
  expect(place.has('ran.txt')).toBe(false)
})

test('A5: one of a plugin, under the name of the plugin; a README beside it is none', async () => {
  const place = project({
    'plug/agents/team/builder.md': BUILDER,
    'plug/agents/README.md': '# Our agents',
    'plug/.claude-plugin/plugin.json': '{ "name": "plug" }'
  })
  const run = await ask(['Done.'], { in: place, plugins: [{ type: 'local', path: place.path('plug') }] })
  const [init] = run.messages
  expect(init).toMatchObject({ agents: ['general-purpose', 'Explore', 'plug:builder'] })
})

test('A5: what is wrong with the hooks of one is found too', () => {
  const it = settingsScene()
  const file = it.write('project/.claude/agents/team/builder.md', BUILDER.replace('PreToolUse', 'PreTolUse'))
  expect(it.findings()).toMatchObject([{ code: 'event-unknown', level: 'error', gate: true, place: { file } }])
})

/** A plugin that refuses Bash with these words. */
const refusing = (words: string): object => ({ hooks: { PreToolUse: [rule(`echo ${words} >&2; exit 2`, 'Bash')] } })

/** Settings that enable a plugin that is installed more than once. */
function installs(
  ...entries: readonly ((it: ReturnType<typeof settingsScene>) => object)[]
): ReturnType<typeof settingsScene> {
  const it = settingsScene()
  for (const name of ['here', 'mine', 'other']) it.write(`plugins/${name}/hooks/hooks.json`, refusing(name))
  it.user({ enabledPlugins: { 'plug@m': true } })
  const plugins = { 'plug@m': entries.map(entry => entry(it)) }
  it.write('home/.claude/plugins/installed_plugins.json', { version: 2, plugins })
  return it
}

type Install = (it: ReturnType<typeof settingsScene>) => object
const ofOther: Install = it => ({
  scope: 'project',
  projectPath: it.path('elsewhere'),
  installPath: it.path('plugins/other')
})
const ofUser: Install = it => ({ scope: 'user', installPath: it.path('plugins/mine') })
const ofHere: Install = it => ({ scope: 'local', projectPath: it.project, installPath: it.path('plugins/here') })

test.each([
  ['this project before another one', [ofOther, ofHere], 'here'],
  ['this project before the user', [ofUser, ofHere], 'here'],
  ['the user before another project', [ofOther, ofUser], 'mine'],
  ['this project, whatever the order', [ofHere, ofUser, ofOther], 'here']
] as const)('A6: installed more than once: the entry of %s', (_, entries, expected) => {
  const it = installs(...entries)
  const { plugins, hooks, findings } = it.load()
  expect(findings).toEqual([])
  expect(plugins.map(({ root }) => root)).toEqual([it.path(`plugins/${expected}`)])
  expect(hooks.map(({ runs }) => runs)).toEqual([`echo ${expected} >&2; exit 2`])
})

test('A6: the gate that runs is that of the entry for this project', async () => {
  const armed = await installs(ofOther, ofUser, ofHere).arm()
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' }
  expect(await armed.hooks.fire('PreToolUse', call)).toMatchObject({ blocked: true, reason: 'here' })
})

test('A6: what is installed for another project only is not installed here', () => {
  const { findings, plugins } = installs(ofOther).load()
  expect(plugins).toEqual([])
  expect(findings.map(({ code }) => code)).toEqual(['plugin-missing'])
})

const STREAMS = ['--input-format', 'stream-json', '--output-format', 'stream-json']
const initialize = (more: object): string =>
  `${JSON.stringify({ type: 'control_request', request_id: '1', request: { subtype: 'initialize', ...more } })}\n`

test.each([
  ['hooks', { hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] } }],
  ['agents', { agents: { reader: { description: 'reads', prompt: 'Read.', tools: ['Read'] } } }],
  ['sdkMcpServers', { sdkMcpServers: ['calc'] }]
])('A8: initialize with %s is answered with an error that says what to do', async (key, more) => {
  const run = await agent([])
  const { stdout } = await run.ask(STREAMS, initialize(more))
  expect(streamLines({ stdout } as never).find(({ type }) => type === 'control_response')).toMatchObject({
    response: {
      request_id: '1',
      subtype: 'error',
      error: expect.stringMatching(`^initialize.${key} is not supported on this stream and was ignored`)
    }
  })
})

test.each([
  ['nothing', {}],
  ['what is empty', { hooks: null, agents: {}, sdkMcpServers: [] }],
  ['what restricts nothing', { promptSuggestions: true }]
])('A8: initialize with %s succeeds', async (_, more) => {
  const run = await agent([textReply('Hello.')])
  const { stdout } = await run.ask(
    STREAMS,
    `${initialize(more)}${JSON.stringify({ type: 'user', message: { role: 'user', content: 'Hi' } })}\n`
  )
  const lines = streamLines({ stdout } as never)
  expect(lines.find(({ type }) => type === 'control_response')).toMatchObject({ response: { subtype: 'success' } })
  expect(lines.find(({ type }) => type === 'result')).toMatchObject({ result: 'Hello.' })
})

test('A8: the error names each way to have what was asked for, and comes before the answer to the next prompt', async () => {
  const run = await agent([textReply('Hello.')])
  const hooks = { Stop: [{ hookCallbackIds: ['hook_1'] }] }
  const prompt = JSON.stringify({ type: 'user', message: { role: 'user', content: 'Hi' } })
  const { stdout } = await run.ask(STREAMS, `${initialize({ hooks, agents: { r: {} } })}${prompt}\n`)
  const lines = streamLines({ stdout } as never)
  const at = (type: string): number => lines.findIndex(line => line.type === type)
  expect(at('control_response')).toBeGreaterThanOrEqual(0)
  expect(at('control_response')).toBeLessThan(at('result'))
  expect(JSON.stringify(lines[at('control_response')])).toMatch(/--settings.*--agents.*--mcp-config/)
})

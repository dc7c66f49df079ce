/** Hooks and rules that are meant for the tools of a server, and miss them. */
import { existsSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { proxied, SCRIPTED_SERVER } from './proxy-kit.ts'

vi.setConfig({ testTimeout: HANG })

const onEvent = (event: string, matcher: string): string =>
  `hooks.on('${event}', ${JSON.stringify(matcher)}, () => ({ suppressOutput: true }), { name: 'mine' })`
/** What is said about hooks and rules that miss something. */
const misses = (stderr: string): readonly string[] => stderr.match(/(?<=: )[^:]* protects nothing: .*/g) ?? []

const ECHO = 'the tool is called mcp__srv__echo here'

describe('a hook that narrowly misses a tool: every call is an error that says so', () => {
  test.each([
    ['PreToolUse', 'mcp__srv__Echo', ECHO],
    ['PreToolUse', 'mcp__SRV__echo', ECHO],
    ['PreToolUse', '^mcp__srv__Echo$', ECHO],
    ['PreToolUse', 'Bash|mcp__srv__cut_off', 'the tool is called mcp__srv__cut-off here'],
    ['PreToolUse', 'mcp__srv__say|Echo', ECHO],
    ['PreToolUse', 'echo', ECHO],
    ['PreToolUse', 'mcp_srv_echo', ECHO],
    ['PreToolUse', 'mcp__Srv__.*', 'the server is called srv here'],
    ['PreToolUse', 'mcp__s-rv__gone', 'the server is called srv here'],
    ['PermissionRequest', 'mcp__srv__Echo', ECHO],
    ['PostToolUse', 'mcp__srv__Echo', ECHO],
    ['PostToolUseFailure', 'echo', ECHO]
  ])('%s %s', async (event, matcher, why) => {
    const stage = cliStage()
    const log = stage.path('home/calls.log')
    const hooks = onEvent(event, matcher)
    const { call, client, stderr } = await proxied(SCRIPTED_SERVER, { stage, hooks, env: { MCP_LOG: log } })
    const said = `mine: the matcher ${matcher.split('|').at(-1)} protects nothing: ${why}`
    for (const tool of ['pid', 'add']) {
      const { text, isError } = await call(tool)
      expect([isError, text]).toEqual([true, expect.stringMatching(/no call can be judged: .*gate.mjs:2:/)])
      expect(text).toContain(said)
    }
    expect(stderr()).toContain(said)
    expect(existsSync(log)).toBe(false)
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    const compat = await proxied(SCRIPTED_SERVER, { stage, hooks, flags: ['--profile', 'compat'] })
    expect((await compat.call('pid')).isError).toBe(false)
    expect(compat.stderr()).toContain(said)
  })

  test.each(['mcp__srv__Echo', 'mcp__SRV__echo(x*)', 'echo'])('by its condition %s', async condition => {
    const stage = cliStage()
    const command = { type: 'command', command: 'exit 2', if: condition }
    stage.user({ hooks: { PreToolUse: [{ matcher: 'mcp__srv__.*', hooks: [command] }] } })
    const { call } = await proxied(SCRIPTED_SERVER, { stage })
    const { text, isError } = await call('say', { text: 'hi' })
    expect(isError).toBe(true)
    expect(text).toMatch(/settings\.json:\d+:\d+: .*: if: \S+ protects nothing: the tool is called mcp__srv__echo here/)
  })
})

describe('a hook for a tool that the server does not list: that is said, and calls are judged', () => {
  const ABSENT = 'protects nothing: the server srv has no such tool'
  test.each([
    ['mcp__srv__ecco', [`the matcher mcp__srv__ecco ${ABSENT} (did you mean mcp__srv__echo?)`]],
    ['^mcp__srv__delete.*', [`the matcher ^mcp__srv__delete.* ${ABSENT}`]],
    ['mcp__srv__gone|mcp__srv__say', [`the matcher mcp__srv__gone ${ABSENT}`]]
  ])('%s', async (matcher, said) => {
    const { call, stderr } = await proxied(SCRIPTED_SERVER, { hooks: onEvent('PostToolUse', matcher) })
    expect((await call('pid')).isError).toBe(false)
    expect(misses(stderr())).toEqual(said)
    expect(stderr()).toMatch(/gate\.mjs:2:\d+: mine: the matcher/)
  })

  test('by its condition', async () => {
    const stage = cliStage()
    const command = { type: 'command', command: 'exit 2', if: 'mcp__srv__gone' }
    stage.user({ hooks: { PreToolUse: [{ matcher: 'mcp__srv__.*', hooks: [command] }] } })
    const { call, stderr } = await proxied(SCRIPTED_SERVER, { stage })
    expect((await call('say', { text: 'hi' })).isError).toBe(false)
    expect(misses(stderr())).toEqual([`mcp__srv__gone ${ABSENT}`])
  })

  test('a tool that appears later is judged', async () => {
    const hooks = `hooks.on('PreToolUse', 'mcp__srv__fresh', () => ({ decision: 'deny', reason: 'not yet' }))`
    const { call, stderr } = await proxied(SCRIPTED_SERVER, { hooks })
    expect((await call('add')).isError).toBe(false)
    expect(misses(stderr())).toEqual([`the matcher mcp__srv__fresh ${ABSENT}`])
    expect(await call('fresh')).toEqual({ text: expect.stringContaining('not yet'), isError: true })
  })
})

test('nothing is said about hooks that are fine: for these tools, for other servers and for other tools', async () => {
  const drive = { MCP_TOOLS: '[{ "name": "drive_search", "inputSchema": { "type": "object" } }]' }
  const hooks = `hooks.on('PreToolUse', /^mcp__google__(say|echo)$/, () => undefined)
    hooks.on('PreToolUse', ['mcp__google__Say', 'mcp__google__say'], () => undefined, { observe: false })
    for (const matcher of ['mcp__google_drive__search', 'mcp__goggle__say', 'mcp__google2__say', 'mcp__(google|git)__.*',
      'mcp__google__(say|wait)', 'mcp__.*__delete.*', 'Bash|Write', 'other'])
      for (const event of ['PreToolUse', 'PostToolUse']) hooks.on(event, matcher, () => undefined)
    hooks.on('PreToolUse', 'mcp__google__ec?o', () => undefined)
    hooks.on('PostToolUse', 'mcp__google__Echo', () => undefined, { observe: true })`
  const flags = ['--settings', '{ "permissions": { "deny": ["mcp__goggle__say", "mcp__google__wait(x*)"] } }']
  const { call, stderr } = await proxied(SCRIPTED_SERVER, { hooks, flags, name: 'google', env: drive })
  expect((await call('drive_search')).isError).toBe(false)
  expect(misses(stderr())).toEqual([])
  expect(stderr()).not.toContain('passed on')
})

test('rules that miss the tools are reported, and every call is refused if one misses narrowly', async () => {
  const rules = (text: string): readonly string[] => ['--settings', `{ "permissions": ${text} }`]
  const flags = rules('{ "deny": ["mcp__SRV", "say", "mcp__srv__sey"], "ask": ["mcp__srv__Wait"] }')
  const { call, stderr } = await proxied(SCRIPTED_SERVER, { flags })
  const refused = await call('echo', { text: 'hi' })
  expect(refused.isError).toBe(true)
  expect(refused.text).toMatch(/no call can be judged: .*mcp__SRV.*: say .*mcp__srv__Wait protects nothing/)
  expect(refused.text).not.toContain('sey')
  // The refusal is the fifth.
  expect(misses(stderr()).slice(0, 4)).toEqual([
    'mcp__SRV protects nothing: the server is called srv here',
    'say protects nothing: the tool is called mcp__srv__say here',
    'mcp__srv__sey protects nothing: the server srv has no such tool (did you mean mcp__srv__say?)',
    'mcp__srv__Wait protects nothing: the tool is called mcp__srv__wait here'
  ])
  const others = rules('{ "deny": ["mcp__srv__sey"], "allow": ["mcp__srv__Wait"] }')
  const open = await proxied(SCRIPTED_SERVER, { flags: others })
  expect((await open.call('echo', { text: 'hi' })).isError).toBe(false)
})

test('that no hook and no rule judges the tools is said, unless every call is refused', async () => {
  const PASSED = 'no hook and no rule judges the tools of srv: every call is passed on'
  const unguarded = await proxied(SCRIPTED_SERVER, { hooks: onEvent('PreToolUse', 'Bash') })
  await unguarded.call('echo', { text: 'hi' })
  expect(unguarded.stderr()).toContain(PASSED)
  for (const matcher of ['/^MCP__SRV__ECHO$/i', `[/^mcp__srv__e/, 'Bash']`]) {
    const guarded = await proxied(SCRIPTED_SERVER, { hooks: `hooks.on('PreToolUse', ${matcher}, () => undefined)` })
    await guarded.call('echo', { text: 'hi' })
    expect(guarded.stderr()).not.toContain(PASSED)
  }
  const broken = await proxied(SCRIPTED_SERVER, { hooks: `throw new Error('no gate')` })
  expect((await broken.call('echo', { text: 'hi' })).isError).toBe(true)
  expect(broken.stderr()).not.toContain(PASSED)
})

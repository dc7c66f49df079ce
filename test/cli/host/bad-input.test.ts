import { describe, expect, test } from 'vitest'
import { dialectOf, HOST_NAMES, type HostName } from '../../../src/lib/cli/host/hosts.ts'
import { cliStage, type CliStage, type Ran } from '../../support/cli-stage.ts'
import { commandPayload } from './host-table.ts'
import { readAsHost } from './host-readings.ts'

const hook = (stage: CliStage, host: string, event: string, stdin: string): Promise<Ran> =>
  stage.run(['hook', '--for', host, '--event', event], { stdin })

const gateOf = (host: HostName): string =>
  Object.entries(dialectOf(host).events).find(([, { as }]) => as === 'PreToolUse')?.[0] ?? ''

describe.each(HOST_NAMES)('what %s is told', host => {
  const payload = (stage: CliStage): string => JSON.stringify(commandPayload(host, 'PreToolUse', stage.project).payload)

  test.each([
    ['nothing at all', () => ''],
    ['a truncated payload', (stage: CliStage) => payload(stage).slice(0, -20)],
    ['a list', () => '[]'],
    ['no object', () => '"PreToolUse"'],
    ['bytes that are no text', () => '\u0000\ufffd{'],
    ['an object of something else', () => '{"jsonrpc":"2.0","id":1}'],
    ['a payload without its tool', (stage: CliStage) => JSON.stringify({ cwd: stage.project, session_id: 's' })],
    [
      'input that is no object',
      (stage: CliStage) => JSON.stringify({ cwd: stage.project, tool_name: 'Bash', tool_input: null })
    ]
  ])('of %s: a refusal with a reason', async (_, text) => {
    const stage = cliStage()
    const read = readAsHost(host, gateOf(host), await hook(stage, host, gateOf(host), text(stage)))
    expect(read.call).toBe('refused')
    expect(read.reason).toMatch(/Carabiner cannot judge this: .+/)
  })

  test.each([
    ['settings that are no JSON', '{ "permissions": '],
    ['a misspelled restriction', { permissions: { deny: ['Bsah(rm *)'] } }],
    ['a module that is missing', { carabiner: { modules: ['missing.mjs'] } }],
    [
      'a hook of a misspelled event',
      { carabiner: { hooks: { PreToolUs: [{ hooks: [{ type: 'command', command: 'true' }] }] } } }
    ]
  ])('under %s: a refusal that names the file', async (_, settings) => {
    const stage = cliStage()
    stage.write('home/.carabiner/settings.json', settings)
    const read = readAsHost(host, gateOf(host), await hook(stage, host, gateOf(host), payload(stage)))
    expect(read.call).toBe('refused')
    expect(read.reason).toContain('.carabiner/settings.json')
  })

  test('in a project that is not trusted: a refusal that names the command', async () => {
    const stage = cliStage()
    stage.settings({ carabiner: { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } } })
    const read = readAsHost(host, gateOf(host), await hook(stage, host, gateOf(host), payload(stage)))
    expect(read.call).toBe('refused')
    expect(read.reason).toContain('carabiner hooks trust')
  })

  test('without any policy: the host decides', async () => {
    const stage = cliStage()
    const ran = await hook(stage, host, gateOf(host), payload(stage))
    expect(ran).toMatchObject({ code: 0, stdout: '{}\n' })
  })
})

test.each([
  ['an agent that nobody knows', 'cursor', 'preToolUse'],
  ['an event that nobody knows', 'codex', 'PreTolUse'],
  ['no agent', '', 'PreToolUse']
])('%s: exit code 2 with the names that there are', async (_, host, event) => {
  const ran = await hook(cliStage(), host, event, '{}')
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toMatch(/refuses it: .*\(.*,/)
})

test('a mistake in the command line refuses as well', async () => {
  expect(await cliStage().run(['hook', '--fro', 'codex'], { stdin: '{}' })).toMatchObject({ code: 2 })
})

test('every pair of agents: the payload of another one is never a yes', async () => {
  const stage = cliStage()
  stage.write('home/.carabiner/settings.json', { permissions: { allow: ['Bash'] } })
  const pairs = HOST_NAMES.flatMap(host =>
    HOST_NAMES.filter(other => other !== host).map(other => [host, other] as const)
  )
  const calls = await Promise.all(
    pairs.map(async ([host, other]) => {
      const text = JSON.stringify(commandPayload(other, 'PreToolUse', stage.project).payload)
      const read = readAsHost(host, gateOf(host), await hook(stage, host, gateOf(host), text))
      return `${host} < ${other}: ${read.call}`
    })
  )
  // Claude Code, Codex and the extension for pi send the same fields.
  const alike = /^(claude|codex|pi) < (claude|codex|pi)|^qwen < (claude|codex|pi)|^(claude|codex|pi) < qwen/
  expect(calls.filter(each => !alike.test(each) && !each.endsWith('refused'))).toEqual([])
})

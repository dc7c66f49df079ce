import { expect, test, vi } from 'vitest'
import type { CommandSpec, HookEnvironmentOptions } from '../../../../src/external.ts'
import { EVENT_NAMES, snakeName, type EventName, type RegistryOptions } from '../../../../src/hooks.ts'
import { fireSample } from '../../../support/hook-kit.ts'
import { hookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

interface Around {
  readonly spec?: Partial<CommandSpec>
  readonly registry?: RegistryOptions
  readonly outside?: HookEnvironmentOptions
}

/** The environment that a command finds itself in. */
async function environmentOn(event: EventName, { spec, registry, outside }: Around = {}) {
  const { hooks, command, read, folder } = hookScene(registry, outside)
  command({ events: event, command: 'env -0 > "$CLAUDE_PROJECT_DIR/env"', ...spec })
  expect(await fireSample(hooks, event)).toMatchObject({ failures: [] })
  const lines = read('env').split('\0').filter(Boolean)
  const env = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  )
  return { env, folder }
}

// F109, F110
test('a command finds what the contract promises, and the name of its event', async () => {
  const { env, folder } = await environmentOn('PreToolUse')
  expect(env).toMatchObject({
    CLAUDE_PROJECT_DIR: folder,
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: 'session-1',
    EVENT: 'pre_tool_use'
  })
  for (const name of ['CLAUDE_PLUGIN_ROOT', 'CLAUDE_PLUGIN_DATA', 'CLAUDE_ENV_FILE'])
    expect(env).not.toHaveProperty(name)
})

// F110
test.each(EVENT_NAMES)('on %s EVENT is its name in snake case', async event => {
  const { env } = await environmentOn(event)
  expect(env['EVENT']).toBe(snakeName(event))
})

// F110
test('a command may write it where a shell expands it, and single quotes keep it as it is', async () => {
  const { hooks, command, read } = hookScene()
  command({ command: `echo "$EVENT" '$EVENT' >> log` })
  await fireSample(hooks, 'PreToolUse')
  expect(read('log')).toBe('pre_tool_use $EVENT\n')
})

test('the session is that of the event, where the event names one', async () => {
  const { hooks, command, read } = hookScene()
  command({ command: 'printf %s "$CLAUDE_CODE_SESSION_ID" > id' })
  await hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'x', session_id: 'another' })
  expect(read('id')).toBe('another')
})

test('a command of a plugin knows where the plugin is', async () => {
  const { env } = await environmentOn('PreToolUse', { spec: { plugin: { root: '/plugins/a b', data: '/data/a b' } } })
  expect(env).toMatchObject({ CLAUDE_PLUGIN_ROOT: '/plugins/a b', CLAUDE_PLUGIN_DATA: '/data/a b' })
})

test('the file for later variables is told where a session or a project is prepared, and nowhere else', async () => {
  const told: EventName[] = []
  for (const event of EVENT_NAMES) {
    const { env } = await environmentOn(event, { outside: { envFile: '/tmp/later.env' } })
    if (env['CLAUDE_ENV_FILE'] !== undefined) told.push(event)
  }
  expect(told).toEqual(['SessionStart', 'Setup', 'CwdChanged', 'FileChanged'])
})

test('what this process has is inherited, the PATH included', async () => {
  vi.stubEnv('CARABINER_TEST_INHERITED', 'yes')
  const { env } = await environmentOn('PreToolUse')
  vi.unstubAllEnvs()
  expect(env).toMatchObject({ CARABINER_TEST_INHERITED: 'yes', PATH: process.env['PATH'] })
})

const SECRETS = {
  ANTHROPIC_API_KEY: 'k1',
  ANTHROPIC_AUTH_TOKEN: 'k2',
  CLAUDE_CODE_OAUTH_TOKEN: 'k3',
  OPENAI_API_KEY: 'k4',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=k5'
}

test('the credentials of the runtime itself are withheld, those of others are not', async () => {
  const { env } = await environmentOn('PreToolUse', {
    outside: { env: { ...process.env, ...SECRETS, GITHUB_TOKEN: 'theirs' } }
  })
  expect(Object.keys(env).filter(name => name in SECRETS)).toEqual([])
  expect(Object.values(env).filter(value => Object.values<string>(SECRETS).includes(value))).toEqual([])
  expect(env['GITHUB_TOKEN']).toBe('theirs')
})

test('what is withheld can be said, and a hook may be given a credential on purpose', async () => {
  const env = { ...process.env, ...SECRETS, VAULT: 'v' }
  const named = await environmentOn('PreToolUse', { outside: { env, withhold: ['VAULT'] } })
  expect(named.env).toMatchObject({ ANTHROPIC_API_KEY: 'k1' })
  expect(named.env).not.toHaveProperty('VAULT')
  const given = await environmentOn('PreToolUse', { outside: { env }, spec: { env: { ANTHROPIC_API_KEY: 'its own' } } })
  expect(given.env).toMatchObject({ ANTHROPIC_API_KEY: 'its own' })
})

test('only what was handed in is inherited, where something was', async () => {
  const { env } = await environmentOn('PreToolUse', { outside: { env: { PATH: process.env['PATH'], ONLY: 'this' } } })
  expect(env).toMatchObject({ ONLY: 'this' })
  expect(env).not.toHaveProperty('HOME')
})

// F109
test('the variables of the context come on top of what is inherited, and those of the hook on top of both', async () => {
  const { env } = await environmentOn('PreToolUse', {
    outside: { env: { PATH: process.env['PATH'], A: 'inherited', B: 'inherited', C: 'inherited' } },
    registry: { env: { B: 'context', C: 'context' } },
    spec: { env: { C: 'hook' } }
  })
  expect(env).toMatchObject({ A: 'inherited', B: 'context', C: 'hook' })
})

test('in exec form the environment is the same', async () => {
  const { hooks, command, read, folder } = hookScene()
  command({ command: 'sh', args: ['-c', 'printf "%s %s" "$EVENT" "$CLAUDE_PROJECT_DIR" > env'] })
  await fireSample(hooks, 'PreToolUse')
  expect(read('env')).toBe(`pre_tool_use ${folder}`)
})

// F100
test.each([
  ['a variable with a line break and quotes', 'a\nb "c" \'d\' $(touch planted) `e`'],
  ['an empty variable', '']
])('%s arrives as it is', async (_, value) => {
  const { env } = await environmentOn('PreToolUse', { spec: { env: { ODD: value } } })
  expect(env['ODD']).toBe(value)
})

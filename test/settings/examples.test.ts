/** The examples that settings, frontmatter and plugins were described with: they load, and they run as they are written. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { ArmedHooks, LoadOptions } from '../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene } from './settings-kit.ts'
import { HANG } from '../support/waiting.ts'
import { fixture } from '../support/fixture.ts'

vi.setConfig({ testTimeout: HANG })

/** The programs that the examples name are found by the search for programs, as people have them. */
const env = { ...process.env, PATH: [fixture('settings/examples/bin'), process.env['PATH']].join(delimiter) }

function examples(): SettingsScene & {
  log: () => readonly string[]
  armed: (owners?: string[], load?: LoadOptions) => Promise<ArmedHooks>
} {
  const it = settingsScene()
  cpSync(fixture('settings/examples/project'), it.project, { recursive: true })
  return {
    ...it,
    log: () => (existsSync(it.path('project/log')) ? it.read('project/log').trim().split('\n') : []),
    armed: (owners = [], load = {}) =>
      it.arm({ owners }, load, { registry: { sessionId: 'abc-123' }, outside: { env } })
  }
}

const text = (name: string): string => readFileSync(fixture(`settings/examples/${name}`), 'utf8')
const bash = (command: string): object => ({ tool_name: 'Bash', tool_input: { command } })

// F114-F117, F194, F200
describe.each(['user', 'ofProject'] as const)('the settings, as %s', level => {
  const written = () => {
    const it = examples()
    it[level](text('settings.json'))
    return it
  }

  test('load whole', () => {
    const { load } = written()
    const { hooks, findings } = load()
    expect(hooks.map(({ event, name, matcher, spec }) => [event, name, matcher, spec['timeout']])).toEqual([
      ['SessionStart', undefined, undefined, undefined],
      ['PreToolUse', 'security-check', 'Bash|Write', 30],
      ['PostToolUse', 'audit-log', undefined, undefined],
      ['SessionEnd', undefined, undefined, undefined]
    ])
    expect(findings.filter(({ level: how }) => how === 'error')).toEqual([])
  })

  test('the check is asked about Bash and Write, and what it refuses is refused', async () => {
    const { armed, log } = written()
    const hooks = await armed()
    expect(await fireArmed(hooks, 'PreToolUse', bash('ls'))).toMatchObject({ blocked: false, failures: [] })
    expect(await fireArmed(hooks, 'PreToolUse', bash('rm -rf /'))).toMatchObject({
      blocked: true,
      by: 'security-check',
      reason: 'Dangerous command blocked',
      stopReason: 'Dangerous command blocked',
      updatedInput: undefined
    })
    expect(await fireArmed(hooks, 'PreToolUse', { tool_name: 'Read' })).toMatchObject({ blocked: false })
    expect(log()).toHaveLength(2)
    const payload: unknown = JSON.parse(log()[1]!.slice('check_security.py '.length))
    expect(payload).toMatchObject({ event: 'pre_tool_use', session_id: 'abc-123', ...bash('rm -rf /') })
  })

  test('sessions begin and end with their commands', async () => {
    const { armed, log } = written()
    const hooks = await armed()
    expect(await fireArmed(hooks, 'SessionStart')).toMatchObject({ failures: [] })
    expect(await fireArmed(hooks, 'SessionEnd')).toMatchObject({ failures: [] })
    expect(log()).toEqual(['notify-send Session started', 'cleanup-temp.sh session_end'])
  })

  test('the audit log grows by a line for each tool', async () => {
    const { armed } = written()
    const hooks = await armed()
    const lines = (): number =>
      existsSync('/tmp/audit.log') ? readFileSync('/tmp/audit.log', 'utf8').split('\n').length : 1
    const before = lines()
    expect(await fireArmed(hooks, 'PostToolUse')).toMatchObject({ failures: [] })
    expect(lines()).toBe(before + 1)
    if (before === 1) rmSync('/tmp/audit.log')
  })
})

// F122, F123, F195
describe.each([
  ['a skill', 'skills/formatter/SKILL.md'],
  ['a subagent', 'agents/formatter.md']
])('the frontmatter, in %s', (_, file) => {
  test('the formatter runs before Write and Edit, while its owner is active', async () => {
    const it = examples()
    it.write(`project/.claude/${file}`, text('formatter.md'))
    expect(it.load()).toMatchObject({
      findings: [],
      hooks: [{ event: 'PreToolUse', matcher: 'Write|Edit', spec: { command: 'scripts/format.sh', timeout: 10 } }]
    })
    const resting = await it.armed()
    await fireArmed(resting, 'PreToolUse', { tool_name: 'Write' })
    expect(it.log()).toEqual([])
    const active = await it.armed(['formatter'])
    for (const tool_name of ['Write', 'Edit', 'Bash'])
      expect(await fireArmed(active, 'PreToolUse', { tool_name })).toMatchObject({ blocked: false, failures: [] })
    expect(it.log()).toEqual(['format.sh pre_tool_use', 'format.sh pre_tool_use'])
  })
})

// F124, F195
test('the plugin: the formatter runs after Write and Edit', async () => {
  const it = examples()
  it.write('plugin/hooks/hooks.json', text('plugin-hooks.json'))
  const hooks = await it.armed([], { pluginDirs: [it.path('plugin')] })
  expect(await fireArmed(hooks, 'PostToolUse', { tool_name: 'Edit' })).toMatchObject({ failures: [] })
  expect(await fireArmed(hooks, 'PostToolUse', { tool_name: 'Bash' })).toMatchObject({ failures: [] })
  expect(it.log()).toMatchObject([expect.stringMatching(/^fmt\.sh \{.*"tool_name":"Edit"/)])
})

test('all of them side by side', async () => {
  const it = examples()
  it.ofProject(text('settings.json'))
  it.write('project/.claude/agents/formatter.md', text('formatter.md'))
  it.write('plugin/hooks/hooks.json', text('plugin-hooks.json'))
  const { hooks } = await it.armed(['formatter'], { pluginDirs: [it.path('plugin')] })
  expect(hooks.list().map(({ events }) => events[0])).toEqual(
    expect.arrayContaining(['SessionStart', 'PreToolUse', 'PostToolUse', 'SessionEnd'])
  )
  expect(hooks.list()).toHaveLength(6)
})

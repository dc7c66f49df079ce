import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { HOST_NAMES, type HostName } from '../../../src/lib/cli/host/hosts.ts'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'
import { commandPayload } from './host-table.ts'
import { readAsHost, type HostReading } from './host-readings.ts'

async function judged(stage: CliStage, host: HostName, tool: string, input: object): Promise<HostReading> {
  const { event, payload } = commandPayload(host, 'PreToolUse', stage.project)
  const [name, key] = 'toolName' in payload ? ['toolName', 'toolArgs'] : ['tool_name', 'tool_input']
  const stdin = JSON.stringify({ ...payload, [name]: tool, [key]: input })
  return readAsHost(host, event, await stage.run(['hook', '--for', host, '--event', event], { stdin }))
}

const SHELL: Readonly<Record<HostName, string>> = {
  claude: 'Bash',
  codex: 'Bash',
  gemini: 'run_shell_command',
  qwen: 'run_shell_command',
  copilot: 'bash',
  pi: 'bash'
}

describe.each(HOST_NAMES)('ordinary work in %s', host => {
  test('what a rule allows is not refused, and the answer is valid', async () => {
    const stage = cliStage()
    stage.user({ permissions: { allow: ['Bash(npm test)'], deny: ['Bash(rm *)'] } })
    const { call } = await judged(stage, host, SHELL[host], { command: 'npm test' })
    expect(['runs', 'host']).toContain(call)
  })

  test('a project with hooks for Claude Code only, and with allow rules, needs no trust in Claude Code', async () => {
    const stage = cliStage()
    stage.settings({
      permissions: { allow: ['Bash(make *)'], deny: ['Bash(rm *)'] },
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] }
    })
    const { call } = await judged(stage, host, SHELL[host], { command: 'make all' })
    // Other agents would not run these hooks: they are part of the policy.
    expect(call).toBe(host === 'claude' ? 'host' : 'refused')
    expect((await judged(stage, host, SHELL[host], { command: 'rm -f x' })).call).toBe('refused')
  })

  test.each(['bypassPermissions', 'acceptEdits'])('mode %s of Carabiner allows nothing there', async defaultMode => {
    const stage = cliStage()
    stage.user({ permissions: { defaultMode } })
    expect((await judged(stage, host, SHELL[host], { command: 'make all' })).call).toBe('host')
  })

  test('allow rules of a project that is not trusted do not count, and refuse nothing', async () => {
    const stage = cliStage()
    stage.settings({ permissions: { allow: ['Bash(make *)'] } })
    expect((await judged(stage, host, SHELL[host], { command: 'make all' })).call).toBe('host')
  })
})

const GREP: readonly (readonly [HostName, string])[] = [
  ['claude', 'Grep'],
  ['gemini', 'grep_search'],
  ['qwen', 'grep_search'],
  ['copilot', 'grep'],
  ['pi', 'grep']
]

describe.each(GREP)('a search of the project by %s (%s), where rules refuse .env', (host, tool) => {
  const project = (ignore: string): CliStage => {
    const stage = cliStage()
    stage.user({ permissions: { deny: ['Read(.env)'] } })
    stage.write('project/.gitignore', ignore)
    stage.write('project/.env', 'KEY=1')
    return stage
  }

  test.each(['.env\n', '# secrets\n*.log\n.env*\n', '/.env\nbuild/\n'])(
    'may leave it out by .gitignore %j',
    async text => {
      expect((await judged(project(text), host, tool, { pattern: 'TODO' })).call).toBe('host')
    }
  )

  test.each(['', 'build/\n', '.env\n!.env\n', '.env/\n', '[.]env\n'])('is refused with .gitignore %j', async text => {
    expect((await judged(project(text), host, tool, { pattern: 'TODO' })).reason).toContain('.env')
  })

  test('is refused if git has the file, or if ignored files are searched as well', async () => {
    const stage = project('.env\n')
    expect((await judged(stage, host, tool, { pattern: 'TODO', no_ignore: true })).call).toBe('refused')
    spawnSync('git', ['init', '--quiet'], { cwd: stage.project })
    spawnSync('git', ['add', '--force', '.env'], { cwd: stage.project })
    expect((await judged(stage, host, tool, { pattern: 'TODO' })).call).toBe('refused')
  })
})

test('a pattern of endings leaves the file out', async () => {
  const stage = cliStage()
  stage.user({ permissions: { deny: ['Read(.env)'] } })
  stage.write('project/.env', 'KEY=1')
  expect((await judged(stage, 'claude', 'Grep', { pattern: 'x', glob: '*.js' })).call).toBe('host')
  stage.write('project/x.env', 'KEY=1')
  stage.user({ permissions: { deny: ['Read(.env)', 'Read(*.env)'] } })
  expect((await judged(stage, 'claude', 'Grep', { pattern: 'x', glob: '*.env' })).call).toBe('refused')
  expect((await judged(stage, 'claude', 'Grep', { pattern: 'x', glob: '{*.js,.env}' })).call).toBe('refused')
})

import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'
import { commandPayload } from './host-table.ts'

/** The line that the installation wrote for a gate of Gemini CLI. */
async function installedLine(stage: CliStage): Promise<string> {
  await stage.run(['hooks', 'install', '--for', 'gemini', '--no-probe'])
  const { hooks } = JSON.parse(stage.read('home/.gemini/settings.json')) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>
  }
  return hooks['BeforeTool']![0]!.hooks[0]!.command
}

// Agents read the .env and the settings of a project, and give these variables to their hooks.
describe('what a project sets for the agent', () => {
  test.each([
    ['another home of Carabiner', (stage: CliStage) => ({ CARABINER_HOME: stage.path('project/evil') })],
    ['another home', (stage: CliStage) => ({ HOME: stage.path('project/evil') })],
    ['code for Node', (stage: CliStage) => ({ NODE_OPTIONS: `--require=${stage.path('project/evil.cjs')}` })],
    ['another program', (stage: CliStage) => ({ PATH: `${stage.path('project/bin')}:/usr/bin:/bin` })],
    ['code for Python', (stage: CliStage) => ({ PYTHONPATH: stage.path('project/evil') })],
    ['trust for this run', () => ({ CARABINER_TRUST_PROJECT_HOOKS: '1' })]
  ])('%s changes nothing', async (_, variables) => {
    const stage = cliStage()
    stage.write('project/evil.cjs', `require('node:fs').writeFileSync(${JSON.stringify(stage.path('ran'))}, '')`)
    for (const name of ['gate', 'sh', 'bash', 'env', 'node'])
      stage.write(`project/bin/${name}`, '#!/bin/sh\necho {}\n', 0o755)
    stage.write('home/bin/gate', '#!/bin/sh\necho "the gate says no" >&2; exit 2\n', 0o755)
    const env = { PATH: `${stage.path('home/bin')}:${stage.env['PATH']}` }
    stage.write('home/.carabiner/settings.json', {
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'gate' }] }] }
    })
    const line = await installedLine({ ...stage, run: args => stage.run(args, { env }) })
    const { payload } = commandPayload('gemini', 'PreToolUse', stage.project)
    const ran = spawnSync('/bin/bash', ['-c', line], {
      cwd: stage.project,
      input: JSON.stringify(payload),
      encoding: 'utf8',
      env: { ...stage.env, GEMINI_PROJECT_DIR: stage.project, ...variables(stage) }
    })
    expect(JSON.parse(ran.stdout)).toMatchObject({ decision: 'deny', reason: expect.stringContaining('gate says no') })
    expect(() => stage.read('ran')).toThrow('ENOENT')
  })

  test('a project is trusted by a person only, not by a variable', async () => {
    const stage = cliStage()
    stage.settings({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch ../ran' }] }] } })
    const { event, payload } = commandPayload('codex', 'PreToolUse', stage.project)
    const digest = (await stage.run(['hooks', 'trust', '--print'])).stdout.trim()
    for (const env of [{ CARABINER_TRUST_PROJECT_HOOKS: '1' }, { CARABINER_TRUST: digest }]) {
      const ran = await stage.run(['hook', '--for', 'codex', '--event', event], { stdin: JSON.stringify(payload), env })
      expect(ran.stdout).toContain('are not trusted')
    }
    expect(() => stage.read('ran')).toThrow('ENOENT')
  })

  test.each([
    ...['.gemini/settings.json', '.codex/hooks.json', '.codex/config.toml', '.qwen/settings.json'],
    ...['.copilot/hooks/carabiner.json', '.pi/agent/extensions/carabiner.js', '.claude/settings.json']
  ])('the installation in ~/%s is protected from the agent', async file => {
    const stage = cliStage()
    const { event, payload } = commandPayload('claude', 'PreToolUse', stage.project)
    const calls = [
      { tool_name: 'Write', tool_input: { file_path: stage.path(`home/${file}`), content: '' } },
      { tool_name: 'Bash', tool_input: { command: `echo > ${stage.path(`home/${file}`)}` } }
    ]
    for (const call of calls) {
      const stdin = JSON.stringify({ ...payload, ...call })
      const { stdout } = await stage.run(['hook', '--for', 'claude', '--event', event], { stdin })
      expect(stdout).toMatch(/"permissionDecision":"(deny|ask)"/)
    }
  })
})

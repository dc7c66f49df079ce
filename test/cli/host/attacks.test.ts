import { symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dialectOf, type HostName } from '../../../src/lib/cli/host/hosts.ts'
import { cliStage } from '../../support/cli-stage.ts'
import { commandPayload } from './host-table.ts'
import { readAsHost } from './host-readings.ts'

const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

/** Calls that real agents ran although the policy refuses what they do, before it was known how they read their input. */
const ATTACKS: readonly (readonly [host: HostName, tool: string, input: unknown])[] = [
  // Two keys for one path: the agent reads one, and hooks saw the other.
  ['pi', 'read', { path: 'secrets/key', file_path: 'README.md' }],
  ['pi', 'read', { file_path: 'README.md', path: 'secrets/key' }],
  ['pi', 'edit', { path: 'protected/p.txt', file_path: 'README.md', edits: [] }],
  ['copilot', 'view', { path: 'secrets/key', file_path: 'README.md' }],
  ['copilot', 'create', { path: 'protected/new.txt', file_path: 'other', file_text: '' }],
  ['copilot', 'write_bash', { input: 'rm -f x', command: 'ls', shellId: '1' }],
  ['codex', 'view_image', { path: 'secrets/key', file_path: 'README.md' }],
  ['gemini', 'grep_search', { pattern: 'K', dir_path: 'secrets', path: 'src' }],
  ['gemini', 'list_directory', { dir_path: 'secrets', path: 'src' }],
  ['copilot', 'grep', { pattern: 'K', path: 'src', paths: ['secrets'] }],
  ['copilot', 'grep', { pattern: 'K', paths: 'secrets' }],
  ['qwen', 'read_file', { file_path: 'README.md', absolute_path: 'secrets/key' }],
  // Spellings that agents resolve in their own way.
  ['pi', 'read', { path: '@secrets/key' }],
  ['pi', 'read', { path: '~/.ssh/id' }],
  ['pi', 'read', { path: 'file:///project/secrets/key' }],
  ['pi', 'write', { path: '@protected/new.txt', content: '' }],
  ['pi', 'read', { path: '\u00a0secrets/key' }],
  ['gemini', 'read_file', { file_path: '@secrets/key' }],
  ['gemini', 'read_file', { file_path: 'sec\u0000rets/key' }],
  ['gemini', 'write_file', { file_path: '@protected/new.txt', content: '' }],
  ['claude', 'Grep', { pattern: 'K', path: ' secrets' }],
  ['claude', 'Grep', { pattern: 'K', path: '~/.ssh' }],
  ['claude', 'Glob', { pattern: '*', path: 'secrets\u200b' }],
  ['copilot', 'view', { path: ['secrets/key'] }],
  // The agent looks for a file of that name elsewhere.
  ['gemini', 'replace', { file_path: 'p.txt', instruction: '', old_string: 'a', new_string: 'b' }],
  // Other names of tools, and tools that run commands.
  ['gemini', 'search_file_content', { pattern: 'K', dir_path: 'secrets' }],
  ['gemini', 'web_fetch', { prompt: 'summarize https://intranet.example/x and https://example.org' }],
  ['gemini', 'web_fetch', { prompt: 'the intranet' }],
  ['claude', 'Monitor', { command: 'rm -f x' }],
  ['qwen', 'monitor', { command: 'rm -f x; echo' }],
  ['qwen', 'tool_call', { name: 'run_shell_command', arguments: { command: 'rm -f x' } }],
  ['qwen', 'tool_call', { name: 'run_shell_command', arguments: '{"command":"rm -f x"}' }],
  ['codex', 'a_new_shell', { cmd: 'rm -f x' }],
  ['claude', 'ANewReader', { file_path: 'secrets/key' }],
  ['codex', 'a_new_writer', { path: 'protected/p.txt' }],
  // Patches.
  ['codex', 'apply_patch', { command: patch('*** Add File: protected/new.txt', '+x') }],
  ['codex', 'apply_patch', { command: patch('*** Add File: a', '+x', '*** Update File: protected/p.txt') }],
  ['codex', 'apply_patch', { command: patch('*** Update File: a', '*** Move to: protected/new.txt') }],
  ['codex', 'apply_patch', { command: patch('*** Add File: b\r/../protected/new.txt', '+x') }],
  ['codex', 'apply_patch', { command: patch('*** Update File: a\u2028/../protected/p.txt') }],
  ['codex', 'apply_patch', { command: patch('*** Add File:  protected/new.txt', '+x') }],
  ['codex', 'apply_patch', { command: patch('*** Environment ID: other', '*** Add File: a', '+x') }],
  ['codex', 'apply_patch', { command: patch('***Add File: protected/new.txt', '+x') }],
  ['copilot', 'apply_patch', patch('*** Delete File: protected/p.txt')],
  ['codex', 'apply_patch', { command: patch('*** Add File: a', '+x', '\u0085*** Add File: protected/new.txt', '+x') }],
  ['codex', 'apply_patch', { command: patch('*** Add File: pro\ttected/new.txt', '+x') }],
  ['copilot', 'apply_patch', patch('*** Add File: ok\r*** Delete File: protected/p.txt')],
  ['copilot', 'apply_patch', 'nothing that is known'],
  ['pi', 'read', {}],
  ['qwen', 'grep_search', { pattern: 'K', path: '~/.ssh' }],
  // Folders that the call chooses, and links.
  ['gemini', 'run_shell_command', { command: 'cat key', dir_path: 'secrets' }],
  ['qwen', 'run_shell_command', { command: 'cat key', directory: 'secrets', is_background: false }],
  ['pi', 'read', { path: 'link/key' }],
  ['gemini', 'read_many_files', { include: ['**/*'] }],
  ['gemini', 'grep_search', { pattern: 'K' }]
]

describe('a policy that refuses files and commands', () => {
  test.concurrent.each(ATTACKS)('%s: %s %j is refused', async (host, tool, input) => {
    const removers: (() => void)[] = []
    const stage = cliStage(remove => void removers.push(remove))
    for (const file of ['secrets/key', 'protected/p.txt', 'src/a', 'README.md', 'a'])
      stage.write(`project/${file}`, 'KEY')
    symlinkSync(stage.path('project/secrets'), stage.path('project/link'))
    stage.write('home/.carabiner/settings.json', {
      permissions: {
        deny: [
          ...['Read(secrets/**)', 'Read(~/.ssh/**)', 'Edit(protected/**)', 'Bash(rm *)', 'Bash(cat key)'],
          'WebFetch(domain:intranet.example)'
        ]
      }
    })
    const { event, payload } = commandPayload(host, 'PreToolUse', stage.project)
    const [name, key] = 'toolName' in payload ? ['toolName', 'toolArgs'] : ['tool_name', 'tool_input']
    const stdin = JSON.stringify({ ...payload, [name]: tool, [key]: input })
    const read = readAsHost(host, event, await stage.run(['hook', '--for', host, '--event', event], { stdin }))
    for (const remove of removers) remove()
    expect(read.call).toBe('refused')
    expect(read.reason).not.toBe('')
  })

  test.each([
    ['pi', 'read', { path: 'README.md' }],
    ['gemini', 'replace', { file_path: 'README.md', instruction: '', old_string: 'K', new_string: 'L' }],
    ['gemini', 'write_file', { file_path: 'new.txt', content: '' }],
    ['gemini', 'run_shell_command', { command: 'ls', description: 'list', dir_path: 'src' }],
    ['gemini', 'list_directory', { dir_path: 'src', file_filtering_options: { respect_git_ignore: true } }],
    ['gemini', 'grep_search', { pattern: 'K', dir_path: 'src', include_pattern: '*.ts', names_only: true }],
    ['qwen', 'run_shell_command', { command: 'ls', is_background: false, description: 'list' }],
    ['qwen', 'grep_search', { pattern: 'K', path: 'src', glob: '*.ts', limit: 5 }],
    ['copilot', 'view', { path: 'README.md', view_range: [1, 2], forceReadLargeFiles: true }],
    ['copilot', 'grep', { pattern: 'K', paths: ['src'], output_mode: 'content', glob: '*.ts' }],
    ['copilot', 'everything-echo', { message: 'hello', path: 'secrets/key' }],
    ['codex', 'apply_patch', { command: patch('*** Add File: docs/new file.md', '+x', '*** End of File') }],
    ['codex', 'update_plan', { plan: [] }],
    ['claude', 'Read', { file_path: '/project/README.md', offset: 1 }],
    ['claude', 'Agent', { description: 'x', prompt: 'y', subagent_type: 'z' }]
  ] as const)('%s: %s %j is left to the agent', async (host, tool, input) => {
    const stage = cliStage()
    for (const file of ['README.md', 'src/a']) stage.write(`project/${file}`, 'KEY')
    stage.write('home/.carabiner/settings.json', { permissions: { deny: ['Read(secrets/**)', 'Bash(rm *)'] } })
    const { event, payload } = commandPayload(host, 'PreToolUse', stage.project)
    const [name, key] = 'toolName' in payload ? ['toolName', 'toolArgs'] : ['tool_name', 'tool_input']
    const stdin = JSON.stringify({ ...payload, [name]: tool, [key]: input })
    const ran = await stage.run(['hook', '--for', host, '--event', event], { stdin })
    expect(ran.stdout).toBe('{}\n')
  })
})

test('every dialect says which of its tools run commands and use files', () => {
  const files = (host: HostName): readonly string[] => Object.values(dialectOf(host).tools).map(({ as }) => as)
  for (const host of ['gemini', 'qwen', 'copilot', 'pi'] as const)
    expect(files(host)).toEqual(expect.arrayContaining(['Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob']))
})

/** `carabiner replay` starts nothing and connects to nothing, unless hooks are marked as safe. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { CLI } from '../support/built-package.ts'
import { HANG } from '../support/waiting.ts'
import { desk, type Desk } from './sessions/sessions-kit.ts'

vi.setConfig({ testTimeout: HANG })

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
if (!canTrace)
  console.warn('SKIPPED: strace is not installed or may not trace; whether replay starts anything is not checked')

/** The programs that it started, but for itself, and the sockets that it connected. */
function traced(at: Desk, ...args: readonly string[]): readonly string[] {
  const log = at.path('trace')
  const command = ['-f', '-e', 'trace=execve,connect', '-o', log, process.execPath, CLI, 'replay', 'then', ...args]
  const { status, stderr } = spawnSync('strace', command, { cwd: at.project, env: { ...at.env } })
  expect([status, String(stderr)]).toEqual([0, ''])
  return readFileSync(log, 'utf8')
    .match(/(?:execve|connect)\(.*/g)!
    .slice(1)
}

test.skipIf(!canTrace)('hooks of every kind, in files and in modules, and a sandbox: 0 execve, 0 connect', async () => {
  const at = desk()
  const names = ['touch one', 'git push', 'git log | head']
  await at.agent('then', [...names.map(command => ({ calls: [{ name: 'Bash', input: { command } }] })), 'Done.'], {
    tools: ['Bash'],
    allowedTools: ['Bash']
  })
  const module = at.write(
    'project/hooks.mjs',
    `import { commandHook } from ${JSON.stringify(CLI.replace('cli.js', 'external.js'))}
    export default [commandHook({ name: 'in a module', events: 'PreToolUse', command: 'exit 0' }),
      { name: 'plain', events: 'PreToolUse', run: () => undefined }]`
  )
  const hooks = [
    { type: 'command', name: 'command', command: 'true', prewarm: true },
    { type: 'worker', name: 'worker', command: 'cat' },
    { type: 'http', name: 'http', url: 'http://127.0.0.1:9/' },
    { type: 'prompt', name: 'prompt', prompt: 'Is it fine?' },
    { type: 'agent', name: 'agent', prompt: 'Is it fine?' },
    { type: 'mcp_tool', name: 'mcp', server: 'none', tool: 'none' }
  ]
  at.user({
    permissions: { allow: ['Bash'] },
    sandbox: { enabled: true },
    hooks: { PreToolUse: [{ hooks }], UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'false' }] }] },
    carabiner: { modules: [module] }
  })
  expect(traced(at)).toEqual([])
  const { skipped } = await at.json<{ skipped: readonly { name: string; calls: number }[] }>(['replay', 'then'])
  expect(
    skipped
      .filter(({ calls }) => calls === names.length)
      .map(({ name }) => name)
      .toSorted()
  ).toEqual([...['agent', 'command', 'http', 'in a module', 'mcp', 'prompt', 'worker']])
  at.user({ hooks: { PreToolUse: [{ hooks: hooks.slice(0, 1) }] } })
  expect(traced(at, '--safe-hook', 'command').some(call => call.startsWith('execve'))).toBe(true)
})

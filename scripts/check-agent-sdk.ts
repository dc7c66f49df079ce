/**
 * Compiles test/agent-sdk with the types of the Claude Agent SDK, which are fetched from npm when they are not there
 * yet: its programs fit that SDK as well as ours, what is typed by it fits our `query`, and the hooks of
 * `toAgentSdkHooks()` fit its. With `--run`, Claude Code is fetched as well (400 MB), and the tests run that need it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { run: { type: 'boolean', default: false } } })

const folder = resolve('test/agent-sdk/types')
const installed = join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts')
const tsc = resolve('node_modules/typescript/bin/tsc')

const run = (program: string, args: readonly string[], cwd = folder): boolean =>
  spawnSync(program, args, { cwd, stdio: 'inherit' }).status === 0

const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
// Without Claude Code itself, which is a program for each platform.
if (!values.run) INSTALL.push('--omit=optional')
const hasProgram = (): boolean => globSync('node_modules/@anthropic-ai/*/claude{,.exe}', { cwd: folder }).length > 0
const TESTS = [
  resolve('node_modules/vitest/vitest.mjs'),
  'run',
  'test/sdks/agent-sdk',
  'test/sdks/table',
  '-t',
  'Claude'
]

const ok =
  ((existsSync(installed) && (!values.run || hasProgram())) || run('npm', INSTALL)) &&
  ['tsconfig.json', 'tsconfig.programs.json'].every(config => run(process.execPath, [tsc, '-p', config])) &&
  (!values.run || run(process.execPath, TESTS, process.cwd()))
console.log(ok ? 'test/agent-sdk fits the Claude Agent SDK’s types' : 'test/agent-sdk does not fit')
if (!ok) process.exitCode = 1

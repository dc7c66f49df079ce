/**
 * Compiles test/agent-sdk with the types of the Claude Agent SDK, which are fetched from npm when they are not there
 * yet: its programs fit that SDK as well as ours, and what is typed by it fits our `query`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = resolve('test/agent-sdk/types')
const installed = join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts')
const tsc = resolve('node_modules/typescript/bin/tsc')

const run = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { cwd: folder, stdio: 'inherit' }).status === 0

// Neither its scripts nor its programs for each platform are wanted.
const INSTALL = ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=error']

const ok =
  (existsSync(installed) || run('npm', INSTALL)) &&
  ['tsconfig.json', 'tsconfig.programs.json'].every(config => run(process.execPath, [tsc, '-p', config]))
console.log(ok ? 'test/agent-sdk fits the Claude Agent SDK’s types' : 'test/agent-sdk does not fit')
if (!ok) process.exitCode = 1

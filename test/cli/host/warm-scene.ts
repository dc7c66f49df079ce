/** The real command line behind the real client, as Codex calls it, with policies of the user, which need no trust. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { buildPackage } from '../../support/built-package.ts'
import { endAll, isAlive, processesWith } from '../../support/process-table.ts'
import { eventually } from '../../support/waiting.ts'
import { clientScene, type ClientOptions, type ClientScene } from './client-scene.ts'

interface Asked extends ClientOptions {
  readonly command?: string
  readonly session?: string
}

export interface ServerScene extends ClientScene {
  /** Why the call was refused; empty if it was not. */
  ask(options?: Asked): Promise<string>
  /** What is asked. */
  payload(options?: Asked): string
  /** How often a new process was needed. */
  colds(): number
  /** Waits until a process stays. */
  warm(): Promise<number>
  pid(): number | undefined
  settings(content: object): void
  /** A module of hooks that refuses all calls with this reason: an expression of JavaScript. */
  module(reason: string, before?: string): void
}

let folder = ''

/** For all tests of a file. */
export function withPackage(): void {
  let built: ReturnType<typeof buildPackage> | undefined
  beforeAll(() => {
    built = buildPackage({ types: false })
    folder = built.folder
  })
  afterAll(() => built?.remove())
}

export const refusing = (reason: string): string =>
  `export default hooks => hooks.on('PreToolUse', () => ({ decision: 'deny', reason: String(${reason}) }))\n`

const deny = (command: string): object => ({
  hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] }
})

/** A command that refuses, with what this expression of the shell is. */
export const sayingNo = (text: string): object => deny(`echo "${text}" >&2; exit 2`)

export function serverScene(): ServerScene {
  const scene = clientScene(folder)
  onTestFinished(() => endAll(processesWith(scene.home).filter(isAlive)))
  const log = join(scene.folder, 'colds')
  const node = scene.write('node', `#!/bin/sh\necho >>${log}\nexec '${process.execPath}' "$@"\n`, 0o755)
  const pid = (): number | undefined =>
    existsSync(scene.state) ? Number(readFileSync(scene.state, 'utf8').split(' ')[3]) : undefined
  const payload = ({ command = 'true', session = 'one', cwd = join(scene.folder, 'project') }: Asked = {}): string => {
    const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call', permission_mode: 'default' }
    const about = { session_id: session, transcript_path: '/none', cwd, hook_event_name: 'PreToolUse' }
    return JSON.stringify({ ...about, ...call })
  }
  const ask = async (asked: Asked = {}): Promise<string> => {
    const ran = await scene.call({ host: 'codex', payload: payload(asked), node, ...asked })
    if (ran.code !== 0) return `${ran.code}: ${ran.stderr}`
    const { hookSpecificOutput: said } = JSON.parse(ran.stdout) as { hookSpecificOutput?: Record<string, string> }
    return said?.['permissionDecisionReason'] ?? ''
  }
  const settings = (content: object): void =>
    void scene.write('home/.claude/settings.json', `${JSON.stringify(content)}\n`)
  return {
    ...{ ...scene, ask, payload, pid, settings },
    colds: () => (existsSync(log) ? readFileSync(log, 'utf8').length : 0),
    async warm() {
      await eventually(() => pid() !== undefined && isAlive(pid() ?? 0))
      return pid() ?? 0
    },
    module(reason, before = '') {
      scene.write('home/.claude/policy.mjs', `${before}\n${refusing(reason)}`)
      settings({ carabiner: { modules: ['policy.mjs'] } })
    }
  }
}

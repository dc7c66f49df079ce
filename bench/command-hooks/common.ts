import { execFileSync, spawn, type SpawnOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { HookRegistry, type Hook, type Outcome } from '../../dist/hooks.js'
import { commandHook, HookEnvironment, type CommandSpec } from '../../dist/external.js'

/** One tool call, about 0.6 KB as a line of JSON. */
export const CALL = {
  tool_name: 'Bash',
  tool_input: { command: 'git log --oneline --stat -20 -- src test docs', description: 'x'.repeat(300) },
  tool_use_id: 'toolu_01'
}

const SESSION = { sessionId: 'bench', cwd: process.cwd(), transcriptPath: '/tmp/transcript.jsonl' }

/** The line that hooks receive, for contenders that write it themselves. */
export const PAYLOAD = `${JSON.stringify({
  session_id: SESSION.sessionId,
  transcript_path: SESSION.transcriptPath,
  cwd: SESSION.cwd,
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  ...CALL,
  event: 'pre_tool_use',
  timestamp: new Date().toISOString()
})}\n`

/** The environment that hooks receive, for contenders that set it themselves. */
export const ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  CLAUDE_PROJECT_DIR: process.cwd(),
  CLAUDECODE: '1',
  CLAUDE_CODE_SESSION_ID: SESSION.sessionId,
  CLAUDE_PID: String(process.pid),
  EVENT: 'pre_tool_use',
  CARABINER_RUN: '00000000-0000-0000-0000-000000000000'
}

export const programPath = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url))

/** The interpreter itself: the first one in PATH may be a script that looks for it. */
export const python = (): string =>
  execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()

/** Anything that should not happen while we measure ends the scene. */
export const newPlace = (): HookEnvironment =>
  new HookEnvironment({
    onNotice: text => {
      throw new Error(text)
    }
  })

/** Fires one event at these hooks, and nothing else. One that fails, or does not answer what it should, ends the scene. */
export function firing(hooks: readonly Hook<'PreToolUse'>[], answer?: 'allow'): () => Outcome | Promise<Outcome> {
  const registry = new HookRegistry(SESSION)
  for (const hook of hooks) registry.register(hook)
  const check = (outcome: Outcome): Outcome => {
    if (outcome.failures.length > 0 || outcome.decision !== answer) throw new Error(JSON.stringify(outcome))
    return outcome
  }
  return () => {
    const outcome = registry.fire('PreToolUse', CALL)
    return outcome instanceof Promise ? outcome.then(check) : check(outcome)
  }
}

export const command = (spec: Omit<CommandSpec<'PreToolUse'>, 'events'>, place: HookEnvironment): Hook<'PreToolUse'> =>
  commandHook({ events: 'PreToolUse', ...spec }, place)

/** The floor: the same program, arguments, environment and payload, its output read, its end waited for. */
export const bareSpawn = (file: string, args: readonly string[], how: SpawnOptions = {}): Promise<string> =>
  startBare(file, args, how)()

/** The same in two steps: what it returns writes the payload and waits for the end. */
export function startBare(file: string, args: readonly string[], how: SpawnOptions = {}): () => Promise<string> {
  const child = spawn(file, args, { ...how, env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'pipe'] })
  let stdout = ''
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', chunk => (stdout += String(chunk)))
  child.stderr.on('data', chunk => (stdout += String(chunk)))
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(stdout))
  })
  return () => {
    child.stdin.end(PAYLOAD)
    return ended
  }
}

/** What each host does with an answer, as it was seen with the versions that the dialects name. */
import { isObject, type PlainObject } from '../../../src/lib/util/plain.ts'
import type { HostName } from '../../../src/lib/cli/host/hosts.ts'
import type { Ran } from '../../support/cli-stage.ts'

export interface HostReading {
  /** `host`: it decides by its own rules. */
  readonly call: 'refused' | 'runs' | 'asks' | 'host'
  readonly reason?: string | undefined
  readonly input?: unknown
  readonly context?: string | undefined
  readonly output?: unknown
}

type Reader = (answer: PlainObject, event: string) => HostReading

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const part = (answer: PlainObject): PlainObject =>
  isObject(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {}

/** One key too many, and the answer counts for nothing. */
function strictly(answer: PlainObject, keys: readonly string[], inner: readonly string[]): void {
  const stray = [
    ...Object.keys(answer).filter(key => !keys.includes(key)),
    ...Object.keys(part(answer)).filter(key => !inner.includes(key))
  ]
  if (stray.length > 0) throw new Error(`the answer is void because of ${stray.join(', ')}`)
}

const byDecision = (decision: unknown): HostReading['call'] =>
  decision === 'deny' ? 'refused' : decision === 'ask' ? 'asks' : decision === 'allow' ? 'runs' : 'host'

const claude: Reader = answer => {
  const own = part(answer)
  const call = answer['decision'] === 'block' ? 'refused' : byDecision(own['permissionDecision'])
  return {
    call,
    reason: text(own['permissionDecisionReason']) ?? text(answer['reason']),
    input: own['updatedInput'],
    context: text(own['additionalContext']),
    output: own['updatedToolOutput']
  }
}

const codex: Reader = (answer, event) => {
  const inner = ['hookEventName', 'permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext']
  const keys = ['decision', 'reason', 'systemMessage', 'hookSpecificOutput']
  strictly(answer, keys, event === 'PreToolUse' ? inner : ['hookEventName', 'additionalContext'])
  const own = part(answer)
  const reason = text(own['permissionDecisionReason']) ?? text(answer['reason'])
  const isRefused = (own['permissionDecision'] === 'deny' || answer['decision'] === 'block') && reason !== undefined
  const isAllowed = own['permissionDecision'] === 'allow'
  if (isAllowed && own['updatedInput'] === undefined) throw new Error('the answer is void: an allow without input')
  return {
    call: isRefused ? 'refused' : isAllowed ? 'runs' : 'host',
    reason,
    input: isAllowed ? own['updatedInput'] : undefined,
    context: text(own['additionalContext']),
    output: event === 'PostToolUse' && isRefused ? reason : undefined
  }
}

const gemini: Reader = (answer, event) => {
  const own = part(answer)
  const isRefused = answer['decision'] === 'deny' || answer['continue'] === false
  return {
    call: isRefused ? 'refused' : 'host',
    reason: text(answer['reason']),
    input: own['tool_input'],
    context: event === 'BeforeTool' || isRefused ? undefined : text(own['additionalContext']),
    output: event === 'AfterTool' && isRefused ? answer['reason'] : undefined
  }
}

const qwen: Reader = (answer, event) => {
  const own = part(answer)
  const isRefused = answer['decision'] === 'block' && event !== 'PostToolUse'
  return {
    call: isRefused ? 'refused' : byDecision(own['permissionDecision']),
    reason: text(own['permissionDecisionReason']) ?? text(answer['reason']),
    context: event === 'PreToolUse' ? undefined : text(own['additionalContext']),
    output: event === 'PostToolUse' && answer['continue'] === false ? answer['stopReason'] : undefined
  }
}

const copilot: Reader = answer => {
  const result = answer['modifiedResult']
  return {
    call: answer['decision'] === 'block' ? 'refused' : byDecision(answer['permissionDecision']),
    reason: text(answer['permissionDecisionReason']) ?? text(answer['reason']),
    input: answer['modifiedArgs'],
    context: text(answer['additionalContext']),
    output: isObject(result) ? result['textResultForLlm'] : undefined
  }
}

/** Its extension reads the words of Claude Code. */
const pi: Reader = claude

const READERS: Readonly<Record<HostName, Reader>> = { claude, codex, gemini, qwen, copilot, pi }

/** Exit code 2 with a text refuses in every host; most run the call after anything else that is no answer. */
export function readAsHost(host: HostName, event: string, { code, stdout, stderr }: Ran): HostReading {
  if (code === 2 && stderr.trim() !== '') return { call: 'refused', reason: stderr.trim() }
  if (code !== 0) throw new Error(`${host} would run the call after exit code ${code}: ${stderr}`)
  const answer: unknown = JSON.parse(stdout)
  if (!isObject(answer)) throw new Error(`${host} would run the call after ${stdout}`)
  return READERS[host](answer, event)
}

import { isAbsolute } from 'node:path'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import { isGate, rowOf, type EventName, type FireInput } from '../../hooks/events/event-table.ts'
import { decide } from '../../permissions/decide.ts'
import { ruleForCall } from '../../permissions/suggestions.ts'
import { parseRule } from '../../permissions/rule.ts'
import type { Loaded, LoadedHook } from '../../settings/files/loaded-hooks.ts'
import { USUAL_MANAGED, type Where } from '../../settings/files/sources.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { isWithin } from '../../world/files/paths.ts'
import { loadProjectState, projectIsTrusted, type ProjectState } from '../common.ts'
import { countedAnswer, needsNoTrust, openGate, withRules, type FolderGate } from '../gate.ts'
import { factsHere } from '../rules/policy.ts'
import type { HostDialect, HostCall, HostEvent } from './dialect.ts'
import { fitOutcome, strictest } from './fit.ts'
import { seenCall } from './host-call.ts'
import { unreadableIn } from './shown-by-search.ts'

/** What fields of our events are that other agents do not send. */
const ABSENT: PlainObject = {
  source: 'startup',
  reason: 'other',
  trigger: 'auto',
  custom_instructions: null,
  compact_summary: '',
  stop_hook_active: false,
  agent_id: 'unknown',
  agent_type: 'unknown',
  agent_transcript_path: '',
  success: true,
  message: '',
  notification_type: 'other',
  tool_response: null,
  error: ''
}

/** Without them there is nothing to judge. */
const NEEDED = new Set(['tool_name', 'tool_input', 'prompt'])

/** An event of a host, read. */
export interface HostInput {
  readonly event: HostEvent
  readonly input: PlainObject
  /** The folder that relative paths are about. A model may choose it. */
  readonly cwd: string
}

/** The payload as hooks see it, but for its tool; undefined if there is nothing to judge. Throws if it cannot be one of this host and event. */
export function readHostPayload(dialect: HostDialect, name: string, text: string): HostInput | undefined {
  const { title, events, read = same } = dialect
  const event = events[name]!
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new Error(`the payload is not complete JSON (${text.length} characters)`)
  }
  if (!isObject(given)) throw new Error('the payload is not a JSON object')
  const named = read(given)
  if (named === undefined) return undefined
  const { hook_event_name: own = name, ...payload } = named
  if (own !== name) throw new Error(`the payload is about ${String(own)}, not about ${name} of ${title}`)
  const { cwd } = payload
  if (typeof cwd !== 'string' || !isAbsolute(cwd))
    throw new Error(`the payload names no folder (cwd): is it of ${title}?`)
  const input: PlainObject = {}
  // A field that it leaves empty is one that it does not have.
  for (const [key, value] of Object.entries(payload)) if (value !== null) input[key] = value
  for (const field of Object.keys(rowOf(event.as).fields).filter(key => !key.endsWith('?'))) {
    if (input[field] === undefined && NEEDED.has(field))
      throw new Error(`the payload has no ${field}: is it of ${title}?`)
    input[field] ??= field === 'tool_use_id' ? `call_${crypto.randomUUID()}` : ABSENT[field]
  }
  return { event, input, cwd }
}

const same = (payload: PlainObject): PlainObject => payload

/** What hooks and rules of the folder say about an event of a host, as far as the host can do it. */
export async function judgeEvent(
  dialect: HostDialect,
  { event: row, input, cwd, start }: HostInput & { readonly start: string },
  signal: AbortSignal
): Promise<Outcome> {
  const { projectVariable: variable, title, keepsStopping = false } = dialect
  const isRepeated = row.as === 'Stop' && keepsStopping && input['stop_hook_active'] === true
  // The host would go on for ever.
  const event = isRepeated ? { ...row, takes: row.takes.filter(effect => effect !== 'deny') } : row
  const project = variable === undefined ? undefined : process.env[variable]
  const state = loadProjectState({ cwd: project ?? start })
  const loaded = withoutHooksOf(dialect, state)
  // What a variable trusts, the project may trust: agents read its .env and settings.
  const isSaved = state.trust.by !== 'digest' && state.trust.by !== 'this run'
  const trusted = needsNoTrust(state) || (isSaved && projectIsTrusted(state.trust, {}))
  // Without trust its allow rules do not count, which loosens nothing.
  if (!trusted && [...loaded.hooks, ...loaded.modules].some(({ ofProject }) => ofProject))
    throw new Error(`the hooks of ${loaded.root} are not trusted: look at them with \`carabiner hooks trust\` there`)
  const gate = await openGate(state, {}, trusted, { loaded })
  try {
    if (gate.problem !== undefined) throw new Error(`no call can be judged: ${gate.problem}`)
    if (!('tool_name' in input)) {
      const outcome = await fire(gate, event.as, input, signal)
      return fitOutcome(outcome, event, { title, tool: '', input: {}, advice: '' })
    }
    const own = { name: String(input['tool_name']), input: inputIn(input) }
    const { calls, also, cwd: folder, inOwnKeys } = seenCall(dialect, own, cwd)
    const takes = event.takes.filter(effect => inOwnKeys !== undefined || !effect.endsWith('rewrite'))
    const outcomes: Outcome[] = []
    for (const call of calls) {
      const seen = { ...input, cwd: folder, tool_name: call.name, tool_input: call.input }
      const judged = await judgeCall(gate, event.as, seen, signal)
      const updatedInput = judged.updatedInput && (inOwnKeys?.(judged.updatedInput) ?? judged.updatedInput)
      const facts = { title, tool: own.name, input: own.input, advice: adviceFor(gate, call, folder) }
      outcomes.push(fitOutcome({ ...judged, updatedInput }, { ...event, takes }, facts))
    }
    for (const call of event.as === 'PreToolUse' ? also : []) {
      const judged = await judgeCall(gate, event.as, { ...input, tool_name: call.name, tool_input: call.input }, signal)
      if (judged.decision === 'deny') return judged
    }
    return strictest(outcomes)
  } finally {
    await gate.armed.close()
  }
}

const inputIn = ({ tool_input: input }: PlainObject): PlainObject => (isObject(input) ? input : { input })

async function fire(gate: FolderGate, event: EventName, input: PlainObject, signal: AbortSignal): Promise<Outcome> {
  const outcome = await gate.armed.hooks.fire(event, input as FireInput<EventName>, { signal })
  if (!isGate(event) || outcome.decision !== 'deny') return outcome
  return { ...outcome, reason: `refused by ${outcome.by}: ${outcome.reason}` }
}

/** Hooks, then rules, then hooks that answer questions, as in a session. */
async function judgeCall(
  gate: FolderGate,
  event: EventName,
  input: PlainObject,
  signal: AbortSignal
): Promise<Outcome> {
  const outcome = await fire(gate, event, input, signal)
  if (event !== 'PreToolUse') return outcome
  const { tool_name: name, tool_input, cwd } = input
  const facts = factsHere(String(name), (outcome.updatedInput ?? tool_input) as PlainObject, gate.policy, String(cwd))
  const ruled = withRules(outcome, facts, gate.policy)
  const shown = ruled.decision === 'deny' ? undefined : unreadableIn(facts, gate.policy)
  if (shown !== undefined)
    return {
      ...ruled,
      decision: 'deny',
      blocked: true,
      reason: `the search would show ${shown}; search where it is not`
    }
  if (ruled.decision !== 'ask') return ruled
  const request = { tool_name: name, tool_input: facts.input, session_id: input['session_id'], cwd }
  const { decision, by, reason } = await fire(gate, 'PermissionRequest', request, signal).then(countedAnswer(gate))
  if (decision === 'deny') return { ...ruled, decision, by, reason, blocked: true }
  return decision === 'allow' ? { ...ruled, decision, by, reason } : ruled
}

/** The rule that would allow a call that is asked about, if there is one. */
function adviceFor({ policy }: FolderGate, call: HostCall, cwd: string): string {
  const facts = factsHere(call.name, call.input, policy, cwd)
  const rule = ruleForCall(facts) ?? ''
  const added = parseRule(rule, 'allow', 'your settings')
  const isEnough = 'tool' in added && decide(facts, { ...policy, rules: [...policy.rules, added] }).decision === 'allow'
  return isEnough
    ? `add ${rule} to permissions.allow`
    : 'change what asks, or allow it with a PermissionRequest hook of yours'
}

/** Claude Code itself runs the hooks of its own files: here they would run twice. No host says when a skill is active. */
function withoutHooksOf({ title }: HostDialect, { loaded, where }: ProjectState): Loaded {
  const isRun = (hook: LoadedHook): boolean => title !== 'Claude Code' || isOurs(hook, where)
  return { ...loaded, hooks: loaded.hooks.filter(hook => hook.owner === undefined && isRun(hook)) }
}

const isOurs = ({ path, place: { file }, scope }: LoadedHook, { ownHome, managed }: Where): boolean =>
  path[0] === 'carabiner' ||
  scope === 'flag' ||
  [ownHome, ...managed.filter(folder => folder !== USUAL_MANAGED[0])].some(folder => isWithin(file, folder))

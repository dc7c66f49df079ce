import { errorMessage } from '../errors.ts'
import { neutralOutcome, type Outcome } from '../hooks/dispatch/outcome.ts'
import { EVENT_NAMES, isGate, rowOf, type EventName, type FireInput } from '../hooks/events/event-table.ts'
import { checkOptionTypes, choiceOf, millisecondsOf } from '../hooks/option-values.ts'
import type { HookRegistry } from '../hooks/registry.ts'
import { isObject, type PlainObject } from '../util/plain.ts'

export interface AgentSdkOptions {
  /** What it means if that SDK gets no valid answer. Default `block`; a Claude Code that cannot do that ends the query. */
  onFailure?: 'block' | 'continue' | undefined
  /** Seconds for all hooks of one event. A gate is closed when they are over. Default 60. */
  timeout?: number | undefined
}

/** Callbacks for one event. Answers also have `hookSpecificOutput`, where the event takes one. */
export interface AgentSdkMatcher {
  hooks: ((input: object, toolUseId: string | undefined, options: { signal: AbortSignal }) => Promise<AgentSdkAnswer>)[]
  timeout: number
  onFailure: 'block' | 'continue'
}
type AgentSdkAnswer = { continue?: boolean; decision?: 'block'; reason?: string; systemMessage?: string }

type MissingEvent = 'AgentStart' | 'AgentStop' | 'Iteration'
type AgentSdkHooks = { [E in Exclude<EventName, MissingEvent>]: AgentSdkMatcher[] }
const NO_EVENT = 'that SDK has no such event'

/** What hooks cannot do in that SDK. */
const LIMITS: { readonly [E in EventName]?: string } & { readonly [E in MissingEvent]: string } = {
  AgentStart: NO_EVENT,
  AgentStop: NO_EVENT,
  Iteration: NO_EVENT,
  SessionStart: 'that SDK does not fire it when a session starts, and a deny has no effect',
  SubagentStart: 'a deny does not stop the subagent',
  UserPromptSubmit: 'a prompt cannot be changed; one that a hook changes is blocked',
  PostCompact: 'context does not reach the model'
}

/** Events for which that SDK takes no `hookSpecificOutput`: with one, the whole answer would be void. */
const PLAIN = /^(PreCompact|PostCompact|SessionEnd|StopFailure|TeammateIdle|Task.*|ConfigChange|InstructionsLoaded)$/

/**
 * A registry as `options.hooks` of the Claude Agent SDK, for all events that it has. `notCarried` lists what hooks of
 * the registry cannot do there.
 */
export function toAgentSdkHooks(
  registry: HookRegistry,
  options: AgentSdkOptions = {}
): { hooks: AgentSdkHooks; notCarried: readonly string[] } {
  const types = { registry: 'object', onFailure: 'string', timeout: 'number' }
  checkOptionTypes({ ...options, registry: registry ?? null }, types, ' of toAgentSdkHooks()')
  const onFailure = choiceOf('onFailure', options.onFailure, ['block', 'continue'] as const) ?? 'block'
  const { timeout = 60 } = options
  const ms = millisecondsOf('timeout', timeout)
  const replaced = new Map<unknown, readonly string[]>()
  const matcherOf = (event: EventName): AgentSdkMatcher => ({
    hooks: [
      async (input, _, { signal }) => {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(ms)])
        const answer = answerFor(await outcomeOn(registry, event, input, limited), input as PlainObject)
        return leakIn(event, input as PlainObject, answer, replaced) ?? answer
      }
    ],
    // Our answer comes first.
    timeout: timeout + 30,
    onFailure
  })
  const notCarried = registry
    .list()
    .flatMap(({ name, events }) =>
      events.flatMap(event => (LIMITS[event] === undefined ? [] : `${name} on ${event}: ${LIMITS[event]}`))
    )
  if (notCarried.length > 0) globalThis.process?.emitWarning(notCarried.join('\n'), 'CarabinerWarning')
  const carried = EVENT_NAMES.filter(event => LIMITS[event] !== NO_EVENT).map(event => [event, [matcherOf(event)]])
  return { hooks: Object.fromEntries(carried) as AgentSdkHooks, notCarried }
}

async function outcomeOn(
  registry: HookRegistry,
  event: EventName,
  input: object,
  signal: AbortSignal
): Promise<Outcome> {
  try {
    return await registry.fire(event, input as FireInput<EventName>, { signal })
  } catch (error) {
    const reason = `the hooks of ${event} failed: ${errorMessage(error)}`
    const neutral = neutralOutcome({ event, decides: true })
    return isGate(event)
      ? { ...neutral, decision: 'deny', reason }
      : { ...neutral, systemMessages: [{ by: event, text: reason, to: 'user' }] }
  }
}

function answerFor(outcome: Outcome, input: PlainObject): AgentSdkAnswer & PlainObject {
  const { event, decision, continue: goesOn, stopReason, contexts, systemMessages } = outcome
  const { answer: family } = rowOf(event)
  const context = [...contexts, ...systemMessages.filter(({ to }) => to === 'model')].map(({ text }) => text).join('\n')
  const shown = systemMessages.flatMap(({ to, text }) => (to === 'user' ? text : [])).join('\n')
  const isPlain = PLAIN.test(event)
  let refusal = decision === 'deny' && !/^(gate|permission|elicitation)$/.test(family) ? outcome.reason : undefined
  if (outcome.updatedPrompt !== undefined) refusal ??= 'a hook changed the prompt, which the Claude Agent SDK cannot do'
  if (family === 'stop' && (goesOn === true || (isPlain && context !== '')))
    refusal ??= context || 'a hook asks to continue'
  return definedFields({
    continue: goesOn === false ? goesOn : undefined,
    stopReason,
    decision: refusal === undefined ? undefined : 'block',
    reason: refusal,
    systemMessage: shown || undefined,
    hookSpecificOutput: isPlain ? undefined : specificOutput(outcome, context || undefined, input['tool_response'])
  })
}

function specificOutput(outcome: Outcome, context: string | undefined, response: unknown): PlainObject | undefined {
  const { event, decision, reason, updatedInput, fields } = outcome
  const { answer: family, takes } = rowOf(event)
  const { interrupt, updatedPermissions, ...others } = fields
  const allowed = { behavior: 'allow', updatedInput, updatedPermissions }
  const output = outcome.suppressOutput ? '[The output was hidden by a hook.]' : others.updatedToolOutput
  const specific =
    family === 'permission'
      ? {
          decision:
            decision && definedFields(decision === 'allow' ? allowed : { behavior: 'deny', message: reason, interrupt })
        }
      : {
          ...others,
          ...(family === 'elicitation' && decision === 'deny' && { action: 'decline' }),
          ...(family === 'gate' && {
            permissionDecision: decision,
            permissionDecisionReason: decision && reason,
            updatedInput
          }),
          updatedToolOutput: typeof output === 'string' ? inShapeOf(response, output) : output,
          additionalContext: takes.fields.includes('additionalContext') ? context : undefined
        }
  const set = definedFields(specific)
  return Object.keys(set).length === 0 ? undefined : { hookEventName: event, ...set }
}

const definedFields = (values: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** The text in place of the texts of a tool's result: that SDK ignores an output of another shape. */
function inShapeOf(response: unknown, text: string): unknown {
  if (typeof response !== 'object' || response === null) return text
  let next = text
  return JSON.parse(JSON.stringify(response), (key, value: unknown) => {
    if (typeof value !== 'string' || !/^(stdout|stderr|content|text|result|output)$/.test(key)) return value
    const own = next
    next = ''
    return own
  })
}

/** Stops the run before the model sees an output that hooks have replaced: that SDK keeps the old one without notice. */
function leakIn(
  event: EventName,
  input: PlainObject,
  answer: PlainObject,
  replaced: Map<unknown, readonly string[]>
): (AgentSdkAnswer & PlainObject) | undefined {
  const { updatedToolOutput, updatedMCPToolOutput } = (answer['hookSpecificOutput'] ?? {}) as PlainObject
  const output = updatedToolOutput ?? updatedMCPToolOutput
  if (event === 'PostToolUse' && output !== undefined) {
    const now = JSON.stringify(output)
    replaced.set(
      input['tool_use_id'],
      linesIn(input['tool_response']).filter(line => !now.includes(JSON.stringify(line).slice(1, -1)))
    )
  }
  if (event !== 'PostToolBatch' || !Array.isArray(input['tool_calls'])) return undefined
  for (const call of input['tool_calls'].filter(isObject)) {
    const seen = linesIn(call['tool_response']).join('\n')
    const old = replaced.get(call['tool_use_id'])
    replaced.delete(call['tool_use_id'])
    if (old?.some(line => seen.includes(line)) === true)
      return {
        continue: false,
        stopReason: `a hook replaced the output of ${String(call['tool_name'])}, and Claude Code kept the old one`
      }
  }
  return undefined
}

/** All lines of all texts that are long enough to be recognized. */
function linesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split('\n').filter(line => line.trim().length > 2)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(linesIn) : []
}

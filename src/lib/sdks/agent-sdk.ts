import { errorMessage } from '../errors.ts'
import { neutralOutcome, type Outcome } from '../hooks/dispatch/outcome.ts'
import { EVENT_NAMES, isGate, rowOf, type EventName, type FireInput } from '../hooks/events/event-table.ts'
import { checkOptionTypes, choiceOf, millisecondsOf } from '../hooks/option-values.ts'
import { checkMatchers, HIDDEN_OUTPUT, outputAfter, warn } from '../hooks/guard.ts'
import type { HookRegistry } from '../hooks/registry.ts'
import { namingOf } from '../permissions/tool-names.ts'
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

export const MISSING = ['AgentStart', 'AgentStop', 'Iteration', 'PreModelRequest', 'PostModelResponse'] as const
type AgentSdkHooks = { [E in Exclude<EventName, (typeof MISSING)[number]>]: AgentSdkMatcher[] }

/** What hooks cannot do in that SDK. */
const LIMITS: { readonly [E in EventName]?: string } = {
  ...Object.fromEntries(MISSING.map(event => [event, 'that SDK has no such event'])),
  SessionStart: 'that SDK does not fire it when a session starts, and a deny has no effect',
  SubagentStart: 'a deny does not stop the subagent',
  UserPromptSubmit: 'a prompt cannot be changed; one that a hook changes is blocked',
  PostCompact: 'context does not reach the model'
}

/** Events for which that SDK takes no `hookSpecificOutput`: with one, the whole answer would be void. */
const PLAIN =
  /^(PreCompact|PostCompact|SessionEnd|StopFailure|TeammateIdle|Task.*|ConfigChange|InstructionsLoaded|DirectoryAdded)$/

/**
 * A registry as `options.hooks` of the Claude Agent SDK, for all events that it has. `notCarried` lists what hooks of
 * the registry cannot do there.
 */
export function toAgentSdkHooks(
  registry: HookRegistry,
  options: AgentSdkOptions = {}
): { hooks: AgentSdkHooks; notCarried: readonly string[] } {
  const strange = typeof registry?.list === 'function' ? undefined : (registry ?? null)
  const types = { registry: 'HookRegistry', onFailure: 'string', timeout: 'number' }
  checkOptionTypes({ ...options, registry: strange }, types, ' of toAgentSdkHooks()')
  checkMatchers(registry, name => {
    const naming = namingOf(name)
    return naming.is === 'near' ? naming.meant : undefined
  })
  const onFailure = choiceOf('onFailure', options.onFailure, ['block', 'continue'] as const) ?? 'block'
  const { timeout = 60 } = options
  const ms = millisecondsOf('timeout', timeout)
  const replaced = new ReplacedOutputs()
  const matcherOf = (event: EventName): AgentSdkMatcher => ({
    hooks: [
      async (input, _, { signal }) => {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(ms)])
        const fired = (async () => registry.fire(event, input as FireInput<EventName>, { signal: limited }))()
        const outcome = await fired.catch((error: unknown) => outcomeOfError(event, error))
        const output = replacedOutput(outcome, input as PlainObject)
        return replaced.leakAfter(event, input as PlainObject, output) ?? answerFor(outcome, output)
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
  if (notCarried.length > 0) warn(notCarried.join('\n'))
  const carried = EVENT_NAMES.filter(event => !MISSING.includes(event as never)).map(event => [
    event,
    [matcherOf(event)]
  ])
  return { hooks: Object.fromEntries(carried) as AgentSdkHooks, notCarried }
}

function outcomeOfError(event: EventName, error: unknown): Outcome {
  const reason = `the hooks of ${event} failed: ${errorMessage(error)}`
  const effect = isGate(event)
    ? ({ decision: 'deny', reason } as const)
    : { systemMessages: [{ by: event, text: reason, to: 'user' as const }] }
  return { ...neutralOutcome({ event, decides: true }), ...effect }
}

export function answerFor(outcome: Outcome, output: unknown): AgentSdkAnswer & PlainObject {
  const { event, decision, continue: goesOn, stopReason, contexts, systemMessages, failures } = outcome
  const { answer: family } = rowOf(event)
  const context = [...contexts, ...systemMessages.filter(({ to }) => to === 'model')].map(({ text }) => text).join('\n')
  // A refusal says why.
  const failed = decision === 'deny' ? [] : failures.map(({ by, message }) => `the hook ${by} failed: ${message}`)
  const shown = [...failed, ...systemMessages.flatMap(({ to, text }) => (to === 'user' ? text : []))].join('\n')
  const isPlain = PLAIN.test(event)
  let refusal =
    decision === 'deny' && !/^(gate|switch|permission|elicitation)$/.test(family) ? outcome.reason : undefined
  if (outcome.updatedPrompt !== undefined) refusal ??= 'a hook changed the prompt, which the Claude Agent SDK cannot do'
  if (family === 'stop' && (goesOn === true || (isPlain && context !== '')))
    refusal ??= context || 'a hook asks to continue'
  return definedFields({
    continue: goesOn === false ? goesOn : undefined,
    stopReason,
    decision: refusal === undefined ? undefined : 'block',
    reason: refusal,
    systemMessage: shown || undefined,
    hookSpecificOutput: isPlain ? undefined : specificOutput(outcome, context || undefined, output)
  })
}

function specificOutput(outcome: Outcome, context: string | undefined, output: unknown): PlainObject | undefined {
  const { event, decision, reason, updatedInput, fields } = outcome
  const { answer: family, takes } = rowOf(event)
  const { interrupt, updatedPermissions, updatedMCPToolOutput: _, ...others } = fields
  const permission = decision === 'deny' ? { message: reason, interrupt } : { updatedInput, updatedPermissions }
  const gate = { permissionDecision: decision, permissionDecisionReason: decision && reason, updatedInput }
  const set = definedFields({
    ...others,
    ...(/^(gate|switch)$/.test(family) && gate),
    ...(family === 'permission' && { decision: decision && definedFields({ behavior: decision, ...permission }) }),
    ...(family === 'elicitation' && decision === 'deny' && { action: 'decline' }),
    updatedToolOutput: output,
    additionalContext: takes.fields.includes('additionalContext') ? context : undefined
  })
  return Object.keys(set).length === 0 ? undefined : { hookEventName: event, ...set }
}

export const definedFields = (values: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** What hooks put in place of the output of a tool, if they did. */
export function replacedOutput(outcome: Outcome, { tool_name: name, tool_response: old }: PlainObject): unknown {
  const output = outcome.event === 'PostToolUse' ? outputAfter(outcome, String(name), old) : old
  if (output === old) return undefined
  const text = output ?? HIDDEN_OUTPUT
  if (typeof text !== 'string') return output
  // Of MCP tools it takes any output, and the keys of theirs are no part of a shape.
  if (!String(name).startsWith('mcp__')) return inShapeOf(old, text)
  return Array.isArray(old) ? blockOf(text) : text
}

/** The API takes no empty text. */
const blockOf = (text: string): readonly object[] => [{ type: 'text', text: text || '-' }]

/** The text in place of all that a tool's result says: that SDK ignores an output of another shape. */
function inShapeOf(response: unknown, text: string): unknown {
  // What Read has of a picture or a notebook would be sent as a picture.
  if (isObject(response) && isObject(response['file']))
    return { type: 'text', file: { filePath: '', content: text, numLines: 1, startLine: 1, totalLines: 1 } }
  const usual = withText(response, text, key => /^(stdout|stderr|content|text|result|output)$/.test(key))
  return usual.isPlaced ? usual.value : withText(response, text, () => true).value
}

/** The same shape with the text in the first such place, and nothing else of what was there. */
function withText(
  response: unknown,
  text: string,
  isPlace: (key: string) => boolean
): { value: unknown; isPlaced: boolean } {
  let isPlaced = false
  const placed = (): string => {
    const own = isPlaced ? '' : text
    isPlaced = true
    return own
  }
  const blank = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return isKind(key, value) ? value : isPlace(key) ? placed() : ''
    // A count of none would say that nothing was found.
    if (typeof value === 'number') return 1
    if (typeof value === 'boolean') return false
    // A picture without its data is not valid.
    if (isBlocks(value)) return blockOf(placed())
    if (Array.isArray(value)) return value.slice(0, 1).map(item => blank(item, ''))
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, blank(v, k)])) : value
  }
  const value = typeof response === 'object' && response !== null ? blank(response, '') : placed()
  return { value, isPlaced }
}

/** The kind of a result is part of its shape. */
const isKind = (key: string, value: string): boolean =>
  /^(type|mode|mimeType|media_type)$/.test(key) && /^[a-z_/+-]+$/.test(value)

/** The content of a message: texts, pictures and the like. */
const isBlocks = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(block => isObject(block) && typeof block['type'] === 'string')

/**
 * What hooks replaced. Claude Code keeps the old output, without notice, if it cannot use the new one: the run then ends
 * before the model sees it.
 */
class ReplacedOutputs {
  /** Lines that must be gone, by call, until its batch, its subagent or its session ends. */
  readonly #removed = new Map<unknown, { lines: readonly string[]; session: unknown; agent: unknown }>()

  leakAfter(event: EventName, input: PlainObject, output: unknown): (AgentSdkAnswer & PlainObject) | undefined {
    const { session_id: session, agent_id: agent, tool_response: old, tool_calls: calls } = input
    const kept = searchable(linesIn(output))
    const lines = output === undefined ? [] : linesIn(old).filter(line => !isIn(kept, line))
    if (lines.length > 0) this.#removed.set(input['tool_use_id'], { lines, session, agent })
    const leak = Array.isArray(calls) ? (calls as PlainObject[]).find(call => this.#isLeak(call)) : undefined
    if (/^(PostToolBatch|SubagentStop|SessionEnd)$/.test(event))
      for (const [id, each] of this.#removed)
        if (each.session === session && (each.agent === agent || event === 'SessionEnd')) this.#removed.delete(id)
    const stopReason = `a hook replaced the output of ${String(leak?.['tool_name'])}, and Claude Code kept the old one`
    return leak && { continue: false, stopReason }
  }

  #isLeak({ tool_use_id: id, tool_response: response }: PlainObject): boolean {
    const seen = searchable(linesIn(response))
    return this.#removed.get(id)?.lines.some(line => isIn(seen, line)) === true
  }
}

/** All lines of all texts, however they are indented or numbered. */
function linesIn(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, each]) => linesIn(each, name))
  if (typeof value !== 'string' || isKind(key, value)) return []
  return value.split('\n').flatMap(line => line.replaceAll(/\s+/g, ' ').trim() || [])
}

interface Searchable {
  readonly whole: ReadonlySet<string>
  readonly text: string
}

const searchable = (lines: readonly string[]): Searchable => ({
  whole: new Set(lines.flatMap(line => [line, line.replace(/^\d+[ →]/, '')])),
  text: lines.join('\n')
})

/** A short line may be part of any other, and so must be a whole one. */
const isIn = ({ whole, text }: Searchable, line: string): boolean =>
  whole.has(line) || (line.length > 2 && text.includes(line))

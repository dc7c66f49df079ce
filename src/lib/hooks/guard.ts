import { engineFault, errorMessage, type CarabinerError } from '../errors.ts'
import { copyForeign, copyPlain, isObject, strangerIn, type PlainObject } from '../util/plain.ts'
import type { Failure } from './dispatch/hook-failure.ts'
import type { Outcome } from './dispatch/outcome.ts'
import type { HookRegistry } from './registry.ts'
import type { FireOptions } from './registry-internals.ts'
import { checkOptionTypes } from './option-values.ts'

/** What the agent around a guarded tool provides to the gate. */
export interface GuardOptions<Rest extends readonly unknown[], Result> extends Pick<
  FireOptions,
  'accept' | 'agent' | 'metadata' | 'signal'
> {
  /** Asks for permission. Without it, an ask is a no; so is any answer but `true`. */
  onAsk?: ((question: GuardQuestion) => boolean | PromiseLike<boolean>) | undefined
  /** Turns a refusal into a result. Without it the refusal is thrown. */
  onDeny?: ((refusal: CarabinerError, outcome: Outcome) => Result | PromiseLike<Result>) | undefined
  /** Receives text that hooks want the model to see. */
  onContext?: ((text: string) => void) | undefined
  /** A hook answered `continue: false`: the run should end after this step. */
  onStop?: ((reason: string | undefined) => void) | undefined
  /** A hook failed, and the call went on. By default it is a warning of the process. */
  onFailure?: ((failure: Failure) => void) | undefined
  /** The message of an error that the tool returned instead of throwing it. None, or an empty one, is no error. */
  errorIn?: ((result: Result) => string | null | undefined) | undefined
  /** The id of the call, from the agent's second argument. */
  idOf?: ((...rest: Rest) => string | undefined) | undefined
  sessionId?: string | undefined
  /** `execute` returns a stream but is not a generator function: the guarded function is then an async generator. */
  stream?: boolean | undefined
}

/** For generators whose result is what they return. The values that they yield before are progress. */
export interface ReturnOptions<Rest extends readonly unknown[], Result> extends GuardOptions<Rest, Result> {
  returns: true
}

interface AnyOptions<Rest extends readonly unknown[], Result> extends GuardOptions<Rest, Result> {
  returns?: boolean
  /** Hooks put something in the place of the tool's own output. */
  onReplace?: () => void
}

/** Anything that fires events: a registry, or a wrapper of one. */
export type Fires = Pick<HookRegistry, 'fire'>

/** The question for `onAsk`: may this call run? */
export interface GuardQuestion {
  readonly toolName: string
  readonly toolUseId: string
  readonly input: unknown
  readonly reason: string | undefined
}

const TYPES: { [K in keyof Required<GuardOptions<[], unknown>>]: string } & Record<string, string> = {
  hooks: 'HookRegistry or another object with fire()',
  toolName: 'string',
  sessionId: 'string',
  stream: 'boolean',
  returns: 'boolean',
  agent: 'object',
  metadata: 'object',
  signal: 'object',
  execute: 'function',
  accept: 'function',
  onAsk: 'function',
  onDeny: 'function',
  onContext: 'function',
  onStop: 'function',
  onFailure: 'function',
  errorIn: 'function',
  idOf: 'function'
}

/**
 * Puts the gate in front of a tool of any agent: PreToolUse, then a question if a hook asks, then the tool with the
 * input that was judged, then PostToolUse or PostToolUseFailure. `this` is passed to the tool. A generator stays one:
 * its values are passed on as they come, and the last one is the result, or what it returns if `returns` is set.
 */
export function guard<Input extends object, Rest extends readonly unknown[], Value, Result>(
  hooks: Fires,
  toolName: string,
  execute: (input: Input, ...rest: Rest) => AsyncGenerator<Value, Result> | Generator<Value, Result>,
  options: ReturnOptions<Rest, Result>
): (input: Input, ...rest: Rest) => AsyncGenerator<Value, Result>
export function guard<Input extends object, Rest extends readonly unknown[], Value>(
  hooks: Fires,
  toolName: string,
  execute: (input: Input, ...rest: Rest) => AsyncGenerator<Value, unknown> | Generator<Value, unknown>,
  options?: GuardOptions<Rest, Value>
): (input: Input, ...rest: Rest) => AsyncGenerator<Value, void>
export function guard<Input extends object, Rest extends readonly unknown[], Result>(
  hooks: Fires,
  toolName: string,
  execute: (input: Input, ...rest: Rest) => Result | PromiseLike<Result>,
  options?: GuardOptions<Rest, Result>
): (input: Input, ...rest: Rest) => Promise<Result>
export function guard<Input extends object, Rest extends readonly unknown[], Result>(
  hooks: Fires,
  toolName: string,
  execute: (input: Input, ...rest: Rest) => Result | PromiseLike<Result>,
  options: AnyOptions<Rest, Result> = {}
): (input: Input, ...rest: Rest) => Promise<Result> | AsyncGenerator<Result, Result> {
  checkOptionTypes(
    {
      ...options,
      hooks: typeof hooks?.fire === 'function' ? undefined : (hooks ?? null),
      toolName: toolName || null,
      execute: execute ?? null
    },
    TYPES,
    ' of guard()'
  )
  // Other tools may be guarded as well: a name that is merely near may be one of theirs.
  checkMatchers(hooks, name => (lettersOf(name) === lettersOf(toolName) ? toolName : undefined))
  const tool = { hooks, toolName, options: options as GuardOptions<[], unknown> }
  const { stream, returns, idOf, onDeny } = options
  const isStreaming = stream || returns || /Generator/.test({}.toString.call(execute))
  const begin = async (self: unknown, input: Input, rest: Rest): Promise<unknown> => {
    const { outcome, call } = await judgeCall(tool, input, idOf?.(...rest))
    const refusal = await refusalOf(outcome, call, options)
    const run = (final: PlainObject): unknown => execute.call(self, final as Input, ...rest)
    // Some promises are streams as well, such as those of processes. What counts is what they resolve to.
    if (refusal === undefined) return runJudged(tool, call, isStreaming ? run : async final => run(final))
    if (onDeny === undefined) throw refusal
    return onDeny(refusal, outcome)
  }
  if (isStreaming)
    return async function* (this: unknown, input, ...rest) {
      const result = await begin(this, input, rest)
      if (isStream(result)) return (yield* result as Values<Result>) as Result
      if (!returns) yield result as Result
      return result as Result
    }
  return function (this: unknown, input, ...rest) {
    return begin(this, input, rest) as Promise<Result>
  }
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Throws for a hook about a name that narrowly misses a tool: it would protect nothing. `meantBy` returns that tool. */
export function checkMatchers(hooks: Fires, meantBy: (name: string) => string | undefined): void {
  for (const { name, events, matcher, observe } of (hooks as Partial<HookRegistry>).list?.() ?? []) {
    // A pattern is not about a name.
    const isGate = !observe && events.some(event => /^(Pre|Post)ToolUse$/.test(event))
    const isOfNames = isGate && /^["[][\w"|, \]-]+$/.test(matcher)
    const names: readonly string[] = isOfNames ? (matcher.match(/[\w-]+/g) ?? []) : []
    for (const each of names) {
      const meant = meantBy(each)
      if (meant !== undefined && !names.includes(meant))
        throw engineFault(
          'E_OPTION_INVALID',
          `the matcher of ${name}`,
          `"${each}", because no tool has this name`,
          meant
        )
    }
  }
}

/** A tool behind the gate: it is judged, and then run. */
export interface GuardedTool {
  readonly hooks: Fires
  readonly toolName: string
  readonly options: AnyOptions<[], unknown>
}

export interface GuardedCall {
  tool_name: string
  tool_input: PlainObject
  tool_use_id: string
  session_id?: string
}

/** A call, what hooks say about it, and the call as they changed it. */
export interface JudgedCall {
  readonly before: GuardedCall
  readonly outcome: Outcome
  readonly call: GuardedCall
}

/** Asks the gate. */
export async function judgeCall(
  { hooks, toolName, options }: GuardedTool,
  input: unknown,
  id = `call_${crypto.randomUUID()}`
): Promise<JudgedCall> {
  if (!isObject(input)) throw engineFault('E_INPUT_INVALID', 'PreToolUse', `the input of ${toolName} is not an object`)
  const before: GuardedCall = { tool_name: toolName, tool_input: copyForeign(input), tool_use_id: id }
  if (options.sessionId !== undefined) before.session_id = options.sessionId
  const outcome = await hooks.fire('PreToolUse', before, options)
  applyEffects(outcome, options)
  const { updatedInput } = outcome
  return { before, outcome, call: updatedInput === undefined ? before : { ...before, tool_input: updatedInput } }
}

export async function refusalOf(
  { decision, reason, by = '' }: Outcome,
  call: GuardedCall,
  { onAsk, signal }: Effects
): Promise<CarabinerError | undefined> {
  const { tool_name: toolName, tool_use_id: toolUseId, tool_input: input } = call
  const refused = (who: string, why: string): CarabinerError => engineFault('E_REFUSED', toolName, who, why)
  if (decision === 'ask') {
    const asked = `asked for by ${by}${reason === undefined ? '' : `: ${reason}`}`
    if (onAsk === undefined) return refused('default', `there is no onAsk to ask (${asked})`)
    const stranger = strangerIn(input)
    if (stranger !== undefined) return refused('default', `its input holds an instance of ${stranger} (${asked})`)
    if ((await onAsk({ toolName, toolUseId, input: copyPlain(input), reason })) !== true)
      return refused('onAsk', `the answer was no (${asked})`)
  } else if (decision !== undefined && decision !== 'allow') return refused(by, reason ?? `its answer is ${decision}`)
  return signal?.aborted === true ? refused('the signal', 'the run was aborted before it began') : undefined
}

/** Runs the tool. Not async: some agents recognize a stream only if it is returned directly. */
export function runJudged(tool: GuardedTool, call: GuardedCall, run: (input: PlainObject) => unknown): unknown {
  let running: unknown
  try {
    // Hooks see it afterwards as it was, whatever the tool does with it.
    running = run(copyPlain(call.tool_input))
  } catch (error) {
    running = Promise.reject(error)
  }
  return isStream(running) ? passOnValues(tool, call, running) : settle(tool, call, running)
}

async function settle(tool: GuardedTool, call: GuardedCall, running: unknown): Promise<unknown> {
  let result: unknown
  try {
    result = await running
  } catch (error) {
    await afterFailure(tool, call, errorMessage(error))
    throw error
  }
  return isStream(result) ? passOnValues(tool, call, result) : finishCall(tool, call, result)
}

type Values<T> = Iterable<T> | AsyncIterable<T>

/** Values that come one after the other. An array is a plain result. */
const isStream = (result: unknown): result is Values<unknown> =>
  isObject(result) && (Symbol.asyncIterator in result || (Symbol.iterator in result && 'next' in result))

/** A stream of the kind that the tool returned. */
function passOnValues(tool: GuardedTool, call: GuardedCall, values: Values<unknown>): AsyncIterable<unknown> {
  const passed = valuesOf(tool, call, values)
  return values instanceof ReadableStream ? ReadableStream.from(passed) : passed
}

async function* valuesOf(tool: GuardedTool, call: GuardedCall, values: Values<unknown>): AsyncGenerator {
  const { returns } = tool.options
  let own: unknown
  let failure: string | undefined = 'its reader stopped before the end'
  try {
    if (returns) own = yield* values
    else for await (const value of values) yield (own = value)
    failure = undefined
  } catch (error) {
    failure = errorMessage(error)
    throw error
  } finally {
    if (failure !== undefined) await afterFailure(tool, call, failure)
  }
  const result = await finishCall(tool, call, own)
  if (!returns && result !== own) yield result
  return result
}

async function finishCall(tool: GuardedTool, call: GuardedCall, result: unknown): Promise<unknown> {
  const { hooks, options } = tool
  const error = options.errorIn?.(result)
  if (error) {
    await afterFailure(tool, call, error)
    return result
  }
  const after = await hooks.fire('PostToolUse', { ...call, tool_response: result }, unaborted(options))
  applyEffects(after, options)
  const output = outputAfter(after, call.tool_name, result)
  if (output !== result) options.onReplace?.()
  return output
}

async function afterFailure({ hooks, options }: GuardedTool, call: GuardedCall, error: string): Promise<void> {
  const failed = { ...call, error, is_interrupt: options.signal?.aborted === true }
  applyEffects(await hooks.fire('PostToolUseFailure', failed, unaborted(options)), options)
}

/** Hooks see what has happened, also if the run was aborted meanwhile. */
const unaborted = (options: FireOptions): FireOptions => ({ ...options, signal: undefined })

type Effects = Pick<GuardOptions<[], unknown>, 'onAsk' | 'onContext' | 'onFailure' | 'onStop' | 'signal'>

function applyEffects(outcome: Outcome, options: Effects): void {
  const { onFailure = ({ by, message }) => warn(`the hook ${by} failed: ${message}`) } = options
  // A refusal says why.
  if (outcome.event !== 'PreToolUse' || outcome.decision !== 'deny') outcome.failures.forEach(each => onFailure(each))
  if (outcome.additionalContext !== undefined) options.onContext?.(outcome.additionalContext)
  for (const message of outcome.systemMessages) if (message.to === 'model') options.onContext?.(message.text)
  if (outcome.event !== 'PreToolUse' && outcome.decision === 'deny' && outcome.reason !== undefined) {
    options.onContext?.(outcome.reason)
  }
  if (outcome.continue === false) options.onStop?.(outcome.stopReason)
}

export const warn = (text: string): void => globalThis.process?.emitWarning(text, 'CarabinerWarning')

export const HIDDEN_OUTPUT = '[The output was hidden by a hook.]'

/** What hooks put in place of the output of a tool, whatever its type; a placeholder if one hid it. */
export function outputAfter({ suppressOutput, fields }: Outcome, toolName: string, own: unknown): unknown {
  if (suppressOutput) return HIDDEN_OUTPUT
  const { updatedMCPToolOutput = own } = fields
  const { updatedToolOutput = toolName.startsWith('mcp__') ? updatedMCPToolOutput : own } = fields
  return updatedToolOutput
}

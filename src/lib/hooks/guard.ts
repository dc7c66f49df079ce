import { engineFault, errorMessage, type CarabinerError } from '../errors.ts'
import { copyPlain, isObject, same, type PlainObject } from '../util/plain.ts'
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
  /** The message of an error that the tool returned instead of throwing it. */
  errorIn?: ((result: Result) => string | undefined) | undefined
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

type AnyOptions<Rest extends readonly unknown[], Result> = GuardOptions<Rest, Result> & { returns?: boolean }

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
  const tool: GuardedTool<Input, Rest, Result> = { hooks, toolName, execute, options }
  const { stream, returns } = options
  if (stream || returns || Object.prototype.toString.call(execute).includes('Generator'))
    return async function* (this: unknown, input, ...rest) {
      const [result, call] = await begin(tool, this, input, rest)
      if (call !== undefined) return yield* passOnValues(tool, isStream<Result>(result) ? result : [result], call)
      if (!returns) yield result
      return result
    }
  return async function (this: unknown, input, ...rest) {
    const [result, call] = await begin(tool, this, input, rest)
    if (call === undefined) return result
    return isStream<Result>(result)
      ? (likeOwn(result, passOnValues(tool, result, call)) as Result)
      : finishCall(tool, result, call)
  }
}

interface GuardedTool<Input, Rest extends readonly unknown[], Result> {
  readonly hooks: Fires
  readonly toolName: string
  readonly execute: (input: Input, ...rest: Rest) => Result | PromiseLike<Result>
  readonly options: AnyOptions<Rest, Result>
}

type FinishedTool<Rest extends readonly unknown[], Result> = Omit<GuardedTool<never, Rest, Result>, 'execute'>

type ToolRun<Result> = [result: Result, call?: GuardedCall]

/** Asks the gate, and runs the tool if it may. `self` is what the tool was called on. */
async function begin<Input extends object, Rest extends readonly unknown[], Result>(
  { hooks, toolName, execute, options }: GuardedTool<Input, Rest, Result>,
  self: unknown,
  input: Input,
  rest: Rest
): Promise<ToolRun<Result>> {
  const { accept, agent, metadata, signal, sessionId } = options
  const call = guardedCall(toolName, input, options.idOf?.(...rest), sessionId)
  const before = await hooks.fire('PreToolUse', call, { accept, agent, metadata, signal })
  applyEffects(before, options)
  const judged = before.updatedInput === undefined ? call : { ...call, tool_input: before.updatedInput }
  const refusal = await refusalOf(before, judged, options)
  if (refusal !== undefined) {
    if (options.onDeny === undefined) throw refusal
    return [await options.onDeny(refusal, before)]
  }
  try {
    // The caller's own object, unless hooks or the caller changed it meanwhile.
    const final = same(input, judged.tool_input) ? input : (judged.tool_input as Input)
    return [await execute.call(self, final, ...rest), judged]
  } catch (error) {
    await afterFailure(hooks, judged, errorMessage(error), options)
    throw error
  }
}

export async function finishCall<Rest extends readonly unknown[], Result>(
  { hooks, toolName, options }: FinishedTool<Rest, Result>,
  result: Result,
  call: GuardedCall
): Promise<Result> {
  const error = options.errorIn?.(result)
  if (error !== undefined) {
    await afterFailure(hooks, call, error, options)
    return result
  }
  const after = await hooks.fire('PostToolUse', { ...call, tool_response: result }, unaborted(options))
  applyEffects(after, options)
  return resultAfter(after, toolName, result)
}

export async function* passOnValues<Rest extends readonly unknown[], Result>(
  tool: FinishedTool<Rest, Result>,
  values: Values<Result>,
  call: GuardedCall
): AsyncGenerator<Result, Result> {
  const { returns } = tool.options
  let own: Result | undefined
  let failure: string | undefined = 'its reader stopped before the end'
  try {
    if (returns) own = (yield* values) as Result
    else for await (const value of values) yield (own = value)
    failure = undefined
  } catch (error) {
    failure = errorMessage(error)
    throw error
  } finally {
    if (failure !== undefined) await afterFailure(tool.hooks, call, failure, tool.options)
  }
  const result = await finishCall(tool, own as Result, call)
  if (!returns && result !== own) yield result
  return result
}

type Effects = Pick<GuardOptions<[], unknown>, 'onAsk' | 'onContext' | 'onStop' | 'agent' | 'metadata' | 'signal'>

type Values<T> = Iterable<T> | AsyncIterable<T>

/** Values that come one after the other. An array is a plain result. */
const isStream = <T>(result: unknown): result is Values<T> =>
  typeof result === 'object' &&
  result !== null &&
  (Symbol.asyncIterator in result || (Symbol.iterator in result && 'next' in result))

const likeOwn = (own: unknown, values: AsyncIterable<unknown>): unknown =>
  own instanceof ReadableStream ? ReadableStream.from(values) : values

export interface GuardedCall {
  tool_name: string
  tool_input: PlainObject
  tool_use_id: string
}

export function guardedCall(
  toolName: string,
  input: unknown,
  id: string | undefined,
  sessionId: string | undefined
): GuardedCall {
  if (!isObject(input)) throw engineFault('E_INPUT_INVALID', 'PreToolUse', `the input of ${toolName} is not an object`)
  const call = { tool_name: toolName, tool_input: copyPlain(input), tool_use_id: id ?? `call_${crypto.randomUUID()}` }
  return sessionId === undefined ? call : Object.assign(call, { session_id: sessionId })
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
    if ((await onAsk({ toolName, toolUseId, input, reason })) !== true)
      return refused('onAsk', `the answer was no (${asked})`)
  } else if (decision !== undefined && decision !== 'allow') return refused(by, reason ?? `its answer is ${decision}`)
  return signal?.aborted === true ? refused('the signal', 'the run was aborted before it began') : undefined
}

export async function afterFailure(hooks: Fires, call: GuardedCall, error: string, options: Effects): Promise<void> {
  applyEffects(
    await hooks.fire(
      'PostToolUseFailure',
      { ...call, error, is_interrupt: options.signal?.aborted === true },
      unaborted(options)
    ),
    options
  )
}

/** Hooks see what has happened, also if the run was aborted meanwhile. */
const unaborted = ({ agent, metadata }: FireOptions): FireOptions => ({ agent, metadata })

export function applyEffects(outcome: Outcome, options: Effects): void {
  if (outcome.additionalContext !== undefined) options.onContext?.(outcome.additionalContext)
  for (const message of outcome.systemMessages) if (message.to === 'model') options.onContext?.(message.text)
  if (outcome.event !== 'PreToolUse' && outcome.decision === 'deny' && outcome.reason !== undefined) {
    options.onContext?.(outcome.reason)
  }
  if (outcome.continue === false) options.onStop?.(outcome.stopReason)
}

/** The result that a hook put in place of the tool's own; a placeholder, whatever the type, if a hook hid it. */
function resultAfter<Result>(after: Outcome, toolName: string, result: Result): Result {
  if (after.suppressOutput) return '[The output was hidden by a hook.]' as Result
  const { updatedToolOutput, updatedMCPToolOutput } = after.fields
  if (updatedToolOutput !== undefined) return updatedToolOutput as Result
  return (toolName.startsWith('mcp__') && updatedMCPToolOutput !== undefined ? updatedMCPToolOutput : result) as Result
}

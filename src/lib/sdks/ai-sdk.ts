import type { StopCondition, ToolApprovalConfiguration, ToolApprovalStatus, ToolSet } from 'ai'
import { engineFault, errorMessage, print } from '../errors.ts'
import { checkMatchers, judgeCall, refusalOf, runJudged, warn } from '../hooks/guard.ts'
import type { Fires, GuardedTool, GuardOptions, JudgedCall } from '../hooks/guard.ts'
import { checkOptionTypes } from '../hooks/option-values.ts'
import { isResult, toolResultOf } from '../tools/content.ts'
import { keepRecent } from '../util/bounded.ts'
import { nearMiss } from '../util/near.ts'
import { copyPlain, isObject, same, type PlainObject } from '../util/plain.ts'
import { approvedRequest, digestIn, fitsSchema, questionAbout, withContext } from './ai-sdk-call.ts'
import type { ExecuteOptions, SdkTool } from './ai-sdk-call.ts'

/** What the program around guarded tools provides to the gate. */
export interface GuardToolsOptions extends Pick<GuardOptions<[], unknown>, 'agent' | 'metadata' | 'onFailure'> {
  sessionId?: string | undefined
  /** The name that hooks see, such as `mcp__github__search` for a tool of an MCP server. Default: the key of the tool. */
  nameOf?: ((name: string) => string) | undefined
  /** Receives what hooks want the model to see. It is also added to the result of the call. */
  onContext?: ((text: string, toolCallId: string) => void) | undefined
}

/** Tools behind the gate, and what `generateText`, `streamText` or an agent needs beside them. */
export interface GuardedTools<Tools extends ToolSet> {
  /** The same tools. They refuse every call that `toolApproval` has not decided. */
  readonly tools: Tools
  /** Takes the place of `needsApproval` of the tools, and respects it: the stricter of it and of the hooks counts. */
  readonly toolApproval: Approve<Tools>
  /** For `stopWhen`: whether a hook answered `continue: false` in the last step. */
  readonly isStopped: StopCondition<Tools>
  /** What hooks do not control, by the name of the tool. */
  readonly notGated: Readonly<Record<string, string>>
}

type Approve<Tools extends ToolSet> = Extract<ToolApprovalConfiguration<Tools, unknown>, CallableFunction>

/** What the SDK passes to `toolApproval`. */
interface ApprovalCall extends Omit<Parameters<Approve<ToolSet>>[0], 'toolCall'> {
  readonly toolCall: { toolName: string; toolCallId: string; input: unknown; providerExecuted?: boolean }
}

/** Deprecated there, but in use. */
type NeedsApproval = boolean | ((input: unknown, options: object) => boolean | PromiseLike<boolean>)

const TYPES: { [K in keyof Required<GuardToolsOptions>]: string } & Record<string, string> = {
  tools: 'object',
  hooks: 'HookRegistry or another object with fire()',
  agent: 'object',
  metadata: 'object',
  sessionId: 'string',
  nameOf: 'function',
  onFailure: 'function',
  onContext: 'function'
}

/**
 * Puts the gate in front of tools of the AI SDK. `toolApproval` fires PreToolUse and keeps the decision for this call
 * with this input; `execute` runs the tool with the input that was judged, and refuses a call without a decision.
 */
export function guardTools<Tools extends ToolSet>(
  tools: Tools,
  hooks: Fires,
  options: GuardToolsOptions = {}
): GuardedTools<Tools> {
  const strange = typeof hooks?.fire === 'function' ? undefined : (hooks ?? null)
  checkOptionTypes({ ...options, tools: tools ?? null, hooks: strange }, TYPES, ' of guardTools()')
  for (const [name, tool] of Object.entries(tools)) checkTool(name, tool)
  const gate = new ToolGate(tools, hooks, options)
  checkMatchers(hooks, name => nearMiss(name, Object.values(gate.names)))
  const limits = Object.entries(tools).map(([name, tool]) => [name, limitOf(tool)] as const)
  const notGated = limits.filter(([, limit]) => limit !== '')
  for (const [name, limit] of notGated) warn(`${name} is not completely behind the gate: ${limit}`)
  return {
    tools: gate.tools as Tools,
    toolApproval: request => gate.approve(request),
    isStopped: ({ steps }) => steps.at(-1)?.toolCalls.some(call => gate.stopped.has(call.toolCallId)) === true,
    notGated: Object.fromEntries(notGated)
  }
}

/** All that a gate returned: behind a second one, the first would refuse every call. */
const GUARDED = new WeakSet<SdkTool>()

function checkTool(name: string, tool: SdkTool | undefined): void {
  const problem = !isObject(tool) ? print(tool) : GUARDED.has(tool) ? 'a tool that guardTools() returned' : undefined
  if (problem !== undefined)
    throw engineFault('E_OPTION_INVALID', `the tool ${name} of guardTools()`, problem, 'a tool of the AI SDK')
}

/** The name that hooks see. A gate cannot match another. */
function hookNameOf(name: string, { nameOf = given => given }: GuardToolsOptions): string {
  const given: unknown = nameOf(name)
  if (typeof given === 'string' && given !== '') return given
  throw engineFault('E_OPTION_INVALID', `what nameOf returns for ${name}`, print(given), 'a text that is not empty')
}

/** What hooks do not control; empty if they control all of it. */
function limitOf(tool: SdkTool): string {
  if (tool.type === 'provider' && tool.isProviderExecuted) return 'the provider runs it, and hooks do not see its calls'
  if (tool.execute === undefined)
    return 'it has no execute(): hooks do not see its results, and who reads the stream gets a call before they decide'
  const early = ['onInputStart', 'onInputDelta', 'onInputAvailable'].filter(name => name in tool)
  return early.length === 0 ? '' : `${early.join(', ')} run before hooks decide`
}

/** A decision about one call with one input. */
interface Decision extends JudgedCall {
  readonly toolName: string
  /** The question for a person, if one must be asked. */
  readonly question: string | undefined
  isPermitted: boolean
  /** The id of the approval that permits it, if a person was asked. */
  approvalId?: string | undefined
}

/** Calls that are never run or answered must not fill the memory: of more than these, the oldest are forgotten. */
const MOST_CALLS = 10_000

class ToolGate {
  readonly tools: ToolSet
  /** The names that hooks see. */
  readonly names: Readonly<Record<string, string>>
  readonly stopped = new Map<string, true>()
  /** Approvals with which a call has run. */
  readonly #used = new Map<string, true>()
  readonly #originals: ToolSet
  readonly #hooks: Fires
  readonly #options: GuardToolsOptions
  readonly #decisions = new Map<string, Decision>()
  /** What hooks want the model to see, by call. */
  readonly #contexts = new Map<string, readonly string[]>()
  /** Calls whose output is not the tool's own. */
  readonly #replaced = new Map<string, true>()

  constructor(tools: ToolSet, hooks: Fires, options: GuardToolsOptions) {
    this.#originals = tools
    this.#hooks = hooks
    this.#options = options
    this.names = Object.fromEntries(Object.keys(tools).map(name => [name, hookNameOf(name, options)]))
    this.tools = Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, this.#guarded(name, tool)]))
  }

  /** Never rejects, and returns only statuses that the SDK knows: it runs the tool for any other. */
  async approve(request: ApprovalCall): Promise<ToolApprovalStatus> {
    try {
      return request.toolCall.providerExecuted === true ? 'not-applicable' : await this.#decide(request)
    } catch (error) {
      return { type: 'denied', reason: errorMessage(error) }
    }
  }

  async #decide(request: ApprovalCall): Promise<ToolApprovalStatus> {
    const { toolName, toolCallId, input } = request.toolCall
    const guarded = Object.hasOwn(this.tools, toolName) ? this.tools[toolName] : undefined
    if (guarded === undefined || request.tools?.[toolName]?.execute !== guarded.execute)
      throw refusedByGate(toolName, 'it is not among the tools that guardTools() returned; pass those as tools')
    const answered = approvedRequest(request.messages, toolCallId)
    const earlier = answered === undefined ? undefined : this.#decided(toolCallId, toolName, input)
    this.#decisions.delete(toolCallId)
    const decision = earlier ?? (await this.#judge(request))
    const { question } = decision
    if (question !== undefined && answered !== undefined && digestIn(answered.reason) !== digestIn(question))
      throw refusedByGate(toolName, 'the approval is for another input or question; make the call again to ask anew')
    if (answered !== undefined && this.#used.has(answered.approvalId))
      throw refusedByGate(toolName, 'the call has run with this approval; make the call again to ask anew')
    decision.isPermitted = question === undefined || answered !== undefined
    decision.approvalId = answered?.approvalId
    keepRecent(this.#decisions, toolCallId, decision, MOST_CALLS)
    return question === undefined ? 'not-applicable' : { type: 'user-approval', reason: question }
  }

  async #judge({ toolCall, messages, toolsContext }: ApprovalCall): Promise<Decision> {
    const { toolName, toolCallId, input } = toolCall
    const tool = this.#originals[toolName] as SdkTool
    this.#contexts.delete(toolCallId)
    this.stopped.delete(toolCallId)
    this.#replaced.delete(toolCallId)
    const judged = await judgeCall(this.#guardedTool(toolName, toolCallId), input, toolCallId)
    const { outcome, call } = judged
    const refusal = outcome.decision === 'ask' ? undefined : await refusalOf(outcome, call, {})
    if (refusal !== undefined) throw this.#explained(refusal, toolCallId)
    const isChanged = outcome.updatedInput !== undefined
    if (isChanged && tool.execute === undefined)
      throw refusedByGate(toolName, 'a hook changed its input, which is not possible for a tool without execute()')
    if (isChanged && !(await fitsSchema(tool, call.tool_input)))
      throw refusedByGate(toolName, 'a hook changed its input, which no longer fits its inputSchema')
    const { needsApproval: needs } = tool as { needsApproval?: NeedsApproval }
    const context = (toolsContext as PlainObject | undefined)?.[toolName]
    const final = copyPlain(isChanged ? call.tool_input : input)
    const asks = typeof needs === 'function' ? await needs(final, { toolCallId, messages, context }) : needs
    const question = asks || outcome.decision === 'ask' ? await questionAbout(judged) : undefined
    return { ...judged, toolName, question, isPermitted: false }
  }

  /** The tool for one call, whose context is kept. */
  #guardedTool(name: string, id: string, signal?: AbortSignal): GuardedTool {
    const { nameOf: _, onContext, ...options } = this.#options
    const { [name]: toolName = name } = this.names
    return {
      hooks: this.#hooks,
      toolName,
      options: {
        ...options,
        signal,
        // What looks like an error in the output of another tool may be anyone's text.
        errorIn: result => (toolName.startsWith('mcp__') && isResult(result) ? toolResultOf(result).error : undefined),
        onStop: () => keepRecent(this.stopped, id, true, MOST_CALLS),
        onReplace: () => keepRecent(this.#replaced, id, true, MOST_CALLS),
        onContext: text => {
          keepRecent(this.#contexts, id, [...(this.#contexts.get(id) ?? []), text], MOST_CALLS)
          onContext?.(text, id)
        }
      }
    }
  }

  #decided(toolCallId: string, toolName: string, input: unknown): Decision | undefined {
    const decision = this.#decisions.get(toolCallId)
    return decision?.toolName === toolName && same(decision.before.tool_input, input) ? decision : undefined
  }

  #guarded(name: string, tool: SdkTool): SdkTool {
    const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool)
    if (tool.execute !== undefined) {
      const execute = (input: unknown, options: ExecuteOptions): unknown => this.#run(name, input, options)
      properties['execute'] = { value: execute, enumerable: true }
      const notes = {
        contextOf: (id: string) => this.#contexts.get(id),
        isReplaced: (id: string) => this.#replaced.has(id)
      }
      properties['toModelOutput'] = { value: withContext(tool, notes), enumerable: true }
    }
    const guarded = Object.create(Object.getPrototypeOf(tool) as object | null, properties) as SdkTool
    GUARDED.add(guarded)
    return guarded
  }

  /** Not async: the SDK recognizes a stream only if it is returned directly. */
  #run(name: string, input: unknown, options: ExecuteOptions): unknown {
    const decision = this.#decided(options.toolCallId, name, input)
    this.#decisions.delete(options.toolCallId)
    if (decision?.isPermitted !== true) throw refusedByGate(name, NO_DECISION)
    if (options.abortSignal?.aborted === true) throw refusedByGate(name, 'the run was aborted before it began')
    const { approvalId, call } = decision
    if (approvalId !== undefined) keepRecent(this.#used, approvalId, true, MOST_CALLS)
    const tool = this.#guardedTool(name, options.toolCallId, options.abortSignal)
    const running = runJudged(tool, call, final => this.#originals[name]?.execute?.(final as never, options))
    if (!(running instanceof Promise)) return running
    return running.catch((error: unknown) => Promise.reject(this.#explained(error, options.toolCallId)))
  }

  /** With what hooks want the model to see: it reads nothing of a failure but its message. */
  #explained(error: unknown, id: string): unknown {
    const contexts = this.#contexts.get(id)
    return contexts === undefined ? error : new Error([errorMessage(error), ...contexts].join('\n'), { cause: error })
  }
}

const NO_DECISION = 'there is no decision about this call with this input; pass toolApproval of guardTools()'
const refusedByGate = (toolName: string, why: string): Error => engineFault('E_REFUSED', toolName, 'guardTools()', why)

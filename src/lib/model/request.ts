import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool
} from '@ai-sdk/provider'
import { wellFormed } from '../util/plain.ts'
import { ModelFailure, type ModelRequest, type ToolSpec } from './model.ts'
import { CACHE, promptOf, type ConvertedPrompt } from './prompt.ts'

type Tools = (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[]

/** Server tools of Anthropic by short name. Others need the full name: `openai.web_search`. */
const SERVER_TOOLS: Readonly<Record<string, `${string}.${string}`>> = {
  web_search: 'anthropic.web_search_20250305',
  web_fetch: 'anthropic.web_fetch_20250910',
  code_execution: 'anthropic.code_execution_20250825'
}

/** Output tokens for models that Anthropic's adapter does not know; its own default is small. */
const ROOM = 32_000

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Builds the call options for an adapter; each list of tools is converted once. */
export function callBuilder(
  provider: string,
  model: string
): (request: ModelRequest, converted: ConvertedPrompt) => Call {
  const isClaude = isAnthropic(provider)
  const room = isClaude && !model.includes('claude') ? ROOM : undefined
  const known = new WeakMap<readonly ToolSpec[], LanguageModelV4FunctionTool[]>()
  return (request, converted) => {
    let own = known.get(request.tools)
    if (own === undefined) known.set(request.tools, (own = functionTools(request.tools)))
    const tools: Tools = [...own, ...(request.serverTools ?? []).map(serverTool)]
    const { maxTokens = room, outputSchema } = request
    return {
      prompt: promptOf(request.system, converted),
      ...(tools.length > 0 && { tools }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(outputSchema !== undefined && { responseFormat: { type: 'json' as const, schema: outputSchema } }),
      ...(isClaude ? anthropicOptions(request) : otherOptions(request))
    }
  }
}

export type Call = Omit<LanguageModelV4CallOptions, 'abortSignal'>

function functionTools(specs: readonly ToolSpec[]): LanguageModelV4FunctionTool[] {
  return wellFormed(specs).map(({ name, description, inputSchema }, at) => ({
    type: 'function',
    name,
    description,
    inputSchema,
    ...(at === specs.length - 1 && { providerOptions: CACHE })
  }))
}

function serverTool(name: string): LanguageModelV4ProviderTool {
  const id = Object.hasOwn(SERVER_TOOLS, name) ? SERVER_TOOLS[name]! : name
  if (!isFullName(id)) {
    const why = `there is no tool ${JSON.stringify(name)} that a provider runs`
    const next = `use ${Object.keys(SERVER_TOOLS).join(', ')}, or a full name such as openai.web_search`
    throw new ModelFailure(`${why}; ${next}`, { why: 'invalid_request', retryable: false })
  }
  return { type: 'provider', id, name: id === name ? name.slice(name.indexOf('.') + 1) : name, args: {} }
}

const isFullName = (id: string): id is `${string}.${string}` => /^[^.]+\.[^.]/.test(id)

/** Without options, the adapter need not build the schema that it checks them with. */
function anthropicOptions({ thinking, effort }: ModelRequest): Partial<Call> {
  if (thinking === undefined && effort === undefined) return {}
  const anthropic = {
    ...(thinking !== undefined && { thinking: thinkingFor(thinking) }),
    ...(effort !== undefined && { effort })
  }
  return { providerOptions: { anthropic } }
}

const thinkingFor = (thinking: number | 'adaptive'): { type: string; budgetTokens?: number } =>
  thinking === 'adaptive'
    ? { type: 'adaptive' }
    : thinking > 0
      ? { type: 'enabled', budgetTokens: thinking }
      : { type: 'disabled' }

/** Sentences about parts of the request that this provider is not sent. */
export const unsentTo = (provider: string, { thinking }: ModelRequest): readonly string[] =>
  thinking === undefined || isAnthropic(provider)
    ? []
    : [`thinking is not sent to ${provider}, which takes no budget for it; use effort`]

const isAnthropic = (provider: string): boolean => /^anthropic\b/.test(provider)

/** Other providers accept an effort, but no token budget for thinking. */
function otherOptions({ effort, outputSchema }: ModelRequest): Partial<Call> {
  const reasoning = EFFORTS.find(one => one === effort)
  return {
    ...(reasoning !== undefined && { reasoning }),
    // Strict schemas must name every property as required, which few do.
    ...(outputSchema !== undefined && {
      providerOptions: { openaiCompatible: { strictJsonSchema: false }, openai: { strictJsonSchema: false } }
    })
  }
}

import type { LanguageModelV4 } from '@ai-sdk/provider'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import { holdCredentialsIn } from '../util/credentials.ts'
import { modelFetch } from '../world/http/client.ts'
import { fromLanguageModel, type AdapterOptions } from './ai-sdk.ts'
import { failureOf } from './failure.ts'
import type { Model } from './model.ts'
import { anthropicId, nonEmpty, modelAddress, type Environment } from './names.ts'
import { priceOf } from './prices.ts'

export interface ModelOptions {
  readonly env: Environment
  /** Overrides the environment. */
  readonly baseUrl?: string | undefined
}

/**
 * The model of this name (see `modelAddress`), or the default one. A missing key is an error at once; the
 * provider's package is loaded with the first request.
 */
export async function modelFor(name: string | undefined, options: ModelOptions): Promise<Model> {
  const where = modelAddress(nonEmpty(name) ?? 'default', options.env)
  holdCredentialsIn(options.env, where.kind === 'package' ? where.package.replace(/^@ai-sdk\//, '') : undefined)
  switch (where.kind) {
    case 'script': {
      const { readScript } = await import('./script-file.ts')
      return readScript(where.file)
    }
    case 'anthropic':
      return anthropic(where.model, options)
    case 'openai':
      return openai(where.model, options)
    case 'compatible':
      return compatible(where.model, where.url, options.env['OPENAI_COMPATIBLE_API_KEY'], options.env)
    case 'package':
      return fromPackage(where.package, where.model, options.env)
  }
  return where satisfies never
}

function later(
  name: string,
  provider: string,
  load: (name: string) => Promise<LanguageModelV4>,
  options: AdapterOptions & { readonly idOf?: (name: string) => string }
): Model {
  let loaded: Promise<Model> | undefined
  return {
    name,
    provider,
    price: priceOf(name),
    sibling: other => later(options.idOf?.(other) ?? other, provider, load, options),
    async ask(request, signal, onEvent) {
      loaded ??= load(name).then(model => fromLanguageModel(model, options))
      const model = await loaded.catch((error: unknown) => {
        throw failureOf(error)
      })
      return model.ask(request, signal, onEvent)
    }
  }
}

function anthropic(model: string, { env, baseUrl }: ModelOptions): Model {
  const authToken = nonEmpty(env['ANTHROPIC_AUTH_TOKEN'])
  const apiKey = nonEmpty(env['ANTHROPIC_API_KEY'])
  const secret = authToken ?? apiKey
  if (secret === undefined)
    throw fault(
      'E_MODEL',
      `there is no key for ${model}`,
      'set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or name another model, as in openai/NAME, https://host/v1#NAME or script:FILE'
    )
  const load = async (id: string): Promise<LanguageModelV4> => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const baseURL = versioned(baseUrl ?? nonEmpty(env['ANTHROPIC_BASE_URL']) ?? 'https://api.anthropic.com')
    return createAnthropic({
      baseURL,
      fetch: modelFetch,
      ...(authToken === undefined ? { apiKey: secret } : { authToken })
    })(id)
  }
  return later(model, 'anthropic', load, { idle: idleOf(env), idOf: name => anthropicId(name, env) })
}

/** Claude Code takes the base URL without the version. */
const versioned = (url: string): string => {
  const plain = url.replace(/\/+$/, '')
  return /\/v\d+$/.test(plain) ? plain : `${plain}/v1`
}

/** With another base URL it is another server, and those offer chat completions. */
async function openai(model: string, { env, baseUrl }: ModelOptions): Promise<Model> {
  const key = nonEmpty(env['OPENAI_API_KEY'])
  if (key === undefined) throw fault('E_MODEL', `there is no key for openai/${model}`, 'set OPENAI_API_KEY')
  const url = baseUrl ?? nonEmpty(env['OPENAI_BASE_URL'])
  if (url !== undefined) return compatible(model, url, key, env)
  const installed = await loadPackage('@ai-sdk/openai').catch(() => undefined)
  const create = installed?.['createOpenAI'] as ((settings: { apiKey: string }) => unknown) | undefined
  const provider = create?.({ apiKey: key })
  if (!isProvider(provider)) return compatible(model, 'https://api.openai.com/v1', key, env)
  return ofPackage(provider, model, env)
}

function compatible(model: string, url: string, key: string | undefined, env: Environment): Model {
  const apiKey = nonEmpty(key)
  const load = async (id: string): Promise<LanguageModelV4> => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      name: 'openaiCompatible',
      baseURL: url,
      fetch: modelFetch,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(apiKey !== undefined && { apiKey }),
      // OpenAI itself knows the newer name only.
      ...(url.startsWith('https://api.openai.com/') && { transformRequestBody: withNewName })
    })
    return provider(id)
  }
  return later(model, 'openai-compatible', load, { idle: idleOf(env) })
}

function withNewName({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens }
}

/** Any installed package of the AI SDK. It reads its key from `process.env`. */
async function fromPackage(name: string, model: string, env: Environment): Promise<Model> {
  const loaded = await loadPackage(name).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND')
      throw fault('E_MODEL', `${model} needs the package ${name}, which is not installed`, `npm install ${name}`)
    throw fault('E_MODEL', `${name} cannot be loaded: ${errorMessage(error)}`, `npm install ${name}@latest`)
  })
  const provider = Object.values(loaded).find(isProvider)
  if (provider === undefined)
    throw fault('E_MODEL', `${name} offers no models of the AI SDK's version 4`, `npm install ${name}@latest`)
  return ofPackage(provider, model, env)
}

const ofPackage = (provider: AiSdkProvider, model: string, env: Environment): Model => ({
  ...fromLanguageModel(provider.languageModel(model), { idle: idleOf(env) }),
  sibling: other => ofPackage(provider, other, env)
})

interface AiSdkProvider {
  languageModel(model: string): LanguageModelV4
}

const loadPackage = async (name: string): Promise<Record<string, unknown>> =>
  (await import(name)) as Record<string, unknown>

const isProvider = (value: unknown): value is AiSdkProvider =>
  typeof value === 'function' &&
  'languageModel' in value &&
  typeof value.languageModel === 'function' &&
  'specificationVersion' in value &&
  value.specificationVersion === 'v4'

function idleOf(env: Environment): number | undefined {
  const ms = Number(env['API_TIMEOUT_MS'])
  return ms > 0 && ms < 2 ** 31 ? ms : undefined
}

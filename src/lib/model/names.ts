import { fault } from '../faults.ts'

export type ModelAddress =
  | { readonly kind: 'script'; readonly file: string }
  | { readonly kind: 'anthropic'; readonly model: string }
  | { readonly kind: 'openai'; readonly model: string }
  | { readonly kind: 'compatible'; readonly url: string; readonly model: string }
  | { readonly kind: 'package'; readonly package: string; readonly model: string }

export type Environment = Readonly<Record<string, string | undefined>>

/** The default of Claude Code 2.1.325. */
const DEFAULT_MODEL = 'claude-opus-5-5'

/** Short names: the model, and the environment variable that overrides it. */
const ALIASES: Readonly<Record<string, readonly [model: string, variable: string]>> = {
  default: [DEFAULT_MODEL, 'ANTHROPIC_MODEL'],
  opus: [DEFAULT_MODEL, 'ANTHROPIC_DEFAULT_OPUS_MODEL'],
  sonnet: ['claude-sonnet-5-5', 'ANTHROPIC_DEFAULT_SONNET_MODEL'],
  haiku: ['claude-haiku-5-5', 'ANTHROPIC_DEFAULT_HAIKU_MODEL']
}

/**
 * Resolves the name of a model:
 *
 *     script:FILE              the answers in a file
 *     https://host/v1#MODEL    a server with an OpenAI-compatible chat completions API
 *     openai/MODEL             OpenAI
 *     anthropic/MODEL          Anthropic, or the server at ANTHROPIC_BASE_URL
 *     NAME/MODEL               any other provider, by its package @ai-sdk/NAME
 *     claude-…, opus, sonnet, haiku, default    Anthropic
 *
 * Other plain names are models of the server at ANTHROPIC_BASE_URL.
 */
export function modelAddress(name: string, env: Environment): ModelAddress {
  if (name.startsWith('script:')) return { kind: 'script', file: name.slice('script:'.length) }
  if (/^https?:\/\//i.test(name)) return compatible(name)
  const slash = name.indexOf('/')
  if (slash !== -1) return atProvider(name.slice(0, slash), name.slice(slash + 1))
  if (Object.hasOwn(ALIASES, name)) return { kind: 'anthropic', model: anthropicId(name, env) }
  if (name.startsWith('claude') || nonEmpty(env['ANTHROPIC_BASE_URL']) !== undefined)
    return { kind: 'anthropic', model: name }
  throw fault(
    'E_MODEL',
    `the provider of model ${JSON.stringify(name)} is not known`,
    'name the provider, as in openai/NAME or https://host/v1#NAME, or use opus, sonnet, haiku or a claude-… name'
  )
}

/** The name that the server knows. */
export function anthropicId(name: string, env: Environment): string {
  const [model, variable = ''] = Object.hasOwn(ALIASES, name) ? ALIASES[name]! : [name]
  return nonEmpty(env[variable]) ?? model
}

function compatible(name: string): ModelAddress {
  const hash = name.indexOf('#')
  const url = hash === -1 ? name : name.slice(0, hash)
  const model = hash === -1 ? '' : name.slice(hash + 1)
  if (model === '' || !URL.canParse(url))
    throw fault(
      'E_MODEL',
      `${name} does not say which model`,
      'write the address, "#" and the name: https://host/v1#NAME'
    )
  return { kind: 'compatible', url, model }
}

function atProvider(provider: string, model: string): ModelAddress {
  if (!/^[a-z0-9-]+$/.test(provider) || model === '')
    throw fault('E_MODEL', `${provider}/${model} is not the name of a model`, 'write PROVIDER/MODEL, as in openai/NAME')
  if (provider === 'anthropic' || provider === 'openai') return { kind: provider, model }
  return { kind: 'package', package: `@ai-sdk/${provider}`, model }
}

/**
 * Whether a name means a model of the provider that is in use. Only the user chooses another provider, address or
 * package: neither a project nor a model does.
 */
export const isOfProvider = (name: string, provider: string): boolean =>
  name === 'inherit' || (provider === 'anthropic' && !/[:/]/.test(name))

/** A variable that is set to the empty string counts as unset. */
export const nonEmpty = (value: string | undefined): string | undefined => (value === '' ? undefined : value)

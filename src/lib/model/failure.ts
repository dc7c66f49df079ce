import { errorMessage } from '../errors.ts'
import { maskCredentials } from '../util/credentials.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { ModelFailure, type FailureName } from './model.ts'
import { jsonIn } from '../util/attempt.ts'

/** Characters kept of a provider's message. */
const LONGEST = 2000

const NAMES: Readonly<Record<string, FailureName>> = {
  authentication_error: 'authentication_failed',
  permission_error: 'authentication_failed',
  invalid_api_key: 'authentication_failed',
  billing_error: 'billing_error',
  insufficient_quota: 'billing_error',
  rate_limit_error: 'rate_limit',
  rate_limit_exceeded: 'rate_limit',
  overloaded_error: 'overloaded',
  not_found_error: 'model_not_found',
  model_not_found: 'model_not_found',
  invalid_request_error: 'invalid_request',
  request_too_large: 'invalid_request',
  context_length_exceeded: 'invalid_request',
  api_error: 'server_error',
  timeout_error: 'server_error',
  server_error: 'server_error'
}

/** A limit that a retry cannot lift, whatever the status says. */
const BILLING =
  /insufficient_quota|exceeded your current quota|credit balance|spend(?:ing)? (?:limit|cap)|(?:monthly|usage) (?:spend|limits?)\b|payment required|billing/i

const OVERLOADED = /overloaded/i

/** Connection errors that a retry cannot fix. */
const HOPELESS = /^(?:CERT_|ERR_TLS|ERR_SSL|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|ERR_INVALID_URL)/

/** A programming error: a failed assertion, or a wrong argument to a Node function. */
const OWN_MISTAKE = /^ERR_(?:ASSERTION|INVALID_ARG_|INVALID_RETURN_|MISSING_ARGS|OUT_OF_RANGE)/

export function nameOfStatus(status: number | undefined): FailureName {
  if (status === undefined) return 'unknown'
  if (status === 401 || status === 403) return 'authentication_failed'
  if (status === 402) return 'billing_error'
  if (status === 404) return 'model_not_found'
  if (status === 429) return 'rate_limit'
  if (status === 529) return 'overloaded'
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'server_error'
  return status >= 400 ? 'invalid_request' : 'unknown'
}

/** Where a provider may quote what its model has written; elsewhere there is no answer yet. */
const SPEAKS_OF_ANSWERS: ReadonlySet<FailureName> = new Set(['invalid_request', 'server_error', 'unknown'])

const UNSHOWN = ' (its words may quote an answer that no hook has judged)'

const RETRYABLE: ReadonlySet<FailureName> = new Set(['rate_limit', 'overloaded', 'server_error'])

export const isRetryable = (why: FailureName): boolean => RETRYABLE.has(why)

/** The answer is incomplete; nothing of it is used. */
export const cutOff = (how: string): ModelFailure =>
  new ModelFailure(`the answer was cut off: ${how}`, { why: 'server_error', retryable: true })

export const abandoned = (reason: unknown): ModelFailure =>
  new ModelFailure('the request was aborted', { why: 'unknown', retryable: false, cause: reason })

export function withPartial(failure: ModelFailure, partial: string): ModelFailure {
  return partial === '' ? failure : failure.but(failure.message, partial)
}

/** API keys of known providers, and values behind `Bearer`, `Basic` or in a URL. */
const KEYS =
  /\b(?:sk|pk|rk|xai|gsk|key|tok)-[\w-]{8,}|\bAIza[\w-]{20,}|\b(?:Bearer|Basic)\s+[\w.~+/-]{8,}=*|(?<=:\/\/)[^\s/@:]+:[^\s/@]+(?=@)/gi

/** Turns anything thrown during a request into a failure. Credentials are masked in its message. */
export function failureOf(thrown: unknown): ModelFailure {
  if (thrown instanceof ModelFailure) return thrown
  const error: PlainObject = typeof thrown === 'object' && thrown !== null ? { ...thrown } : {}
  const status = statusOf(error['statusCode']) ?? statusOf(error['status'])
  const { type, words } = errorDetails(error, thrown)
  const message = (text: string): string => maskCredentials(text).replaceAll(KEYS, '***')
  if (status === undefined && type === undefined) return failureOfTransport(thrown, message)

  const why = nameOf(status, type, words)
  const headers = isObject(error['responseHeaders']) ? error['responseHeaders'] : {}
  const label = [status, type].filter(part => part !== undefined).join(' ')
  return new ModelFailure(message(`the provider answered ${label}: ${words}`), {
    why,
    unquoted: SPEAKS_OF_ANSWERS.has(why) ? `the provider answered ${label}${UNSHOWN}` : undefined,
    status,
    retryable: retryableBy(headers) ?? isRetryable(why),
    retryAfter: retryAfterOf(headers),
    code: type,
    requestId: textOr(headers['request-id']) ?? textOr(headers['x-request-id'])
  })
}

function nameOf(status: number | undefined, type: string | undefined, words: string): FailureName {
  if (status === 402 || ((status === undefined || status < 500) && BILLING.test(`${type ?? ''} ${words}`)))
    return 'billing_error'
  const named = type !== undefined && Object.hasOwn(NAMES, type) ? NAMES[type] : undefined
  if ((named ?? 'server_error') === 'server_error' && (status ?? 500) >= 500 && OVERLOADED.test(words))
    return 'overloaded'
  // A status tells more than "invalid_request_error", which some send with every one of them.
  if (named !== undefined && (named !== 'invalid_request' || status === undefined)) return named
  return status === undefined ? 'server_error' : nameOfStatus(status)
}

function errorDetails(error: PlainObject, thrown: unknown): { type: string | undefined; words: string } {
  const body = typeof error['responseBody'] === 'string' ? error['responseBody'] : undefined
  const inner = innerError(error['data']) ?? innerError(jsonIn(body ?? '')) ?? (thrown instanceof Error ? {} : error)
  const type = inner['code'] === 'insufficient_quota' ? 'insufficient_quota' : (inner['type'] ?? inner['code'])
  const words = textOr(inner['message']) ?? errorMessage(thrown)
  const page = body !== undefined && textOr(inner['message']) === undefined ? ` (${plainText(body)})` : ''
  return { type: textOr(type), words: (words + page).slice(0, LONGEST) }
}

/** `{ error: { type, message } }`, or its inner object. */
function innerError(data: unknown): PlainObject | undefined {
  if (!isObject(data)) return undefined
  if (isObject(data['error'])) return data['error']
  return typeof data['message'] === 'string' ? data : undefined
}

const plainText = (body: string): string =>
  body
    .slice(0, 20_000)
    .replaceAll(/<(style|script)\b[^]*?<\/\1>|<[^>]*>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)

function failureOfTransport(thrown: unknown, message: (text: string) => string): ModelFailure {
  const code = codeOf(thrown)
  const name = thrown instanceof Error ? thrown.name : ''
  if (name === 'AI_LoadAPIKeyError')
    return new ModelFailure(message(errorMessage(thrown)), { why: 'authentication_failed', retryable: false })
  if (/^AI_(?:Unsupported|Invalid(?:Argument|Prompt)|NoSuchModel|LoadSetting)/.test(name))
    return new ModelFailure(message(errorMessage(thrown)), { why: 'invalid_request', retryable: false })
  if (isMistake(thrown, name, code))
    return new ModelFailure(message(errorMessage(thrown)), {
      why: 'unknown',
      unquoted: `the model threw ${name}${UNSHOWN}`,
      retryable: false,
      cause: thrown
    })
  const words = errorMessage(thrown).slice(0, LONGEST).replace(/:\s*$/, '')
  const detail = code === undefined || words.includes(code) ? words : `${words} (${code})`
  return new ModelFailure(message(`the provider could not be reached: ${detail}`), {
    why: 'server_error',
    unquoted: `the provider could not be reached: ${code ?? name}${UNSHOWN}`,
    retryable: code === undefined || !HOPELESS.test(code),
    cause: thrown
  })
}

/** fetch throws TypeError both for programming errors and for failed connections. */
function isMistake(thrown: unknown, name: string, code: string | undefined): boolean {
  if (name === 'AssertionError' || OWN_MISTAKE.test(code ?? '')) return true
  if (code !== undefined) return false
  if (thrown instanceof TypeError) return !/fetch|network|terminated|socket|connect/i.test(thrown.message)
  return thrown instanceof ReferenceError || thrown instanceof RangeError
}

function codeOf(thrown: unknown): string | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const code: unknown = Reflect.get(at, 'code')
    if (typeof code === 'string') return code
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0])
  }
  return undefined
}

/** Some providers say whether to retry. */
function retryableBy(headers: PlainObject): boolean | undefined {
  const said = headers['x-should-retry']
  return said === 'true' ? true : said === 'false' ? false : undefined
}

/** How long to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterOf(headers: PlainObject, now = Date.now()): number | undefined {
  const ms = Number.parseFloat(textOr(headers['retry-after-ms']) ?? '')
  if (ms >= 0) return ms
  const said = textOr(headers['retry-after'])?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(said)) return Number.parseFloat(said) * 1000
  const date = /[a-z]/i.test(said) ? Date.parse(said) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** A stream that breaks later still has status 200, which says nothing. */
const statusOf = (value: unknown): number | undefined => (typeof value === 'number' && value >= 300 ? value : undefined)
const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Clock } from '../util/clock.ts'
import { credentialsIn, holdCredential } from '../util/credentials.ts'
import { failureOf, abandoned, withPartial } from './failure.ts'
import { StallTimeout } from './stall-timeout.ts'
import type { Answer, Model, ModelRequest, Price, StreamEvent } from './model.ts'
import { priceOf } from './prices.ts'
import { converter } from './prompt.ts'
import { callBuilder, unsentTo } from './request.ts'
import { Receiver } from './stream.ts'

export interface AdapterOptions {
  /** Default: the list price, if the model has one. */
  readonly price?: Price | undefined
  readonly idle?: number | undefined
  readonly clock?: Clock | undefined
}

type Parts = ReadableStreamDefaultReader<LanguageModelV4StreamPart>

/** Milliseconds that a finished stream has to close, so that its connection can be reused. */
const CLOSING = 2000

export function fromLanguageModel(model: LanguageModelV4, options: AdapterOptions = {}): Model {
  const { provider, modelId } = model
  holdKeysOf(model)
  // Chat completions take no pictures in results of tools.
  const convert = converter(provider.endsWith('.chat'))
  const build = callBuilder(provider, modelId)

  const stream = async (
    request: ModelRequest,
    timeout: StallTimeout,
    heard: { receiver?: Receiver },
    onEvent?: (event: StreamEvent) => void
  ) => {
    const converted = convert(request.messages)
    const call = { ...build(request, converted), abortSignal: timeout.signal }
    const unsent = unsentTo(provider, request)
    heard.receiver = new Receiver({ model: modelId, taken: converted.tools, unsent, onEvent })
    const { stream: parts } = await model.doStream(call)
    return receive(parts.getReader(), heard.receiver, timeout)
  }

  return {
    name: modelId,
    provider: provider.replace(/\..*/, ''),
    price: options.price ?? priceOf(modelId),
    ask(request, signal, onEvent) {
      if (signal.aborted) return Promise.reject(abandoned(signal.reason))
      const timeout = new StallTimeout(signal, options.clock, options.idle)
      const tell = onEvent && ((event: StreamEvent) => (timeout.isOver ? undefined : onEvent(event)))
      const heard: { receiver?: Receiver } = {}
      return timeout.await(stream(request, timeout, heard, tell)).catch((error: unknown) => {
        throw withPartial(failureOf(error), heard.receiver?.text ?? '')
      })
    }
  }
}

/** Models of the AI SDK carry their key in the headers of their configuration: register it as a credential. */
function holdKeysOf(model: LanguageModelV4): void {
  const { config } = model as { readonly config?: { readonly headers?: object | (() => unknown) } }
  const hold = (headers: unknown): void => credentialsIn(headers).forEach(holdCredential)
  try {
    const headers: unknown = typeof config?.headers === 'function' ? config.headers() : config?.headers
    if (headers instanceof Promise) headers.then(hold, () => undefined)
    else hold(headers)
  } catch {
    // It has no key, and will say so itself.
  }
}

async function receive(parts: Parts, receiver: Receiver, timeout: StallTimeout): Promise<Answer> {
  try {
    while (!receiver.finished) {
      const { done, value } = await parts.read()
      if (done || timeout.isOver) break
      if (receiver.take(value)) timeout.reset(receiver.isThinkingUnseen)
    }
    return receiver.answer()
  } finally {
    close(parts, receiver.finished)
  }
}

/** A connection can be reused only when it was read to its end. */
function close(parts: Parts, isWhole: boolean): void {
  const cancel = (): void => void parts.cancel().catch(() => {})
  if (!isWhole) return cancel()
  const timer = setTimeout(cancel, CLOSING).unref()
  const drain = (): unknown => parts.read().then(({ done }) => (done ? clearTimeout(timer) : drain()))
  Promise.resolve(drain()).catch(() => clearTimeout(timer))
}

import type { Clock } from '../util/clock.ts'

/** How long aborted work may take to settle, in milliseconds. */
const GRACE = 300

/** Callbacks for the abort of a signal. They share one listener: adding one costs more than a short call. */
const WAITING = new WeakMap<AbortSignal, Set<() => void>>()

function waitersFor(signal: AbortSignal): Set<() => void> {
  const known = WAITING.get(signal)
  if (known !== undefined) return known
  const waiting = new Set<() => void>()
  WAITING.set(signal, waiting)
  signal.addEventListener('abort', () => waiting.forEach(giveUp => giveUp()), { once: true })
  return waiting
}

/** Waits for work that ends by itself when the signal is aborted; after a grace period it is abandoned. `instead`: what
 * an error becomes. */
export function within<T>(work: PromiseLike<T>, signal: AbortSignal, instead?: (error: unknown) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const fail = (error: unknown): void => (instead === undefined ? reject(error) : resolve(instead(error)))
    const giveUp = (): void => {
      timer = setTimeout(() => fail(new Error('[The call was interrupted; how far it got is not known.]')), GRACE)
    }
    const waiting = waitersFor(signal)
    if (signal.aborted) giveUp()
    else waiting.add(giveUp)
    const settled = (): void => {
      clearTimeout(timer)
      waiting.delete(giveUp)
    }
    work.then(
      value => {
        settled()
        resolve(value)
      },
      (error: unknown) => {
        settled()
        fail(error)
      }
    )
  })
}

/** How long hooks for an interrupted turn may take, in milliseconds. */
const LINGER = 2000

/** A signal that aborts a while after the other. Call `end` when neither is needed any more. */
export function lingering(signal: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    timer = setTimeout(() => late.abort(signal.reason), LINGER)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return {
    signal: late.signal,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

export function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}

import type { Clock } from '../util/clock.ts'

/** How long something that was given up may take to say how it ended, in milliseconds. */
const GRACE = 300

/** Waits for work that ends by itself when the signal says so; work that does not is left alone after a while. */
export function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.race([work, givenUp()])
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void givenUp().catch(reject)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function givenUp(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('[The call was interrupted; how far it got is not known.]')), GRACE).unref()
  })
}

/** Waits, unless the signal comes first. */
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

/** Time as the engine needs it. `coarse`: reading it is expensive, so a deadline may be set a tick late. */
export interface Clock {
  readonly coarse: boolean
  now(): number
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  coarse: true,
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
}

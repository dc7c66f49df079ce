import type { Clock } from '../../../util/clock.ts'

/** After a ping, silence is checked twice: a late timer must not count for data that was not read yet. */
const LOOK = 1_000
const LOOKS = 2

/** Checks whether a worker is still alive while an answer is pending; otherwise there is no timer. */
export function heartbeat(clock: Clock, interval: number, ping: () => void, onSilence: (seconds: number) => void) {
  let lastSign = 0
  let looks = 0
  let cancel: (() => void) | undefined
  const sign = (): void => {
    lastSign = clock.now()
    looks = 0
  }
  const wait = (ms: number): void => void (cancel = clock.after(ms, look))
  const look = (): void => {
    const silent = clock.now() - lastSign
    if (silent < interval) return wait(interval - silent)
    if (looks === LOOKS) {
      cancel = undefined
      return onSilence((interval + LOOK * LOOKS) / 1000)
    }
    if (looks++ === 0) ping()
    wait(LOOK)
  }
  return {
    watch() {
      if (cancel !== undefined) return
      sign()
      wait(interval)
    },
    rest() {
      cancel?.()
      cancel = undefined
    },
    sign
  }
}

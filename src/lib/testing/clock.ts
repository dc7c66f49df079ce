import type { Clock } from '../util/clock.ts'

/** A clock that moves only when `advance` is called. */
export interface ManualClock extends Clock {
  /** Advances the clock by this many seconds, and runs everything that falls due and what follows from it. */
  advance(seconds: number): Promise<void>
}

interface Alarm {
  readonly at: number
  readonly run: () => void
}

/** The number of microtasks an answer may need; the engine needs less than a tenth of them. */
const TURNS = 50

/** Pass it to a registry as its `clock`. */
export function manualClock(): ManualClock {
  let now = 0
  const alarms = new Set<Alarm>()
  return {
    coarse: false,
    now: () => now,
    after(ms, run) {
      const alarm = { at: now + ms, run }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
    async advance(seconds) {
      const end = now + seconds * 1000
      await settle()
      for (let alarm = soonest(alarms, end); alarm !== undefined; alarm = soonest(alarms, end)) {
        alarms.delete(alarm)
        now = alarm.at
        alarm.run()
        await settle()
      }
      now = end
    }
  }
}

function soonest(alarms: ReadonlySet<Alarm>, end: number): Alarm | undefined {
  let first: Alarm | undefined
  for (const alarm of alarms) if (alarm.at <= end && (first === undefined || alarm.at < first.at)) first = alarm
  return first
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await Promise.resolve()
}

import type { PlainObject } from '../../util/plain.ts'
import { Failed } from '../outcome.ts'
import { later, type Later, type Reply } from '../reply.ts'
import { LONGEST_TIMER } from '../settings.ts'
import type { Outside } from './outside.ts'
import type { OutsideSpec } from './spec.ts'

/**
 * What a hook outside this process hands over with `async: true`: its event goes on without the answer. Library hooks
 * name seconds that the event waits; the contract names milliseconds that the answer may take.
 */
export function laterBy(
  said: PlainObject,
  answer: Promise<Reply | undefined>,
  end: () => void,
  { dialect }: Pick<OutsideSpec, 'dialect'>,
  place: Outside
): Later {
  const limit = said['asyncTimeout'] ?? said['async_timeout']
  if (typeof limit !== 'number' || !(limit > 0)) return later(answer)
  if (dialect === 'library') return later(answer, { asyncTimeout: Math.min(limit, LONGEST) })
  return limit > LONGEST * 1000 ? later(answer) : later(limited(answer, limit, end, place))
}

/** Seconds. A timer that is set for longer goes off at once. */
const LONGEST = Math.floor(LONGEST_TIMER / 1000) - 1

function limited(
  answer: Promise<Reply | undefined>,
  limit: number,
  end: () => void,
  place: Outside
): Promise<Reply | undefined> {
  const inTime = new Promise<Reply | undefined>((resolve, reject) => {
    const cancel = place.clock.after(limit, () => {
      end()
      reject(new Failed('timeout', `gave no answer within the ${limit} ms of its asyncTimeout`))
    })
    void answer.finally(cancel).then(resolve, reject)
  })
  // Whoever was to wait for it may have gone.
  inTime.catch(() => undefined)
  return inTime
}

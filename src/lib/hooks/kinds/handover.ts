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
  if (dialect === 'library') return later(answer, { asyncTimeout: limit })
  // A timer cannot be set for longer: it would go off at once.
  if (limit >= LONGEST_TIMER) return later(answer)
  return later(
    new Promise((resolve, reject) => {
      const cancel = place.clock.after(limit, () => {
        end()
        reject(new Failed('timeout', `gave no answer within the ${limit} ms of its asyncTimeout`))
      })
      void answer.finally(cancel).then(resolve, reject)
    })
  )
}

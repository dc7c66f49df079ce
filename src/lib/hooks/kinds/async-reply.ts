import type { PlainObject } from '../../util/plain.ts'
import { Later, type Reply } from '../reply.ts'
import { LONGEST_TIMER } from '../option-values.ts'
import type { HookEnvironment } from './hook-environment.ts'
import type { OutsideSpec } from './spec.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

/**
 * What a hook outside this process announces with `async: true`: a gate of the strict profile waits for the answer, and
 * other events go on without it. Library hooks name the limit in seconds; the contract names it in milliseconds.
 */
export function asyncReply(
  said: PlainObject,
  answer: Promise<Reply | undefined>,
  end: () => void,
  { dialect }: Pick<OutsideSpec, 'dialect'>,
  place: HookEnvironment
): Later {
  const limit = said['asyncTimeout'] ?? said['async_timeout']
  const unit = dialect === 'library' ? 1000 : 1
  if (typeof limit !== 'number' || !(limit > 0)) return new Later(answer, undefined, 'unlimited')
  const ms = Math.min(limit * unit, LONGEST)
  return dialect === 'library'
    ? new Later(answer, ms, 'limited')
    : new Later(withTimeLimit(answer, ms, end, place), undefined, 'limited')
}

/** A timer that is set for longer goes off at once. */
const LONGEST = LONGEST_TIMER - 1000

/** An answer within its time, in milliseconds; after that its process is ended. */
export function withTimeLimit(
  answer: Promise<Reply | undefined>,
  limit: number,
  end: () => void,
  place: HookEnvironment
): Promise<Reply | undefined> {
  const inTime = new Promise<Reply | undefined>((resolve, reject) => {
    const cancel = place.clock.after(limit, () => {
      end()
      reject(new HookFailure('timeout', `gave no answer within ${limit} ms`))
    })
    void answer.finally(cancel).then(resolve, reject)
  })
  // Whoever was to wait for it may have gone.
  inTime.catch(() => undefined)
  return inTime
}

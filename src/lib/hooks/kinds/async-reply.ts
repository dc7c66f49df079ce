import type { Clock } from '../../util/clock.ts'
import type { PlainObject } from '../../util/plain.ts'
import { Later, type Reply } from '../reply.ts'
import { LONGEST_TIMER } from '../option-values.ts'
import type { OutsideSpec } from './spec.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

/** A reply that is still to come, and how to end what works on it. */
export interface UnfinishedReply {
  readonly answer: Promise<Reply | undefined>
  end(): void
}

/**
 * What a hook outside this process announces with `async: true`: a gate of the strict profile waits for the answer, and
 * other events do not. Library hooks name the limit in seconds; the contract names it in milliseconds.
 */
export function asyncReply(
  { asyncTimeout, async_timeout }: PlainObject,
  pending: UnfinishedReply,
  { dialect }: Pick<OutsideSpec, 'dialect'>,
  clock: Clock
): Later {
  const { answer } = pending
  const limit = asyncTimeout ?? async_timeout
  const unit = dialect === 'library' ? 1000 : 1
  if (typeof limit !== 'number' || !(limit > 0)) return new Later(answer, undefined, 'unlimited')
  const ms = Math.min(limit * unit, LONGEST)
  return dialect === 'library'
    ? new Later(answer, ms, 'limited')
    : new Later(withTimeLimit(pending, ms, clock), undefined, 'limited')
}

/** A timer that is set for longer goes off at once. */
const LONGEST = LONGEST_TIMER - 1000

/** An answer within its time, in milliseconds; after that its process is ended. */
export function withTimeLimit(
  { answer, end }: UnfinishedReply,
  limit: number,
  clock: Clock
): Promise<Reply | undefined> {
  const inTime = new Promise<Reply | undefined>((resolve, reject) => {
    const cancel = clock.after(limit, () => {
      end()
      reject(new HookFailure('timeout', `gave no answer within ${limit} ms`))
    })
    void answer.finally(cancel).then(resolve, reject)
  })
  // The event may no longer wait for it.
  inTime.catch(() => undefined)
  return inTime
}

import { Context } from './context.ts'
import type { Entry } from './entry.ts'
import type { Condition } from '../hook.ts'
import type { LateAnswer } from '../background.ts'
import { Failed, type FailureKind, type Said } from './outcome.ts'
import { ALLOW, Later } from '../reply.ts'
import type { Pending, Run } from './run.ts'
import type { Given } from './tally.ts'

/** Someone who waits for a hook: how long, and whether it is the time for all hooks together that ends it. */
interface Patient {
  patience: number
  budgeted: boolean
}

/** Whether the hook is not to be asked; if it should have been, that is its failure. */
export function isPassedOver(run: Run, entry: Entry): boolean {
  if ((run.budgetEnd !== undefined || run.isAborted()) && isTooLate(run, entry)) return true
  return !entry.simple && skips(run, entry)
}

function isTooLate(run: Run, entry: Entry): boolean {
  if (run.phase === 'observe') return false
  if (run.isAborted()) return fail(run, entry, undefined, 'aborted', 'the run was aborted before the hook was asked')
  if (run.hub.settings.clock.now() < run.budgetEnd!) return false
  return fail(run, entry, undefined, 'budget', 'the time for all hooks together was used up')
}

function skips(run: Run, entry: Entry): boolean {
  const stopper = entry.observe ? undefined : run.tallied?.stopperOf(entry)
  if (stopper !== undefined) return skip(run, entry, `${stopper}, of the same group, said continue: false`)
  if (entry.condition !== undefined && !holds(run, entry, entry.condition)) return true
  if (!entry.once || run.phase === 'rejudge') return false
  if (!mayRunOnce(entry)) return skip(run, entry, 'runs once, and has run')
  if (entry.state.once === 'ready') entry.state.once = 'running'
  return false
}

/** What another call is told by a gate that has not answered yet says nothing of this call: a gate is asked again. */
const mayRunOnce = ({ state, row }: Entry): boolean =>
  state.once === 'ready' || (state.once === 'running' && row.failure === 'closed')

/** A hook that is not concerned with this draft may be concerned with a later one: it is not excused. */
function holds(run: Run, entry: Entry, condition: Condition): boolean {
  try {
    if (condition.holds(run.rewritten?.current() ?? run.input)) return true
  } catch (error) {
    run.trace?.note(entry, `its condition ${condition.words} failed, so it runs: ${Failed.from(error).message}`)
    return true
  }
  if (run.phase === 'rejudge') run.tally.withdraw(entry)
  run.trace?.skip(entry, `condition ${condition.words} does not hold`)
  return false
}

function skip(run: Run, entry: Entry, why: string): true {
  run.tally.excuse(entry)
  run.trace?.skip(entry, why)
  return true
}

/** What has to be waited for before `raw` is an answer; says how long `waiter` may take for it. */
export function pendingOf(run: Run, entry: Entry, raw: unknown, waiter: Patient): Pending | undefined {
  if (typeof raw !== 'object' || raw === null || raw === ALLOW) return undefined
  let pending: Pending
  let patience = entry.patience
  if (typeof (raw as { then?: unknown }).then === 'function') {
    pending = raw as Pending
  } else if (raw instanceof Later && waitsFor(entry, raw)) {
    pending = raw.promise
    patience = raw.patience ?? patience
  } else return undefined
  waiter.patience = patience
  if (run.budgetEnd !== undefined && run.phase !== 'observe')
    limit(waiter, run.budgetEnd - run.hub.settings.clock.now())
  return pending
}

function limit(waiter: Patient, left: number): void {
  waiter.budgeted = left < waiter.patience
  if (waiter.budgeted) waiter.patience = Math.max(1, left)
}

/**
 * Only an event that decides something is worth waiting for. Library hooks are waited for there; of others those that
 * hold a gate and have announced an answer.
 */
const waitsFor = (entry: Entry, later: Later): boolean =>
  (entry.dialect === 'library' && entry.row.takes.blocks) ||
  (isGateOf(entry, later) && (entry.profile === 'strict' || entry.onFailure === 'block'))

/** The hook holds a gate, and has announced its answer instead of giving one. */
const isGateOf = (entry: Entry, { announced }: Later): boolean =>
  announced !== undefined && entry.row.failure === 'closed' && !entry.observe

/** Takes what a hook answered. */
export function settle(run: Run, entry: Entry, ctx: Context, raw: unknown, place: number): void {
  Context.close(ctx)
  if (raw !== ALLOW && raw instanceof Later) {
    run.tally.excuse(entry)
    run.trace?.handOver(entry)
    if (isGateOf(entry, raw)) {
      run.tally.passed(entry)
      run.trace?.note(entry, 'announced its answer; the strict profile waits for it')
    }
    answerLater(run, entry, raw)
    if (entry.once && run.phase !== 'rejudge') run.ranOnce(entry)
    return
  }
  let said: Said | undefined
  try {
    said = run.tally.read(entry, raw)
  } catch (error) {
    failWith(run, entry, ctx, error)
    return
  }
  // Most answers are words alone.
  if (said !== undefined && said.updatedInput === undefined && run.isPlain(entry) && Context.isUntouched(ctx)) {
    run.tally.record(entry, said)
  } else count(run, entry, ctx, { said, draft: Context.draft(ctx), messages: Context.messages(ctx), raw }, place)
}

/** Counts an answer. What a hook changed before it failed or denied does not count. */
export function count(run: Run, entry: Entry, ctx: Context, given: Given, place: number): void {
  try {
    run.tally.take(entry, given, place)
  } catch (error) {
    failWith(run, entry, ctx, error)
    return
  }
  run.trace?.judged(entry, given.said?.decision)
  run.trace?.end(entry, given.said === undefined ? 'silent' : 'answered', given.raw, undefined)
  if (entry.once && run.phase !== 'rejudge') run.ranOnce(entry)
}

/** Counts a failure. Gives back true, so that a caller can say in one word that the hook is done with. */
export function fail(run: Run, entry: Entry, ctx: Context | undefined, kind: FailureKind, message: string): true {
  if (ctx !== undefined) {
    Context.close(ctx)
    putBack(entry)
  }
  const failure = run.tally.fail(entry, kind, message)
  run.trace?.end(entry, 'failed', undefined, failure)
  return true
}

/** A `once` hook that has not done its work may run again. */
function putBack({ state }: Entry): void {
  if (state.once === 'running') state.once = 'ready'
}

/** The same for whatever was thrown. */
export function failWith(run: Run, entry: Entry, ctx: Context | undefined, error: unknown): true {
  const { kind, message } = Failed.from(error)
  return fail(run, entry, ctx, kind, message)
}

/** Tells a hook that it is not waited for any longer. Gives back how it failed. */
export function abandon(ctx: Context, why: 'timeout' | 'aborted', { patience, budgeted }: Patient): Failed {
  const kind = why === 'timeout' && budgeted ? 'budget' : why
  const message = {
    timeout: `gave no answer within ${patience / 1000} s`,
    budget: 'was cut off: the time for all hooks together was used up',
    aborted: 'was cut off: the run was aborted'
  }[kind]
  Context.abandon(ctx, new Error(message))
  return new Failed(kind, message)
}

/** Drops an answer that comes after its time. A promise in it must not become an unhandled rejection. */
export function ignore(run: Run, entry: Entry, raw: unknown): void {
  run.trace?.note(entry, 'answered too late; the answer was dropped')
  try {
    if (raw instanceof Later) void Promise.resolve(raw.promise).catch(() => undefined)
  } catch {
    // It is not even an object that can be looked at.
  }
}

/** An earlier member of the group had said `continue: false` before this answer was counted. */
export function drop(run: Run, entry: Entry, stopper: string): void {
  putBack(entry)
  run.tally.excuse(entry)
  run.trace?.end(entry, 'skipped', undefined, undefined)
  run.trace?.note(entry, `its answer was dropped: ${stopper}, of the same group, said continue: false`)
}

/**
 * Follows an answer that its event does not wait for. What comes in time is handed to `onLate`: context and
 * system messages only, since what it might have decided has already happened.
 */
function answerLater(run: Run, entry: Entry, later: Later): void {
  const { hub } = run
  const session = run.base('session_id')
  const report = async (said: Said | undefined, failed: Failed | undefined): Promise<void> => {
    const failure = failed && { by: entry.name, kind: failed.kind, message: failed.message, failedOpen: false }
    run.trace?.end(entry, failure === undefined ? 'answered' : 'failed', undefined, failure)
    const { contexts = [], systemMessages = [] } = said?.rest ?? {}
    const answer: LateAnswer = {
      by: entry.name,
      event: entry.event,
      sessionId: session,
      contexts,
      systemMessages,
      failure
    }
    if (said?.decision !== undefined) run.trace?.note(entry, 'decided too late; the decision was dropped')
    if (failure !== undefined || contexts.length > 0 || systemMessages.length > 0) await hub.settings.onLate?.(answer)
  }
  const reported = inTime(run, entry, later).then(
    said => report(said, undefined),
    error => report(undefined, Failed.from(error))
  )
  const isAnnounced = later.announced === 'limited' && entry.profile === 'strict'
  hub.background.spawn(reported, message => run.trace?.note(entry, `onLate failed: ${message}`), isAnnounced)
}

/** The decoded answer, if it comes in time. Hooks from files have no limit here. */
async function inTime(run: Run, entry: Entry, later: Later): Promise<Said | undefined> {
  const { clock } = run.hub.settings
  const patience = entry.dialect === 'contract' ? undefined : (later.patience ?? entry.patience)
  let cancel = (): void => undefined
  const tooLate = new Promise<never>((_, reject) => {
    if (patience === undefined) return
    cancel = clock.after(patience, () => reject(new Failed('timeout', `gave no answer within ${patience / 1000} s`)))
  })
  try {
    return run.tally.read(entry, await Promise.race([later.promise, tooLate]))
  } finally {
    cancel()
  }
}

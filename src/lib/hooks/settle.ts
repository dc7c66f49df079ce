import { wordsOf } from '../errors.ts'
import { answerOf } from './answers.ts'
import { Context } from './context.ts'
import type { Entry } from './entry.ts'
import { answerLater } from './late.ts'
import { Failed, type FailureKind } from './outcome.ts'
import { Later } from './reply.ts'
import type { Pending, Run } from './run.ts'
import type { HookReport } from './trace.ts'

/** What has to be waited for before `raw` is an answer; says how long `waiter` may take for it. */
export function pendingOf(run: Run, entry: Entry, raw: unknown, waiter: { patience: number }): Pending | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  let pending: Pending
  let patience = entry.patience
  if (typeof (raw as { then?: unknown }).then === 'function') {
    pending = raw as Pending
    entry.state.manner = 'async'
  } else if (raw instanceof Later && waitsFor(entry)) {
    pending = raw.promise
    patience = raw.patience ?? patience
  } else return undefined
  if (run.budgetEnd !== undefined) patience = Math.min(patience, Math.max(1, run.budgetEnd - run.hub.settings.clock.now()))
  waiter.patience = patience
  return pending
}

/** Only an event that decides something is worth waiting for, and only library hooks are waited for. */
const waitsFor = ({ dialect, row }: Entry): boolean => dialect === 'library' && answerOf(row.answer).blocks

/** Counts what a hook answered. What it changed before it failed or denied does not count. */
export function settle(run: Run, entry: Entry, ctx: Context, raw: unknown, place: number): void {
  Context.close(ctx)
  if (raw instanceof Later) {
    answerLater(run, entry, raw)
    run.tally.excuse(entry)
    return settled(run, entry, 'late', undefined, false)
  }
  try {
    const said = run.tally.take(entry, ctx, raw, place)
    settled(run, entry, said === undefined ? 'silent' : 'answered', raw, said?.decision === 'deny')
  } catch (error) {
    const { kind, message } = error instanceof Failed ? error : new Failed('threw', wordsOf(error))
    fail(run, entry, ctx, kind, message)
  }
}

function settled(run: Run, entry: Entry, status: HookReport['status'], reply: unknown, blocked: boolean): void {
  run.trace?.end(entry, status, reply, undefined)
  if (!entry.once || run.phase === 'rejudge') return
  if (blocked) entry.state.spent = false
  else run.hub.retire(entry)
}

/** Counts a failure. Gives back true, so that a caller can say in one word that the hook is done with. */
export function fail(run: Run, entry: Entry, ctx: Context | undefined, kind: FailureKind, message: string): true {
  if (ctx !== undefined) {
    Context.close(ctx)
    entry.state.spent = false
  }
  const failure = run.tally.fail(entry, kind, message)
  run.trace?.end(entry, 'failed', undefined, failure)
  return true
}

/** The hook is not waited for any longer; its signal tells it so. */
export function giveUp(run: Run, entry: Entry, ctx: Context, why: 'timeout' | 'aborted', patience: number): void {
  const kind = why === 'timeout' && run.budgetEnd !== undefined && patience < entry.patience ? 'budget' : why
  const message = {
    timeout: `gave no answer within ${patience / 1000} s`,
    budget: 'was cut off: the time for all hooks together was used up',
    aborted: 'was cut off: the run was aborted'
  }[kind]
  fail(run, entry, ctx, kind, message)
  Context.abandon(ctx, new Error(message))
}

/** An earlier member of the group had said `continue: false` before this answer was counted. */
export function drop(run: Run, entry: Entry, ctx: Context, stopper: string): void {
  Context.close(ctx)
  run.tally.excuse(entry)
  run.trace?.end(entry, 'skipped', undefined, undefined)
  run.trace?.note(entry, `ran, but its answer was dropped: ${stopper}, of the same group, said continue: false`)
}

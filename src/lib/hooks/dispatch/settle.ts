import type { Condition } from '../hook.ts'
import { Later } from '../reply.ts'
import { Context } from './context.ts'
import type { HookEntry } from './entry.ts'
import { thrownAt } from '../../util/stack.ts'
import { HookFailure, timeoutMessage } from './hook-failure.ts'
import type { DecodedReply, HookAnswer } from './outcome.ts'
import type { Run } from './run.ts'

export type PendingAnswer = PromiseLike<unknown>

interface TimeLimit {
  patience: number
  budgeted: boolean
}

/** Whether the hook is skipped, which may be a failure. If it is not, the trace records its start. */
export function isPassedOver(run: Run, entry: HookEntry): boolean {
  if ((run.budgetEnd !== undefined || run.isAborted()) && isTooLate(run, entry)) return true
  if (!entry.simple && skips(run, entry)) return true
  run.trace?.start(entry, run.phase === 'rejudge')
  return false
}

function isTooLate(run: Run, entry: HookEntry): boolean {
  if (run.phase === 'observe') return false
  if (run.isAborted())
    return fail(run, entry, undefined, new HookFailure('aborted', 'the run was aborted before the hook was called'))
  if (run.budgetEnd === undefined || run.registry.settings.clock.now() < run.budgetEnd) return false
  return fail(run, entry, undefined, new HookFailure('budget', 'the time for all hooks together was used up'))
}

function skips(run: Run, entry: HookEntry): boolean {
  const stopper = entry.observe ? undefined : run.tallied?.stopperOf(entry)
  if (stopper !== undefined) return skip(run, entry, `${stopper}, of the same group, answered continue: false`)
  if (entry.condition !== undefined && !holds(run, entry, entry.condition)) return true
  if (!entry.once || run.phase === 'rejudge') return false
  if (!mayRunOnce(entry)) return skip(run, entry, 'runs once, and has run')
  if (entry.state.once === 'ready') entry.state.once = 'running'
  return false
}

/** The pending answer of a gate about another call says nothing about this call: a gate is called again. */
const mayRunOnce = ({ state, row }: HookEntry): boolean =>
  state.once === 'ready' || (state.once === 'running' && row.failure === 'closed')

/** A hook whose condition does not hold for this draft may be called about a later one: it is not excused. */
function holds(run: Run, entry: HookEntry, condition: Condition): boolean {
  try {
    if (condition.holds(run.rewritten?.current() ?? run.input)) return true
  } catch (error) {
    run.trace?.note(entry, `its condition ${condition.words} failed, so it runs: ${HookFailure.from(error).message}`)
    return true
  }
  if (run.phase === 'rejudge') run.tally.withdraw(entry)
  run.trace?.skip(entry, `condition ${condition.words} does not hold`)
  return false
}

function skip(run: Run, entry: HookEntry, why: string): true {
  run.tally.excuse(entry)
  run.trace?.skip(entry, why)
  return true
}

/** The promise to wait for before `raw` is an answer; sets how long `waiter` may take for it. */
export function pendingOf(run: Run, entry: HookEntry, raw: unknown, waiter: TimeLimit): PendingAnswer | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  let pending: PendingAnswer
  let patience = entry.patience
  if (typeof (raw as { then?: unknown }).then === 'function') {
    pending = raw as PendingAnswer
  } else if (raw instanceof Later && waitsFor(entry, raw)) {
    pending = raw.promise
    patience = raw.patience ?? patience
  } else return undefined
  waiter.patience = patience
  if (run.budgetEnd !== undefined) limit(waiter, run.budgetEnd - run.registry.settings.clock.now())
  return pending
}

function limit(waiter: TimeLimit, left: number): void {
  waiter.budgeted = left < waiter.patience
  if (waiter.budgeted) waiter.patience = Math.max(1, left)
}

/** On events that can block: library hooks, and gates from files that have announced an answer. */
const waitsFor = (entry: HookEntry, later: Later): boolean =>
  (entry.dialect === 'library' && entry.row.takes.blocks) ||
  (isGateOf(entry, later) && (entry.profile === 'strict' || entry.onFailure === 'block'))

const isGateOf = (entry: HookEntry, { announced }: Later): boolean =>
  announced !== undefined && entry.row.failure === 'closed' && !entry.observe

/** Takes an answer. Throws when it cannot be trusted. */
export function settle(run: Run, entry: HookEntry, ctx: Context, raw: unknown): void {
  Context.close(ctx)
  if (raw instanceof Later) {
    run.tally.excuse(entry)
    run.trace?.handOver(entry)
    if (isGateOf(entry, raw)) {
      run.tally.failOpen(entry)
      run.trace?.note(entry, 'announced its answer; the strict profile waits for it')
    }
    followLate(run, entry, raw)
    if (entry.once && run.phase !== 'rejudge') run.ranOnce(entry)
    return
  }
  const reply = run.tally.read(entry, raw)
  count(run, entry, ctx, { reply, draft: Context.draft(ctx), messages: Context.messages(ctx), raw })
}

/** Counts an answer. What a hook changed before it failed or denied does not count. */
export function count(run: Run, entry: HookEntry, ctx: Context, answer: HookAnswer): void {
  try {
    run.tally.take(entry, answer)
  } catch (error) {
    fail(run, entry, ctx, error)
    return
  }
  run.trace?.judged(entry, answer.reply?.decision)
  run.trace?.end(entry, answer.reply === undefined ? 'silent' : 'answered', answer.raw, undefined)
  if (entry.once && run.phase !== 'rejudge') run.ranOnce(entry)
}

/** Counts whatever was thrown as a failure. Returns true: the hook is not called any more. */
export function fail(run: Run, entry: HookEntry, ctx: Context | undefined, error: unknown): true {
  if (ctx !== undefined) {
    Context.close(ctx)
    putBack(entry)
  }
  const failed = HookFailure.from(error)
  const failure = run.tally.fail(entry, failed)
  run.trace?.end(entry, 'failed', undefined, { ...failure, at: thrownAt(failed.thrown) })
  return true
}

function putBack({ state }: HookEntry): void {
  if (state.once === 'running') state.once = 'ready'
}

export function abandon(ctx: Context, why: 'timeout' | 'aborted', { patience, budgeted }: TimeLimit): HookFailure {
  const kind = why === 'timeout' && budgeted ? 'budget' : why
  const message = {
    timeout: timeoutMessage(patience),
    budget: 'was cut off: the time for all hooks together was used up',
    aborted: 'was cut off: the run was aborted'
  }[kind]
  Context.abandon(ctx, new Error(message))
  return new HookFailure(kind, message)
}

/** Drops a late answer. A promise in it must not become an unhandled rejection. */
export function ignore(run: Run, entry: HookEntry, raw: unknown): void {
  run.trace?.note(entry, 'answered too late; the answer was dropped')
  try {
    if (raw instanceof Later) void Promise.resolve(raw.promise).catch(() => undefined)
  } catch {
    // Even reading it can throw.
  }
}

export function drop(run: Run, entry: HookEntry, stopper: string): void {
  putBack(entry)
  run.tally.excuse(entry)
  run.trace?.end(entry, 'skipped', undefined, undefined)
  run.trace?.note(entry, `its answer was dropped: ${stopper}, of the same group, answered continue: false`)
}

/**
 * Follows an answer that its event does not wait for. An answer in time is handed to `onLate`: context and system
 * messages only, since the event has already been decided.
 */
function followLate(run: Run, entry: HookEntry, later: Later): void {
  const { registry, sessionId, trace } = run
  const report = async (reply: DecodedReply | undefined, failed: HookFailure | undefined): Promise<void> => {
    const { name: by, event } = entry
    const failure = failed && { by, kind: failed.kind, message: failed.message, failedOpen: false }
    trace?.end(entry, failure === undefined ? 'answered' : 'failed', undefined, failure)
    const { contexts = [], systemMessages = [] } = reply?.extras ?? {}
    if (reply?.decision !== undefined) trace?.note(entry, 'decided too late; the decision was dropped')
    if (failure !== undefined || contexts.length > 0 || systemMessages.length > 0)
      await registry.settings.options.onLate?.({ by, event, sessionId, contexts, systemMessages, failure })
  }
  const reported = answerInTime(run, entry, later).then(
    reply => report(reply, undefined),
    error => report(undefined, HookFailure.from(error))
  )
  const isAnnounced = later.announced === 'limited' && entry.profile === 'strict'
  registry.background.spawn(reported, message => trace?.note(entry, `onLate failed: ${message}`), isAnnounced)
}

/** The decoded answer, if it comes in time. Hooks from files have no limit here. */
async function answerInTime(run: Run, entry: HookEntry, later: Later): Promise<DecodedReply | undefined> {
  const { clock } = run.registry.settings
  const patience = entry.dialect === 'contract' ? undefined : (later.patience ?? entry.patience)
  let cancel = (): void => undefined
  const expiry = new Promise<never>((_, reject) => {
    if (patience === undefined) return
    cancel = clock.after(patience, () => reject(new HookFailure('timeout', timeoutMessage(patience))))
  })
  try {
    return run.tally.read(entry, await Promise.race([later.promise, expiry]))
  } finally {
    cancel()
  }
}

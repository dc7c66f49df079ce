import { fault } from '../faults.ts'
import type { FieldsOf } from '../hooks/events/event-table.ts'
import type { Outcome } from '../hooks/dispatch/outcome.ts'
import type { Model } from '../model/model.ts'
import type { Session } from './session/session.ts'

type SwitchInput = FieldsOf<'PreModelSwitch'>

export type ModelRequested = Pick<SwitchInput, 'from_model' | 'requested_model' | 'pricing'>

export interface ModelSwitch extends ModelRequested, Pick<SwitchInput, 'source'> {
  readonly model: Model
}

/** How long providers keep a prompt that they were sent, in seconds. */
const CACHED = 300

/** What it costs to send the conversation so far to a model that has not cached it. */
export function cacheFacts({ tokens, asked }: Session, { price }: Model) {
  const seconds = asked === undefined ? undefined : Math.max(0, Math.round((performance.now() - asked) / 1000))
  return {
    seconds,
    isWarm: tokens > 0 && seconds !== undefined && seconds <= CACHED,
    cost: price === undefined ? {} : { estimated_cache_write_usd: (tokens * price.cacheWrite) / 1e6 }
  }
}

function switchFacts(session: Session, model: Model, { from_model, requested_model, pricing }: ModelRequested) {
  const { isWarm, cost } = cacheFacts(session, model)
  return {
    from_model,
    to_model: model.name,
    requested_model,
    source: 'resume' as const,
    context_tokens: session.tokens,
    prompt_cache_warm: isWarm,
    cache_ttl: '5m' as const,
    ...cost,
    pricing
  }
}

/** A session was resumed with another model than it had. */
export async function announceModel(session: Session, request: ModelRequested, signal: AbortSignal): Promise<void> {
  await session.hooks.run('PostModelSwitch', switchFacts(session, session.model, request), { signal })
}

/** Changes the model of a session. Throws if a hook refuses; then the model stays. */
export async function switchModel(
  session: Session,
  { model, ...request }: ModelSwitch,
  signal: AbortSignal
): Promise<void> {
  const { source } = request
  const input: SwitchInput = { ...switchFacts(session, model, request), source }
  const outcome = await session.hooks.run('PreModelSwitch', input, { signal })
  const refusal = await refusalOf(outcome, input, session, signal)
  if (refusal !== undefined) throw fault('E_REFUSED', `the switch to ${model.name}`, ...refusal)
  session.model = model
  await session.hooks.run('PostModelSwitch', { ...input }, { signal })
}

/** By whom, and why. */
async function refusalOf(
  { blocked, decision, by = 'a hook', reason = 'no reason given', failures }: Outcome,
  input: SwitchInput,
  { options: { ask } }: Session,
  signal: AbortSignal
): Promise<readonly [by: string, why: string] | undefined> {
  if (blocked) return [by, reason]
  // Also in the compat profile: its model refuses a switch whose hook does not answer.
  const silent = failures.find(({ kind }) => kind === 'timeout')
  if (silent !== undefined) return [silent.by, `it ${silent.message}`]
  if (decision !== 'ask') return undefined
  if (input.source !== 'command') return [by, `${reason} (only /model can ask a person)`]
  if (ask === undefined) return [by, `${reason} (it asks, and there is no one to ask)`]
  const question = { toolName: 'SwitchModel', input: { ...input }, toolUseId: '', reason, suggestions: [], signal }
  const answer = await ask(question).catch(() => undefined)
  if (answer === undefined) return [by, `${reason} (it asks, and no one answered)`]
  return answer.behavior === 'allow' ? undefined : ['the user', answer.message ?? `${by} had asked: ${reason}`]
}

import { fault } from '../errors.ts'
import { copyPlain, type PlainObject } from '../util/plain.ts'
import type { Entry } from './entry.ts'
import { baseFields, type EventName } from './events.ts'
import type { Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import { wireInput } from './wire.ts'

/** What a hook's context shows of the fire around it. */

const DEEPEST_FIRE = 16

export function baseField(run: Run, field: string): string {
  const given = run.input[field]
  return given === undefined ? run.hub.settings.base[field]! : (given as string)
}

export function metadataOf(run: Run): Record<string, unknown> {
  if (run.options.metadata !== undefined) return run.options.metadata
  const { sessions } = run.hub
  const session = baseField(run, 'session_id')
  let metadata = sessions.get(session)
  if (metadata === undefined) sessions.set(session, (metadata = {}))
  return metadata
}

/** The wire object of the draft as it stands. Callbacks of the contract may scribble on theirs. */
export function wireOf(run: Run, entry: Entry): PlainObject {
  const rejudge = run.phase === 'rejudge'
  const { rewrites } = run
  const wire = rewrites.wire(rejudge, input => wireInput(entry, input, field => baseField(run, field), rejudge))
  return entry.dialect === 'contract' ? copyPlain(wire) : wire
}

export function fireWithin(run: Run, event: EventName, input: PlainObject): Outcome | Promise<Outcome> {
  const depth = (run.options.depth ?? 0) + 1
  if (depth > DEEPEST_FIRE) throw fault('E_FIRE_DEPTH', event, String(depth))
  const { signal, metadata, agent } = run.options
  const base = Object.fromEntries(baseFields.map(field => [field, baseField(run, field)]))
  return run.hub.fire(event, { ...base, ...input }, { signal, metadata, agent, depth })
}

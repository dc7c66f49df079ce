import { fault } from '../errors.ts'
import { copyPlain, freezeDeep, type PlainObject } from '../util/plain.ts'
import type { Entry } from './entry.ts'
import { baseFields, type EventName } from './events.ts'
import { snakeName } from './names.ts'
import type { Outcome } from './outcome.ts'
import type { Run } from './run.ts'

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

/**
 * The object that hooks outside the process receive: the contract's fields in its order, then what the
 * caller added, then ours (`event` in snake case, `user_prompt` beside `prompt`, `timestamp`, `rejudge`).
 */
function wireInput(entry: Entry, input: PlainObject, base: (field: string) => unknown, rejudge: boolean): PlainObject {
  const wire: PlainObject = {}
  for (const field of baseFields) {
    const value = base(field)
    if (value !== undefined) wire[field] = value
  }
  wire['hook_event_name'] = entry.event
  for (const field of Object.keys(entry.row.fields)) take(wire, input, field.replace('?', ''))
  for (const field of Object.keys(input)) if (!Object.hasOwn(wire, field)) take(wire, input, field)
  wire['event'] = snakeName(entry.event)
  if (entry.row.draft === 'prompt') wire['user_prompt'] = wire['prompt']
  wire['timestamp'] = new Date().toISOString()
  if (rejudge) wire['rejudge'] = true
  return freezeDeep(wire)
}

function take(wire: PlainObject, input: PlainObject, field: string): void {
  if (input[field] !== undefined && field !== '__proto__') wire[field] = copyPlain(input[field])
}

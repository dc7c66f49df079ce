import { copyPlain, freezeDeep, type PlainObject } from '../util/plain.ts'
import type { Entry } from './entry.ts'
import { baseFields } from './events.ts'
import { snakeName } from './names.ts'

/**
 * The object that hooks outside the process receive: the contract's fields in its order, then what the
 * caller added, then ours (`event` in snake case, `user_prompt` beside `prompt`, `timestamp`, `rejudge`).
 */
export function wireInput(entry: Entry, input: PlainObject, base: (field: string) => unknown, rejudge: boolean): PlainObject {
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

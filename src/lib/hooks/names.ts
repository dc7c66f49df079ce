import { fault } from '../errors.ts'
import { nearest } from '../util/nearest.ts'
import { EVENT_NAMES, type EventName } from './events.ts'

/** `PreToolUse` → `pre_tool_use`. */
export function snakeName(event: EventName): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`).toLowerCase()
}

const squeeze = (name: string): string => name.replaceAll('_', '').toLowerCase()
const BY_SPELLING = new Map(EVENT_NAMES.map(name => [squeeze(name), name]))
const SPELLING = /^[A-Za-z]+(_[A-Za-z]+)*$/

/** Reads `PreToolUse`, `preToolUse` and `pre_tool_use` alike; anything else is an error that suggests the nearest. */
export function parseEvent(name: string): EventName {
  const found = typeof name === 'string' && SPELLING.test(name) ? BY_SPELLING.get(squeeze(name)) : undefined
  if (found === undefined) throw fault('E_EVENT_UNKNOWN', String(name), nearest(String(name), EVENT_NAMES) ?? '')
  return found
}

import { fault } from '../errors.ts'
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

/** The candidate that differs least from `word`, if it is near enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const steps = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (steps < least) [best, least] = [candidate, steps]
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, swap))
    }
    row = next
  }
  return row[b.length]!
}

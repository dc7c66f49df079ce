import { engineFault, nearest } from '../../errors.ts'
import type { PlainObject } from '../../util/plain.ts'
import { answerRules, type AnswerRules } from './answers.ts'
import { EVENTS_OF_CALLS } from './call-events.ts'
import { EVENTS_OF_MODELS } from './model-events.ts'
import { EVENTS_OF_SESSIONS } from './session-events.ts'
import { listFields, type FieldTypes, type FieldValues, type Row } from './fields.ts'

export const BASE = {
  session_id: 'string',
  transcript_path: 'string',
  cwd: 'string',
  'prompt_id?': 'string',
  permission_mode: 'string',
  'agent_id?': 'string',
  'agent_type?': 'string',
  'effort?': 'object'
} as const

/**
 * Every event there is: one row each, and the row is the whole truth about it. Input types, checks,
 * folding, docs/hooks.md and the test kit are derived from here.
 *
 * Reading a row: `when` it fires; its `fields`; the field a matcher tests (`target`); how it may be
 * answered (`answer`, a family of answers.ts); whether a hook that fails blocks (`failure: 'closed'`);
 * the `draft`, a field that hooks may rewrite and that is judged again when they do; the default
 * timeout of hooks from files, in seconds; a sample.
 */
export const EVENTS = { ...EVENTS_OF_CALLS, ...EVENTS_OF_SESSIONS, ...EVENTS_OF_MODELS } as const

/** The name of an event. */
export type EventName = keyof typeof EVENTS
/** All of them, in the order of the table. */
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

/** The fields that belong to one event alone. */
export type FieldsOf<E extends EventName> = FieldValues<(typeof EVENTS)[E]['fields']>
/** What every input begins with. */
export type BaseInput = FieldValues<typeof BASE>

/** The whole input of an event, as hooks outside the process receive it. */
export type InputOf<E extends EventName> = E extends EventName
  ? Omit<BaseInput, keyof FieldsOf<E>> & FieldsOf<E> & { hook_event_name: E }
  : never

/** What `fire` takes: the event's fields and any of the base fields; the registry fills in the rest. */
export type FireInput<E extends EventName> = { [K in keyof FieldsOf<E>]: Loose<FieldsOf<E>[K]> } & {
  [K in Exclude<keyof InputOf<E>, keyof FieldsOf<E>>]?: InputOf<E>[K] | undefined
}

/** An object typed by an interface has no index signature, but is an object all the same. */
type Loose<T> = T extends PlainObject ? object : T

/** The events that are about a tool. */
export type ToolEvent = { [E in EventName]: 'tool_name' extends keyof FieldsOf<E> ? E : never }[EventName]

export type AnyRow = Omit<Row<FieldTypes>, 'sample' | 'target' | 'draft'> & {
  readonly target?: string
  readonly draft?: string
  readonly sample: Readonly<Record<string, unknown>>
  readonly takes: AnswerRules
  readonly snake: string
}

const ROWS = new Map(
  EVENT_NAMES.map((name): [EventName, AnyRow] => [
    name,
    { ...EVENTS[name], takes: answerRules(EVENTS[name].answer), snake: snakeName(name) }
  ])
)

export const rowOf = (name: EventName): AnyRow => ROWS.get(name)!

/** Whether a hook of this event that fails refuses what the event is about. */
export const isGate = (name: EventName): boolean => rowOf(name).failure === 'closed'

export const baseFields: readonly string[] = listFields(BASE).map(field => field.name)

/** `PreToolUse` → `pre_tool_use`. */
export function snakeName(name: EventName): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`).toLowerCase()
}

const squeeze = (name: string): string => name.replaceAll('_', '').toLowerCase()
const BY_SPELLING = new Map(EVENT_NAMES.map(name => [squeeze(name), name]))
const SPELLING = /^[A-Za-z]+(_[A-Za-z]+)*$/

/** Reads `PreToolUse`, `preToolUse` and `pre_tool_use` alike; anything else is an error that suggests the nearest. */
export function parseEvent(name: string): EventName {
  const found = typeof name === 'string' && SPELLING.test(name) ? BY_SPELLING.get(squeeze(name)) : undefined
  if (found === undefined)
    throw engineFault('E_EVENT_UNKNOWN', String(name), nearest(String(name), EVENT_NAMES) ?? EVENT_NAMES.join(', '))
  return found
}

export const fieldNames = (event: EventName): readonly string[] => [
  ...listFields(rowOf(event).fields).map(({ name }) => name),
  ...baseFields,
  'hook_event_name'
]

/** The field of an event that is probably meant by a key. A payload may hold fields that the event does not know. */
export function meantField(key: string, event: EventName): string | undefined {
  const fields = fieldNames(event)
  return fields.includes(key) ? undefined : nearest(key, fields)
}

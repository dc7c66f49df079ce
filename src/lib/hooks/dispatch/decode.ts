import { engineFault, nearest } from '../../errors.ts'
import { copyReply, isObject, isPlain, type PlainObject } from '../../util/plain.ts'
import { FIELDS, type Decision, type SpecificField } from '../events/answers.ts'
import type { HookEntry } from './entry.ts'
import { HookFailure } from './hook-failure.ts'
import type { EventName } from '../events/event-table.ts'
import { checkOf } from '../events/fields.ts'
import { joinExtras, type ReplyExtras, type DecodedReply } from './outcome.ts'
import type { Trace } from '../trace.ts'

const KEYS = {
  decision: 'string',
  reason: 'string | null',
  continue: 'boolean',
  continueExecution: 'boolean',
  stopReason: 'string | null',
  suppressOutput: 'boolean',
  suppressLogging: 'boolean',
  systemMessage: 'string | null',
  terminalSequence: 'string | null',
  hookSpecificOutput: 'object',
  async: 'boolean',
  asyncTimeout: 'number'
} as const

const KEY_CHECKS = new Map(Object.entries(KEYS).map(([name, type]) => [name, checkOf(type)]))
const FIELD_CHECKS = new Map(Object.entries(FIELDS).map(([name, type]) => [name, checkOf(type)]))

const isField = (name: string): name is SpecificField => FIELD_CHECKS.has(name)

type Keys = { -readonly [K in keyof typeof KEYS]?: unknown } & { fields?: PlainObject | undefined }

interface Decoding {
  readonly reply: DecodedReply
  readonly entry: HookEntry
  readonly trace: Trace | undefined
}

/** Decodes the reply of one hook. Throws when it cannot be trusted; `undefined` when it is no answer. */
export function decode(raw: unknown, entry: HookEntry, trace: Trace | undefined): DecodedReply | undefined {
  if (raw === undefined || raw === null) return undefined
  if (!isObject(raw) || !isPlain(raw)) throw invalid(`a reply must be a plain object or nothing, not ${nameOf(raw)}`)
  const reply: DecodedReply = { by: entry.name, decision: undefined, reason: undefined }
  if (isBareVerdict(raw)) {
    if (raw['decision'] !== undefined) reply.decision = decisionOf('decision', raw['decision'])
    reply.reason = textOf('reason', raw['reason'])
  } else {
    const decoding = { reply, entry, trace }
    if (!readAll(readKeys(raw, decoding), decoding)) return undefined
  }
  keepDecision(reply, entry, trace)
  if (reply.decision === 'defer' && reply.updatedInput !== undefined) {
    delete reply.updatedInput
    trace?.note(entry, 'updatedInput has no effect together with defer')
  }
  return reply
}

/** Most replies are a decision and perhaps a reason, and nothing else. */
function isBareVerdict(raw: PlainObject): boolean {
  for (const key in raw) if (key !== 'decision' && key !== 'reason') return false
  return true
}

function readAll(keys: Keys, decoding: Decoding): boolean {
  const { reply, entry, trace } = decoding
  if (keys.async === true) {
    if (keys.decision !== undefined && entry.dialect === 'library') throw invalid('{ async: true } cannot decide')
    trace?.note(entry, '{ async: true } has no effect here; return later(promise)')
    return false
  }
  if (keys.hookSpecificOutput !== undefined) readSpecific(keys.hookSpecificOutput as PlainObject, decoding)
  if (keys.fields !== undefined) readFields(keys.fields, decoding)
  if (keys.decision !== undefined && reply.decision !== 'deny') {
    const decision = decisionOf('decision', keys.decision)
    // Where the older key and the newer disagree, the newer counts, but a refusal is a refusal.
    if (reply.decision === undefined || decision === 'deny') {
      reply.decision = decision
      reply.reason = textOf('reason', keys.reason)
    }
  }
  readStop(keys, decoding)
  if (typeof keys.systemMessage === 'string') {
    const to = entry.dialect === 'library' ? 'model' : 'user'
    add(reply, { systemMessages: [{ by: entry.name, text: keys.systemMessage, to }] })
  }
  if (typeof keys.terminalSequence === 'string')
    add(reply, { terminalSequences: [{ by: entry.name, text: keys.terminalSequence }] })
  if (keys.suppressOutput === true && entry.dialect === 'library') add(reply, { suppressOutput: true })
  if (keys.suppressLogging === true) add(reply, { suppressLogging: true })
  return true
}

function add(reply: DecodedReply, extras: ReplyExtras): void {
  reply.extras = joinExtras(reply.extras, extras)
}

function readKeys(raw: PlainObject, decoding: Decoding): Keys {
  const keys: Keys = { decision: undefined, reason: undefined, fields: undefined }
  const own = camelKeys(copyReply(raw))
  for (const name of Object.keys(own)) {
    const value = own[name]
    const check = KEY_CHECKS.get(name)
    if (check !== undefined) {
      if (!check(value)) throw invalid(`${name} should be ${KEYS[name as keyof typeof KEYS]}, not ${nameOf(value)}`)
      keys[name as keyof typeof KEYS] = value
    } else if (isField(name)) (keys.fields ??= {})[name] = value
    else leaveUnread(name, value, decoding)
  }
  return keys
}

/** The same with all keys in camel case; where both spellings are there, camel case wins. */
function camelKeys(object: PlainObject): PlainObject {
  const out: PlainObject = {}
  for (const key of Object.keys(object)) {
    const name = key.includes('_') ? camel(key) : key
    if (object[key] !== undefined && (name === key || !Object.hasOwn(object, name))) out[name] = object[key]
  }
  return out
}

const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function readSpecific(output: PlainObject, decoding: Decoding): void {
  const { reply, entry } = decoding
  const specific = camelKeys(output)
  const event = specific['hookEventName']
  if (event !== undefined && event !== entry.event && event !== entry.row.snake) {
    throw invalid(`hookSpecificOutput is for ${nameOf(event)}, but the event is ${entry.event}`)
  }
  const { answer, takes } = entry.row
  const isAsked = takes.decisions.includes('ask')
  for (const key of Object.keys(specific)) {
    if (isField(key)) readField(key, specific[key], decoding)
    else if (
      isAsked ? !GATE_KEYS.has(key) : key !== 'hookEventName' && !(answer === 'permission' && key === 'decision')
    )
      leaveUnread(key, specific[key], decoding)
  }
  if (answer === 'permission') readPermission(specific['decision'], decoding)
  if (!isAsked || specific['permissionDecision'] === undefined) return
  reply.decision = decisionOf('permissionDecision', specific['permissionDecision'])
  reply.reason = textOf('permissionDecisionReason', specific['permissionDecisionReason'])
}

const GATE_KEYS = new Set(['hookEventName', 'permissionDecision', 'permissionDecisionReason'])

/** On a gate, a decision under a key that is not read, or misspelt, would be a silent yes. */
function leaveUnread(
  key: string,
  value: unknown,
  { reply, entry, trace }: Decoding,
  why = 'is not a key of a reply to'
): void {
  if (entry.row.failure === 'closed' && isMeantAsDecision(key, value, entry)) {
    if (entry.profile === 'strict') throw invalid(`${key} is not read here on ${entry.event}`)
    add(reply, { failedOpen: true })
  }
  trace?.note(entry, `${key} ${why} ${entry.event}`)
}

/** The keys that refuse, in another case or with common typing errors. */
const MEANT = /^(perm\w*)?de[cs]i?[cs]{0,2}i?on$|^continue(execution)?$|^hookspecific\w*$/i

/** Refusals of other hook systems and events: `{ behavior: 'deny' }`, `{ action: 'deny' }`, `{ ok: false }`, `{ block: true }`. */
const REFUSALS = /:"(ask|deny|block|reject)"$|^(ok|allow|approve):false$|^(deny|block(ed)?):true$/i

const isMeantAsDecision = (key: string, value: unknown, { dialect }: HookEntry): boolean =>
  MEANT.test(key) ||
  REFUSALS.test(`${key}:${nameOf(value)}`) ||
  (dialect === 'library' && nearest(key, ['decision']) !== undefined)

function readPermission(decision: unknown, decoding: Decoding): void {
  if (decision === undefined) return
  if (!isObject(decision)) throw invalid(`decision should be object, not ${nameOf(decision)}`)
  const { behavior, message, updatedInput, updatedPermissions, interrupt } = camelKeys(decision)
  if (behavior !== 'allow' && behavior !== 'deny')
    throw invalid(`behavior should be allow | deny, not ${nameOf(behavior)}`)
  decoding.reply.decision = behavior
  decoding.reply.reason = textOf('message', message)
  if (behavior === 'deny') return readField('interrupt', interrupt, decoding)
  readField('updatedInput', updatedInput, decoding)
  readField('updatedPermissions', updatedPermissions, decoding)
}

/** Fields outside `hookSpecificOutput`. Those inside are more exact, so they win. */
function readFields(fields: PlainObject, decoding: Decoding): void {
  const { dialect, profile } = decoding.entry
  const { extras, updatedInput } = decoding.reply
  for (const key of Object.keys(fields)) {
    if (dialect === 'contract' && profile === 'compat')
      leaveUnread(key, fields[key], decoding, 'must be inside hookSpecificOutput on')
    else if (key === 'additionalContext' && extras?.contexts !== undefined) continue
    else if (key === 'updatedInput' && updatedInput !== undefined) continue
    else if (isField(key)) readField(key, fields[key], decoding)
  }
}

function readField(key: SpecificField, value: unknown, decoding: Decoding): void {
  const { reply, entry } = decoding
  const isTaken = entry.row.takes.fields.includes(key)
  // An output that is missing must not show the tool's own: it may be hidden for a reason.
  if (value === undefined || (value === null && !(isTaken && key.endsWith('ToolOutput')))) return
  if (!isTaken) {
    // A rewrite that is dropped silently would be the worst surprise.
    if (key === 'updatedInput' && entry.dialect === 'library') throw invalid(`${entry.event} has no input to change`)
    return leaveUnread(key, value, decoding, 'has no effect on')
  }
  if (FIELD_CHECKS.get(key)?.(value) !== true) throw invalid(`${key} should be ${FIELDS[key]}, not ${nameOf(value)}`)
  if (key === 'additionalContext') add(reply, { contexts: [{ by: entry.name, text: value as string }] })
  else if (key === 'updatedInput') reply.updatedInput = value as PlainObject
  else add(reply, { fields: { [key]: value } })
}

/** Drops a decision that the event cannot take; one whose loss would be a silent yes is a failure. */
function keepDecision(reply: DecodedReply, entry: HookEntry, trace: Trace | undefined): void {
  const { decision } = reply
  if (decision === undefined || entry.row.answer === 'gate') return
  const taken = entry.row.takes.decisions.includes(decision)
  if (taken && !(decision === 'deny' && neverBlocks(entry))) return
  if (decision === 'ask' || decision === 'defer')
    throw new HookFailure('decision', `${entry.event} cannot be answered with ${decision}`)
  reply.decision = undefined
  if (taken) add(reply, { failedOpen: true })
  if (decision === 'deny')
    trace?.note(entry, `${entry.event} cannot be refused${taken ? ' in the compat profile' : ''}`)
}

const neverBlocks = ({ event, dialect, profile }: HookEntry): boolean =>
  dialect === 'contract' && profile === 'compat' && (event === 'SessionStart' || event === 'SubagentStart')

function readStop(keys: Keys, { reply, entry, trace }: Decoding): void {
  const stopReason = textOf('stopReason', keys.stopReason)
  if (stopReason !== undefined) add(reply, { stopReason })
  if (keys.continueExecution === false) {
    if (entry.row.takes.explicitOnly === true) trace?.note(entry, `only decision: "block" refuses ${entry.event}`)
    else refuse(reply, stopReason)
  }
  if (keys.continue === true && entry.row.answer === 'stop' && entry.dialect === 'library')
    add(reply, { continue: true })
  if (keys.continue !== false) return
  const lenient = entry.dialect === 'contract' && entry.profile === 'compat'
  if (lenient && GOES_ON.has(entry.event)) {
    trace?.note(entry, `continue: false has no effect on ${entry.event} in the compat profile`)
    return add(reply, { failedOpen: true })
  }
  add(reply, { continue: false })
  if (entry.row.failure !== 'closed') return
  if (lenient && entry.event === 'PreToolUse') {
    if (reply.decision === 'deny') return
    trace?.note(entry, `continue: false does not refuse ${entry.event} in the compat profile`)
    return add(reply, { failedOpen: true })
  }
  if (entry.row.answer === 'permission') add(reply, { fields: { interrupt: true } })
  refuse(reply, stopReason)
}

/** Where the contract's first host ignores `continue: false`. */
const GOES_ON = new Set<EventName>(['PostToolUseFailure', 'SessionStart', 'SubagentStart'])

function refuse(reply: DecodedReply, reason: string | undefined): void {
  if (reply.decision === 'deny') return
  reply.decision = 'deny'
  reply.reason = reason ?? reply.reason
}

/** `approve` and `block` are the older words; an empty one decides nothing. */
function decisionOf(key: string, value: unknown): Decision | undefined {
  switch (value) {
    case 'allow':
    case 'deny':
    case 'ask':
    case 'defer':
      return value
    case 'approve':
      return 'allow'
    case 'block':
      return 'deny'
    case '':
      return undefined
  }
  throw invalid(`${key} should be allow | deny | ask | defer, not ${nameOf(value)}`)
}

function textOf(key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(`${key} should be string, not ${nameOf(value)}`)
  return value
}

const invalid = (why: string): Error => engineFault('E_REPLY_INVALID', why)

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

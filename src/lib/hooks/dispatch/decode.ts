import { fault, nearest } from '../../errors.ts'
import { copyReply, isObject, isPlain, type PlainObject } from '../../util/plain.ts'
import { FIELDS, type Decision, type SpecificField } from '../events/answers.ts'
import type { Entry } from './entry.ts'
import type { EventName } from '../events/event-table.ts'
import { checkOf } from '../events/fields.ts'
import { joinRest, type Rest, type Said } from './outcome.ts'
import { ALLOW } from '../reply.ts'
import type { Trace } from '../trace.ts'

/** The keys that any event takes, with the type that is checked. */
const KEYS = {
  decision: 'string',
  reason: 'string | null',
  continue: 'boolean',
  continueExecution: 'boolean',
  stopReason: 'string | null',
  suppressOutput: 'boolean',
  suppressLogging: 'boolean',
  systemMessage: 'string | null',
  hookSpecificOutput: 'object',
  async: 'boolean',
  asyncTimeout: 'number'
} as const

const KEY_CHECKS = new Map(Object.entries(KEYS).map(([name, type]) => [name, checkOf(type)]))
const FIELD_CHECKS = new Map(Object.entries(FIELDS).map(([name, type]) => [name, checkOf(type)]))

/** `action` answers an elicitation; anywhere else it is a key like any other, and may be meant as a decision. */
const isField = (name: string, { row }: Entry): name is SpecificField =>
  FIELD_CHECKS.has(name) && (name !== 'action' || row.takes.fields.includes(name))

type Keys = { -readonly [K in keyof typeof KEYS]?: unknown } & { fields?: PlainObject | undefined; unread?: true }

/** Reads the answer of one hook. Throws when it cannot be trusted; `undefined` when it is empty. */
export function decode(reply: unknown, entry: Entry, trace: Trace | undefined): Said | undefined {
  if (reply === undefined || reply === null) return undefined
  if (reply === ALLOW && entry.row.answer === 'gate') return { by: entry.name, decision: 'allow', reason: undefined }
  if (!isObject(reply) || !isPlain(reply))
    throw invalid(`a reply must be a plain object or nothing, not ${nameOf(reply)}`)
  if (isBareVerdict(reply)) return verdictOf(reply, entry, trace)
  const said: Said = { by: entry.name, decision: undefined, reason: undefined }
  if (!readAll(readKeys(reply, entry, trace), said, entry, trace)) return undefined
  keepDecision(said, entry, trace)
  if (said.decision === 'defer' && said.updatedInput !== undefined) {
    delete said.updatedInput
    trace?.note(entry, 'updatedInput has no effect together with defer')
  }
  return said
}

function verdictOf(reply: PlainObject, entry: Entry, trace: Trace | undefined): Said {
  const decision = reply['decision'] === undefined ? undefined : decisionOf('decision', reply['decision'])
  const said: Said = { by: entry.name, decision, reason: textOf('reason', reply['reason']) }
  keepDecision(said, entry, trace)
  return said
}

/** Most replies are a decision and perhaps a reason, and nothing else. */
function isBareVerdict(reply: PlainObject): boolean {
  for (const key in reply) if (key !== 'decision' && key !== 'reason') return false
  return true
}

function readAll(keys: Keys, said: Said, entry: Entry, trace: Trace | undefined): boolean {
  if (keys.async === true) {
    if (keys.decision !== undefined && entry.dialect === 'library') throw invalid('{ async: true } cannot decide')
    trace?.note(entry, '{ async: true } has no effect here; return later(promise)')
    return false
  }
  if (keys.hookSpecificOutput !== undefined) readSpecific(keys.hookSpecificOutput as PlainObject, said, entry, trace)
  if (keys.fields !== undefined) readFields(keys.fields, said, entry, trace)
  if (keys.decision !== undefined && said.decision !== 'deny') {
    const decision = decisionOf('decision', keys.decision)
    // Where the older key and the newer disagree, the newer counts, but a refusal is a refusal.
    if (said.decision === undefined || decision === 'deny') {
      said.decision = decision
      said.reason = textOf('reason', keys.reason)
    }
  }
  if (keys.unread === true) add(said, { failedOpen: true })
  readStop(keys, said, entry, trace)
  if (typeof keys.systemMessage === 'string') {
    const to = entry.dialect === 'library' ? 'model' : 'user'
    add(said, { systemMessages: [{ by: entry.name, text: keys.systemMessage, to }] })
  }
  if (keys.suppressOutput === true && entry.dialect === 'library') add(said, { suppressOutput: true })
  if (keys.suppressLogging === true) add(said, { suppressLogging: true })
  return true
}

function add(said: Said, rest: Rest): void {
  said.rest = joinRest(said.rest, rest)
}

/** The reply's own keys, checked: what any event takes, and apart from it what only some take. */
function readKeys(reply: PlainObject, entry: Entry, trace: Trace | undefined): Keys {
  const keys: Keys = { decision: undefined, reason: undefined, fields: undefined }
  const own = camelKeys(copyReply(reply))
  for (const name of Object.keys(own)) {
    const value = own[name]
    const check = KEY_CHECKS.get(name)
    if (check !== undefined) {
      if (!check(value)) throw invalid(`${name} should be ${KEYS[name as keyof typeof KEYS]}, not ${nameOf(value)}`)
      keys[name as keyof typeof KEYS] = value
    } else if (isField(name, entry)) (keys.fields ??= {})[name] = value
    else if (leaveUnread(name, value, entry, trace)) keys.unread = true
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

function readSpecific(given: PlainObject, said: Said, entry: Entry, trace: Trace | undefined): void {
  const specific = camelKeys(given)
  const named = specific['hookEventName']
  if (named !== undefined && named !== entry.event && named !== entry.row.snake) {
    throw invalid(`hookSpecificOutput is for ${nameOf(named)}, but the event is ${entry.event}`)
  }
  const { answer } = entry.row
  for (const key of Object.keys(specific)) {
    if (isField(key, entry)) readField(key, specific[key], said, entry, trace)
    else if (
      answer === 'gate'
        ? !GATE_KEYS.has(key)
        : key !== 'hookEventName' && !(answer === 'permission' && key === 'decision')
    ) {
      if (leaveUnread(key, specific[key], entry, trace)) add(said, { failedOpen: true })
    }
  }
  if (answer === 'permission') readPermission(specific['decision'], said, entry, trace)
  if (answer !== 'gate' || specific['permissionDecision'] === undefined) return
  said.decision = decisionOf('permissionDecision', specific['permissionDecision'])
  said.reason = textOf('permissionDecisionReason', specific['permissionDecisionReason'])
}

const GATE_KEYS = new Set(['hookEventName', 'permissionDecision', 'permissionDecisionReason'])

/** At a gate, a decision in a place that is not read, or misspelt, would be a silent yes; true if it is one. */
function leaveUnread(key: string, value: unknown, entry: Entry, trace: Trace | undefined): boolean {
  const meant = entry.row.failure === 'closed' && isMeantAsDecision(key, value, entry)
  if (meant && entry.profile === 'strict') throw invalid(`${key} is not read here on ${entry.event}`)
  trace?.note(entry, `${key} is not a key of a reply to ${entry.event}`)
  return meant
}

/** The keys that refuse, in another case or with the usual slips of the pen. */
const MEANT = /^(perm\w*)?de[cs]i?[cs]{0,2}i?on$|^continue(execution)?$|^hookspecific\w*$/i

/** Answers of other hook systems, and of other places here: `{ behavior: 'deny' }`, `{ ok: false }`, `{ block: true }`. */
const REFUSALS = /:"(ask|deny|block|reject)"$|^(ok|allow|approve):false$|^(deny|block(ed)?):true$/i

const isMeantAsDecision = (key: string, value: unknown, { dialect }: Entry): boolean =>
  MEANT.test(key) ||
  REFUSALS.test(`${key}:${nameOf(value)}`) ||
  (dialect === 'library' && nearest(key, ['decision']) !== undefined)

function readPermission(decision: unknown, said: Said, entry: Entry, trace: Trace | undefined): void {
  if (decision === undefined) return
  if (!isObject(decision)) throw invalid(`decision should be object, not ${nameOf(decision)}`)
  const { behavior, message, updatedInput, updatedPermissions, interrupt } = camelKeys(decision)
  if (behavior !== 'allow' && behavior !== 'deny')
    throw invalid(`behavior should be allow | deny, not ${nameOf(behavior)}`)
  said.decision = behavior
  said.reason = textOf('message', message)
  if (behavior === 'deny') return readField('interrupt', interrupt, said, entry, trace)
  readField('updatedInput', updatedInput, said, entry, trace)
  readField('updatedPermissions', updatedPermissions, said, entry, trace)
}

/** Fields outside `hookSpecificOutput`; those inside are more exact, so they win. */
function readFields(fields: PlainObject, said: Said, entry: Entry, trace: Trace | undefined): void {
  for (const key of Object.keys(fields)) {
    if (entry.dialect === 'contract' && entry.profile === 'compat')
      trace?.note(entry, `${key} must be inside hookSpecificOutput`)
    else if (key === 'additionalContext' && said.rest?.contexts !== undefined) continue
    else if (key === 'updatedInput' && said.updatedInput !== undefined) continue
    else if (isField(key, entry)) readField(key, fields[key], said, entry, trace)
  }
}

function readField(key: SpecificField, value: unknown, said: Said, entry: Entry, trace: Trace | undefined): void {
  if (value === undefined || value === null) return
  if (!entry.row.takes.fields.includes(key)) {
    // A rewrite must not be lost silently.
    if (key === 'updatedInput' && entry.dialect === 'library') throw invalid(`${entry.event} has no input to change`)
    return trace?.note(entry, `${key} has no effect on ${entry.event}`)
  }
  if (!FIELD_CHECKS.get(key)!(value)) throw invalid(`${key} should be ${FIELDS[key]}, not ${nameOf(value)}`)
  if (key === 'additionalContext') add(said, { contexts: [{ by: entry.name, text: value as string }] })
  else if (key === 'updatedInput') said.updatedInput = value as PlainObject
  else add(said, { fields: { [key]: value } })
}

/** Drops a decision that the event cannot take; one whose loss would be a silent yes is a failure. */
function keepDecision(said: Said, entry: Entry, trace: Trace | undefined): void {
  const { decision } = said
  if (decision === undefined || entry.row.answer === 'gate') return
  const taken = entry.row.takes.decisions.includes(decision)
  if (taken && !(decision === 'deny' && neverBlocks(entry))) return
  if (decision === 'ask' || decision === 'defer') throw invalid(`${entry.event} cannot be answered with ${decision}`)
  said.decision = undefined
  if (taken) add(said, { failedOpen: true })
  if (decision === 'deny')
    trace?.note(entry, `${entry.event} cannot be refused${taken ? ' in the compat profile' : ''}`)
}

const neverBlocks = ({ event, dialect, profile }: Entry): boolean =>
  dialect === 'contract' && profile === 'compat' && (event === 'SessionStart' || event === 'SubagentStart')

function readStop(keys: Keys, said: Said, entry: Entry, trace: Trace | undefined): void {
  const stopReason = textOf('stopReason', keys.stopReason)
  if (stopReason !== undefined) add(said, { stopReason })
  if (keys.continueExecution === false) {
    if (entry.row.takes.explicitOnly === true) trace?.note(entry, `only decision: "block" refuses ${entry.event}`)
    else refuse(said, stopReason)
  }
  if (keys.continue === true && entry.row.answer === 'stop' && entry.dialect === 'library')
    add(said, { continue: true })
  if (keys.continue !== false) return
  const lenient = entry.dialect === 'contract' && entry.profile === 'compat'
  if (lenient && GOES_ON.has(entry.event)) {
    trace?.note(entry, `continue: false has no effect on ${entry.event} in the compat profile`)
    return add(said, { failedOpen: true })
  }
  add(said, { continue: false })
  if (entry.row.failure !== 'closed') return
  if (lenient && entry.event === 'PreToolUse') {
    if (said.decision === 'deny') return
    trace?.note(entry, `continue: false does not refuse ${entry.event} in the compat profile`)
    return add(said, { failedOpen: true })
  }
  if (entry.row.answer === 'permission') add(said, { fields: { interrupt: true } })
  refuse(said, stopReason)
}

/** Where the contract's first host ignores `continue: false`. */
const GOES_ON = new Set<EventName>(['PostToolUseFailure', 'SessionStart', 'SubagentStart'])

function refuse(said: Said, reason: string | undefined): void {
  if (said.decision === 'deny') return
  said.decision = 'deny'
  said.reason = reason ?? said.reason
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

const invalid = (why: string): Error => fault('E_REPLY_INVALID', why)

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

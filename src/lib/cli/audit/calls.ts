import type { SessionFlags } from '../flags.ts'
import type { DecisionRecord, PolicyInForce } from '../../agent/call/decisions.ts'
import type { KeptReport } from '../../hooks/kept-report.ts'
import { projectKeyOf } from '../../query/session-choice.ts'
import { messageBlocks, type Rec } from '../../transcript/entry.ts'
import { eachIn } from '../../transcript/file.ts'
import { asText, isObject } from '../../util/plain.ts'
import { filesIn } from '../sessions/list.ts'
import { agentFiles, sessionStores, type SessionFile } from '../sessions/session-lookup.ts'

/** A call, as a transcript tells it: what the model gave, what was decided, what came of it. */
export interface AuditedCall {
  readonly session: string
  readonly path: string
  readonly id: string
  readonly tool: string
  readonly input: unknown
  time: string
  record: DecisionRecord
  inForce: PolicyInForce | undefined
}

/** Newest first. */
export function folderSessions(flags: SessionFlags & { readonly all?: boolean | undefined }): readonly SessionFile[] {
  const { where, ours } = sessionStores(flags)
  const files = filesIn(ours, flags.all === true ? ours.projects() : [projectKeyOf(where.cwd)])
  return files.map(({ key, path }) => ({ id: key.sessionId, path, key }))
}

/** The calls of a session and its subagents, each when its result is read; those without one at the end of their file. */
export function* recordedCalls(session: SessionFile): Generator<AuditedCall> {
  for (const file of [session, ...agentFiles(session)]) yield* callsOf(file, session.id)
}

function* callsOf({ path, key }: SessionFile, session: string): Generator<AuditedCall> {
  const open = new Map<string, AuditedCall>()
  const policies = new Map<string, PolicyInForce>()
  for (const met of eachIn(path, key)) {
    if ('gap' in met) continue
    const { entry } = met
    const blocks = messageBlocks(entry)
    for (const { type, id, name, input } of blocks)
      if (type === 'tool_use') {
        const about = { session, path, id: asText(id), tool: asText(name), input, time: asText(entry['timestamp']) }
        open.set(about.id, { ...about, record: { v: 1 }, inForce: undefined })
      }
    const result = blocks.find(({ type }) => type === 'tool_result')
    const call = open.get(asText(result?.['tool_use_id'] ?? entry['toolUseId']))
    if (call === undefined) continue
    take(call, entry, policies)
    if (result !== undefined && open.delete(call.id)) yield call
  }
  yield* open.values()
}

/** A call may have several lines: while it waits, before it starts, and its result. Events are in one of them each. */
function take(call: AuditedCall, { decision, timestamp }: Rec, policies: Map<string, PolicyInForce>): void {
  if (!isObject(decision) || decision['v'] !== 1) return
  const { inForce, events = [], ...record } = decision as unknown as DecisionRecord
  if (record.policy !== undefined && isPolicy(inForce)) policies.set(record.policy, inForce)
  const all = [...(call.record.events ?? []), ...[events].flat().filter(isEvent)]
  const isNew = record.decision !== undefined
  call.record = { ...(isNew ? {} : call.record), ...record, events: all }
  call.inForce = policies.get(call.record.policy ?? '')
  if (isNew) call.time = asText(timestamp)
}

// The file may have been edited.
const isEvent = (given: KeptReport): boolean =>
  isObject(given) && Array.isArray(given.hooks) && given.hooks.every(isObject)
const isPolicy = (given: PolicyInForce | undefined): given is PolicyInForce =>
  isObject(given) && [given.rules, given.hooks, given.inactive].every(each => Array.isArray(each))

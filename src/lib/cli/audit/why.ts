import type { FlagValues, WHY_FLAGS } from '../flags.ts'
import { formatReport } from '../../hooks/format-report.ts'
import { reportIn } from '../../hooks/kept-report.ts'
import { fault } from '../../faults.ts'
import { signaturesIn } from '../../query/session-choice.ts'
import { verifyChain, type ChainReport } from '../../transcript/verify-chain.ts'
import { attempt } from '../../util/attempt.ts'
import { isObject, same, type PlainObject } from '../../util/plain.ts'
import { EXIT } from '../common.ts'
import { counted, escapeLine, indentLines, printLine, safeJson, withStyle } from '../print.ts'
import { agentFiles, findSession, sessionStores, type SessionFile } from '../sessions/session-lookup.ts'
import { recordedCalls, folderSessions, type AuditedCall } from './calls.ts'
import { verdictWords } from './verify.ts'

type WhyFlags = FlagValues<typeof WHY_FLAGS>

/** `carabiner why`: from what was written when the call was made. Nothing is decided again. */
export function explainCall(names: readonly string[], flags: WhyFlags): number {
  const [id, session] = names.toReversed()
  if (id === undefined || names.length > 2) throw fault('E_USAGE', 'name a call: [SESSION] CALL')
  const found = findCall(id, session === undefined ? folderSessions(flags) : [findSession(session, flags)])
  if (found === undefined) throw fault('E_USAGE', `no call ${id} is in ${session ?? 'the sessions of this folder'}`)
  const { call, file } = found
  const chain = verifyChain(call.path, file.key, signaturesIn(sessionStores(flags).where.ownHome))
  if (flags.json === true) printLine(safeJson({ ...call, signatures: chain?.verdict ?? null }, 2))
  else for (const line of explanation(call, chain)) printLine(line)
  return EXIT.done
}

function findCall(id: string, sessions: readonly SessionFile[]) {
  for (const session of sessions) {
    const calls = [...recordedCalls(session)].toSorted((a, b) => a.time.localeCompare(b.time))
    const alike = id === 'last' ? calls.slice(-1) : calls.filter(call => call.id.startsWith(id))
    const call = calls.find(each => each.id === id) ?? alike[0]
    if (call === undefined) continue
    if (call.id !== id && alike.length > 1)
      throw fault('E_USAGE', `${id} matches more than one call: ${alike.map(each => each.id).join(', ')}`)
    return { call, file: [session, ...agentFiles(session)].find(({ path }) => path === call.path) ?? session }
  }
  return undefined
}

function* explanation(call: AuditedCall, chain: ChainReport | undefined): Generator<string> {
  const { record, tool, id, session, time, input } = call
  const { agent } = record
  yield `${withStyle('bold', escapeLine(tool))}  ${withStyle('dim', escapeLine(`${id}, session ${session}, ${time}`))}`
  if (agent !== undefined && agent.depth > 0)
    yield `  agent    ${escapeLine(`${agent.type} ${agent.id}, depth ${agent.depth}`)}`
  yield `  input    ${indentLines(safeJson(input))}`
  if (record.decision === undefined) yield '  there is no record of it: another program or 0.1.0 made this call'
  else yield* decidedLines(call)
  yield withStyle(chain?.verdict === 'changed' ? 'red' : 'dim', `record    ${verdictWords(chain)}`)
}

function* decidedLines(call: AuditedCall): Generator<string> {
  const { record, inForce, input } = call
  const { events = [], ms } = record
  yield* changedKeys(input, record.judged?.input)
  for (const kept of events) {
    const inactive = kept.event === 'PreToolUse' ? inForce?.inactive : []
    yield attempt(() => formatReport(reportIn(kept), { explain: true, style: withStyle, inactive })) ?? 'unreadable'
  }
  if (!events.some(({ event }) => event === 'PreToolUse')) {
    yield 'no hook listened to PreToolUse'
    for (const line of inForce?.inactive ?? []) yield `  ${withStyle('dim', escapeLine(line))}`
  }
  yield* decisionLines(call)
  if (record.result !== undefined)
    yield `${withStyle('bold', 'result')}    ${record.result}${ms === undefined ? '' : `, ${ms} ms`}`
}

function* decisionLines({ record, inForce, tool }: AuditedCall): Generator<string> {
  const { decision, kind, by, approver, askedBy, policy } = record
  const reason = record.reason ?? (decision === 'allow' && kind === 'default' ? 'it changes nothing' : undefined)
  const look = decision === 'allow' ? 'green' : decision === 'deny' ? 'red' : 'yellow'
  const words = `${decision}, by ${by}${reason === undefined ? '' : `: ${reason}`}`
  yield `${withStyle('bold', 'decision')}  ${withStyle(look, indentLines(words))}`
  if (askedBy !== undefined) yield `  asked for by ${escapeLine(askedBy)}`
  if (approver !== undefined && approver !== by) yield `  decided by ${escapeLine(approver)}`
  if (inForce === undefined) return
  const { mode, profile, precedence, rules, hooks } = inForce
  const counts = `${counted(rules.length, 'rule')}, ${counted(hooks.length, 'hook')}`
  yield `policy    ${escapeLine(`${policy}: mode ${mode}, profile ${profile}, ${precedence}, ${counts}`)}`
  for (const rule of rules)
    if (String(rule).split(' ')[1]?.startsWith(tool) === true) yield withStyle('dim', `  rule ${escapeLine(rule)}`)
}

/** What hooks or a person made of the input, key by key. */
function* changedKeys(given: unknown, judged: unknown): Generator<string> {
  if (!isObject(judged)) return
  const before: PlainObject = isObject(given) ? given : {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(judged)])) {
    if (same(before[key], judged[key])) continue
    yield `  changed  ${escapeLine(key)}`
    if (key in before) yield withStyle('red', `    - ${escapeLine(safeJson(before[key]))}`)
    if (key in judged) yield withStyle('green', `    + ${escapeLine(safeJson(judged[key]))}`)
  }
}

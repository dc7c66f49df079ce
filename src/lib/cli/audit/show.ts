import type { AUDIT_SHOW_FLAGS, FlagValues } from '../flags.ts'
import { fault } from '../../faults.ts'
import { EXIT } from '../common.ts'
import { escapeLine, printLine, safeJson, withStyle } from '../print.ts'
import { findSession } from '../sessions/session-lookup.ts'
import { outputColumns, truncateText } from '../terminal/width.ts'
import { recordedCalls, folderSessions, type AuditedCall } from './calls.ts'

type ShowFlags = FlagValues<typeof AUDIT_SHOW_FLAGS>

/** `carabiner audit show`: a line per call, oldest first. */
export function showCalls(name: string | undefined, flags: ShowFlags): number {
  const isWanted = filterOf(flags)
  const sessions = name === undefined ? folderSessions(flags).toReversed() : [findSession(name, flags)]
  for (const session of sessions)
    for (const call of recordedCalls(session))
      if (isWanted(call)) printLine(flags.json === true ? safeJson(call) : callLine(call))
  return EXIT.done
}

function filterOf({ tool, decision, hook, agent, since, until }: ShowFlags): (call: AuditedCall) => boolean {
  const [from, to] = [timeIn('--since', since), timeIn('--until', until)]
  return ({ tool: name, time, record }) =>
    (tool === undefined || name === tool) &&
    (decision === undefined || record.decision === decision) &&
    (agent === undefined || record.agent?.id === agent || record.agent?.type === agent) &&
    (hook === undefined || hooksIn(record).includes(hook)) &&
    (from === undefined || Date.parse(time) >= from) &&
    (to === undefined || Date.parse(time) < to)
}

const hooksIn = ({ events = [] }: AuditedCall['record']): readonly string[] =>
  events.flatMap(({ hooks }) => hooks.filter(({ status }) => status !== undefined).map(({ name }) => name))

function timeIn(flag: string, text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : Date.parse(text)
  if (Number.isNaN(time)) throw fault('E_USAGE', `${flag} takes a time such as 2026-11-18T09:00Z, not ${text}`)
  return time
}

function callLine({ time, tool, id, session, record }: AuditedCall): string {
  const { decision = 'no record', by = '', approver = by, result = 'no result', agent } = record
  const style = decision === 'allow' ? 'green' : decision === 'deny' ? 'red' : 'yellow'
  const whose = agent === undefined || agent.depth === 0 ? '' : `  ${agent.type} ${agent.id}`
  const text = escapeLine(`${id}  ${approver}, ${result}  ${session.slice(0, 8)}${whose}`)
  return truncateText(`${time}  ${escapeLine(tool)}  ${withStyle(style, decision)}  ${text}`, outputColumns())
}

import { fault } from '../../faults.ts'
import { meaningOf, verifyFile, type Verified } from '../../transcript/verify.ts'
import { EXIT } from '../common.ts'
import { inOneLine, safeJson, say, styled } from '../print.ts'
import { wordsOfGap } from '../../transcript/load.ts'
import { block, columns } from './page-width.ts'
import { agentsOf, findSession, placesFor, sessionsIn, type Found, type SessionFlags } from './session-lookup.ts'

export interface VerifyFlags extends SessionFlags {
  all?: boolean
}

/** What was found out about one file. */
type Report = { readonly id: string; readonly path: string; readonly agent: string | null } & (
  | Verified
  | { readonly problem: string }
)

/** `carabiner sessions verify`: reads every byte, and says what is wrong and whether it matters. Changes nothing. */
export function verify(name: string | undefined, flags: VerifyFlags): number {
  const sessions = name === undefined ? allSessions(flags) : [findSession(name, flags)]
  const reports: Report[] = []
  for (const session of sessions)
    for (const report of reportsOn(session)) {
      reports.push(report)
      if (flags.json !== true) for (const line of linesOf(report)) say(line)
    }
  const ok = reports.every(report => 'gaps' in report && report.gaps.length === 0)
  if (flags.json === true) say(safeJson({ ok, files: reports.map(asJson) }, 2))
  else if (reports.length === 0) say('there are no sessions to verify')
  return ok ? EXIT.done : EXIT.failed
}

function allSessions({ all, claude, ...flags }: VerifyFlags): readonly Found[] {
  if (all !== true) throw fault('E_USAGE', 'name a session, or give --all for those of all folders')
  const { ours, theirs } = placesFor(flags)
  return sessionsIn(claude === true ? theirs : ours).map(({ key, path }) => ({
    id: key.sessionId,
    path,
    key: claude === true ? undefined : key
  }))
}

function* reportsOn(session: Found): Generator<Report> {
  yield { id: session.id, path: session.path, agent: null, ...checked(session) }
  for (const agent of agentsOf(session)) yield { id: session.id, path: agent.path, agent: agent.id, ...checked(agent) }
}

/** One file that cannot be read keeps nobody from the others. */
function checked({ path, key }: Found): Verified | { readonly problem: string } {
  try {
    return verifyFile(path, key) ?? { problem: 'it is gone' }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

const asJson = (report: Report): object =>
  'problem' in report
    ? report
    : { ...report, gaps: report.gaps.map(gap => ({ ...gap, matters: meaningOf(gap).matters })) }

function linesOf(report: Report): readonly string[] {
  const width = columns()
  const name = report.agent === null ? report.id : `  subagent ${report.agent}`
  if ('problem' in report) return [`${styled('red', '✗')} ${inOneLine(`${name}: ${report.problem}`)}`]
  const { gaps, entries, bytes, isForeign } = report
  const matters = gaps.some(gap => meaningOf(gap).matters)
  const sign = gaps.length === 0 ? styled('green', '✓') : styled(matters ? 'red' : 'yellow', '✗')
  const seals = isForeign ? ', without checksums' : ''
  const facts = `${entries} entries, ${bytes} bytes${seals}, ${gaps.length === 0 ? 'whole' : `${gaps.length} gaps`}`
  return [
    `${sign} ${inOneLine(name)}`,
    `  ${facts}`,
    ...gaps.flatMap(gap => {
      const { matters: isBad, words } = meaningOf(gap)
      const lines = block(`${wordsOfGap(gap)}: ${words}`, '  ', width)
      return lines.map(line => styled(isBad ? 'red' : 'yellow', line))
    }),
    ...notesOn(report).flatMap(note => block(inOneLine(note), '  ', width).map(line => styled('dim', line)))
  ]
}

const UNANSWERED = {
  'not started': 'has no result; it was not started',
  waiting: 'waits for a decision',
  started: 'was at work when all ended: what it did is not known',
  ended: 'has ended, and its hooks were not told'
} as const

/** What is no gap, and yet worth knowing. */
function notesOn({ unanswered, strays, unknownOutcomes, unknownTypes, isForeign }: Verified): readonly string[] {
  const strange = isForeign ? [] : Object.entries(unknownTypes)
  return [
    ...unanswered.map(
      ({ toolName, toolUseId, state }) =>
        `${toolName} (${toolUseId}) ${isForeign ? 'has no result' : UNANSWERED[state]}`
    ),
    ...(strays === 0 ? [] : [`${strays} results have no call`]),
    ...(unknownOutcomes === 0
      ? []
      : [`of ${unknownOutcomes} calls it is not known what they did, and the model was told so`]),
    ...strange.map(([type, count]) => `${count} entries of the type ${type}, which this version does not know`)
  ]
}

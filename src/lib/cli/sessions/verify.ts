import type { FlagValues, VERIFY_FLAGS } from '../flags.ts'
import { fault } from '../../faults.ts'
import { gapMeaning, verifyFile, type Verified } from '../../transcript/verify.ts'
import { EXIT } from '../common.ts'
import { counted, escapeLine, safeJson, printLine, withStyle } from '../print.ts'
import { gapText } from '../../transcript/load.ts'
import { wrapBlock, outputColumns } from '../terminal/width.ts'
import { agentFiles, findSession, sessionStores, listSessionFiles, type SessionFile } from './session-lookup.ts'

type VerifyFlags = FlagValues<typeof VERIFY_FLAGS>

type Report = { readonly id: string; readonly path: string; readonly agent: string | null } & (
  | Verified
  | { readonly problem: string }
)

/** `carabiner sessions verify`: reads every byte, and reports what is wrong and whether it matters. Changes nothing. */
export function verifySessions(name: string | undefined, flags: VerifyFlags): number {
  const sessions = name === undefined ? allSessions(flags) : [findSession(name, flags)]
  const reports: Report[] = []
  for (const session of sessions)
    for (const report of checkSession(session)) {
      reports.push(report)
      if (flags.json !== true) for (const line of reportLines(report)) printLine(line)
    }
  const ok = reports.every(report => 'gaps' in report && report.gaps.length === 0)
  if (flags.json === true) printLine(safeJson({ ok, files: reports.map(asJson) }, 2))
  else if (reports.length === 0) printLine('there are no sessions to verify')
  return ok ? EXIT.done : EXIT.failed
}

function allSessions({ all, claude, ...flags }: VerifyFlags): readonly SessionFile[] {
  if (all !== true) throw fault('E_USAGE', 'name a session, or use --all for those of all folders')
  const { ours, theirs } = sessionStores(flags)
  return listSessionFiles(claude === true ? theirs : ours).map(({ key, path }) => ({
    id: key.sessionId,
    path,
    key: claude === true ? undefined : key
  }))
}

function* checkSession(session: SessionFile): Generator<Report> {
  yield { id: session.id, path: session.path, agent: null, ...checkFile(session) }
  for (const agent of agentFiles(session))
    yield { id: session.id, path: agent.path, agent: agent.id, ...checkFile(agent) }
}

/** One unreadable file must not hide the others. */
function checkFile({ path, key }: SessionFile): Verified | { readonly problem: string } {
  try {
    return verifyFile(path, key) ?? { problem: 'the file is gone' }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

const asJson = (report: Report): object =>
  'problem' in report
    ? report
    : { ...report, gaps: report.gaps.map(gap => ({ ...gap, matters: gapMeaning(gap).matters })) }

function reportLines(report: Report): readonly string[] {
  const width = outputColumns()
  const name = report.agent === null ? report.id : `  subagent ${report.agent}`
  if ('problem' in report) return [`${withStyle('red', '✗')} ${escapeLine(`${name}: ${report.problem}`)}`]
  const { gaps, entries, bytes, isForeign } = report
  const matters = gaps.some(gap => gapMeaning(gap).matters)
  const sign = gaps.length === 0 ? withStyle('green', '✓') : withStyle(matters ? 'red' : 'yellow', '✗')
  const seals = isForeign ? ', without checksums' : ''
  const facts = `${counted(entries, 'entry')}, ${counted(bytes, 'byte')}${seals}, ${gaps.length === 0 ? 'whole' : counted(gaps.length, 'gap')}`
  return [
    `${sign} ${escapeLine(name)}`,
    `  ${facts}`,
    ...gaps.flatMap(gap => {
      const { matters: isBad, words } = gapMeaning(gap)
      const lines = wrapBlock(`${gapText(gap)}: ${words}`, '  ', width)
      return lines.map(line => withStyle(isBad ? 'red' : 'yellow', line))
    }),
    ...reportNotes(report).flatMap(note => wrapBlock(escapeLine(note), '  ', width).map(line => withStyle('dim', line)))
  ]
}

const UNANSWERED = {
  'not started': 'has no result; it was not started',
  waiting: 'waits for a decision',
  started: 'was interrupted while running; its effect is not known',
  ended: 'has ended, but its hooks did not run'
} as const

function reportNotes({ unanswered, strays, unknownOutcomes, unknownTypes, isForeign }: Verified): readonly string[] {
  const strange = isForeign ? [] : Object.entries(unknownTypes)
  return [
    ...unanswered.map(
      ({ toolName, toolUseId, state }) =>
        `${toolName} (${toolUseId}) ${isForeign ? 'has no result' : UNANSWERED[state]}`
    ),
    ...(strays === 0 ? [] : [`${counted(strays, 'result')} without a call`]),
    ...(unknownOutcomes === 0
      ? []
      : [`${counted(unknownOutcomes, 'call')} with an unknown effect, as the model was told`]),
    ...strange.map(
      ([type, count]) => `${counted(count, 'entry')} of the type ${type}, which this version does not know`
    )
  ]
}

import type { AUDIT_VERIFY_FLAGS, FlagValues } from '../flags.ts'
import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { signaturesIn } from '../../query/session-choice.ts'
import type { Signatures } from '../../transcript/chain.ts'
import { verifyChain, type ChainReport, type ChainVerdict } from '../../transcript/verify-chain.ts'
import { attempt } from '../../util/attempt.ts'
import { isThere } from '../../world/files/paths.ts'
import { EXIT } from '../common.ts'
import { counted, escapeLine, printLine, safeJson, withStyle } from '../print.ts'
import { agentFiles, findSession, sessionStores, type SessionFile } from '../sessions/session-lookup.ts'
import { outputColumns, wrapBlock } from '../terminal/width.ts'
import { folderSessions } from './calls.ts'

type VerifyFlags = FlagValues<typeof AUDIT_VERIFY_FLAGS>

type Report = ChainReport & { readonly id: string; readonly agent: string | null; readonly path: string }

/** `carabiner audit verify`: reads every line and its signature. Changes nothing. */
export function verifySignatures(name: string | undefined, flags: VerifyFlags): number {
  const { where, ours } = sessionStores(flags)
  const signatures = signaturesIn(where.ownHome)
  const sessions = name === undefined ? folderSessions(flags) : [findSession(name, flags)]
  const reports = sessions.flatMap(session => reportsOn(session, signatures))
  if (name === undefined && flags.all === true) reports.push(...goneSessions(signatures, ours.root))
  const ok = reports.every(({ verdict }) => verdict === 'signed' || verdict === 'unsigned')
  if (flags.json === true) printLine(safeJson({ ok, files: reports }, 2))
  else for (const report of reports) for (const line of reportLines(report)) printLine(line)
  if (reports.length === 0 && flags.json !== true) printLine('there are no sessions to verify')
  return ok ? EXIT.done : EXIT.failed
}

const reportsOn = (session: SessionFile, signatures: Signatures): readonly Report[] =>
  [{ ...session, agent: null }, ...agentFiles(session).map(file => ({ ...file, agent: file.id }))].map(file => ({
    id: session.id,
    agent: file.agent,
    path: file.path,
    ...(verifyChain(file.path, file.key, signatures) ?? NOTHING)
  }))

const NOTHING: ChainReport = { verdict: 'changed', entries: 0, problems: ['the file is gone'], notes: [] }

/** Files that have a head, and are not there. */
function goneSessions({ headsFolder }: Signatures, root: string): readonly Report[] {
  const names = attempt(() => readdirSync(headsFolder, { recursive: true }).map(String)) ?? []
  const places = names.filter(name => name.endsWith('.head')).map(name => name.slice(0, -'.head'.length))
  return places.flatMap(place => {
    const path = join(root, `${place}.jsonl`)
    const [, id = '', , agent = null] = place.split(sep)
    return isThere(path) ? [] : [{ id, agent, path, ...NOTHING }]
  })
}

const VERDICTS = {
  signed: ['✓', 'green', 'signed, and not changed since'],
  unsigned: ['?', 'yellow', 'sealed, not signed'],
  unchecked: ['?', 'yellow', 'signed, but it cannot be checked'],
  changed: ['✗', 'red', 'changed since it was written']
} as const satisfies Record<ChainVerdict, readonly string[]>

export const verdictWords = (report: ChainReport | undefined): string => VERDICTS[report?.verdict ?? 'changed'][2]

function reportLines({ id, agent, verdict, entries, problems, notes }: Report): readonly string[] {
  const [sign, style, words] = VERDICTS[verdict]
  const lines = (texts: readonly string[], look: 'red' | 'dim'): readonly string[] =>
    texts.flatMap(text => wrapBlock(escapeLine(text), '  ', outputColumns()).map(line => withStyle(look, line)))
  return [
    `${withStyle(style, sign)} ${escapeLine(agent === null ? id : `  subagent ${agent}`)}`,
    `  ${counted(entries, 'entry')}, ${words}`,
    ...lines(problems, 'red'),
    ...lines(notes, 'dim')
  ]
}

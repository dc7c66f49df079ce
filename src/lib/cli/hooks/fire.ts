import type { FireFlags } from '../flags.ts'
import { firedAlone } from '../../agent/model-drafts.ts'
import { unsentSequences } from '../../agent/output/terminal-sequence.ts'
import { isGate, parseEvent, type EventName, type FireInput } from '../../hooks/events/event-table.ts'
import { formatReport } from '../../hooks/format-report.ts'
import type { Reported } from '../../hooks/registry-internals.ts'
import { sourceOf, stopsRun, type Finding } from '../../settings/files/finding.ts'
import { inactiveLine, type HookStatus } from '../../settings/active/active-hooks.ts'
import { AGENT_TYPES } from '../../settings/files/handlers.ts'
import type { LoadedHook } from '../../settings/files/loaded-hooks.ts'
import { restrictions } from '../../settings/permissions/restrictions.ts'
import { hooksHere } from './hooks-here.ts'
import { EXIT, loadProjectState, decideProjectHooks, reportUntrusted, unusableFindings } from '../common.ts'
import { readPayload } from './payload.ts'
import { printError, findingText, printLine, withStyle } from '../print.ts'
import { reserveOutput } from '../standard-streams.ts'
import { printProse } from '../terminal/width.ts'
import type { HookReport, HookResponse } from '../../hooks/hook-messages.ts'
import type { RegistryOptions } from '../../hooks/registry-options.ts'
import type { LateAnswer } from '../../hooks/dispatch/outcome.ts'

export async function fireEvent(name: string, flags: FireFlags): Promise<number> {
  const event = parseEvent(name)
  const payload = await readPayload(event, flags)
  const scene = loadProjectState(flags)
  const counts = decideProjectHooks(scene, flags)
  if (counts === undefined) return reportUntrusted(scene)
  // Hooks that need an agent are added, too: one that cannot be asked has not agreed.
  const situation = { loaded: scene.loaded, projectTrusted: counts, hasAgent: true }
  const late = new BackgroundHooks()
  const registry = { cwd: scene.where.cwd, profile: flags.profile, sessionId: 'fire', ...late.options }
  if (flags.json === true) reserveOutput()
  const armed = await hooksHere(situation, registry)
  const findings = reportableFindings(
    [...scene.loaded.findings, ...restrictions(scene.loaded), ...armed.findings],
    counts
  )
  const isCompat = armed.hooks.options.profile === 'compat'
  for (const each of findings) printError(`${isCompat && stopsRun(each) ? 'failedOpen: ' : ''}${findingText(each)}`)
  try {
    if (
      (flags.exitCode === true && !isCompat && findings.some(stopsRun)) ||
      unusableFindings(scene, flags, findings).length > 0
    )
      return EXIT.badSettings
    const { input, rules } = firedAlone(event, payload, armed)
    const fired = await armed.hooks.fire(event, input as FireInput<EventName>, { ...rules, report: true })
    const outcome = withUnsent(await late.addTo(fired, () => armed.hooks.drain()))
    const statuses = armed.statuses()
    const off =
      flags.explain === true ? statuses.filter(({ hook, off: why }) => why !== undefined && hook.event === event) : []
    if (flags.json === true)
      printLine(JSON.stringify(asJson(outcome, statuses, off, flags), (_, value: unknown) => value ?? null, 2))
    else
      printProse(
        formatReport(outcome, {
          explain: flags.explain,
          style: withStyle,
          inactive: off.flatMap(inactiveLine),
          hint: 'add --explain to see why'
        })
      )
    return flags.exitCode === true ? fireExitCode(outcome, statuses) : EXIT.done
  } finally {
    await armed.close()
  }
}

/** The reports of hooks with the sequences that a terminal would not be sent. */
function withUnsent(outcome: Reported): Reported {
  const unsent = unsentSequences(outcome)
  const notesOf = ({ name, event, notes }: HookReport): readonly string[] => [
    ...notes,
    ...unsent.flatMap(({ by, why }) => (by === name && event === outcome.event ? why : []))
  ]
  return { ...outcome, report: outcome.report.map(each => ({ ...each, notes: notesOf(each) })) }
}

const reportableFindings = (findings: readonly Finding[], ofProjectToo: boolean): readonly Finding[] =>
  findings.filter(({ level, gate, ofProject }) => {
    if (ofProject === true && !ofProjectToo) return false
    return level === 'error' || (gate && level === 'warning')
  })

/** The decision of a gate that could not be asked is unknown: that is not a yes, even where failures are allowed. */
function fireExitCode({ event, blocked, report }: Reported, statuses: readonly HookStatus[]): number {
  if (blocked) return EXIT.blocked
  const needsAgent = (each: HookReport): boolean => AGENT_TYPES.some(type => type === kindOf(each, statuses))
  const isUnasked = report.some(each => each.failure !== undefined && needsAgent(each))
  return isUnasked && isGate(event) ? EXIT.failed : EXIT.done
}

function asJson(
  outcome: Reported,
  statuses: readonly HookStatus[],
  off: readonly HookStatus[],
  { explain = false }: FireFlags
): object {
  const { event, precedence, profile, report } = outcome
  const shown = report.filter(({ ran }) => ran || explain)
  return {
    event,
    precedence,
    profile,
    outcome: Object.fromEntries(OUTCOME_KEYS.map(key => [key, outcome[key]])),
    hooks: [...shown, ...off.map(offReport)].map(each => hookAsJson(each, statuses))
  }
}

const OUTCOME_KEYS = [
  ...(['decision', 'blocked', 'by', 'reason', 'reasons', 'updatedInput', 'updatedPrompt'] as const),
  ...(['additionalContext', 'systemMessage', 'continue', 'stopReason', 'suppressOutput'] as const),
  ...(['failedOpen', 'conflicts', 'failures'] as const)
]

function hookAsJson(report: Partial<HookReport> & Pick<HookReport, 'source'>, statuses: readonly HookStatus[]): object {
  const { name, source, matched, ran, why, status, reply, failure, raw, ms, notes } = report
  return {
    name,
    source,
    kind: kindOf(report, statuses),
    matched,
    ran,
    why,
    status,
    reply,
    failure,
    exitCode: raw?.exit_code,
    stderr: raw?.stderr,
    ms,
    notes
  }
}

const offReport = ({ hook, off }: HookStatus) => ({
  name: hook.name ?? hook.runs,
  source: sourceOf(hook.place),
  matched: false,
  ran: false,
  why: off ?? '',
  status: 'skipped' as const,
  notes: []
})

const hookAt = (source: string, statuses: readonly HookStatus[]): LoadedHook | undefined =>
  statuses.find(({ hook }) => sourceOf(hook.place) === source)?.hook

const kindOf = ({ source }: Pick<HookReport, 'source'>, statuses: readonly HookStatus[]): string =>
  hookAt(source, statuses)?.type ?? 'callback'

/** How long to wait for hooks in the background, in seconds. */
const LONGEST_WAIT = 60

const ADDS_TEXT = 'ran in the background: its text joins the next model call, and it decides nothing'
const WAKES =
  'ran in the background: exit code 2 cannot refuse the event; with asyncRewake it wakes the agent with its output, otherwise it has no effect'

export class BackgroundHooks {
  readonly #answers: LateAnswer[] = []
  readonly #responses: HookResponse[] = []

  readonly options: Pick<RegistryOptions, 'onLate' | 'sink'> = {
    onLate: answer => void this.#answers.push(answer),
    sink: message => void (message.subtype === 'hook_response' && this.#responses.push(message))
  }

  async addTo(outcome: Reported, drain: () => Promise<void>): Promise<Reported> {
    const late = outcome.report.filter(({ status }) => status === 'late')
    if (late.length === 0) return outcome
    const hooks = late.length === 1 ? '1 hook' : `${late.length} hooks`
    printError(`waiting up to ${LONGEST_WAIT} seconds for ${hooks} in the background`)
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>(resolve => (timer = setTimeout(resolve, LONGEST_WAIT * 1000)))
    await Promise.race([drain(), tooLong])
    clearTimeout(timer)
    return { ...outcome, report: outcome.report.map(each => (each.status === 'late' ? this.#completed(each) : each)) }
  }

  #completed(report: HookReport): HookReport {
    const response = this.#responses.find(({ hook_name }) => hook_name === report.name)
    if (response === undefined)
      return { ...report, notes: [...report.notes, `did not end within ${LONGEST_WAIT} seconds and was stopped`] }
    const { stdout = '', stderr = '', exit_code, duration_ms: ms } = response
    const said = this.#answers.find(({ by }) => by === report.name)
    const context = said?.contexts.map(({ text }) => text).join('\n')
    const message = said?.systemMessages.map(({ text }) => text).join('\n')
    const reply = { ...(context && { additionalContext: context }), ...(message && { systemMessage: message }) }
    return {
      ...report,
      ms,
      raw: { stdout, stderr, ...(exit_code !== undefined && { exit_code }) },
      failure: said?.failure,
      reply: Object.keys(reply).length === 0 ? undefined : reply,
      notes: [...report.notes, exit_code === 2 ? WAKES : ADDS_TEXT]
    }
  }
}

import { engineFault } from '../errors.ts'
import { escapeLine, indentLines } from '../util/escape.ts'
import type { HookReport } from './hook-messages.ts'
import type { Reported } from './registry-internals.ts'

/** How a report is written. */
export interface ReportFormat {
  /** Hooks that did not run are listed as well, with the reason. */
  explain?: boolean | undefined
  /** Adds colours, such as `styleText` of `node:util`. Default: none. */
  style?: ((style: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string) | undefined
  /** Further lines about hooks that did not run. */
  inactive?: readonly string[] | undefined
  /** How to get them, if no hook ran. */
  hint?: string | undefined
}

type Format = { [K in keyof ReportFormat]-?: NonNullable<ReportFormat[K]> }

/**
 * The outcome of an event as text for people, as `carabiner fire` prints it: what each hook answered, and what follows.
 * Fire the event with `{ report: true }`.
 */
export function formatReport(outcome: Reported, format: ReportFormat = {}): string {
  // Programs in JavaScript can leave it out.
  if (!Array.isArray(outcome.report))
    throw engineFault('E_OPTION_INVALID', 'outcome', 'one without a report', 'fire(event, input, { report: true })')
  const {
    explain = false,
    style = (_, text) => text,
    inactive = [],
    hint = 'use { explain: true } to see why'
  } = format
  return [...reportLines(outcome, { explain, style, inactive, hint })].join('\n')
}

function* reportLines(outcome: Reported, format: Format): Generator<string> {
  const { event, report, profile } = outcome
  const { style, explain, inactive, hint } = format
  const ran = report.filter(each => each.ran)
  yield `${style('bold', event)}  ${style('dim', `profile ${profile}`)}`
  for (const each of ran) yield* hookLines(each, format)
  if (ran.length === 0) yield '  no hook ran'
  if (explain) {
    const idle = report.filter(each => !each.ran)
    const words = idle.map(({ name, why, source }) => `${name}  did not run: ${why}  (${source})`)
    for (const line of [...words, ...inactive]) yield `  ${style('dim', escapeLine(line))}`
  } else if (ran.length === 0) yield `  → ${hint}`
  yield* outcomeLines(outcome, format)
}

function* hookLines(report: HookReport, { style }: Format): Generator<string> {
  const { name, status, reply, failure, ms, notes, raw } = report
  const words = status === 'late' && raw?.exit_code === 2 ? raw.stderr || raw.stdout : undefined
  const answer =
    failure === undefined
      ? reply === undefined
        ? (words?.trim() ?? (status === 'late' ? 'no answer' : 'no opinion'))
        : JSON.stringify(reply)
      : `failed (${failure.kind}): ${failure.message}`
  const code = raw?.exit_code === undefined ? '' : `, exit code ${raw.exit_code}`
  const look = failure === undefined ? (status === 'answered' ? 'cyan' : 'dim') : 'yellow'
  yield `  ${escapeLine(name)}  ${style('dim', `${ms?.toFixed(0) ?? '?'} ms${code}`)}`
  yield `    ${style(look, indentLines(answer))}`
  if (failure?.at !== undefined) yield `    ${style('dim', escapeLine(`at ${failure.at}`))}`
  for (const note of shortenNotes(notes)) yield `    ${style('dim', indentLines(note))}`
}

const STRAY = / is not a key of a reply to (\w+)$/

/** One line for all keys that are not read; a hook that prints the event back gets a separate line. */
function shortenNotes(notes: readonly string[]): readonly string[] {
  const strays = notes.filter(note => STRAY.test(note))
  if (strays.length < 2) return notes
  const keys = strays.map(note => note.replace(STRAY, ''))
  const isEcho = keys.includes('hookEventName') && keys.includes('sessionId')
  const event = STRAY.exec(strays[0]!)![1]!
  const words = isEcho
    ? 'it printed the event back, which is not an answer: print nothing, or one JSON object with a decision'
    : `${keys.join(', ')} are not keys of a reply to ${event}`
  return [words, ...notes.filter(note => !STRAY.test(note))]
}

function* outcomeLines(outcome: Reported, { style }: Format): Generator<string> {
  const { blocked, decision, by, reason, additionalContext, systemMessages, updatedInput, updatedPrompt } = outcome
  const words =
    decision === undefined
      ? 'no objection'
      : `${decision}${by === undefined ? '' : `, by ${by}`}${reason === undefined ? '' : `: ${reason}`}`
  yield `  ${style('bold', 'outcome')}  ${style(blocked ? 'red' : 'green', indentLines(words))}`
  if (updatedInput !== undefined) yield `  input    ${indentLines(JSON.stringify(updatedInput))}`
  if (updatedPrompt !== undefined) yield `  prompt   ${indentLines(updatedPrompt)}`
  const { displayContent } = outcome.fields
  if (typeof displayContent === 'string') yield `  display  ${indentLines(displayContent)}`
  for (const { text } of outcome.terminalSequences) yield `  terminal ${indentLines(text)}`
  if (additionalContext !== undefined) yield `  context  ${indentLines(additionalContext)}`
  for (const { text, to } of systemMessages) yield `  message  ${indentLines(text)} ${style('dim', `(to the ${to})`)}`
  if (outcome.continue === false)
    yield `  the run would end${outcome.stopReason === undefined ? '' : `: ${indentLines(outcome.stopReason)}`}`
  if (outcome.failedOpen)
    yield `  ${style('yellow', 'a hook failed and the call was allowed anyway (the strict profile would block it)')}`
}

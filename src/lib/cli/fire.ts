import { readFileSync } from 'node:fs'
import { fault } from '../errors.ts'
import { parseEvent, rowOf, type EventName, type FireInput } from '../hooks/events.ts'
import type { Reported } from '../hooks/hub.ts'
import type { HookReport } from '../hooks/trace.ts'
import { armHooks } from '../settings/armed.ts'
import type { Standing } from '../settings/force.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { describeUntrusted, EXIT, howToTrust, look, projectCounts, unusable, type CommonFlags } from './common.ts'
import { complain, indented, inOneLine, printFinding, say, styled } from './print.ts'

export interface FireFlags extends CommonFlags {
  input?: string
  tool?: string
  set?: string[]
  json?: boolean
  explain?: boolean
  exitCode?: boolean
}

/** `carabiner fire EVENT`: one event through the hooks in force here. */
export async function fire(name: string, flags: FireFlags): Promise<number> {
  const event = parseEvent(name)
  const payload = await payloadOf(event, flags)
  const scene = look(flags)
  const counts = projectCounts(scene, flags)
  if (counts === undefined) {
    for (const line of [...describeUntrusted(scene.loaded, scene.trust), ...howToTrust(scene)]) complain(line)
    return EXIT.untrusted
  }
  const armed = await armHooks(() => ({ loaded: scene.loaded, projectTrusted: counts }), {
    registry: { cwd: scene.where.cwd, profile: flags.profile, sessionId: 'fire' }
  })
  const findings = [...scene.loaded.findings, ...armed.findings].filter(({ level }) => level === 'error')
  for (const finding of findings) complain(printFinding(finding))
  try {
    if (unusable(scene, flags, findings).length > 0) return EXIT.badSettings
    const outcome = await armed.hooks.fire(event, payload as FireInput<EventName>, { report: true })
    const off = flags.explain === true ? armed.standings().filter(each => isOff(each, event)) : []
    if (flags.json === true) say(JSON.stringify(asJson(outcome, armed.standings(), off, flags), orNull, 2))
    else for (const line of lines(outcome, off, flags)) say(line)
    return flags.exitCode === true && outcome.blocked ? EXIT.blocked : EXIT.done
  } finally {
    await armed.close()
  }
}

const isOff = ({ hook, off }: Standing, event: EventName): boolean => off !== undefined && hook.event === event

/** Every key is always there. */
const orNull = (_: string, value: unknown): unknown => value ?? null

/** What is given, over the sample of the event's row. */
async function payloadOf(event: EventName, flags: FireFlags): Promise<PlainObject> {
  const given = await givenInput(flags)
  const payload: PlainObject = { ...structuredClone(rowOf(event).sample), ...given }
  if (flags.tool !== undefined) {
    payload['tool_name'] = flags.tool
    if (given['tool_input'] === undefined && flags.tool !== rowOf(event).sample['tool_name']) payload['tool_input'] = {}
  }
  for (const assignment of flags.set ?? []) assign(payload, assignment)
  return payload
}

async function givenInput({ input }: FireFlags): Promise<PlainObject> {
  const text =
    input === undefined
      ? await standardInput()
      : input.trimStart().startsWith('{')
        ? input
        : readFileSync(input === '-' ? 0 : input, 'utf8')
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usage(`the payload is not valid JSON: ${(error as Error).message}`)
  }
  if (!isObject(value)) throw usage('the payload is not a JSON object')
  return value
}

async function standardInput(): Promise<string> {
  if (process.stdin.isTTY) return ''
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** `tool_input.command=git push`; a value that is JSON is taken as that. */
function assign(payload: PlainObject, assignment: string): void {
  const at = assignment.indexOf('=')
  if (at < 1) throw usage(`--set takes key=value, not ${JSON.stringify(assignment)}`)
  const keys = assignment.slice(0, at).split('.')
  const last = keys.pop()!
  let target = payload
  if ([...keys, last].includes('__proto__')) throw usage('--set cannot change __proto__')
  for (const key of keys) {
    const next = Object.hasOwn(target, key) ? target[key] : undefined
    target[key] = isObject(next) ? { ...next } : {}
    target = target[key] as PlainObject
  }
  target[last] = valueOf(assignment.slice(at + 1))
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const usage = (why: string): Error => fault('E_USAGE', why)

/** One object, for machines. */
function asJson(
  outcome: Reported,
  standings: readonly Standing[],
  off: readonly Standing[],
  { explain = false }: FireFlags
): object {
  const { event, precedence, profile, report } = outcome
  const { decision, blocked, by, reason, reasons, updatedInput, updatedPrompt, additionalContext, systemMessage } =
    outcome
  const { continue: goesOn, stopReason, suppressOutput, failedOpen, conflicts, failures } = outcome
  const rest = { continue: goesOn, stopReason, suppressOutput, failedOpen, conflicts, failures }
  const hooks = report.filter(({ ran }) => ran || explain).map(each => hookAsJson(each, standings))
  return {
    event,
    precedence,
    profile,
    outcome: {
      decision,
      blocked,
      by,
      reason,
      reasons,
      updatedInput,
      updatedPrompt,
      additionalContext,
      systemMessage,
      ...rest
    },
    hooks: [...hooks, ...off.map(offAsJson)]
  }
}

function hookAsJson(report: HookReport, standings: readonly Standing[]): object {
  const { name, source, matched, ran, why, status, reply, failure, raw, ms, notes } = report
  return {
    name,
    source,
    kind: kindOf(report, standings),
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

/** What there is to say of a hook that did nothing. */
const NOTHING = { reply: null, failure: null, exitCode: null, stderr: null, ms: null, notes: [] }

function offAsJson({ hook, off }: Standing): object {
  const { name = hook.runs, type: kind, place } = hook
  return {
    name,
    source: `${place.file}:${place.line}:${place.column}`,
    kind,
    matched: false,
    ran: false,
    why: off,
    status: 'skipped',
    ...NOTHING
  }
}

const kindOf = ({ source }: HookReport, standings: readonly Standing[]): string =>
  standings.find(({ hook: { place } }) => `${place.file}:${place.line}:${place.column}` === source)?.hook.type ??
  'callback'

/** The same for people. */
function* lines(outcome: Reported, off: readonly Standing[], { explain = false }: FireFlags): Generator<string> {
  const { event, report, profile } = outcome
  const ran = report.filter(each => each.ran)
  yield `${styled('bold', event)}  ${styled('dim', `profile ${profile}`)}`
  for (const each of ran) yield* hookLines(each)
  if (ran.length === 0) yield '  no hook ran'
  if (explain) {
    for (const { name, why, source } of report.filter(each => !each.ran))
      yield `  ${styled('dim', inOneLine(`${name}  did not run: ${why}  (${source})`))}`
    for (const { hook, off: why } of off)
      yield `  ${styled('dim', inOneLine(`${hook.runs}  is not in force: ${why}  (${hook.place.file}:${hook.place.line})`))}`
  } else if (ran.length === 0) yield '  → add --explain to see why'
  yield* outcomeLines(outcome)
}

function* hookLines({ name, status, reply, failure, ms, notes, raw }: HookReport): Generator<string> {
  const said =
    failure === undefined
      ? reply === undefined
        ? 'no opinion'
        : JSON.stringify(reply)
      : `failed (${failure.kind}): ${failure.message}`
  const code = raw?.exit_code === undefined ? '' : `, exit code ${raw.exit_code}`
  const style = failure === undefined ? (status === 'answered' ? 'cyan' : 'dim') : 'yellow'
  yield `  ${inOneLine(name)}  ${styled('dim', `${ms?.toFixed(0) ?? '?'} ms${code}`)}`
  yield `    ${styled(style, indented(said))}`
  for (const note of notes) yield `    ${styled('dim', indented(note))}`
}

function* outcomeLines(outcome: Reported): Generator<string> {
  const { blocked, decision, by, reason, additionalContext, systemMessages, updatedInput, updatedPrompt } = outcome
  const words =
    decision === undefined
      ? 'no objection'
      : `${decision}${by === undefined ? '' : `, by ${by}`}${reason === undefined ? '' : `: ${reason}`}`
  yield `  ${styled('bold', 'outcome')}  ${styled(blocked ? 'red' : 'green', indented(words))}`
  if (updatedInput !== undefined) yield `  input    ${indented(JSON.stringify(updatedInput))}`
  if (updatedPrompt !== undefined) yield `  prompt   ${indented(updatedPrompt)}`
  if (additionalContext !== undefined) yield `  context  ${indented(additionalContext)}`
  for (const { text, to } of systemMessages) yield `  message  ${indented(text)} ${styled('dim', `(to the ${to})`)}`
  if (outcome.continue === false)
    yield `  the run would end${outcome.stopReason === undefined ? '' : `: ${indented(outcome.stopReason)}`}`
  if (outcome.failedOpen) yield `  ${styled('yellow', 'something that a strict gate refuses was let pass')}`
}

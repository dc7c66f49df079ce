import { nearest } from '../errors.ts'
import { fault } from '../faults.ts'
import type { Decision } from '../hooks/events/answers.ts'
import { BASE, fieldNames, parseEvent, rowOf, type EventName, type FireInput } from '../hooks/events/event-table.ts'
import { problemsOf } from '../hooks/events/fields.ts'
import type { HookRegistry } from '../hooks/registry.ts'
import type { FireOptions, Reported } from '../hooks/registry-internals.ts'
import type { ToolInputs } from '../hooks/events/tool-inputs.ts'
import { same, type PlainObject } from '../util/plain.ts'
import type { HookReport } from '../hooks/hook-messages.ts'

/** Fields of an event's input; the others come from the sample of its row. */
type Part<E extends EventName> = Partial<FireInput<E>>
type Words = string | RegExp

/** Fires events at hooks and checks in one line what should result. No agent, no model. */
export interface Harness {
  /** Fires the event with these fields on top of the row's sample. The outcome includes a report. */
  fire<E extends EventName>(event: E, part?: Part<E>, options?: FireOptions): Promise<Reported>
  tool<Name extends string>(
    name: Name,
    input: Name extends keyof ToolInputs ? ToolInputs[Name] : object,
    options?: FireOptions
  ): Expectation
  expect<E extends EventName>(event: E, part?: Part<E>, options?: FireOptions): Expectation
}

/** The expected outcome of a fire. Each throws an error that lists the answers of all hooks if it does not hold. */
export interface Expectation {
  toDeny(reason?: Words): Promise<Reported>
  toAllow(): Promise<Reported>
  toAsk(reason?: Words): Promise<Reported>
  toDefer(): Promise<Reported>
  /** No hook decides, changes or adds anything, and none fails. */
  toBeSilent(): Promise<Reported>
  toRewrite(result: object | string): Promise<Reported>
  toAddContext(text: Words): Promise<Reported>
}

/** Tests the hooks of a registry. */
export function harness(hooks: Pick<HookRegistry, 'fire'>): Harness {
  const fire: Harness['fire'] = async (event, part, options) => {
    const input = inputFor(parseEvent(event), part ?? {})
    return hooks.fire(event, input as FireInput<typeof event>, { ...options, report: true })
  }
  return {
    fire,
    tool: (name, input, options) =>
      expectation(() => fire('PreToolUse', { tool_name: name, tool_input: input }, options)),
    expect: (event, part, options) => expectation(() => fire(event, part, options))
  }
}

const BASE_SAMPLE = { session_id: '', transcript_path: '', cwd: '', permission_mode: 'default' }

/** The sample with the given fields on top; a field of the wrong type is an error, and so is a misspelt one. */
function inputFor(event: EventName, part: object): PlainObject {
  const row = rowOf(event)
  const input: PlainObject = { ...row.sample, ...part }
  const known = fieldNames(event)
  const unknown = Object.keys(part).filter(key => !known.includes(key))
  const problems = [
    ...problemsOf(row.fields, input),
    ...problemsOf(BASE, { ...BASE_SAMPLE, ...part }),
    ...unknown.map(key => `there is no field ${key}, did you mean ${nearest(key, known) ?? known.join(', ')}?`)
  ]
  if (problems.length > 0) throw fault('E_INPUT_INVALID', event, problems.join('; '))
  return input
}

function expectation(fire: () => Promise<Reported>): Expectation {
  const decided = (decision: Decision, reason?: Words): Promise<Reported> =>
    check(fire, `expected ${decision}${reason === undefined ? '' : ` with reason ${String(reason)}`}`, outcome => {
      return outcome.decision === decision && (reason === undefined || contains(outcome.reason, reason))
    })
  return {
    toDeny: reason => decided('deny', reason),
    toAllow: () => decided('allow'),
    toAsk: reason => decided('ask', reason),
    toDefer: () => decided('defer'),
    toBeSilent: () => check(fire, 'expected silence', isSilent),
    toRewrite: result =>
      check(fire, `expected the rewrite ${JSON.stringify(result)}`, outcome =>
        same(outcome.updatedInput ?? outcome.updatedPrompt, result)
      ),
    toAddContext: text =>
      check(fire, `expected context ${String(text)}`, outcome => contains(outcome.additionalContext, text))
  }
}

async function check(
  fire: () => Promise<Reported>,
  expected: string,
  holds: (outcome: Reported) => boolean
): Promise<Reported> {
  const outcome = await fire()
  if (holds(outcome)) return outcome
  throw fault('E_EXPECTATION', `${expected}, but ${summary(outcome)}\n${outcome.report.map(line).join('\n')}`)
}

const contains = (text: string | undefined, words: Words): boolean =>
  text !== undefined && (typeof words === 'string' ? text.includes(words) : text.search(words) >= 0)

function isSilent(outcome: Reported): boolean {
  const { decision, updatedInput, updatedPrompt, messageEdits, contexts, systemMessages, failures } = outcome
  const changed = updatedInput ?? updatedPrompt ?? messageEdits ?? outcome.continue ?? outcome.stopReason ?? decision
  const said = contexts.length + systemMessages.length + failures.length + Object.keys(outcome.fields).length
  return changed === undefined && said === 0 && !outcome.suppressOutput && !outcome.suppressLogging
}

function summary({ event, decision, reason, updatedInput, updatedPrompt, additionalContext }: Reported): string {
  const parts = [
    `${event} was answered with ${decision ?? 'no decision'}`,
    reason === undefined ? '' : `reason ${JSON.stringify(reason)}`,
    updatedInput === undefined ? '' : `input ${JSON.stringify(updatedInput)}`,
    updatedPrompt === undefined ? '' : `prompt ${JSON.stringify(updatedPrompt)}`,
    additionalContext === undefined ? '' : `context ${JSON.stringify(additionalContext)}`
  ]
  return parts.filter(part => part !== '').join(', ')
}

function line({ name, ran, why, status, reply, failure }: HookReport): string {
  const said = failure?.message ?? (reply === undefined ? '' : JSON.stringify(reply))
  return `  ${name}: ${ran ? `${status} ${said}`.trimEnd() : `did not run, ${why}`}`
}

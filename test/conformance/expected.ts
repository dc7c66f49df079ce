/** The expected outcome of a case, and its notation. */
import type { Decision, FailureKind, Outcome } from '../../src/hooks.ts'

/** The expected outcome of an event. A field that is not named must be as without a reply. */
export interface Expected {
  readonly decision?: Decision
  readonly blocked?: true
  readonly reason?: string | RegExp
  readonly contexts?: readonly string[]
  readonly updatedInput?: object
  readonly systemMessages?: readonly string[]
  readonly continue?: false
  readonly stopReason?: string
  readonly fields?: object
  readonly failure?: FailureKind
  readonly failedOpen?: true
}

export const nothing: Expected = {}
export const allowed = (reason?: string): Expected => ({ decision: 'allow', ...(reason !== undefined && { reason }) })
/** Refused, and something does not happen for it. */
export const refused = (reason: string | RegExp): Expected => ({ decision: 'deny', blocked: true, reason })
/** Refused after the fact: the reason goes to the model. */
export const feedback = (reason: string): Expected => ({ decision: 'deny', reason })
/** A hook failed, and a gate closes for it. */
export const closed = (failure: FailureKind): Expected => ({
  ...refused(new RegExp(`^gate_failed:${failure}: hook hook \\(`)),
  failure
})
/** A hook failed, and a gate stays open that would have refused. */
export const opened = (failure: FailureKind): Expected => ({ failure, failedOpen: true })
/** A hook failed where nothing would close. */
export const warned = (failure: FailureKind): Expected => ({ failure })
export const context = (...contexts: readonly string[]): Expected => ({ contexts })
/** The same, but the call was allowed although a strict gate refuses it. */
export const marked = (expected: Expected): Expected => ({ ...expected, failedOpen: true })

/** An outcome in the same words, reasons apart. */
export function seen(outcome: Outcome): Omit<Expected, 'reason'> {
  const { decision, blocked, contexts, updatedInput, systemMessages, stopReason, fields, failures } = outcome
  return {
    ...(decision !== undefined && { decision }),
    ...(blocked && { blocked }),
    ...(contexts.length > 0 && { contexts: contexts.map(({ text }) => text) }),
    ...(updatedInput !== undefined && { updatedInput }),
    ...(systemMessages.length > 0 && { systemMessages: systemMessages.map(({ text, to }) => `${text} (${to})`) }),
    ...(outcome.continue !== undefined && { continue: outcome.continue as false }),
    ...(stopReason !== undefined && { stopReason }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(failures[0] !== undefined && { failure: failures[0].kind }),
    ...(outcome.failedOpen && { failedOpen: true })
  }
}

/** In a few words, for people. */
export function expectedText(expected: Expected): string {
  const { decision, blocked, reason, contexts, updatedInput, systemMessages, stopReason, fields, failure } = expected
  const verb = decision === 'deny' ? (blocked ? 'refused' : 'feedback') : decision
  const words = [
    failure === undefined ? '' : `fails (${failure})${decision === undefined ? ', continues' : ''}`,
    verb === undefined ? '' : `**${verb}**${typeof reason === 'string' ? `: ${reason}` : ''}`,
    contexts === undefined ? '' : `context ${code(contexts.join('\n'))}`,
    updatedInput === undefined ? '' : `input ${code(JSON.stringify(updatedInput))}`,
    systemMessages === undefined ? '' : `message ${systemMessages.join(', ')}`,
    expected.continue === false ? 'the run ends' : '',
    stopReason === undefined ? '' : `stop reason: ${stopReason}`,
    ...Object.entries(fields ?? {}).map(([name, value]) => `${name} ${code(JSON.stringify(value))}`),
    expected.failedOpen ? '*failed open*' : ''
  ].filter(word => word !== '')
  return words.length === 0 ? 'nothing' : words.join('; ')
}

/** As code in a cell of a table. */
export const code = (text: string): string => `\`${text.replaceAll('\n', '⏎').replaceAll('|', '\\|')}\``

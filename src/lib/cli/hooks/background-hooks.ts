import type { Reported } from '../../hooks/registry-internals.ts'
import type { RegistryOptions } from '../../hooks/registry-options.ts'
import { printError } from '../print.ts'
import type { LateAnswer } from '../../hooks/dispatch/outcome.ts'
import type { HookReport, HookResponse } from '../../hooks/hook-messages.ts'

/** How long hooks in the background are waited for, in seconds. */
const LONGEST_WAIT = 60

const ADDS_TEXT = 'ran in the background: its text joins the next model call, and it decides nothing'
const WAKES =
  'ran in the background: exit code 2 cannot refuse the event; with asyncRewake it wakes the agent with what it printed, without it does nothing'

/** Collects what hooks do that answer after their event, so that it can be shown. */
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

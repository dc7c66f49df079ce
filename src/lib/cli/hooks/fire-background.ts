import type { Reported } from '../../hooks/registry-internals.ts'
import type { LateAnswer } from '../../hooks/background.ts'
import type { RegistryOptions } from '../../hooks/registry-options.ts'
import type { HookReport, HookResponse } from '../../hooks/trace.ts'
import { complain } from '../print.ts'

/** How long hooks in the background are waited for, in seconds. */
const LONGEST_WAIT = 60

const SAYS = 'ran in the background: what it says joins the next model call, and decides nothing'
const WAKES =
  'ran in the background: it refuses nothing; exit code 2 wakes the agent with what it printed if it has asyncRewake, and does nothing if not'

/** Follows hooks that answer when their event has gone on, so that what they do and say can be shown. */
export class LateHooks {
  readonly #answers: LateAnswer[] = []
  readonly #responses: HookResponse[] = []

  /** For the registry that fires them. */
  readonly options: Pick<RegistryOptions, 'onLate' | 'sink'> = {
    onLate: answer => void this.#answers.push(answer),
    sink: message => void (message.subtype === 'hook_response' && this.#responses.push(message))
  }

  /** Waits for them, and adds to the report what came of each. */
  async addTo(outcome: Reported, drain: () => Promise<void>): Promise<Reported> {
    const late = outcome.report.filter(({ status }) => status === 'late')
    if (late.length === 0) return outcome
    const hooks = late.length === 1 ? '1 hook' : `${late.length} hooks`
    complain(`waiting for ${hooks} in the background, for ${LONGEST_WAIT} seconds at most`)
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>(resolve => (timer = setTimeout(resolve, LONGEST_WAIT * 1000)))
    await Promise.race([drain(), tooLong])
    clearTimeout(timer)
    return { ...outcome, report: outcome.report.map(each => (each.status === 'late' ? this.#completed(each) : each)) }
  }

  #completed(report: HookReport): HookReport {
    const response = this.#responses.find(({ hook_name }) => hook_name === report.name)
    if (response === undefined)
      return { ...report, notes: [...report.notes, `has not ended within ${LONGEST_WAIT} seconds, and is stopped`] }
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
      notes: [...report.notes, exit_code === 2 ? WAKES : SAYS]
    }
  }
}

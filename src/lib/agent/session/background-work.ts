import type { Rec } from '../../transcript/entry.ts'
import { isObject } from '../../util/plain.ts'
import type { Session } from './session.ts'

export class BackgroundWork {
  readonly left = new Map<string, string>()

  take({ type, message, toolUseResult, attachment }: Rec): void {
    const output = isObject(toolUseResult) ? toolUseResult : {}
    const { backgroundTaskId, agentId, description } = output
    const { task_id, status } = isObject(output['task']) ? output['task'] : output
    const id = backgroundTaskId ?? (status === 'async_launched' ? agentId : undefined)
    if (typeof id === 'string') this.left.set(id, typeof description === 'string' ? description : '')
    if (typeof task_id === 'string' && status !== 'running') this.left.delete(task_id)
    if (this.left.size > 0 && toolUseResult === undefined && type !== 'assistant') this.#takeEnds([message, attachment])
  }

  #takeEnds(words: readonly unknown[]): void {
    const text = JSON.stringify(words)
    if (/ended|completed|failed|killed|stopped/.test(text))
      for (const id of this.left.keys()) if (text.includes(id)) this.left.delete(id)
  }
}

/** Such work ended with its process: the model and the reader are notified once. */
export function reportEndedWork(background: BackgroundWork['left'] | undefined, session: Session): void {
  for (const [id, description] of background ?? []) {
    const name = description === '' ? id : `${id}, ${description}`
    const text = `The background task ${name} has ended for this session: it belonged to the process before this one.`
    session.conversation.addContext(`${text} Start it again if you still need it.`)
    session.reader.notice(text, 'warning')
  }
}

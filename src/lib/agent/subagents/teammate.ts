import { nearest } from '../../errors.ts'
import { builtInTool } from '../../tools/built-in.ts'
import { failed, type Tool } from '../../tools/tool.ts'
import type { Ending } from '../session/ending.ts'
import { MessageQueue } from '../output/reader.ts'
import { reasonForModel } from '../call/objections.ts'
import type { NotificationText } from '../session/notifications.ts'
import type { Session } from '../session/session.ts'

/** How often hooks may keep a teammate from going idle, without a message in between. */
const MOST_BLOCKS = 8

/** The messages to a teammate. It is at work from a message, or its task, until it rests; its session waits that long. */
export class Mailbox {
  readonly #messages = new MessageQueue<string>()
  readonly #expect: (coming: Promise<NotificationText>) => void
  #rest: ((word: NotificationText) => void) | undefined

  constructor(expect: (coming: Promise<NotificationText>) => void) {
    this.#expect = expect
    this.#work()
  }

  #work(): void {
    if (this.#rest === undefined) this.#expect(new Promise(resolve => (this.#rest = resolve)))
  }

  push(message: string): void {
    this.#messages.push(message)
    this.#work()
  }

  /** Tells the session what came of it. */
  rest(word: NotificationText): void {
    this.#work()
    this.#rest?.(word)
    this.#rest = undefined
  }

  async next(): Promise<string | undefined> {
    const { value } = await this.#messages.next()
    if (value !== undefined) this.#work()
    return value
  }

  end(): void {
    this.#messages.end()
  }
}

/** Runs a named subagent message by message; hooks may keep it working. */
export async function stay(
  { name, prompt, mailbox }: { readonly name: string; readonly prompt: string; readonly mailbox: Mailbox },
  work: (task: string) => Promise<Ending>,
  parent: Session,
  signal: AbortSignal
): Promise<Ending> {
  signal.addEventListener('abort', () => mailbox.end(), { once: true })
  let task = prompt
  let blocks = 0
  for (;;) {
    const ending = await work(task)
    if (signal.aborted) return ending
    const idle = await parent.hooks.run('TeammateIdle', { teammate_name: name, team_name: parent.id }, { signal })
    if (idle.continue === false) return ending
    if (idle.blocked && ++blocks <= MOST_BLOCKS) {
      task = `TeammateIdle hook feedback:\n${reasonForModel(idle)} [${idle.by}]`
      continue
    }
    mailbox.rest(() => `The teammate ${name} is idle, and waits for messages. It says:\n${ending.text}`)
    const next = await mailbox.next()
    if (next === undefined) return ending
    blocks = 0
    task = next
  }
}

export const sendMessageTool = (teammates: ReadonlyMap<string, Mailbox>): Tool =>
  builtInTool('SendMessage', {
    description: 'Sends a message to a teammate: an agent that you called with a name, in the background.',
    async run({ to, message }) {
      const mailbox = teammates.get(to)
      if (mailbox === undefined) {
        const near = nearest(to, teammates.keys())
        return failed(`There is no teammate ${to}${near === undefined ? '' : `; did you mean ${near}?`}`)
      }
      mailbox.push(message)
      return { content: `The message was sent to ${to}.`, output: { success: true, to } }
    }
  })

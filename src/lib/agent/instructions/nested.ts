import type { Message } from '../../message.ts'
import { messageText } from '../session/conversation.ts'
import type { Session } from '../session/session.ts'
import type { Instructions, ProjectInstructions } from './instructions.ts'

/** Adds the instructions for files that calls use to the conversation, unless it has them. */
export class NestedInstructions {
  readonly #files: ProjectInstructions
  /** Compaction and edits make another array, which may have lost them. */
  #messages: readonly Message[] | undefined
  readonly #known = new Set<Instructions>()

  constructor(files: ProjectInstructions) {
    this.#files = files
  }

  /** Undefined if there is nothing to do, which is nearly always so. */
  enter(trigger: string, session: Session): Promise<void> | undefined {
    const found = this.#files.usedWith(trigger)
    if (found.length === 0) return undefined
    const { conversation } = session
    if (conversation.messages !== this.#messages) this.#known.clear()
    this.#messages = conversation.messages
    const fresh = found.filter(file => !this.#known.has(file) && !isIn(session, headOf(file)))
    for (const file of found) this.#known.add(file)
    for (const file of fresh) conversation.addContext(headOf(file) + file.text.trim())
    return fresh.length === 0 ? undefined : announceInstructions(fresh, session, session.afterwards, trigger)
  }
}

const headOf = ({ path }: Instructions): string => `Instructions from ${path}:\n\n`

/** A resumed session has what its transcript has. */
const isIn = ({ conversation: { messages, notes } }: Session, head: string): boolean =>
  notes.some(note => note.includes(head)) ||
  messages.some(({ role, content }) => role === 'system' && messageText(content).includes(head))

export async function announceInstructions(
  files: readonly Instructions[],
  session: Session,
  signal: AbortSignal | undefined,
  trigger?: string
): Promise<void> {
  const triggered = trigger === undefined ? undefined : { trigger_file_path: trigger }
  for (const { path, type, reason, globs, parent } of files) {
    const file = { file_path: path, memory_type: type, load_reason: reason, ...(globs && { globs }), ...triggered }
    const input = parent === undefined ? file : { ...file, parent_file_path: parent }
    await session.hooks.run('InstructionsLoaded', input, { signal })
  }
}

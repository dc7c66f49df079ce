import { uuidFrom } from './claude-walk.ts'
import { isObject } from '../../util/plain.ts'
import { contentBlocks, messageBlocks, type Rec } from '../entry.ts'

/**
 * Prompts typed while the agent worked. Newer versions of Claude Code record those delivered in the middle of a turn in
 * a separate line (`queued_command`); older ones have only `queue-operation` lines. A prompt that another line records
 * as well is reported there only.
 */
export class PromptQueue {
  #held: { readonly text: string; readonly line: Rec; isGiven: boolean }[] = []

  /** Takes a line, in file order; returns the prompts that were delivered here and are in no other line. */
  take(line: Rec): readonly Rec[] {
    const { type, operation } = line
    if (type !== 'queue-operation') return this.#markGiven(textIn(line))
    if (operation === 'enqueue') this.#hold(line)
    // The user took them back to edit them.
    if (operation === 'popAll') this.#held = this.#held.filter(({ isGiven }) => isGiven)
    if (operation !== 'remove') return []
    const place = this.#held.findIndex(({ isGiven }) => isGiven)
    const [removed] = this.#held.splice(Math.max(0, place), 1)
    return removed === undefined || removed.isGiven ? [] : [removed.line]
  }

  end(): readonly Rec[] {
    return this.#held.splice(0).flatMap(({ isGiven, line }) => (isGiven ? [] : [line]))
  }

  #hold(line: Rec): void {
    const text = textIn(line)
    // A slash command of the program is not a prompt.
    if (text !== '' && !/^\/[\w:-]+(?:\s|$)/.test(text)) this.#held.push({ text, line, isGiven: false })
  }

  #markGiven(text: string): readonly Rec[] {
    if (this.#held.length === 0 || text === '') return []
    // Several prompts may be delivered as one.
    for (const held of this.#held) held.isGiven ||= `\n${text}\n`.includes(`\n${held.text}\n`)
    return []
  }
}

export function queuedIn(line: Rec): Rec | undefined {
  const content = promptIn(line)
  if (content === undefined) return undefined
  const { uuid = uuidFrom(JSON.stringify(line)), timestamp, attachment } = line
  const isMeta =
    isObject(attachment) && (attachment['isMeta'] === true || attachment['commandMode'] === 'task-notification')
  return { type: 'user', uuid, timestamp, message: { role: 'user', content }, ...(isMeta && { isMeta }) }
}

function promptIn({ type, content, attachment }: Rec): unknown {
  if (type === 'queue-operation') return content
  return type === 'attachment' && isObject(attachment) && attachment['type'] === 'queued_command'
    ? attachment['prompt']
    : undefined
}

function textIn(line: Rec): string {
  const { type, message } = line
  const blocks = type === 'user' && isObject(message) ? messageBlocks(line) : contentBlocks(promptIn(line))
  return blocks
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
    .trim()
}

import process from 'node:process'
import type { EventName, InputOf } from '../../events/event-table.ts'
import type { Reply } from '../../reply.ts'

type HandlerReply = Reply | null | undefined | void

/** A handler for each event that the worker is asked about. */
export type Handlers = {
  readonly [E in EventName]?: (input: InputOf<E>) => HandlerReply | PromiseLike<HandlerReply>
}

/** One handler for all events; `input.hook_event_name` is the event. */
export type Handler = (input: InputOf<EventName>) => HandlerReply | PromiseLike<HandlerReply>

interface Request {
  readonly id: number
  readonly input?: InputOf<EventName>
}

/**
 * Answers events from standard input until that ends. Call it once, and leave standard output to it: what the program
 * itself prints there, with `console.log` for instance, goes to standard error instead.
 */
export function serve(handlers: Handlers | Handler): void {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  stdout.on('error', () => process.exit())
  let [unread, unsent, open, ended] = ['', '', 0, false]

  const endIfDone = (): void => void (ended && open === 0 && unsent === '' && process.exit())
  const send = (line: string): void => {
    if (unsent === '') queueMicrotask(flush)
    unsent += line
  }
  const flush = (): void => {
    const lines = unsent
    unsent = ''
    write(lines, endIfDone)
  }
  const take = async (line: string): Promise<void> => {
    const request = requestIn(line)
    if (request === undefined) return
    const { id, input } = request
    if (input === undefined) return send(`{"id":${id}}\n`)
    open++
    const answer = await answerBy(handlers, input)
    open--
    send(`{"id":${id}${answer}}\n`)
  }

  stdin.setEncoding('utf8')
  stdin.on('data', (text: string) => {
    unread += text
    if (!text.includes('\n')) return
    const lines = unread.split('\n')
    unread = lines.pop() ?? ''
    for (const line of lines) void take(line)
  })
  stdin.on('end', () => {
    ended = true
    endIfDone()
  })
}

function requestIn(line: string): Request | undefined {
  try {
    return JSON.parse(line) as Request
  } catch {
    if (line.trim() !== '') process.stderr.write(`a line that is not a request was dropped: ${line.slice(0, 100)}\n`)
    return undefined
  }
}

async function answerBy(handlers: Handlers | Handler, input: InputOf<EventName>): Promise<string> {
  try {
    const reply = await handlerFor(handlers, input.hook_event_name)(input)
    return reply === undefined || reply === null ? '' : `,"reply":${JSON.stringify(reply)}`
  } catch (error) {
    return `,"error":${JSON.stringify(error instanceof Error ? error.message || error.name : String(error))}`
  }
}

function handlerFor(handlers: Handlers | Handler, event: EventName): Handler {
  if (typeof handlers === 'function') return handlers
  const handler = Object.hasOwn(handlers, event) ? handlers[event] : undefined
  if (handler === undefined) throw new Error(`the worker has no handler for ${event}; give serve() one`)
  return handler as Handler
}

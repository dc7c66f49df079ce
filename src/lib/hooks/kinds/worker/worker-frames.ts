import { errorMessage } from '../../../errors.ts'
import { parseObject } from '../../../util/json.ts'
import { isObject, type PlainObject } from '../../../util/plain.ts'
import type { Reply } from '../../reply.ts'
import type { Raw } from '../process-reply.ts'

export type WorkerAnswer =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'raw'; readonly raw: Raw }
  | { readonly kind: 'error'; readonly words: string }
  /** The answer comes later, under the same number. */
  | { readonly kind: 'async'; readonly options: PlainObject }
  | { readonly kind: 'wrong'; readonly words: string }

export interface WorkerFrame {
  readonly id: number
  readonly answer: WorkerAnswer
}

const NOTHING: WorkerAnswer = { kind: 'nothing' }
const KEYS = new Set(['id', 'reply', 'code', 'stdout', 'stderr', 'error', 'async', 'asyncTimeout', 'async_timeout'])
const KINDS = ['reply', 'code', 'error', 'async'] as const

/** Reads one line; for a line about no request, returns the reason. */
export function readFrame(line: string): WorkerFrame | string {
  let frame: PlainObject
  try {
    // Most lines that are not frames are messages for people, and there may be many.
    if (!line.startsWith('{') || !line.trimEnd().endsWith('}')) return brokenFrame(line, 'it is not a JSON object')
    frame = parseObject(line)
  } catch (error) {
    return brokenFrame(line, errorMessage(error))
  }
  const { id } = frame
  return Number.isSafeInteger(id) ? { id: id as number, answer: answerIn(frame) } : 'it has no number under "id"'
}

/** A line that cannot be read still belongs to the request whose number it starts with. */
export function brokenFrame(line: string, why: string): WorkerFrame | string {
  const [, id] = /^\{ ?"id" ?: ?(\d{1,15}) ?[,}]/.exec(line) ?? []
  return id === undefined ? why : { id: Number(id), answer: wrong(`its frame cannot be read: ${why}`) }
}

const wrong = (words: string): WorkerAnswer => ({ kind: 'wrong', words })

/** A frame has one meaning. A key that is not read might be a decision, so the frame is wrong. */
function answerIn(frame: PlainObject): WorkerAnswer {
  const kinds = KINDS.filter(key => frame[key] !== undefined)
  const stray = Object.keys(frame).find(key => !KEYS.has(key))
  if (stray !== undefined)
    return wrong(`its frame has a key ${JSON.stringify(stray)}; put the reply under "reply": {"id":1,"reply":{}}`)
  if (kinds.length > 1) return wrong(`its frame has both ${kinds.join(' and ')}, and can have only one of them`)
  const [kind] = kinds
  if (kind !== undefined) return READERS[kind](frame)
  const lost = Object.keys(frame).find(key => key !== 'id')
  return lost === undefined ? NOTHING : wrong(`its frame has ${lost} without what it belongs to`)
}

const READERS: Readonly<Record<(typeof KINDS)[number], (frame: PlainObject) => WorkerAnswer>> = {
  reply: ({ reply }) => (isObject(reply) ? { kind: 'reply', reply } : wrong('the reply in its frame is not an object')),
  code: ({ code, stdout = '', stderr = '' }) => {
    if (typeof stdout !== 'string' || typeof stderr !== 'string') return wrong('stdout and stderr must be strings')
    if (!Number.isSafeInteger(code) || (code as number) < 0) return wrong('the code in its frame is not an exit code')
    return { kind: 'raw', raw: { code: code as number, stdout, stderr } }
  },
  error: ({ error }) =>
    typeof error === 'string'
      ? { kind: 'error', words: error.trim() || 'failed, and did not say why' }
      : wrong('the error in its frame is not a string'),
  async: frame =>
    frame['async'] === true ? { kind: 'async', options: frame } : wrong('async in its frame can only be true')
}

import type { Socket } from 'node:net'
import { attempt } from '../../util/attempt.ts'
import { isObject } from '../../util/plain.ts'
import type { HookRequest } from './answer.ts'

/** What the client sends: the event, and what a process that it starts would have. */
export interface HookCall extends HookRequest {
  readonly umask: number
  readonly env: Readonly<Record<string, string>>
  readonly session: string
}

const MOST_BYTES = 256 * 1024 * 1024
/** Host, event, seconds, folder, umask, number of variables. */
const FIXED = 6
/** Before the client's own deadline, in milliseconds. */
const MARGIN = 500

/** Fields that end with a byte 0: a secret, which is answered; the fixed ones, the variables and the payload. */
export async function readCall(
  socket: Socket,
  prove: (secret: Buffer) => string | undefined
): Promise<HookCall | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  let proof: string | undefined
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > (proof === undefined ? 64 * 1024 : MOST_BYTES)) return undefined
    if (proof === undefined) {
      const start = Buffer.concat(chunks)
      if (!start.includes(0)) continue
      proof = prove(start.subarray(0, start.indexOf(0)))
      if (proof === undefined) return undefined
      socket.write(proof)
      // The client writes line by line, and TCP keeps the next line back until this side speaks. It drops a byte 0.
    } else socket.write('\0')
    const fields = chunk.at(-1) === 0 ? Buffer.concat(chunks).toString().split('\0').slice(1) : []
    // The last one ends with a byte 0 as well.
    if (fields.length > FIXED && fields.length === FIXED + Number(fields[FIXED - 1]) + 2) return callOf(fields)
  }
  return undefined
}

function callOf([host = '', event = '', seconds, cwd = '', umask = '', , ...fields]: readonly string[]): HookCall {
  const payload = fields.at(-2) ?? ''
  const given = attempt(() => JSON.parse(payload) as unknown)
  const { session_id, sessionId, conversation_id } = isObject(given) ? given : {}
  return {
    host,
    event,
    payload,
    cwd,
    deadline: Number(seconds) * 1000 - MARGIN,
    umask: Number.parseInt(umask, 8),
    env: Object.fromEntries(fields.slice(0, -2).map(variable => splitAt(variable, variable.indexOf('=')))),
    session: JSON.stringify([session_id, sessionId, conversation_id])
  }
}

const splitAt = (text: string, at: number): readonly [string, string] => [text.slice(0, at), text.slice(at + 1)]

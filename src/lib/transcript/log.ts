import { randomFillSync } from 'node:crypto'
import { maskSecrets } from '../util/secrets.ts'
import { wellFormedJson } from '../util/plain.ts'
import type { Entry, Line, Log, Rec } from './entry.ts'
import type { SessionKey, TranscriptStore, TranscriptWriter } from './store.ts'

export interface LogOptions {
  readonly path: string
  readonly sessionId: string
  readonly version: string
  readonly entrypoint: string
  /** Where the agent works now. */
  readonly place: { readonly cwd: string }
  readonly agentId?: string | undefined
  readonly hasDecisions?: boolean | undefined
  readonly after?: string | null | undefined
  /** Writes a large value to a separate file and returns its path. Without it, everything is in the line. */
  readonly beside?: ((name: string, text: string) => string) | undefined
}

/** In characters. In longer lines, data that only programs read is left out. */
const LONG = 1 << 18

const NAME = /^[\w-]{1,100}$/

export class TranscriptLog implements Log {
  readonly #writer: TranscriptWriter
  readonly #options: LogOptions
  readonly hasDecisions: boolean
  #last: string | null

  constructor(writer: TranscriptWriter, options: LogOptions) {
    this.#writer = writer
    this.#options = options
    this.hasDecisions = options.hasDecisions === true
    this.#last = options.after ?? null
  }

  get path(): string {
    return this.#options.path
  }

  append(entry: Entry, uuid: string = randomUuid()): void {
    const { sessionId, version, entrypoint, place, agentId } = this.#options
    const line: Line = {
      ...entry,
      uuid,
      parentUuid: this.#last,
      isSidechain: agentId !== undefined,
      timestamp: new Date().toISOString(),
      sessionId,
      cwd: place.cwd,
      version,
      userType: 'external',
      entrypoint
    }
    if (agentId !== undefined) Object.assign(line, { agentId })
    const whole = textOf(line)
    const text = whole.length > LONG ? (this.#shorter(line, uuid) ?? whole) : whole
    const clean = wellFormedJson(maskSecrets(text))
    this.#writer.write(clean === text ? (line as unknown as Rec) : (JSON.parse(clean) as Rec), clean)
    this.#last = uuid
  }

  #shorter(line: Line & { readonly toolUseResult?: unknown }, uuid: string): string | undefined {
    const { beside } = this.#options
    if (beside === undefined || line.toolUseResult === undefined) return undefined
    const json = maskSecrets(JSON.stringify(line.toolUseResult))
    // Ids of copied lines may be any text.
    const name = NAME.test(uuid) ? uuid : randomUuid()
    return textOf({ ...line, toolUseResult: { file: beside(`${name}.json`, json), bytes: Buffer.byteLength(json) } })
  }

  flush(): Promise<void> {
    return this.#writer.flush()
  }

  close(): Promise<void> {
    return this.#writer.close()
  }
}

/** A tool may have returned anything to the program, including values that JSON cannot represent. */
function textOf(line: object): string {
  try {
    return JSON.stringify(line)
  } catch {
    return JSON.stringify({ ...line, toolUseResult: UNWRITABLE, output: undefined })
  }
}

const UNWRITABLE = '[This value cannot be saved.]'

export const noLog: Log = {
  path: '',
  hasDecisions: false,
  append: () => undefined,
  flush: () => undefined,
  close: () => Promise.resolve()
}

/** A writer for a store that can only append: entries are buffered until a flush. */
export function writerOver(store: TranscriptStore, key: SessionKey, last: number): TranscriptWriter {
  let seq = last
  let waiting: Rec[] = []
  let appending: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => {
    // After one failure, all later writes fail.
    appending = appending.then(async () => {
      if (waiting.length === 0) return
      const entries = waiting
      waiting = []
      await store.append(key, entries)
    })
    return appending
  }
  return {
    get last() {
      return seq
    },
    write(entry) {
      waiting.push({ ...entry, seq: ++seq })
    },
    flush,
    close: flush
  }
}

const SIZE = 16
const random = new Uint8Array(SIZE * 256)
let used = random.length
const text = Buffer.from('00000000-0000-4000-8000-000000000000', 'latin1')
const DIGITS = Buffer.from('0123456789abcdef', 'latin1')
/** Where the two digits of each byte are. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/**
 * The id of a line: a random UUID (version 4) as one flat string. Node's own function returns a tree of 20 strings, which
 * stays one as long as it is kept: half of the memory that a turn leaves behind, and more work for the garbage collector.
 */
export function randomUuid(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  let at = used
  used += SIZE
  for (const place of PLACES) {
    let byte = random[at++] ?? 0
    if (place === 14) byte = (byte & 0x0f) | 0x40
    else if (place === 19) byte = (byte & 0x3f) | 0x80
    text[place] = DIGITS[byte >> 4] ?? 0
    text[place + 1] = DIGITS[byte & 15] ?? 0
  }
  return text.toString('latin1')
}

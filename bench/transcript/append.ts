import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sealText } from '../../src/lib/transcript/seal.ts'
import type { Entry } from '../../src/lib/transcript/entry.ts'
import type { TranscriptLog } from '../../src/lib/transcript/log.ts'
import { entryAt, openLog } from './messages.ts'
import { median, quantile, shuffled, type Table } from '../report.ts'
import { tableOf, type Row } from './table.ts'

/** Contenders take turns after this number of messages. */
const BLOCK = 16
const AT_ONCE = 16

/** A message that is created in advance: the cost of creating it is not measured. */
interface Message {
  readonly entry: Entry
  readonly uuid: string
}

const messageAt = (index: number): Message => ({ entry: entryAt(index), uuid: crypto.randomUUID() })

/** Puts messages on the disk, and gives the microseconds that each, or each batch, took. */
type Contender = (from: number) => Promise<readonly number[]>

const block = (from: number): readonly Message[] => Array.from({ length: BLOCK }, (_, index) => messageAt(from + index))

const timed = async (run: () => unknown): Promise<number> => {
  const begun = performance.now()
  const running = run()
  // A floor that waits for nothing must not wait for a promise.
  if (running instanceof Promise) await running
  return (performance.now() - begun) * 1000
}

async function oneByOne(from: number, run: (message: Message) => unknown): Promise<readonly number[]> {
  const taken: number[] = []
  for (const message of block(from)) taken.push(await timed(() => run(message)))
  return taken
}

async function inBatches(from: number, run: (messages: readonly Message[]) => unknown): Promise<readonly number[]> {
  const taken: number[] = []
  const messages = block(from)
  for (let at = 0; at + AT_ONCE <= messages.length; at += AT_ONCE) {
    const batch = messages.slice(at, at + AT_ONCE)
    taken.push((await timed(() => run(batch))) / AT_ONCE)
  }
  return taken
}

const write = (log: TranscriptLog, { entry, uuid }: Message): Promise<void> => {
  log.append(entry, uuid)
  return log.flush()
}

const synced = promisify(fdatasync)

/** Messages that are acknowledged once they are safe, beside the bare system calls with bytes that are ready. */
export async function measureAppend(folder: string, messages: number): Promise<Table> {
  const root = join(folder, 'append')
  const key = (sessionId: string) => ({ projectKey: 'bench', sessionId })
  const line = bytesOfLine(folder)
  const lines = Buffer.concat(Array.from({ length: AT_ONCE }, () => line))
  const files = [1, 2, 3, 4].map(name => openSync(join(folder, `bare-${name}`), 'a'))
  const [plain, waited, together, unsynced] = files as [number, number, number, number]
  const bare = (file: number, bytes: Buffer) => () => {
    writeSync(file, bytes)
    fdatasyncSync(file)
  }
  // One after the other, so that neither of two open transcripts waits for the other's flush.
  const single = await openLog(root, key('single'), folder)
  const one = await race(messages, {
    'write, fdatasync': from => oneByOne(from, bare(plain, line)),
    'write, await fdatasync': from =>
      oneByOne(from, () => {
        writeSync(waited, line)
        return synced(waited)
      }),
    'write alone': from => oneByOne(from, () => void writeSync(unsynced, line)),
    carabiner: from => oneByOne(from, message => write(single, message))
  })
  await single.close()
  const group = await openLog(root, key('group'), folder)
  const many = await race(messages, {
    [`write, fdatasync, ${AT_ONCE} lines`]: from => inBatches(from, bare(together, lines)),
    [`carabiner, ${AT_ONCE} waiting at once`]: from =>
      inBatches(from, batch => Promise.all(batch.map(message => write(group, message))))
  })
  await group.close()
  const taken = { ...one, ...many }
  files.forEach(closeSync)
  const floor = median(taken['write, fdatasync']!)
  const rows = Object.entries(taken).map(([what, times]): Row => {
    const p50 = median(times)
    const ratio = p50 / floor
    return {
      what,
      cells: [quantile(times, 0), p50, quantile(times, 0.95), ratio],
      goal: what === 'carabiner' ? '1.3× floor' : undefined
    }
  })
  return tableOf(
    `append, ${messages.toLocaleString('en')} messages of ${line.length} bytes, µs per message`,
    ['least', 'median', 'p95', '× floor'],
    rows
  )
}

/** Lets them take turns, block by block. */
async function race(
  messages: number,
  contenders: Readonly<Record<string, Contender>>
): Promise<Readonly<Record<string, readonly number[]>>> {
  const taken = Object.fromEntries(Object.keys(contenders).map(name => [name, [] as number[]]))
  for (let from = -BLOCK; from < messages; from += BLOCK)
    for (const name of shuffled(Object.keys(contenders))) {
      const times = await contenders[name]!(Math.max(0, from))
      // The first round warms up.
      if (from >= 0) taken[name]!.push(...times)
    }
  return taken
}

/** A line as ours. */
function bytesOfLine(cwd: string): Buffer {
  const uuid = crypto.randomUUID()
  const about = { isSidechain: false, timestamp: new Date().toISOString(), sessionId: uuid, cwd, version: '0.0.0' }
  const text = { ...entryAt(1), uuid, parentUuid: uuid, ...about, userType: 'external', entrypoint: 'bench' }
  return sealText(JSON.stringify(text), 1000)
}

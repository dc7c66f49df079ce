import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { goOn } from './go-on.mjs'
import { entryAt, fill, openLog, rootOf, saidAt, type Place } from './messages.ts'
import { median, type Table } from '../report.ts'
import { tableOf, type Row } from './table.ts'

const CALLS = 100
/**
 * Calls of a session before any is counted. In the middle of them what was read is collected: V8 sweeps that memory on
 * other threads for the next ten to twenty turns, which is CPU time of the reading, and grows with what was read.
 */
const WARM = 40
const FEW = 1000

interface Turn {
  readonly wall: number
  readonly cpu: number
}

/** Whether a message costs more after many others: two transcripts that take turns. */
export async function measureGrowth(
  place: Place,
  projectKey: string,
  many: number,
  rounds: number
): Promise<readonly Table[]> {
  const lengths = [FEW, many]
  for (const messages of lengths)
    await fill(rootOf(place), { projectKey, sessionId: `grows-${messages}` }, place.cwd, { messages })
  return [await ofWriter(place, projectKey, lengths, rounds), await ofSession(place, projectKey, lengths, rounds)]
}

async function ofWriter(place: Place, projectKey: string, lengths: readonly number[], rounds: number): Promise<Table> {
  const lanes = await Promise.all(
    lengths.map(async messages => ({
      messages,
      log: await openLog(rootOf(place), { projectKey, sessionId: `grows-${messages}` }, place.cwd),
      taken: [] as number[]
    }))
  )
  for (let index = 0; index < rounds * CALLS; index++)
    for (const { log, taken } of lanes) {
      const begun = performance.now()
      log.append(entryAt(1 + 2 * (index % 40)), crypto.randomUUID())
      await log.flush()
      taken.push((performance.now() - begun) * 1000)
    }
  for (const { log } of lanes) await log.close()
  const first = median(lanes[0]!.taken)
  const rows = lanes.map(({ messages, taken }): Row => {
    const ratio = median(taken) / first
    const goal = messages === FEW ? undefined : '1.2× first'
    return { what: `after ${messages.toLocaleString('en')} messages`, cells: [median(taken), ratio], goal }
  })
  return tableOf('one more message, acknowledged, by the writer, µs', ['median', '× first'], rows)
}

async function ofSession(place: Place, projectKey: string, lengths: readonly number[], rounds: number): Promise<Table> {
  // What the writer added may end with a call that has no result: new transcripts.
  const lanes = lengths.map(messages => ({ messages, sessionId: `lives-${messages}`, turns: [] as Turn[] }))
  for (const { messages, sessionId } of lanes)
    await fill(rootOf(place), { projectKey, sessionId }, place.cwd, { messages })
  for (let round = -1; round < rounds; round++)
    for (const { sessionId, turns } of lanes) {
      const found = await turnsOf(place, sessionId)
      // The first round warms up.
      if (round >= 0) turns.push(...found)
    }
  const wall = lanes.map(({ turns }) => median(turns.map(turn => turn.wall)))
  const cpu = lanes.map(({ turns }) => turns.reduce((sum, turn) => sum + turn.cpu, 0) / turns.length)
  const rows = lanes.map(({ messages }, index): Row => {
    const ratio = wall[index]! / wall[0]!
    const goal = index === 0 ? undefined : '1.2× first'
    return {
      what: `after ${messages.toLocaleString('en')} messages`,
      cells: [wall[index]!, ratio, cpu[index]!, cpu[index]! / cpu[0]!],
      goal
    }
  })
  return tableOf(
    'one more turn of a session, four lines of which two are flushed, µs',
    ['median', '× first', 'CPU, mean', '× first'],
    rows
  )
}

async function turnsOf(place: Place, sessionId: string): Promise<readonly Turn[]> {
  const turns: Turn[] = []
  let begun = 0
  let used = process.cpuUsage()
  await goOn(place, sessionId, { calls: CALLS + WARM, text: saidAt(1).text }, (call: number) => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(used)
    if (call === WARM / 2) collect()
    if (call > WARM) turns.push({ wall: (now - begun) * 1000, cpu: user + system })
    begun = performance.now()
    used = process.cpuUsage()
  })
  return turns
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

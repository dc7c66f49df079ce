/**
 * What it costs to write a session down so that nothing of it can be lost, and to continue with it: beside the bare system
 * calls, beside what one would write by hand, and beside LangGraph's SqliteSaver. Contenders take turns.
 *
 *     npm run build && cd bench/transcript && npm ci --ignore-scripts && npm run bench
 *
 * `-- --only append,growth,resume,peer` runs some of it; `--million` adds a transcript of a million messages (1 GB).
 * What is measured is a disk: `--folder` says on which one, by default that of temporary files.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAppend } from './append.ts'
import { measureGrowth } from './growth.ts'
import { fillPeer } from './peer.ts'
import { measureMillion, measureResume } from './resume.ts'
import { median, printReport, type Table } from '../report.ts'
import { tableOf } from './table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'append,growth,resume,peer' },
    messages: { type: 'string', default: '100000' },
    appends: { type: 'string', default: '2000' },
    /** LangGraph takes a minute and 2 GB for this number. */
    peer: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '9' },
    json: { type: 'boolean', default: false },
    folder: { type: 'string', default: tmpdir() },
    million: { type: 'boolean', default: false }
  }
})

const folder = realpathSync(mkdtempSync(join(values.folder, 'bench-transcript-')))
const place = { cwd: join(folder, 'work'), home: join(folder, 'home') }
const projectKey = place.cwd.replaceAll(/[^A-Za-z0-9]/g, '-')
const parts = new Set(values.only.split(','))
const messages = Number(values.messages)
const rounds = Number(values.rounds)
const peer = parts.has('peer') ? Number(values.peer) : 0

async function measurePeer(): Promise<Table> {
  const file = join(place.home, 'peer.db')
  const taken = await fillPeer(file, peer)
  const last = taken.slice(-Math.ceil(peer / 20))
  const mean = taken.reduce((sum, each) => sum + each, 0) / peer
  return tableOf(
    `append, ${peer.toLocaleString('en')} messages, put and putWrites without sync, µs per message`,
    ['median', 'mean', 'at the end', 'file, MB'],
    [{ what: 'LangGraph SqliteSaver', cells: [median(taken), mean, median(last), statSync(file).size / 2 ** 20] }]
  )
}

try {
  mkdirSync(place.cwd)
  mkdirSync(place.home)
  const tables: Table[] = []
  if (parts.has('append')) tables.push(await measureAppend(folder, Number(values.appends)))
  if (peer > 0) tables.push(await measurePeer())
  if (parts.has('growth')) tables.push(...(await measureGrowth(place, projectKey, messages, rounds)))
  if (parts.has('resume')) tables.push(...(await measureResume(place, projectKey, { messages, rounds, peer })))
  if (values.million) tables.push(await measureMillion(place, projectKey))
  printReport({ about: `Medians of ${rounds} rounds`, tables, scenes: [] }, values.json)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

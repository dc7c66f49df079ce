/**
 * What it costs to write a session down so that nothing of it can be lost, and to go on with it: beside the bare system
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
import { median } from '../report.ts'
import { print } from './table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'append,growth,resume,peer' },
    messages: { type: 'string', default: '100000' },
    appends: { type: 'string', default: '2000' },
    /** LangGraph takes a minute and 2 GB for so many. */
    peer: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '9' },
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

async function measurePeer(): Promise<void> {
  const file = join(place.home, 'peer.db')
  const taken = await fillPeer(file, peer)
  const last = taken.slice(-Math.ceil(peer / 20))
  const mean = taken.reduce((sum, each) => sum + each, 0) / peer
  print(
    `append, ${peer} messages, LangGraph SqliteSaver (put and putWrites, no sync): µs a message`,
    ['median', 'mean', 'at the end', 'file, MB'],
    [{ what: 'LangGraph SqliteSaver', cells: [median(taken), mean, median(last), statSync(file).size / 2 ** 20] }]
  )
}

try {
  mkdirSync(place.cwd)
  mkdirSync(place.home)
  console.log(`node ${process.version}, ${rounds} rounds`)
  if (parts.has('append')) await measureAppend(folder, Number(values.appends))
  if (peer > 0) await measurePeer()
  if (parts.has('growth')) await measureGrowth(place, projectKey, messages, rounds)
  if (parts.has('resume')) await measureResume(place, projectKey, { messages, rounds, peer })
  if (values.million) await measureMillion(place, projectKey)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

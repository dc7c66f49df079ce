/** `large.ts <megabytes>`: asks from a process of that size, then kills its helper and its shell. */
import { appears, fireBash, endOf, grow, helpers, place, reapers, registryWith, tell } from './support.ts'

const kept = grow(Number(process.argv[2]))

const replies = [
  'exit 0',
  'exit 2',
  'exit 3',
  'kill -KILL $$',
  `echo '{"decision":"allow"}'`,
  './absent',
  'cat; exit 2'
]
const answers = await Promise.all(
  replies.map(async command => endOf(await fireBash(registryWith({ command, timeout: 60 }))))
)
tell({ answers, helpers: helpers().length, rss: process.memoryUsage.rss() / 1024 / 1024 })

const running = fireBash(registryWith({ command: 'setsid sleep 300 & touch up; sleep 300', timeout: 60 }))
await appears('up')
tell({ up: true })
await appears('go')
for (const pid of helpers()) process.kill(pid, 'SIGKILL')
const killed = await running
tell({ killed: endOf(killed), reason: killed.reason, next: endOf(await fireBash(registryWith({ command: 'exit 2' }))) })

for (const pid of reapers()) process.kill(pid, 'SIGKILL')
tell({ without: endOf(await fireBash(registryWith({ command: 'exit 2 # again' }))), kept: kept.length })
await place.close()

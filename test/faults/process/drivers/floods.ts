/** `floods.ts <command> <megabytes>`: a command that floods, seen from a process of that size. */
import { fireBash, endOf, grow, helpers, peakOf, place, registryWith, tell } from './support.ts'

const [command = 'yes', megabytes = '0'] = process.argv.slice(2)
const ballast = grow(Number(megabytes))

await fireBash(registryWith({ command: 'true' }))
const before = { own: peakOf(process.pid), helper: helpers().map(peakOf) }
const outcome = await fireBash(registryWith({ command, timeout: 30 }))
await place.close()
const after = { own: peakOf(process.pid), helper: helpers().map(peakOf) }
tell({ end: endOf(outcome), reason: outcome.reason, before, after, ballast: ballast.length })

/**
 * `descriptors.ts <free,free,…> <megabytes of ballast> [prewarmed]`: leaves as many descriptors free, fires, frees
 * them all and fires again. Uncaught errors are reported.
 */
import { closeSync, openSync } from 'node:fs'
import { fireBash, endOf, grow, place, registryWith, tell } from './support.ts'

const [frees = '0', ballast = '0', how] = process.argv.slice(2)
const kept = grow(Number(ballast))
const uncaught: string[] = []
process.on('uncaughtException', error => uncaught.push(String(error)))
process.on('unhandledRejection', error => uncaught.push(String(error)))

function fillUp(): number[] {
  const open: number[] = []
  try {
    for (;;) open.push(openSync('/dev/null', 'r'))
  } catch {
    return open
  }
}

for (const free of frees.split(',').map(Number)) {
  const hooks = registryWith({ command: `exit 2 # ${free}`, prewarm: how === 'prewarmed', timeout: 5 })
  const open = fillUp()
  for (const fd of open.splice(0, free)) closeSync(fd)
  const scarce = endOf(await fireBash(hooks))
  for (const fd of open) closeSync(fd)
  const freed = [endOf(await fireBash(hooks)), endOf(await fireBash(hooks))]
  tell({ free, scarce, freed })
}
await place.close()
tell({ uncaught, kept: kept.length })

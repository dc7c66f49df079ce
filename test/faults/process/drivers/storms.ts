/** `storms.ts <spec>`: runs one command and reports how it ended, and the longest block of the event loop. */
import type { CommandSpec } from '../../../../src/external.ts'
import { fireBash, endOf, place, registryWith, tell } from './support.ts'

const spec = JSON.parse(process.argv[2]!) as CommandSpec

const EVERY = 10
let [last, lag] = [performance.now(), 0]
const timer = setInterval(() => {
  const now = performance.now()
  lag = Math.max(lag, now - last - EVERY)
  last = now
}, EVERY)

const outcome = await fireBash(registryWith(spec))
await place.close()
clearInterval(timer)
tell({ end: endOf(outcome), lag, stderr: outcome.report[0]?.raw?.stderr })

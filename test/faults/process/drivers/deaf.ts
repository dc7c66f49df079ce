/**
 * `deaf.ts <runs> <megabytes of input> <megabytes of ballast>`: commands that do not read their input. Uncaught
 * errors are reported.
 */
import { fireBash, endOf, grow, place, registryWith, tell } from './support.ts'

const [runs = 1, input = 1, ballast = 0] = process.argv.slice(2).map(Number)
const uncaught: string[] = []
process.on('uncaughtException', error => uncaught.push(String(error)))
process.on('unhandledRejection', error => uncaught.push(String(error)))

const kept = grow(ballast)
const DEAF = [
  `echo '{"decision":"deny","reason":"no"}'`,
  `exec <&-; echo '{"decision":"deny","reason":"no"}'`,
  `sleep 0.01; exec <&-; echo '{"decision":"deny","reason":"no"}'`,
  `head -c 100 >/dev/null; echo '{"decision":"deny","reason":"no"}'`
].map(script => registryWith({ command: '/bin/sh', args: ['-c', script], timeout: 60 }))

const text = 'x'.repeat(Math.max(1, input * 1024 * 1024))
const ends = new Map<string, number>()
let next = 0
async function work(): Promise<void> {
  for (let run = next++; run < runs; run = next++) {
    const end = endOf(await fireBash(DEAF[run % DEAF.length]!, text))
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
}
await Promise.all(Array.from({ length: input > 1 ? 1 : 8 }, work))
await place.close()
tell({ ends: Object.fromEntries(ends), uncaught, kept: kept.length })

/** `kills.ts <count> <width> [namespaced]`: commands that ignore SIGTERM reach their timeout, overlapping. */
import { fireBash, endOf, place, registryWith, tell } from './support.ts'

const [count, width] = process.argv.slice(2, 4).map(Number) as [number, number]
const hooks = registryWith({
  command: '/bin/sh',
  args: ['-c', "trap '' TERM; sleep 300 & sleep 300"],
  timeout: 0.1,
  pidNamespace: process.argv[4] === 'namespaced'
})

const ends = new Map<string, number>()
for (let left = count; left > 0; left -= width) {
  const batch = await Promise.all(Array.from({ length: Math.min(left, width) }, () => fireBash(hooks)))
  for (const end of batch.map(endOf)) ends.set(end, (ends.get(end) ?? 0) + 1)
}
await place.close()
tell(Object.fromEntries(ends))

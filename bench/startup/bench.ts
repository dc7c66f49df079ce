/**
 * What `import 'carabiner/hooks'` adds to a bare start of Node: processes take turns, wall time.
 *
 *     npm run build && node bench/startup/bench.ts
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROUNDS = Number(process.env['ROUNDS'] ?? 41)
const entry = new URL('../../dist/hooks.js', import.meta.url).href
const PROGRAMS = { 'bare start': '', 'with carabiner/hooks': `import ${JSON.stringify(entry)}` }

const times = new Map(Object.keys(PROGRAMS).map(name => [name, [] as number[]]))
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const start = performance.now()
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('.', import.meta.url))
    })
    if (status !== 0) throw new Error(`${name} failed`)
    times.get(name)!.push(performance.now() - start)
  }
}

const rows = [...times].map(([name, all]) => {
  const sorted = all.toSorted((a, b) => a - b)
  return { name, least: sorted[0]!, median: sorted[Math.floor(sorted.length / 2)]! }
})
for (const { name, least, median } of rows) {
  console.log(`${name.padEnd(24)} least ${least.toFixed(1)} ms   median ${median.toFixed(1)} ms`)
}
const [bare, with_] = rows
console.log(
  `added: least ${(with_!.least - bare!.least).toFixed(1)} ms, median ${(with_!.median - bare!.median).toFixed(1)} ms (goal 15 ms)`
)

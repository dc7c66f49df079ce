/**
 * Runs `npm test`, then the exhaustive suites, and ends with one closing line over both:
 * `tests: 12 passed, 0 failed, 1 skipped`. Words behind it go to both (`npm run test:all -- -t lock`).
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'

const LINE = /^tests: (\d+) passed, (\d+) failed, (\d+) skipped$/
const seed = process.env['CARABINER_SEED'] ?? String(randomInt(2 ** 31))

/** One run of npm: its output passes through, without its closing line, whose counts come back. */
async function run(name: string): Promise<readonly [number, number, number]> {
  const child = spawn('npm', ['run', '--silent', name, '--', ...process.argv.slice(2)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CARABINER_SEED: seed }
  })
  let counts: readonly [number, number, number] | undefined
  let rest = ''
  const take = (line: string): void => {
    const found = LINE.exec(line)
    if (found === null) process.stdout.write(`${line}\n`)
    else counts = [Number(found[1]), Number(found[2]), Number(found[3])]
  }
  for await (const piece of child.stdout.setEncoding('utf8')) {
    const lines = (rest + String(piece)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
  if (rest !== '') take(rest)
  if (counts === undefined) console.error(`${name} did not run to its end`)
  return counts ?? [0, 1, 0]
}

const begun = performance.now()
const minutes = (): string => `${((performance.now() - begun) / 60_000).toFixed(1)} min`
const quick = await run('test')
console.log(`npm test: ${minutes()}`)
const exhaustive = await run('test:exhaustive')
console.log(`with the exhaustive suites: ${minutes()}`)
const [passed, failed, skipped] = quick.map((count, index) => count + (exhaustive[index] ?? 0)) as [
  number,
  number,
  number
]
if (failed > 0) process.exitCode = 1
console.log(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped`)

import { availableParallelism, cpus, loadavg } from 'node:os'
import { median, quantile } from './report.ts'

export const machineWords = (): string =>
  `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.version}`

export const loadWords = (): string => (loadavg()[0] ?? 0).toFixed(1)

/** One run of a loop that always does the same. */
interface Sample {
  readonly wall: number
  readonly cpu: number
}

/** How busy the machine is with other work: the same loop again and again, with its wall time and its CPU time. */
export class NoiseMeter {
  readonly #samples: Sample[] = []
  readonly #load = loadWords()

  /** Takes about 0.2 seconds. */
  measure(): void {
    for (let sample = 0; sample < 20; sample++) this.#samples.push(runLoop())
  }

  toString(): string {
    const waits = this.#samples.map(({ wall, cpu }) => Math.max(0, 1 - cpu / wall))
    const cpu = this.#samples.map(sample => sample.cpu)
    const wait = waits.reduce((sum, each) => sum + each, 0) / waits.length
    const spread = (quantile(cpu, 0.75) - quantile(cpu, 0.25)) / median(cpu)
    const noisy = wait > 0.1 || spread > 0.1
    return `Machine: ${machineWords()}; load ${this.#load} before, ${loadWords()} after. A fixed loop waited for a core ${percent(wait)} of its time, and its CPU time varied by ${percent(spread)}: ${noisy ? 'noisy, repeat before you believe a small difference' : 'quiet'}.`
  }
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

function runLoop(): Sample {
  const begun = performance.now()
  const before = process.cpuUsage()
  let state = 1
  for (let step = 0; step < 5_000_000; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  const { user, system } = process.cpuUsage(before)
  if (state === 0) throw new Error('the loop was not run')
  return { wall: performance.now() - begun, cpu: (user + system) / 1000 }
}

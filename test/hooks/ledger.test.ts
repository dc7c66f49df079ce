import { describe, expect, it } from 'vitest'
import { LatencyLedger } from '../../src/external.ts'
import { HookRegistry, type HookMessage } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { bash, loopTurn } from '../support/hook-inputs.ts'

const timed = (ledger: LatencyLedger) => {
  const clock = manualClock()
  const hooks = new HookRegistry({ clock, sink: ledger.sink })
  const wait = (seconds: number): Promise<void> =>
    new Promise(resolve => void clock.after(seconds * 1000, () => resolve()))
  const fire = async (seconds: number): Promise<void> => {
    const fired = hooks.fire('PreToolUse', bash())
    await clock.advance(seconds)
    await fired
    await loopTurn()
  }
  return { hooks, wait, fire }
}

describe('the ledger of latencies', () => {
  it('knows the median and the 95th percentile of each hook', async () => {
    const ledger = new LatencyLedger()
    const { hooks, wait, fire } = timed(ledger)
    let seconds = 0
    hooks.on('PreToolUse', () => wait(++seconds), { name: 'slow', timeout: 1000 })
    for (let run = 0; run < 20; run++) await fire(30)
    expect(ledger.of('slow')).toMatchObject({ runs: 20, p50: 10_000, p95: 19_000, slowest: 20_000 })
  })

  it('counts how hooks ended', async () => {
    const ledger = new LatencyLedger()
    const { hooks, wait, fire } = timed(ledger)
    const turns = [
      () => undefined,
      () => {
        throw new Error('broken')
      },
      () => wait(60),
      () => undefined
    ]
    hooks.on('PreToolUse', () => turns.shift()!(), { name: 'moody', timeout: 5 })
    for (let run = 0; run < 4; run++) await fire(10)
    expect(ledger.of('moody')).toMatchObject({ runs: 4, success: 2, error: 1, cancelled: 1 })
  })

  it('gives each hook that ran beside others its own time', async () => {
    const ledger = new LatencyLedger()
    const { hooks, wait, fire } = timed(ledger)
    for (const [name, seconds] of [
      ['quick', 1],
      ['slow', 9]
    ] as const)
      hooks.register({ name, events: 'PreToolUse', concurrent: true, run: () => wait(seconds) })
    await fire(10)
    expect(ledger.list().map(({ name, p50 }) => [name, p50])).toEqual([
      ['slow', 9000],
      ['quick', 1000]
    ])
  })

  it('keeps the latest thousand durations and all counts', async () => {
    const ledger = new LatencyLedger()
    const response = (duration_ms: number): HookMessage => ({
      type: 'system',
      subtype: 'hook_response',
      hook_id: 'hook-1',
      hook_name: 'gate',
      hook_event: 'PreToolUse',
      session_id: '',
      outcome: 'success',
      output: '',
      duration_ms
    })
    for (let run = 0; run < 1000; run++) ledger.sink(response(5000))
    for (let run = 0; run < 1000; run++) ledger.sink(response(1))
    expect(ledger.of('gate')).toMatchObject({ runs: 2000, success: 2000, p50: 1, p95: 1, slowest: 5000 })
  })

  it('passes on what it hears, and knows nothing of hooks that never ran', async () => {
    const heard: string[] = []
    const ledger = new LatencyLedger(message => void heard.push(message.subtype))
    const { hooks, fire } = timed(ledger)
    hooks.on('PreToolUse', 'Edit', () => undefined, { name: 'other' })
    hooks.on('PreToolUse', () => undefined, { name: 'gate' })
    await fire(0)
    expect(heard).toEqual(['hook_started', 'hook_response'])
    expect(ledger.of('other')).toBeUndefined()
    expect(ledger.list()).toHaveLength(1)
  })
})

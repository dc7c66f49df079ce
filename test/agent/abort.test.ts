/** An abort at any moment: it settles, nothing is left behind, every call has its result. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { SCENARIOS } from './drivers/abort-scenarios.ts'

const DRIVER = fileURLToPath(new URL('drivers/abort.ts', import.meta.url))
/** Whoever has not ended by itself after that never will, in milliseconds. */
const HANG = 280_000

// FM59, F139, F157
describe.skipIf(!existsSync('/proc/self/environ'))('aborted at every step and between', () => {
  test.each(Object.keys(SCENARIOS))(
    '%s: settles, leaves no process and no handle, answers every call, ends once',
    async name => {
      const { stdout } = await promisify(execFile)(process.execPath, [DRIVER, name], { timeout: HANG })
      const { points, problems } = JSON.parse(stdout) as { points: number; problems: readonly string[] }
      expect(problems).toEqual([])
      expect(points).toBeGreaterThan(30)
    },
    300_000
  )
})

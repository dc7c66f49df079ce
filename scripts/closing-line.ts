import type { Reporter, TestModule } from 'vitest/node'

type Count = Record<'passed' | 'failed' | 'skipped', number>

/**
 * Ends a test run with one line that programs can read: `tests: 12 passed, 0 failed, 1 skipped`.
 * A file that could not be loaded and an error outside of any test count as failed, so that a run
 * that failed never says 0.
 */
export default class ClosingLine implements Reporter {
  #line: string | undefined

  onInit(): void {
    console.log(`seed: ${process.env['CARABINER_SEED']}`)
    process.once('exit', () => {
      if (this.#line !== undefined) process.stdout.write(`${this.#line}\n`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count: Count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) add(count, module)
    if (count.failed > 0) console.log(`seed: ${process.env['CARABINER_SEED']} (CARABINER_SEED=… draws the same again)`)
    this.#line = `tests: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`
  }
}

function add(count: Count, module: TestModule): void {
  const failedBefore = count.failed
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    // A test that never got to run was not skipped on purpose.
    count[state === 'pending' ? 'failed' : state]++
  }
  if (module.state() === 'failed' && count.failed === failedBefore) count.failed++
}

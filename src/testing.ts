/** `carabiner/testing`: try hooks without an agent and without a model, on a clock turned by hand. */
export { harness, type Expectation, type Harness } from './lib/testing/harness.ts'
export { manualClock, type ManualClock } from './lib/testing/clock.ts'

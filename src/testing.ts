/** `carabiner/testing`: try hooks without an agent, and agents without a model, on a clock turned by hand. */
export { harness, type Expectation, type Harness } from './lib/testing/harness.ts'
export { manualClock, type ManualClock } from './lib/testing/clock.ts'
export {
  scriptedModel,
  type Script,
  type ScriptedCall,
  type ScriptedFailure,
  type ScriptedModel,
  type ScriptedRequest,
  /** @deprecated Use `ScriptedRequest`. */
  type ScriptedRequest as Asked,
  type ScriptedTurn,
  type ScriptOptions,
  type Turn,
  type TurnOrMaker
} from './lib/model/scripted.ts'

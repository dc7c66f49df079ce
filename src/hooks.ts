/** `carabiner/hooks`: the engine alone. No dependencies, nothing of Node, nothing of the agent. */
export { HookRegistry } from './lib/hooks/registry.ts'
export { guard, type Fires, type GuardOptions, type GuardQuestion, type ReturnOptions } from './lib/hooks/guard.ts'

export {
  allow,
  ask,
  block,
  defer,
  deny,
  later,
  transform,
  type Later,
  type Reply,
  type ReplyOptions,
  type SpecificOutput
} from './lib/hooks/reply.ts'
export type {
  GroupHook,
  GroupOptions,
  Hook,
  HookDescription,
  HookFunction,
  HookOptions,
  HookResult,
  Callback,
  CallbackMatcher,
  CallbackRecord,
  ForeignCallbackRecord
} from './lib/hooks/hook.ts'
export type { AgentView, HookContext } from './lib/hooks/hook-context.ts'
export type { RegistryOptions } from './lib/hooks/registry-options.ts'
export type { FireOptions, Reported } from './lib/hooks/registry-internals.ts'
export {
  goesOn,
  type AddedContext,
  type Conflict,
  type Outcome,
  type ToolOutcome,
  type SystemMessage,
  type Verdict,
  type LateAnswer
} from './lib/hooks/dispatch/outcome.ts'

export {
  EVENT_NAMES,
  EVENTS,
  parseEvent,
  snakeName,
  type BaseInput,
  type EventName,
  type FieldsOf,
  type FireInput,
  type InputOf,
  type ToolEvent
} from './lib/hooks/events/event-table.ts'
export {
  ANSWERS,
  FIELDS,
  type Decision,
  type Family,
  type Precedence,
  type SpecificField
} from './lib/hooks/events/answers.ts'
export type {
  AgentResult,
  AppendedMessage,
  BatchCall,
  RequestDraft,
  ResponseDraft,
  TokenUsage
} from './lib/hooks/events/fields.ts'
export type { CompilePattern, Pattern } from './lib/hooks/dispatch/matcher.ts'
// `export *`, since only that lets users add their own tools to `ToolInputs` under this module's name.
export type * from './lib/hooks/events/tool-inputs.ts'

export { applyEdits, type Insertion, type MessageEdits } from './lib/hooks/dispatch/history.ts'
export type {
  Block,
  ImageBlock,
  Message,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock
} from './lib/message.ts'
export { CarabinerError, type ErrorCode } from './lib/errors.ts'
export type { Clock } from './lib/util/clock.ts'
export type {
  HookReport,
  HookMessage,
  HookNotice,
  HookProgress,
  HookResponse,
  HookStarted,
  Sink
} from './lib/hooks/hook-messages.ts'
export type { Failure, FailureKind } from './lib/hooks/dispatch/hook-failure.ts'
export type { Dialect, Profile } from './lib/hooks/dialect.ts'

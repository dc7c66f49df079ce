/** `carabiner`: an agent whose every step is hooked, and what most programs need besides it. */
export * from './hooks.ts'
export { formatReport, type ReportFormat } from './lib/hooks/format-report.ts'
export { query } from './lib/query/query.ts'
export type { Query } from './lib/query/query-interface.ts'
export { SubAgent, type SubAgentOptions, type SubAgentResult } from './lib/query/setup/sub-agent.ts'
export { savedIn, storeOf, type SavedConversations, type Savings } from './lib/agent/session/conversation-store.ts'
export { JsonlStore } from './lib/transcript/jsonl.ts'
export { MemoryStore } from './lib/transcript/memory.ts'
export type { Rec as TranscriptEntry } from './lib/transcript/entry.ts'
export type {
  Cursor,
  Gap,
  GapKind,
  LoadedTranscript,
  Page,
  SessionKey,
  TranscriptStore,
  TranscriptWriter
} from './lib/transcript/store.ts'
export type {
  /** @deprecated Use `LoadedTranscript`. */
  LoadedTranscript as Loaded
} from './lib/transcript/store.ts'
export type { Holder } from './lib/world/lock/lock.ts'
export type { AgentDefinition } from './lib/agent/subagents/definitions.ts'
export type { CanUseTool, OnElicitation, QueryOptions } from './lib/query/options/options.ts'
export type { ForeignPrompt, PromptMessage, PromptStream } from './lib/query/prompts.ts'
export type * from './lib/query/options/sdk-names.ts'
export { createSdkMcpServer, tool, type SdkMcpServer, type ToolDefinition, type ToolExtra } from './lib/tools/custom.ts'
export type { Shape, ToolInputOf, StandardSchema } from './lib/tools/own-schema.ts'
export type { HandlerContent, HandlerResult } from './lib/tools/content.ts'
export type * from './lib/agent/output/agent-messages.ts'
export type { PersonAnswer } from './lib/agent/session/session-options.ts'
export type { PermissionUpdate } from './lib/permissions/updates.ts'
export type { Mode } from './lib/permissions/modes.ts'
export type {
  Answer,
  BlockDelta,
  FailureName,
  Model,
  ModelRequest,
  Price,
  StopReason,
  StreamEvent,
  ToolSpec,
  Usage
} from './lib/model/model.ts'
export { ModelFailure } from './lib/model/model.ts'

/** The names of the Claude Agent SDK for types of ours, so that programs written for it only change the import. */
import type {
  AgentMessage,
  AssistantMessage,
  InitMessage,
  PartialMessage,
  ResultMessage
} from '../../agent/output/agent-messages.ts'
import type { PersonAnswer } from '../../agent/session/session-options.ts'
import type { EventName, InputOf } from '../../hooks/events/event-table.ts'
import type { Reply } from '../../hooks/reply.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { SdkMcpServer, ToolDefinition } from '../../tools/custom.ts'
import type { HttpServer, OutsideServer, StdioServer } from '../../tools/mcp/mcp-config.ts'
import type { QueryOptions } from './options.ts'
import type { PromptMessage } from '../prompts.ts'

export type Options = QueryOptions
export type PermissionMode = Mode
export type PermissionResult = PersonAnswer
export type McpSdkServerConfigWithInstance = SdkMcpServer
export type McpStdioServerConfig = StdioServer
export type McpHttpServerConfig = HttpServer
export type McpServerConfig = OutsideServer | SdkMcpServer
export type SdkMcpToolDefinition = ToolDefinition

export type SDKMessage = AgentMessage
export type SDKAssistantMessage = AssistantMessage
export type SDKPartialAssistantMessage = PartialMessage
export type SDKResultMessage = ResultMessage
export type SDKSystemMessage = InitMessage
/** A prompt as input; the output is a `UserMessage`. */
export type SDKUserMessage = PromptMessage

export type HookEvent = EventName
export type HookInput = InputOf<EventName>
export type HookJSONOutput = Reply
/** A hook for any event. A hook written inline for its event needs no cast: see `CallbackRecord`. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal }
) => Promise<HookJSONOutput>
export interface HookCallbackMatcher {
  matcher?: string
  hooks: HookCallback[]
  timeout?: number
  onFailure?: 'block' | 'continue'
}

export type PreToolUseHookInput = InputOf<'PreToolUse'>
export type PostToolUseHookInput = InputOf<'PostToolUse'>
export type PostToolUseFailureHookInput = InputOf<'PostToolUseFailure'>
export type PostToolBatchHookInput = InputOf<'PostToolBatch'>
export type PermissionRequestHookInput = InputOf<'PermissionRequest'>
export type PermissionDeniedHookInput = InputOf<'PermissionDenied'>
export type NotificationHookInput = InputOf<'Notification'>
export type UserPromptSubmitHookInput = InputOf<'UserPromptSubmit'>
export type SessionStartHookInput = InputOf<'SessionStart'>
export type SessionEndHookInput = InputOf<'SessionEnd'>
export type SetupHookInput = InputOf<'Setup'>
export type StopHookInput = InputOf<'Stop'>
export type StopFailureHookInput = InputOf<'StopFailure'>
export type SubagentStartHookInput = InputOf<'SubagentStart'>
export type SubagentStopHookInput = InputOf<'SubagentStop'>
export type PreCompactHookInput = InputOf<'PreCompact'>
export type PostCompactHookInput = InputOf<'PostCompact'>
export type MessageDisplayHookInput = InputOf<'MessageDisplay'>
export type PreModelSwitchHookInput = InputOf<'PreModelSwitch'>
export type PostModelSwitchHookInput = InputOf<'PostModelSwitch'>
export type ConfigChangeHookInput = InputOf<'ConfigChange'>
export type InstructionsLoadedHookInput = InputOf<'InstructionsLoaded'>
export type CwdChangedHookInput = InputOf<'CwdChanged'>
export type DirectoryAddedHookInput = InputOf<'DirectoryAdded'>
export type ElicitationHookInput = InputOf<'Elicitation'>
export type ElicitationResultHookInput = InputOf<'ElicitationResult'>
export type TeammateIdleHookInput = InputOf<'TeammateIdle'>
export type TaskCompletedHookInput = InputOf<'TaskCompleted'>

import type { AgentMessage, ResultMessage } from '../agent/output/agent-messages.ts'
import type { HookDescription } from '../hooks/hook.ts'
import type { Mode } from '../permissions/modes.ts'
import type { QueryOptions } from './options/options.ts'
import type { PromptStream } from './prompts.ts'

/** A running agent: its messages, and methods to control it. */
export interface Query<Output = unknown> extends AsyncGenerator<AgentMessage<Output>, void> {
  /** Ends the current turn; the session continues with the next prompt. */
  interrupt(): Promise<undefined>
  /** Rejects if a PreModelSwitch hook refuses; then the model stays. */
  setModel(model?: QueryOptions['model']): Promise<void>
  /** Adds a folder to the workspace, for this session. Returns false if it belongs to it already. */
  addDirectory(directory: string): Promise<boolean>
  setPermissionMode(mode: Mode): Promise<void>
  /** Compacts the conversation, between two prompts. Returns whether it was done. */
  compact(instructions?: string): Promise<boolean>
  /** Starts a new conversation in the same session, between two prompts. */
  clear(): Promise<void>
  streamInput(prompts: PromptStream): Promise<void>
  /** The hooks that are registered now, including those of files and of active skills. */
  hooks(): Promise<readonly HookDescription[]>
  /**
   * No more prompts are accepted, background work is not waited for, and SessionEnd gets this reason. Default
   * `prompt_input_exit`.
   */
  leave(reason?: 'prompt_input_exit' | 'resume'): void
  /** Ends everything. May be called more than once. */
  close(): void
  /** The last result. Unread messages are dropped. */
  result(): Promise<ResultMessage<Output>>
}

import type { AgentMessage, ResultMessage } from '../agent/output/agent-messages.ts'
import type { HookDescription } from '../hooks/hook.ts'
import type { Mode } from '../permissions/modes.ts'
import type { QueryOptions } from './options/options.ts'
import type { PromptStream } from './prompts.ts'

/** An agent at work: what it tells, and how to steer it. */
export interface Query<Output = unknown> extends AsyncGenerator<AgentMessage<Output>, void> {
  /** Ends the current turn; the session continues with the next prompt. */
  interrupt(): Promise<undefined>
  setModel(model?: QueryOptions['model']): Promise<void>
  setPermissionMode(mode: Mode): Promise<void>
  /** Makes the conversation shorter, between two prompts. Gives whether that was done. */
  compact(instructions?: string): Promise<boolean>
  /** Begins a new conversation in the same session, between two prompts. */
  clear(): Promise<void>
  streamInput(prompts: PromptStream): Promise<void>
  /** The hooks that are registered now, those of files and of active skills among them. */
  hooks(): Promise<readonly HookDescription[]>
  /**
   * There are no more prompts, background work is not waited for, and SessionEnd says why.
   * Default `prompt_input_exit`.
   */
  leave(reason?: 'prompt_input_exit' | 'resume'): void
  /** Ends everything. May be called more than once. */
  close(): void
  /** The last result. What was not read before is dropped. */
  result(): Promise<ResultMessage<Output>>
}

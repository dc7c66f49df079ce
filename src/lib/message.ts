/** The conversation, as hooks and the agent see it: the shapes of the provider's wire format. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

/** One part of a message. */
export type Block = TextBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock

/** What is said. */
export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

/** What was thought before, kept as the provider gave it. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature?: string | undefined
}

/** A call of a tool. */
export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** What came of a call. */
export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string | readonly Block[]
  readonly is_error?: boolean | undefined
}

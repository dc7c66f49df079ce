/** The conversation, as hooks and the agent see it: the shapes of the provider's wire format. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

export type Block = TextBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature?: string | undefined
}

export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string | readonly Block[]
  readonly is_error?: boolean | undefined
}

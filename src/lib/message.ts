/** The conversation, as hooks and the agent see it: the shapes of the provider's wire format. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

/** One part of a message. */
export type Block = TextBlock | ThinkingBlock | RedactedThinkingBlock | ImageBlock | ToolUseBlock | ToolResultBlock

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

/** What was thought, and can be read by the provider only. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking'
  readonly data: string
}

/** A picture, in base64. */
export interface ImageBlock {
  readonly type: 'image'
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string }
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

/** What a call is about, for permission rules: a command line, a file, or an address. */
export type Subject =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'file'; readonly path: string; readonly access: 'read' | 'write' }
  | { readonly kind: 'url'; readonly url: string }

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

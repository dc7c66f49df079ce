/** The conversation, as hooks and the agent see it: the shapes of the provider's wire format. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

/** One part of a message. */
export type Block = TextBlock | ThinkingBlock | RedactedThinkingBlock | ImageBlock | ToolUseBlock | ToolResultBlock

/** Text. */
export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

/** Thinking, kept as the provider gave it. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature?: string | undefined
}

/** Encrypted thinking that only the provider can read. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking'
  readonly data: string
}

/** An image, in base64. */
export interface ImageBlock {
  readonly type: 'image'
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string }
}

/** A tool call. */
export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** The result of a tool call. */
export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string | readonly Block[]
  readonly is_error?: boolean | undefined
}

/** What a call is about, for permission rules: a command line, a file, or an address. */
export type Subject =
  | { readonly kind: 'command'; readonly command: string }
  /** `link`: the identity of a file that has several names. */
  | {
      readonly kind: 'file'
      readonly path: string
      readonly link?: string | undefined
      readonly access: 'read' | 'write'
    }
  | { readonly kind: 'url'; readonly url: string }

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

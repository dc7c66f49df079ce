import type { ToolResultBlock, ToolUseBlock } from '../../message.ts'
import type { Call, HookWord, Policy, Ruling } from '../../permissions/decide.ts'
import { twinsFor } from '../../permissions/twins.ts'
import type { Tool, ToolResult, ToolSession } from '../../tools/tool.ts'
import type { PlainObject } from '../../util/plain.ts'
import { isThere, wayTo } from '../../world/files/paths.ts'
import type { Pending } from './pending.ts'

/** What a call is before it has its answer. */
interface Made {
  readonly use: ToolUseBlock
  readonly tool: Tool
  /** The subagent that worked for this call before the session was interrupted. */
  readonly agentId?: string | undefined
}

/** The input came with a permission. */
interface Consent {
  /** Who gave exactly this input; undefined once a PreToolUse hook has changed it. */
  readonly from?: 'person' | 'hook' | undefined
  /** How often someone was asked about this call. */
  readonly questions: number
}

/**
 * A tool call, as far as it has come. The door takes it from stage to stage: proposed → checked → judged → allowed → ran →
 * answered. Every stage before `allowed` can end in `refused` or `pending`; input that came with a permission is proposed anew.
 */
export type StagedCall =
  | (Made & {
      readonly stage: 'proposed'
      readonly input: unknown
      readonly consent?: Consent
      /** Hooks judged it before the session was interrupted. */
      readonly earlier?: Pick<CallAt<'judged'>, 'hook' | 'question'>
    })
  | (Made & { readonly stage: 'checked'; readonly input: PlainObject; readonly consent: Consent | undefined })
  | (Made & {
      readonly stage: 'judged'
      readonly input: PlainObject
      readonly consent: Consent | undefined
      /** What PreToolUse hooks decided. */
      readonly hook: HookWord | undefined
      /** A question that was open when the session was interrupted: it is asked again, whatever rules allow by now. */
      readonly question?: Ruling | undefined
    })
  | (Made & { readonly stage: 'allowed'; readonly input: PlainObject })
  | (Made & {
      readonly stage: 'ran'
      readonly input: PlainObject
      readonly result: ToolResult
      readonly duration_ms: number
    })
  | { readonly stage: 'refused'; readonly use: ToolUseBlock; readonly input: unknown; readonly why: string }
  /** Someone has to decide first; the model sees no result yet. */
  | { readonly stage: 'pending'; readonly use: ToolUseBlock; readonly input: unknown; readonly pending: Pending }
  | {
      readonly stage: 'answered'
      readonly use: ToolUseBlock
      /** What ran, or would have: the input with defaults and rewrites. */
      readonly input: unknown
      readonly result: ToolResultBlock
      /** What the tool gave back, for programs. */
      readonly output: unknown
      /** The transcript line of its result. */
      readonly uuid: string
    }

/** A call at one of these stages. */
export type CallAt<S extends StagedCall['stage']> = Extract<StagedCall, { readonly stage: S }>

/** What the door gives back. */
export type ClosedCall = CallAt<'answered' | 'pending'>

type Subject = Pick<CallAt<'refused'>, 'use' | 'input'>

/** A call that will not run, and what the model reads instead of a result. */
export const refused = ({ use, input }: Subject, why: string): CallAt<'refused'> => ({
  stage: 'refused',
  use,
  input,
  why
})

/** What events of a tool call say of it. */
export const toolEvent = ({ use, tool, input }: CallAt<'checked' | 'judged' | 'ran'>) => ({
  tool_name: tool.name,
  tool_input: input,
  tool_use_id: use.id,
  mcp_server: tool.server
})

/** A call as rules see it. */
export const decidedCall = ({ tool, input }: CallAt<'judged'>, place: ToolSession, policy: Policy): Call => ({
  tool: tool.name,
  input,
  subject: tool.subject?.(input, place),
  readOnly: tool.readOnlyIsUnverified !== true && tool.readOnly(input),
  doubt: tool.change?.words,
  cwd: place.cwd,
  real: wayTo,
  has: isThere,
  twins: twinsFor(policy)
})

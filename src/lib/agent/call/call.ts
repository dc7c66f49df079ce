import type { CallFacts, HookWord, PathLookup, Policy, Ruling } from '../../permissions/policy.ts'
import type { ToolResultBlock, ToolUseBlock } from '../../message.ts'
import { ruledFiles } from '../../permissions/ruled-files.ts'
import type { Tool, ToolResult, ToolSession } from '../../tools/tool.ts'
import type { PlainObject } from '../../util/plain.ts'
import { isThere, namesInFolder, resolvePath } from '../../world/files/paths.ts'
import { repositoryFacts } from '../../world/files/repository.ts'
import type { Pending } from './open-call.ts'

export interface CallSubject {
  readonly use: ToolUseBlock
  readonly input: unknown
  readonly duration_ms?: number
}

interface OpenSubject<Input = PlainObject> {
  readonly use: ToolUseBlock
  readonly input: Input
  readonly tool: Tool
  /** The subagent that worked on this call before the session was interrupted. */
  readonly agentId?: string | undefined
  readonly consent?: Consent | undefined
}

interface Consent {
  /** Who gave exactly this input; undefined once a PreToolUse hook has changed it. */
  readonly from?: 'person' | 'hook' | undefined
  readonly questions: number
}

export interface Judgement {
  readonly hook: HookWord | undefined
  /** A question that was open when the session was interrupted: it is asked again, whatever rules allow by now. */
  readonly question?: Ruling | undefined
}

/**
 * A tool call, as far as it has come. The door takes it from stage to stage: proposed → checked → judged → allowed → ran →
 * answered. Before `allowed`, each stage can end in `refused` or `pending` (someone has to decide first, and the model sees no
 * result yet); input that came with a permission is proposed anew.
 */
export type StagedCall =
  | (OpenSubject<unknown> & { readonly stage: 'proposed'; readonly earlier?: Judgement })
  | (OpenSubject & { readonly stage: 'checked' })
  | (OpenSubject & Judgement & { readonly stage: 'judged' })
  | (OpenSubject & { readonly stage: 'allowed' })
  | (OpenSubject & { readonly stage: 'ran'; readonly result: ToolResult; readonly duration_ms: number })
  | (CallSubject & { readonly stage: 'refused'; readonly why: string })
  | (CallSubject & { readonly stage: 'pending'; readonly pending: Pending })
  /** `output` is for programs; `uuid` is the transcript line of the result. */
  | (CallSubject & {
      readonly stage: 'answered'
      readonly result: ToolResultBlock
      readonly output: unknown
      readonly uuid: string
    })

export type CallAt<S extends StagedCall['stage']> = Extract<StagedCall, { readonly stage: S }>

export type ClosedCall = CallAt<'answered' | 'pending'>

export const refused = ({ use, input }: CallSubject, why: string): CallAt<'refused'> => ({
  stage: 'refused',
  use,
  input,
  why
})

export const toolEvent = ({ use, tool, input }: CallAt<'checked' | 'judged' | 'ran'>) => ({
  tool_name: tool.name,
  tool_input: input,
  tool_use_id: use.id,
  mcp_server: tool.server
})

/** How the paths of a call are resolved. */
export const lookupIn = ({ cwd }: ToolSession): PathLookup => ({
  cwd,
  real: resolvePath,
  has: isThere,
  list: namesInFolder,
  repository: repositoryFacts
})

export function decidedCall(
  { tool, input }: CallAt<'judged'>,
  { place, permissions }: { readonly place: ToolSession; readonly permissions: Policy }
): CallFacts {
  return {
    tool: tool.name,
    input,
    subject: tool.subject?.(input, place),
    readOnly: tool.readOnlyIsUnverified !== true && tool.readOnly(input),
    doubt: tool.change?.words,
    cwd: place.cwd,
    real: resolvePath,
    has: isThere,
    list: namesInFolder,
    searchPath: place.env['PATH'],
    repository: repositoryFacts,
    ruled: ruledFiles(permissions)
  }
}

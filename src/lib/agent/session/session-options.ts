import type { HookRegistry } from '../../hooks/registry.ts'
import type { JsonSchema } from '../../message.ts'
import type { Model } from '../../model/model.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { Rule } from '../../permissions/rule.ts'
import type { PermissionUpdate } from '../../permissions/updates.ts'
import type { Tool, ToolSession } from '../../tools/tool.ts'
import type { Log } from '../../transcript/entry.ts'
import type { Clock } from '../../util/clock.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { AgentMessage } from '../output/output.ts'
import type { Skills } from '../instructions/skills.ts'
import type { Spending } from '../spending.ts'

/** What an agent works with. */
export interface SessionOptions {
  readonly hooks: HookRegistry
  readonly model: Model
  readonly tools: readonly Tool[]
  /** Tools that the provider may run on its side. */
  readonly serverTools: readonly string[]
  readonly log: Log
  readonly place: ToolSession
  readonly system: string
  readonly permissions: Permissions
  readonly limits: Limits
  readonly ask: AskPerson | undefined
  /** Whether the hook that was declared there came with the project. */
  readonly isOfProject?: ((source: string) => boolean) | undefined
  /** Keeps an answer for later sessions. */
  readonly remember: ((update: PermissionUpdate) => void) | undefined
  readonly effort: string | undefined
  readonly thinking: number | 'adaptive' | undefined
  readonly outputSchema: JsonSchema | undefined
  readonly partialMessages: boolean
  readonly profile: 'strict' | 'compat'
  readonly clock: Clock
  readonly emit: (message: AgentMessage) => void
  /** Skills and slash commands. */
  readonly skills?: Skills | undefined
  /** The id by which hooks know it, where it is not that of its session. */
  readonly agentId?: string | undefined
  /** Who a subagent is. The main agent is none. */
  readonly agent?: SubagentView | undefined
  /** What its parent has used counts together with what it uses. */
  readonly spending?: Spending | undefined
}

/** Who a subagent is. */
interface SubagentView {
  readonly id: string
  readonly type: string
  readonly depth: number
  /** The call that it works for. */
  readonly toolUseId: string
  /** The transcript of the main agent: what hooks are told. */
  readonly transcriptPath: string
  readonly isParentClosing?: () => boolean
}

/** What may be done without asking. It changes while a session runs. */
export interface Permissions {
  rules: readonly Rule[]
  mode: Mode
  /** Folders that belong to the work, as real paths. */
  roots: readonly string[]
  /** The mode that asks nobody may be chosen. */
  mayBypass: boolean
  readonly home: string
  /** Folders of our own, in which nothing is written without a rule that names them. */
  readonly own: readonly string[]
  /** Searches leave out what may not be read. */
  readonly leavesOut: boolean
}

interface Limits {
  readonly turns: number
  readonly dollars: number | undefined
  readonly maxTokens: number | undefined
  /** What the model can take, in tokens; 0: the conversation is never made shorter. */
  readonly window: number | undefined
  /** How often the model is asked for one answer. */
  readonly tries: number
  /** How often Stop hooks may send the agent back without a tool call between. */
  readonly stopBlocks: number
}

/** Asks somebody whether a call may run. */
export type AskPerson = (question: Question) => Promise<PersonAnswer | undefined>

interface Question {
  readonly toolName: string
  readonly input: PlainObject
  readonly toolUseId: string
  /** Why it is asked: the rule, the hook, the mode. */
  readonly reason: string
  readonly suggestions: readonly PermissionUpdate[]
  readonly signal: AbortSignal
}

export type PersonAnswer =
  | {
      readonly behavior: 'allow'
      readonly updatedInput?: PlainObject | undefined
      readonly updatedPermissions?: readonly PermissionUpdate[] | undefined
    }
  | { readonly behavior: 'deny'; readonly message?: string | undefined; readonly interrupt?: boolean | undefined }

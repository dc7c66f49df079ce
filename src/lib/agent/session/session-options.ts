import type { Policy, Rule } from '../../permissions/policy.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import type { JsonSchema } from '../../message.ts'
import type { Model, ModelRequest } from '../../model/model.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { PermissionUpdate } from '../../permissions/updates.ts'
import type { Tool, ToolSession } from '../../tools/tool.ts'
import type { Log } from '../../transcript/entry.ts'
import type { Clock } from '../../util/clock.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { AgentMessage } from '../output/agent-messages.ts'
import type { ProjectInstructions } from '../instructions/instructions.ts'
import type { Skills } from '../instructions/skills.ts'
import type { Spending } from '../spending.ts'

export interface SessionOptions {
  readonly hooks: HookRegistry
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly serverTools: readonly string[]
  readonly log: Log
  readonly place: ToolSession
  readonly system: string
  readonly permissions: Permissions
  readonly limits: Limits
  readonly ask: AskPerson | undefined
  /** Whether the hook declared at this place came with the project. */
  readonly isOfProject?: ((source: string) => boolean) | undefined
  /** Hooks that are declared and not active, a line each. */
  readonly inactive?: (() => readonly string[]) | undefined
  readonly remember: ((update: PermissionUpdate) => void) | undefined
  readonly effort: ModelRequest['effort']
  readonly thinking: number | 'adaptive' | undefined
  readonly outputSchema: JsonSchema | undefined
  readonly partialMessages: boolean
  /** No one sees an answer before it is complete. */
  readonly holdOutput: boolean
  readonly profile: 'strict' | 'compat'
  readonly clock: Clock
  readonly emit: (message: AgentMessage) => void
  readonly skills?: Skills | undefined
  readonly instructions?: ProjectInstructions | undefined
  readonly agentId?: string | undefined
  readonly agent?: SubagentView | undefined
  readonly spending?: Spending | undefined
}

interface SubagentView {
  readonly id: string
  readonly type: string
  readonly depth: number
  readonly toolUseId: string
  readonly transcriptPath: string
  readonly isParentClosing?: () => boolean
}

/** What may run without a question. It changes while a session runs. */
export interface Permissions {
  rules: readonly Rule[]
  mode: Mode
  /** Folders of the project, as real paths. */
  roots: readonly string[]
  mayBypass: boolean
  readonly home: string
  /** Folders of Carabiner, which may be written only with a rule that names them. */
  readonly own: readonly string[]
  /** Searches leave out files that may not be read. */
  readonly leavesOut: boolean
  readonly autoAllow: Policy['autoAllow']
}

interface Limits {
  readonly turns: number
  readonly dollars: number | undefined
  readonly maxTokens: number | undefined
  /** The model's window in tokens; 0: never compact. */
  readonly window: number | undefined
  /** How often the model is asked for one answer. */
  readonly tries: number
  /** How often Stop hooks may send the agent back without a tool call in between. */
  readonly stopBlocks: number
}

export type AskPerson = (question: Question) => Promise<PersonAnswer | undefined>

interface Question {
  readonly toolName: string
  readonly input: PlainObject
  readonly toolUseId: string
  /** The rule, the hook or the mode that requires the question. */
  readonly reason: string
  readonly suggestions: readonly PermissionUpdate[]
  readonly signal: AbortSignal
}

export type PersonAnswer = { readonly approver?: string | undefined } & (
  | {
      readonly behavior: 'allow'
      readonly updatedInput?: PlainObject | undefined
      readonly updatedPermissions?: readonly PermissionUpdate[] | undefined
    }
  | { readonly behavior: 'deny'; readonly message?: string | undefined; readonly interrupt?: boolean | undefined }
)

/** The public types of tool inputs, written out: they come from the table of tools, and a change of that table shows here. */
import { expectTypeOf } from 'vitest'
import type { ToolInputs } from '../../src/hooks.ts'
import type { ToolInput } from '../../src/lib/tools/built-in.ts'

interface Expected {
  Bash: { command: string; description?: string; timeout?: number; run_in_background?: boolean }
  Read: { file_path: string; offset?: number; limit?: number; allow_large?: boolean }
  Write: { file_path: string; content: string }
  Edit: { file_path: string; old_string: string; new_string: string; replace_all?: boolean }
  Glob: { pattern: string; path?: string }
  Grep: {
    pattern: string
    path?: string
    glob?: string
    output_mode?: 'content' | 'files_with_matches' | 'count'
    '-B'?: number
    '-A'?: number
    '-C'?: number
    context?: number
    '-n'?: boolean
    '-i'?: boolean
    '-o'?: boolean
    type?: string
    head_limit?: number
    offset?: number
    multiline?: boolean
  }
  Agent: {
    description: string
    prompt: string
    subagent_type?: string
    model?: string
    resume?: string
    resume_agent_id?: string
    name?: string
    run_in_background?: boolean
  }
  SendMessage: { to: string; message: string }
  Skill: { skill: string; args?: string }
  TaskOutput: { task_id: string; block?: boolean; timeout?: number }
  TaskStop: { task_id?: string; shell_id?: string }
  TaskCreate: { subject: string; description?: string; activeForm?: string }
  TaskUpdate: { taskId: string; status?: TaskStatus; subject?: string; description?: string; activeForm?: string }
  TaskGet: { taskId: string }
  TaskList: {}
  TodoWrite: { todos: { content: string; status: Exclude<TaskStatus, 'deleted'>; activeForm?: string }[] }
  AskUserQuestion: { questions: Question[]; answers?: Record<string, unknown> }
  ExitPlanMode: { plan: string }
  WebFetch: { url: string; prompt: string }
}

type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'deleted'
interface Question {
  question: string
  header?: string
  options: { label: string; description?: string }[]
  multiSelect?: boolean
}

expectTypeOf<keyof ToolInputs>().toEqualTypeOf<keyof Expected>()
expectTypeOf<{ [Name in keyof Expected]: ToolInputs[Name] }>().toEqualTypeOf<Expected>()

// A checked input is one that may be given, with its defaults: what runs fits what hooks see.
expectTypeOf<ToolInput<'Edit'>['replace_all']>().toEqualTypeOf<boolean>()
expectTypeOf<ToolInput<'Grep'>['output_mode']>().toEqualTypeOf<'content' | 'files_with_matches' | 'count'>()
type Lists = 'TodoWrite' | 'AskUserQuestion'
type Flat = Exclude<keyof Expected, Lists>
expectTypeOf<{ [Name in Flat]: ToolInput<Name> }>().toExtend<{ [Name in Flat]: Expected[Name] }>()
expectTypeOf<{ [Name in Lists]: Expected[Name] }>().toExtend<{ [Name in Lists]: ToolInput<Name> }>()

import { fault, nearest } from '../errors.ts'
import type { PlainObject } from '../util/plain.ts'
import type { Family } from './answers.ts'
import { listFields, type Fields, type Read } from './fields.ts'

/** A row of the table below. */
interface Row<F extends Fields> {
  readonly when: string
  readonly fields: F
  readonly target?: FieldName<F>
  readonly answer: Family
  readonly failure: 'closed' | 'open'
  readonly draft?: FieldName<F>
  readonly fileTimeout?: number
  readonly sample: NoInfer<Read<F>>
}

type FieldName<F extends Fields> = keyof Read<F> & string

const event = <const F extends Fields>(row: Row<F>): Row<F> => row

/** What every input begins with. */
export const BASE = {
  session_id: 'string',
  transcript_path: 'string',
  cwd: 'string',
  'prompt_id?': 'string',
  permission_mode: 'string',
  'agent_id?': 'string',
  'agent_type?': 'string',
  'effort?': 'object'
} as const

const TOOL = { tool_name: 'string', tool_input: 'object' } as const
const CALL = { ...TOOL, tool_use_id: 'string' } as const
/** Stands last on the events of a call: the server of a tool that belongs to one. */
const SERVER = { 'mcp_server?': 'object' } as const
const ASKING_SERVER = { mcp_server_name: 'string' } as const
const TASK = {
  task_id: 'string',
  task_subject: 'string',
  'task_description?': 'string',
  'teammate_name?': 'string',
  'team_name?': 'string'
} as const
const AGENT = { agent_id: 'string', agent_type: 'string' } as const

const BASH = { tool_name: 'Bash', tool_input: { command: 'git status' } }
const BASH_CALL = { ...BASH, tool_use_id: 'toolu_sample' }

/**
 * Every event there is: one row each, and the row is the whole truth about it. Input types, checks,
 * folding, docs/hooks.md and the test kit are derived from here.
 *
 * Reading a row: `when` it fires; its `fields`; the field a matcher tests (`target`); how it may be
 * answered (`answer`, a family of answers.ts); whether a hook that fails blocks (`failure: 'closed'`);
 * the `draft`, a field that hooks may rewrite and that is judged again when they do; the default
 * timeout of hooks from files, in seconds; a sample.
 */
export const EVENTS = {
  PreToolUse: event({
    when: 'a tool call is ready and valid, before any permission step',
    fields: { ...CALL, ...SERVER },
    target: 'tool_name',
    answer: 'gate',
    failure: 'closed',
    draft: 'tool_input',
    sample: BASH_CALL
  }),
  PostToolUse: event({
    when: 'a tool has succeeded',
    fields: {
      ...TOOL,
      tool_response: 'unknown',
      tool_use_id: 'string',
      'duration_ms?': 'number',
      ...SERVER
    },
    target: 'tool_name',
    answer: 'result',
    failure: 'open',
    sample: { ...BASH_CALL, tool_response: { stdout: 'nothing to commit', stderr: '', interrupted: false } }
  }),
  PostToolUseFailure: event({
    when: 'a tool has thrown, returned an error or was interrupted',
    fields: { ...CALL, error: 'string', 'is_interrupt?': 'boolean', 'duration_ms?': 'number', ...SERVER },
    target: 'tool_name',
    answer: 'feedback',
    failure: 'open',
    sample: { ...BASH_CALL, error: 'Exit code 1', is_interrupt: false }
  }),
  PostToolBatch: event({
    when: 'all calls of one answer have results, before the next model call',
    fields: { tool_calls: 'tool calls' },
    answer: 'block',
    failure: 'open',
    sample: { tool_calls: [{ ...BASH_CALL, tool_response: 'nothing to commit' }] }
  }),
  UserPromptSubmit: event({
    when: 'a prompt is about to reach the model',
    fields: { prompt: 'string', 'source?': 'string', 'session_title?': 'string' },
    answer: 'prompt',
    failure: 'closed',
    draft: 'prompt',
    fileTimeout: 30,
    sample: { prompt: 'Tidy the build folder' }
  }),
  UserPromptExpansion: event({
    when: 'a slash command that the user typed is about to become its words',
    fields: {
      expansion_type: 'string',
      command_name: 'string',
      command_args: 'string',
      'command_source?': 'string',
      prompt: 'string'
    },
    target: 'command_name',
    answer: 'expansion',
    failure: 'closed',
    sample: { expansion_type: 'slash_command', command_name: 'review', command_args: 'src', prompt: '/review src' }
  }),
  PermissionRequest: event({
    when: 'somebody would be asked whether a call may run',
    fields: { ...TOOL, 'permission_suggestions?': 'list', ...SERVER },
    target: 'tool_name',
    answer: 'permission',
    failure: 'closed',
    draft: 'tool_input',
    sample: BASH
  }),
  PermissionDenied: event({
    when: 'a call was refused by the mode, or because nobody could answer',
    fields: { ...CALL, reason: 'string', ...SERVER },
    target: 'tool_name',
    answer: 'retry',
    failure: 'open',
    sample: { ...BASH_CALL, reason: 'nobody could be asked' }
  }),
  SessionStart: event({
    when: 'a session begins, resumes, or goes on after a clear or a compaction',
    fields: {
      source: 'startup | resume | clear | compact | fork',
      'agent_type?': 'string',
      'model?': 'string',
      'session_title?': 'string',
      'seconds_since_last_response?': 'number',
      'context_tokens?': 'number'
    },
    target: 'source',
    answer: 'session',
    failure: 'open',
    sample: { source: 'startup' }
  }),
  SessionEnd: event({
    when: 'a session is over, however it ended',
    fields: { reason: 'string' },
    target: 'reason',
    answer: 'watch',
    failure: 'open',
    fileTimeout: 1.5,
    sample: { reason: 'other' }
  }),
  Setup: event({
    when: 'a run was asked to prepare or maintain the project',
    fields: { trigger: 'init | maintenance' },
    target: 'trigger',
    answer: 'inform',
    failure: 'open',
    sample: { trigger: 'init' }
  }),
  Stop: event({
    when: 'the agent would end its turn',
    fields: {
      stop_hook_active: 'boolean',
      'last_assistant_message?': 'string',
      'background_tasks?': 'list',
      'session_crons?': 'list',
      'block_count?': 'number',
      'previous_reason?': 'string'
    },
    answer: 'stop',
    failure: 'open',
    sample: { stop_hook_active: false, last_assistant_message: 'Done.' }
  }),
  StopFailure: event({
    when: 'a turn was ended by an error of the model provider',
    fields: { error: 'string', 'error_details?': 'string', 'last_assistant_message?': 'string' },
    target: 'error',
    answer: 'watch',
    failure: 'open',
    sample: { error: 'rate_limit' }
  }),
  SubagentStart: event({
    when: 'a subagent is about to run',
    fields: { ...AGENT, 'description?': 'string' },
    target: 'agent_type',
    answer: 'start',
    failure: 'open',
    sample: { agent_id: 'agent-1', agent_type: 'Explore', description: 'Find the tests' }
  }),
  SubagentStop: event({
    when: 'a subagent has finished, failed or was cancelled',
    fields: {
      ...AGENT,
      stop_hook_active: 'boolean',
      agent_transcript_path: 'string',
      'last_assistant_message?': 'string',
      'background_tasks?': 'list',
      'session_crons?': 'list',
      success: 'boolean',
      'error?': 'string',
      'block_count?': 'number',
      'previous_reason?': 'string'
    },
    target: 'agent_type',
    answer: 'stop',
    failure: 'open',
    sample: {
      agent_id: 'agent-1',
      agent_type: 'Explore',
      stop_hook_active: false,
      agent_transcript_path: 'subagents/agent-1.jsonl',
      success: true
    }
  }),
  AgentStart: event({
    when: 'an agent, main or sub, begins its loop',
    fields: { agent_id: 'string', task: 'string' },
    answer: 'start',
    failure: 'open',
    sample: { agent_id: 'agent-0', task: 'Tidy the build folder' }
  }),
  AgentStop: event({
    when: 'an agent, main or sub, has ended its loop',
    fields: { agent_id: 'string', result: 'agent result' },
    answer: 'watch',
    failure: 'open',
    sample: {
      agent_id: 'agent-0',
      result: {
        id: 'agent-0',
        content: 'Done.',
        tool_uses: 3,
        iterations: 4,
        usage: { input_tokens: 1200, output_tokens: 80 }
      }
    }
  }),
  Iteration: event({
    when: 'an agent is about to call its model; retries do not count',
    fields: { agent_id: 'string', iteration: 'number' },
    answer: 'watch',
    failure: 'open',
    sample: { agent_id: 'agent-0', iteration: 1 }
  }),
  PreCompact: event({
    when: 'the conversation is about to be compacted',
    fields: { trigger: 'manual | auto', custom_instructions: 'string | null' },
    target: 'trigger',
    answer: 'veto',
    failure: 'open',
    sample: { trigger: 'auto', custom_instructions: null }
  }),
  PostCompact: event({
    when: 'the conversation was compacted',
    fields: { trigger: 'manual | auto', compact_summary: 'string' },
    target: 'trigger',
    answer: 'inform',
    failure: 'open',
    sample: { trigger: 'auto', compact_summary: 'The build folder was tidied.' }
  }),
  ConfigChange: event({
    when: 'a settings file has changed, before the change counts',
    fields: {
      source: 'user_settings | project_settings | local_settings | policy_settings | skills',
      'file_path?': 'string'
    },
    target: 'source',
    answer: 'change',
    failure: 'open',
    sample: { source: 'project_settings', file_path: '.claude/settings.json' }
  }),
  InstructionsLoaded: event({
    when: 'a file of instructions was added to what the model is told',
    fields: {
      file_path: 'string',
      memory_type: 'string',
      load_reason: 'string',
      'parent_file_path?': 'string'
    },
    target: 'load_reason',
    answer: 'watch',
    failure: 'open',
    sample: { file_path: 'CLAUDE.md', memory_type: 'Project', load_reason: 'session_start' }
  }),
  CwdChanged: event({
    when: 'a command has changed the folder that later commands run in',
    fields: { old_cwd: 'string', new_cwd: 'string' },
    answer: 'news',
    failure: 'open',
    sample: { old_cwd: 'app', new_cwd: 'app/src' }
  }),
  Elicitation: event({
    when: 'an MCP server wants to be told something by a person, before anybody is asked',
    fields: {
      ...ASKING_SERVER,
      message: 'string',
      'mode?': 'form | url',
      'url?': 'string',
      'elicitation_id?': 'string',
      'requested_schema?': 'object'
    },
    target: 'mcp_server_name',
    answer: 'elicitation',
    failure: 'closed',
    sample: { mcp_server_name: 'booking', message: 'Which day?', mode: 'form' }
  }),
  ElicitationResult: event({
    when: 'there is an answer for an MCP server, before it is sent',
    fields: {
      ...ASKING_SERVER,
      'elicitation_id?': 'string',
      'mode?': 'form | url',
      action: 'accept | decline | cancel',
      'content?': 'object'
    },
    target: 'mcp_server_name',
    answer: 'elicitation',
    failure: 'closed',
    sample: { mcp_server_name: 'booking', mode: 'form', action: 'accept', content: { day: 'Monday' } }
  }),
  FileChanged: event({
    when: 'a file that hooks watch has changed on disk, whoever changed it',
    fields: { file_path: 'string', event: 'add | change | unlink', 'file_name?': 'string' },
    target: 'file_name',
    answer: 'news',
    failure: 'open',
    sample: { file_path: 'app/.env', event: 'change', file_name: '.env' }
  }),
  Notification: event({
    when: 'the user is told something, or waited for',
    fields: { message: 'string', 'title?': 'string', notification_type: 'string' },
    target: 'notification_type',
    answer: 'inform',
    failure: 'open',
    sample: { message: 'Bash needs your permission', notification_type: 'permission_prompt' }
  }),
  TeammateIdle: event({
    when: 'a teammate is about to go idle',
    fields: { teammate_name: 'string', team_name: 'string' },
    answer: 'stop',
    failure: 'open',
    sample: { teammate_name: 'tester', team_name: 'release' }
  }),
  TaskCreated: event({
    when: 'a task is about to be added to the task list',
    fields: TASK,
    answer: 'create',
    failure: 'open',
    sample: { task_id: '1', task_subject: 'Make the tests pass' }
  }),
  TaskCompleted: event({
    when: 'a task of the task list is about to be marked completed',
    fields: TASK,
    answer: 'stop',
    failure: 'open',
    sample: { task_id: '1', task_subject: 'Make the tests pass' }
  })
} as const

/** The name of an event. */
export type EventName = keyof typeof EVENTS
/** All of them, in the order of the table. */
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

/** The fields that belong to one event alone. */
export type FieldsOf<E extends EventName> = Read<(typeof EVENTS)[E]['fields']>
/** What every input begins with. */
export type BaseInput = Read<typeof BASE>

/** The whole input of an event, as hooks outside the process receive it. */
export type InputOf<E extends EventName> = E extends EventName
  ? Omit<BaseInput, keyof FieldsOf<E>> & FieldsOf<E> & { hook_event_name: E }
  : never

/** What `fire` takes: the event's fields and any of the base fields; the registry fills in the rest. */
export type FireInput<E extends EventName> = { [K in keyof FieldsOf<E>]: Loose<FieldsOf<E>[K]> } & {
  [K in Exclude<keyof InputOf<E>, keyof FieldsOf<E>>]?: InputOf<E>[K] | undefined
}

/** An object that is typed by an interface has no index signature, and is an object all the same. */
type Loose<T> = T extends PlainObject ? object : T

/** The events that are about a tool. */
export type ToolEvent = { [E in EventName]: 'tool_name' extends keyof FieldsOf<E> ? E : never }[EventName]

/** A row as the engine reads it, whatever its event. */
export type AnyRow = Omit<Row<Fields>, 'sample' | 'target' | 'draft'> & {
  readonly target?: string
  readonly draft?: string
  readonly sample: Readonly<Record<string, unknown>>
}

export const rowOf = (name: EventName): AnyRow => EVENTS[name]

export const baseFields: readonly string[] = listFields(BASE).map(field => field.name)

/** `PreToolUse` → `pre_tool_use`. */
export function snakeName(name: EventName): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`).toLowerCase()
}

const squeeze = (name: string): string => name.replaceAll('_', '').toLowerCase()
const BY_SPELLING = new Map(EVENT_NAMES.map(name => [squeeze(name), name]))
const SPELLING = /^[A-Za-z]+(_[A-Za-z]+)*$/

/** Reads `PreToolUse`, `preToolUse` and `pre_tool_use` alike; anything else is an error that suggests the nearest. */
export function parseEvent(name: string): EventName {
  const found = typeof name === 'string' && SPELLING.test(name) ? BY_SPELLING.get(squeeze(name)) : undefined
  if (found === undefined) throw fault('E_EVENT_UNKNOWN', String(name), nearest(String(name), EVENT_NAMES) ?? '')
  return found
}

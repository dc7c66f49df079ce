import { event } from './fields.ts'

const TOOL = { tool_name: 'string', tool_input: 'object' } as const
const CALL = { ...TOOL, tool_use_id: 'string' } as const
const SERVER = { 'mcp_server?': 'object' } as const

const BASH = { tool_name: 'Bash', tool_input: { command: 'git status' } }
const BASH_CALL = { ...BASH, tool_use_id: 'toolu_sample' }

const MODEL = { model: 'string', purpose: 'turn | compaction' } as const
const SAMPLE_MODEL = { model: 'claude-opus-5-5', purpose: 'turn' } as const

export const EVENTS_OF_CALLS = {
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
  PreModelRequest: event({
    when: 'a request is about to be sent to the model; retries do not count',
    fields: { ...MODEL, request: 'model request' },
    target: 'model',
    answer: 'request',
    failure: 'closed',
    draft: 'request',
    sample: {
      ...SAMPLE_MODEL,
      request: { model: 'claude-opus-5-5', system: 'You help with code.', tools: ['Bash', 'Read'], append: [] }
    }
  }),
  PostModelResponse: event({
    when: 'the model has answered, before anyone sees the answer and before any of its calls runs',
    fields: { ...MODEL, attempt: 'number', response: 'model response', usage: 'token usage' },
    target: 'model',
    answer: 'response',
    failure: 'closed',
    draft: 'response',
    sample: {
      ...SAMPLE_MODEL,
      attempt: 1,
      response: { content: [{ type: 'text', text: 'The build folder is tidy.' }], stop_reason: 'end_turn' },
      usage: { input_tokens: 1200, output_tokens: 80 }
    }
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
    when: 'a typed slash command is about to be expanded',
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
    when: 'a call needs permission',
    fields: { ...TOOL, 'permission_suggestions?': 'list', ...SERVER },
    target: 'tool_name',
    answer: 'permission',
    failure: 'closed',
    draft: 'tool_input',
    sample: BASH
  }),
  PermissionDenied: event({
    when: 'a call was refused by the mode, or its question had no answer',
    fields: { ...CALL, reason: 'string', ...SERVER },
    target: 'tool_name',
    answer: 'retry',
    failure: 'open',
    sample: { ...BASH_CALL, reason: 'no one was available to approve it' }
  })
} as const

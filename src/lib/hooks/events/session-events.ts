import { event } from './fields.ts'

const ASKING_SERVER = { mcp_server_name: 'string' } as const
const TASK = {
  task_id: 'string',
  task_subject: 'string',
  'task_description?': 'string',
  'teammate_name?': 'string',
  'team_name?': 'string'
} as const
const AGENT = { agent_id: 'string', agent_type: 'string' } as const

export const EVENTS_OF_SESSIONS = {
  SessionStart: event({
    when: 'a session starts, resumes, or was cleared or compacted',
    fields: {
      source: 'startup | resume | clear | compact | fork',
      'agent_type?': 'string',
      'seconds_since_last_response?': 'number',
      'context_tokens?': 'number',
      'prompt_cache_likely_expired?': 'boolean',
      'estimated_cache_write_usd?': 'number',
      'model?': 'string',
      'session_title?': 'string'
    },
    target: 'source',
    answer: 'session',
    failure: 'open',
    sample: { source: 'startup' }
  }),
  SessionEnd: event({
    when: 'a session has ended',
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
    when: 'a settings file has changed, before it takes effect',
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
    when: 'an instructions file was loaded',
    fields: {
      file_path: 'string',
      memory_type: 'string',
      load_reason: 'string',
      'globs?': 'list',
      'trigger_file_path?': 'string',
      'parent_file_path?': 'string'
    },
    target: 'load_reason',
    answer: 'watch',
    failure: 'open',
    sample: { file_path: 'CLAUDE.md', memory_type: 'Project', load_reason: 'session_start' }
  }),
  CwdChanged: event({
    when: 'a command has changed the working folder',
    fields: { old_cwd: 'string', new_cwd: 'string' },
    answer: 'news',
    failure: 'open',
    sample: { old_cwd: 'app', new_cwd: 'app/src' }
  }),
  DirectoryAdded: event({
    when: 'a folder was added to the workspace',
    fields: { directory: 'string', source: 'slash_command | register_repo_root' },
    target: 'source',
    answer: 'watch',
    failure: 'open',
    sample: { directory: 'library', source: 'slash_command' }
  }),
  Elicitation: event({
    when: 'an MCP server asks for input, before a person is asked',
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
    when: 'an answer is about to be sent to an MCP server',
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
    when: 'a watched file has changed on disk',
    fields: { file_path: 'string', event: 'add | change | unlink', 'file_name?': 'string' },
    target: 'file_name',
    answer: 'news',
    failure: 'open',
    sample: { file_path: 'app/.env', event: 'change', file_name: '.env' }
  }),
  Notification: event({
    when: 'the user is notified',
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

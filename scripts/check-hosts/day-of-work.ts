/** What a recorded run of each host does: its events, and a call of each kind of tool. */
import type { HostName } from '../../src/lib/cli/host/hosts.ts'
import type { ModelCall } from '../../src/lib/cli/host/probe/model-wire.ts'

/** In the prompt of a subagent. */
export const SUBTASK = 'Do the subtask'

export interface DayOfWork {
  /** Every event that the host has. */
  readonly events: readonly string[]
  /** One call after the other; `project` is the folder. */
  readonly calls: (project: string) => readonly ModelCall[]
  /** How it is told of an MCP server. */
  readonly mcp?: (server: McpServer, folder: string) => Partial<McpConfig>
}

interface McpServer {
  readonly command: string
  readonly args: readonly string[]
}

interface McpConfig {
  readonly args: readonly string[]
  /** Texts of files, by their paths. */
  readonly files: Readonly<Record<string, object>>
  /** In the settings that have the hooks. */
  readonly settings: object
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)
const PATCHES = ['*** Add File: new.txt\n+hello', '*** Update File: notes.txt\n@@\n alpha\n-beta\n+gamma'].map(
  patch => `*** Begin Patch\n${patch}\n*** End Patch`
)
const inSettings = (everything: McpServer): Partial<McpConfig> => ({ settings: { mcpServers: { everything } } })
const inFile =
  (flag: string, prefix: string, more: object, ...args: readonly string[]) =>
  (server: McpServer, folder: string): Partial<McpConfig> => ({
    args: [flag, `${prefix}${folder}/mcp.json`, ...args],
    files: { [`${folder}/mcp.json`]: { mcpServers: { everything: { ...server, ...more } } } }
  })

export const DAYS: Readonly<Record<HostName, DayOfWork>> = {
  claude: {
    events:
      words(`PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied Notification
      UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact
      PostCompact Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange
      InstructionsLoaded CwdChanged FileChanged DirectoryAdded PreModelSwitch PostModelSwitch MessageDisplay`),
    calls: project => [
      { name: 'Bash', input: { command: 'echo one', description: 'Say one' } },
      { name: 'Read', input: { file_path: `${project}/notes.txt` } },
      { name: 'Write', input: { file_path: `${project}/new.txt`, content: 'hello\n' } },
      { name: 'Edit', input: { file_path: `${project}/notes.txt`, old_string: 'beta', new_string: 'gamma' } },
      { name: 'Grep', input: { pattern: 'alpha', path: project } },
      { name: 'mcp__everything__echo', input: { message: 'hi' } },
      { name: 'Agent', input: { description: 'sub', prompt: SUBTASK, subagent_type: 'general-purpose' } },
      { name: 'Bash', input: { command: 'false', description: 'Fail' } }
    ],
    mcp: inFile('--mcp-config', '', {}, '--allowedTools', 'Read,Write,Edit,Grep,Agent,mcp__everything')
  },
  codex: {
    events:
      words(`PreToolUse PermissionRequest PostToolUse PreCompact PostCompact SessionStart SessionEnd UserPromptSubmit
      SubagentStart SubagentStop Stop Interrupt PreModelRequest PostModelRequest`),
    calls: () => [
      { name: 'exec_command', input: { cmd: 'echo one' } },
      { name: 'exec_command', input: { cmd: 'cat notes.txt', workdir: '/' } },
      ...PATCHES.map(input => ({ name: 'apply_patch', input })),
      { name: 'view_image', input: { path: 'notes.txt' } },
      { namespace: 'mcp__everything', name: 'echo', input: { message: 'hi' } },
      { namespace: 'multi_agent_v1', name: 'spawn_agent', input: { message: SUBTASK } },
      { name: 'exec_command', input: { cmd: 'sleep 2; false', yield_time_ms: 5_000 } }
    ],
    mcp: ({ command, args }) => ({
      args: ['-c', `mcp_servers.everything={command="${command}",args=${JSON.stringify(args)}}`]
    })
  },
  gemini: {
    events: words(`BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection SessionStart
      SessionEnd Notification PreCompress`),
    calls: project => [
      { name: 'run_shell_command', input: { command: 'echo one', description: 'Say one' } },
      { name: 'read_file', input: { file_path: `${project}/notes.txt` } },
      { name: 'write_file', input: { file_path: `${project}/new.txt`, content: 'hello\n' } },
      {
        name: 'replace',
        input: { file_path: `${project}/notes.txt`, instruction: 'x', old_string: 'beta', new_string: 'gamma' }
      },
      { name: 'grep_search', input: { pattern: 'alpha' } },
      { name: 'list_directory', input: { dir_path: project } },
      { name: 'mcp_everything_echo', input: { message: 'hi' } },
      { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: SUBTASK } },
      { name: 'run_shell_command', input: { command: 'false' } }
    ],
    mcp: inSettings
  },
  qwen: {
    events: words(`PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied
      UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop
      Notification PreCompact PostCompact TodoCreated TodoCompleted InstructionsLoaded MessageDisplay`),
    calls: project => [
      { name: 'run_shell_command', input: { command: 'echo one', description: 'Say one', is_background: false } },
      { name: 'read_file', input: { file_path: `${project}/notes.txt` } },
      { name: 'write_file', input: { file_path: `${project}/new.txt`, content: 'hello\n' } },
      { name: 'edit', input: { file_path: `${project}/notes.txt`, old_string: 'beta', new_string: 'gamma' } },
      { name: 'grep_search', input: { pattern: 'alpha' } },
      { name: 'mcp__everything__echo', input: { message: 'hi' } },
      { name: 'tool_call', input: { name: 'mcp__everything__echo', arguments: { message: 'bridged' } } },
      {
        name: 'agent',
        input: { description: 'sub', prompt: SUBTASK, subagent_type: 'general-purpose', run_in_background: false }
      },
      { name: 'run_shell_command', input: { command: 'false', is_background: false } }
    ],
    mcp: inSettings
  },
  copilot: {
    events: words(`sessionStart sessionEnd userPromptSubmitted preToolUse postToolUse postToolUseFailure errorOccurred
      agentStop subagentStart subagentStop preCompact permissionRequest notification`),
    calls: project => [
      { name: 'bash', input: { command: 'echo one', description: 'Say one' } },
      { name: 'view', input: { path: `${project}/notes.txt` } },
      { name: 'create', input: { path: `${project}/new.txt`, file_text: 'hello\n' } },
      { name: 'edit', input: { path: `${project}/notes.txt`, old_str: 'beta', new_str: 'gamma' } },
      { name: 'grep', input: { pattern: 'alpha', path: project } },
      { name: 'everything-echo', input: { message: 'hi' } },
      {
        name: 'task',
        input: { description: 'sub', prompt: SUBTASK, agent_type: 'general-purpose', name: 'sub', mode: 'sync' }
      },
      { name: 'bash', input: { command: 'false', description: 'Fail' } },
      { name: 'no_such_tool', input: {} }
    ],
    mcp: inFile('--additional-mcp-config', '@', { type: 'local', tools: ['*'] })
  },
  pi: {
    events: words('PreToolUse PostToolUse UserPromptSubmit SessionStart SessionEnd Stop'),
    calls: () => [
      { name: 'bash', input: { command: 'echo one' } },
      { name: 'read', input: { path: 'notes.txt' } },
      { name: 'write', input: { path: 'new.txt', content: 'hello\n' } },
      { name: 'edit', input: { path: 'notes.txt', edits: [{ oldText: 'beta', newText: 'gamma' }] } },
      { name: 'grep', input: { pattern: 'alpha' } },
      { name: 'bash', input: { command: 'false' } }
    ]
  }
}

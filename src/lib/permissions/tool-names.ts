import { OTHER_FILE_TOOLS, TOOL_NAMES, type BuiltInToolName } from '../tool-table.ts'
import { RENAMED } from '../util/names.ts'
import { nearMiss } from '../util/near.ts'

/** Tools of other agents, and of other versions of Claude Code: settings may name them without harm. */
const OTHER_TOOL_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(OTHER_FILE_TOOLS),
  ...`BashOutput Brief Config CronCreate CronDelete CronList EndConversation EnterPlanMode EnterWorktree ExitWorktree LSP
   ListAgents ListMcpResources ListMcpResourcesTool ListPeers Monitor PowerShell
   PushNotification REPL ReadMcpResource ReadMcpResourceDir ReadMcpResourceDirTool ReadMcpResourceTool RemoteTrigger
   ReportFindings ScheduleWakeup SendUserFile SendUserMessage ShareOnboardingGuide SlashCommand Sleep StructuredOutput
   TeamCreate TeamDelete TodoRead ToolSearch VerifyPlan WaitForMcpServers WebSearch Workflow
   Delete ReadLints SemanticSearch StrReplace codebase_search delete_file edit_file file_search grep_search list_dir
   run_terminal_cmd search_replace
   apply_patch exec_command local_shell shell_command update_plan view_image write_stdin unified_exec
   google_web_search list_directory read_file read_many_files replace run_shell_command save_memory
   search_file_content write_file write_todos
   ask_followup_question attempt_completion browser_action execute_command list_code_definition_names list_files
   new_task replace_in_file search_files switch_mode use_mcp_tool write_to_file
   create_file file_edit insert_edit_into_file read_bash str_replace_editor think write_bash
   codesearch patch`.split(/\s+/)
])

const TOOL_SYNONYMS: ReadonlyMap<string, BuiltInToolName> = new Map([
  ...['Shell', 'Terminal', 'Command', 'Exec', 'Sh'].map(name => [name, 'Bash'] as const),
  ['Fetch', 'WebFetch']
])

export type Naming = { readonly is: 'here' | 'elsewhere' | 'unknown' } | { readonly is: 'near'; readonly meant: string }

/** `more`: tools that the caller has added. Those of MCP servers are not known yet. */
export function namingOf(name: string, more: readonly string[] = []): Naming {
  const here = [...TOOL_NAMES, ...more]
  if (here.includes(RENAMED.get(name) ?? name) || name.startsWith('mcp__')) return { is: 'here' }
  if (OTHER_TOOL_NAMES.has(name)) return { is: 'elsewhere' }
  const meant = TOOL_SYNONYMS.get(name) ?? nearMiss(name, [...here, ...RENAMED.keys()])
  if (meant !== undefined) return { is: 'near', meant }
  return { is: nearMiss(name, [...OTHER_TOOL_NAMES]) === undefined ? 'unknown' : 'elsewhere' }
}

export const ALL_TOOL_NAMES: readonly string[] = [...TOOL_NAMES, ...RENAMED.keys(), ...OTHER_TOOL_NAMES]

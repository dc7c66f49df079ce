/** The flags of the commands. The parser, the help, the completions and the types of the flags read these tables. */

export interface Flag {
  readonly flags: string
  readonly words: string
  readonly choices?: readonly string[]
  readonly many?: true
  /** It restricts, and a second one would replace it. */
  readonly once?: true
}

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S

/** `-r, --resume <id>` sets `resume`; `--no-pager` makes `pager` false. */
type Key<F extends string> = F extends `${string}, ${infer Last}`
  ? Key<Last>
  : F extends `--no-${infer Name}` | `--${infer Name} <${string}` | `--${infer Name}`
    ? Camel<Name>
    : never

type Value<F extends Flag> = F extends { many: true } | { flags: `${string}...>` }
  ? string[]
  : F extends { choices: readonly (infer Choice)[] }
    ? Choice
    : F extends { flags: `${string}>` }
      ? string
      : boolean

export type FlagValues<T extends readonly Flag[]> = { [F in T[number] as Key<F['flags']>]?: Value<F> }

const table = <const T extends readonly Flag[]>(flags: T): T => flags

const JSON_FLAG = { flags: '--json', words: 'print one JSON object' } as const

const WHERE = table([
  { flags: '--cwd <folder>', words: 'start from this folder' },
  { flags: '--settings <file-or-json>', once: true, words: 'add these settings' },
  { flags: '--setting-sources <list>', once: true, words: 'settings sources to load (user, project, local)' },
  { flags: '--plugin-dir <folder>', words: 'add the hooks of this plugin', many: true },
  { flags: '--hooks <file>', words: 'add a TypeScript or JavaScript module of hooks', many: true }
])

const TRUST = table([
  {
    flags: '--profile <profile>',
    once: true,
    words: 'strict blocks when a gate fails; compat behaves like Claude Code',
    choices: ['strict', 'compat']
  },
  { flags: '--trust <digest>', words: 'trust the project’s hooks if this is their digest (or CARABINER_TRUST)' },
  {
    flags: '--trust-project-hooks',
    words: 'trust the project’s hooks for this run (or CARABINER_TRUST_PROJECT_HOOKS=1)'
  },
  { flags: '--no-project-hooks', words: 'ignore the project’s hooks, agents, commands and skills' }
])

export const PROJECT_FLAGS = table([JSON_FLAG, ...WHERE, ...TRUST])
export type ProjectFlags = FlagValues<typeof PROJECT_FLAGS>

export const RUN_FLAGS = table([
  { flags: '-p, --print', words: 'answer one prompt, print the answer and exit' },
  { flags: '--output-format <format>', words: 'output format', choices: ['text', 'json', 'stream-json'] },
  { flags: '--input-format <format>', words: 'format of standard input', choices: ['text', 'stream-json'] },
  { flags: '--model <name>', words: 'sonnet, opus, a full name, openai/NAME, https://host/v1#NAME, script:FILE' },
  {
    flags: '--permission-mode <mode>',
    once: true,
    words: 'default, acceptEdits, plan, dontAsk, bypassPermissions'
  },
  { flags: '--dangerously-skip-permissions', words: 'skip permission questions; hooks and deny rules still apply' },
  {
    flags: '--allowedTools, --allowed-tools <rules...>',
    words: 'rules for what runs without a question: "Bash(git *) Edit"'
  },
  { flags: '--disallowedTools, --disallowed-tools <rules...>', words: 'rules for what never runs' },
  { flags: '--sandbox', words: 'run commands, hooks and MCP servers in a sandbox, or not at all' },
  { flags: '--tools <names...>', words: 'tools to offer (default: all)' },
  { flags: '--agents <json>', words: 'subagents: {"name": {"description": …, "prompt": …}}' },
  { flags: '--add-dir <folders...>', words: 'further folders to work in' },
  { flags: '--mcp-config <file-or-json>', words: 'add the servers of this file, or of this JSON', many: true },
  { flags: '--strict-mcp-config', words: 'ignore the servers of the project’s .mcp.json' },
  { flags: '--max-turns <n>', once: true, words: 'maximum number of model calls' },
  { flags: '--max-budget-usd <dollars>', once: true, words: 'maximum cost in dollars' },
  { flags: '--system-prompt <text>', words: 'replace the default system prompt' },
  { flags: '--append-system-prompt <text>', words: 'append to the default system prompt' },
  { flags: '--json-schema <schema>', words: 'require an answer in JSON of this schema' },
  { flags: '--effort <level>', words: 'reasoning effort', choices: ['low', 'medium', 'high', 'xhigh', 'max'] },
  {
    flags: '-r, --resume <id>',
    words:
      'resume this session (the beginning of its id is enough), or a copy of a .jsonl file; without a prompt, continue what it was doing'
  },
  { flags: '-c, --continue', words: 'resume the last session of this folder' },
  { flags: '--fork-session', words: 'with --resume or --continue: work in a copy with a new id' },
  { flags: '--resume-session-at <uuid>', words: 'with --resume: only up to this message' },
  { flags: '--session-id <id>', words: 'the id of the new session' },
  { flags: '--include-hook-events', words: 'stream-json: also print when hooks start and answer' },
  { flags: '--include-partial-messages', words: 'stream-json: also print answers as they are streamed' },
  { flags: '--verbose', words: 'print more on standard error' },
  { flags: '--init', words: 'prepare the project first (fires Setup)' },
  { flags: '--init-only', words: 'prepare the project and end' },
  { flags: '--maintenance', words: 'maintain the project first (fires Setup)' },
  ...WHERE,
  ...TRUST
])
export type RunFlags = FlagValues<typeof RUN_FLAGS>

export const RULES_FLAGS = table([
  { flags: '--allow <rule>', words: 'add a rule that allows', many: true },
  { flags: '--ask <rule>', words: 'add a rule that asks', many: true },
  { flags: '--deny <rule>', words: 'add a rule that refuses', many: true },
  { flags: '--mode <mode>', once: true, words: 'default, acceptEdits, plan, dontAsk, bypassPermissions' },
  ...PROJECT_FLAGS
])

export const REPLAY_FLAGS = table([
  { flags: '--fail-on-change', words: 'end with 1 if anything would be decided otherwise, or is unknown' },
  {
    flags: '--safe-hook <name>',
    many: true,
    words: 'run this hook although it starts a process or connects (*: all of them)'
  },
  { flags: '--all', words: 'also list what would be decided the same' },
  {
    flags: '--permission-mode <mode>',
    once: true,
    words: 'default, acceptEdits, plan, dontAsk, bypassPermissions (default: the mode that is recorded)'
  },
  { flags: '--claude', words: 'only look for sessions of Claude Code' },
  ...PROJECT_FLAGS
])
export type ReplayFlags = FlagValues<typeof REPLAY_FLAGS>

export const MCP_FLAGS = table([
  { flags: '--http <url>', once: true, words: 'a server at this URL (streamable HTTP), instead of a program' },
  { flags: '--header <header>', many: true, words: 'with --http: "Name: value"; ${NAME} in it is a variable' },
  {
    flags: '--name <name>',
    once: true,
    words: 'name of the server in mcp__NAME__TOOL (default: from the program or URL)'
  },
  {
    flags: '--permission-mode <mode>',
    once: true,
    words:
      'default, acceptEdits, bypassPermissions: rules refuse and ask, the client decides the rest; dontAsk: only what rules allow runs; plan: nothing runs'
  },
  ...WHERE,
  ...TRUST
])
export type McpFlags = FlagValues<typeof MCP_FLAGS>

export const FIRE_FLAGS = table([
  {
    flags: '--input <file-or-json>',
    words: 'the payload or a part of it, merged into the event’s sample (default: standard input)'
  },
  { flags: '--tool <name>', words: 'the tool that the event is about' },
  { flags: '--set <key=value>', words: 'set a field: tool_input.command="git push"', many: true },
  { flags: '--explain', words: 'also show the hooks that did not run, and why' },
  { flags: '--exit-code', words: 'end with 2 when the event is blocked' },
  ...PROJECT_FLAGS
])
export type FireFlags = FlagValues<typeof FIRE_FLAGS>

export const HOOK_FLAGS = table([
  {
    flags: '--for <agent>',
    once: true,
    words: 'the agent whose hook this is: claude, codex, gemini, qwen, copilot, pi'
  },
  { flags: '--event <name>', once: true, words: 'the event, by the name that the agent gives it' },
  { flags: '--deadline <seconds>', once: true, words: 'answer within this time (default 50)' },
  { flags: '--warm', words: 'afterwards, keep a process that answers the next events faster' },
  { flags: '--serve', words: 'be that process: it ends after ten idle minutes' }
])
export type HookFlags = FlagValues<typeof HOOK_FLAGS>

export const CHECK_FLAGS = table([
  { flags: '--run', words: 'also fire the samples at every trusted hook, in both profiles' },
  {
    flags: '--annotations <host>',
    words: 'print findings for a code host (default in GitHub Actions: github)',
    choices: ['github', 'gitlab', 'none']
  },
  ...PROJECT_FLAGS
])

export const INIT_FLAGS = table([
  { flags: '--test <command>', words: 'the command that runs the project’s tests (default: found in the project)' },
  { flags: '--dry-run', words: 'only print what would be written' },
  JSON_FLAG,
  { flags: '--cwd <folder>', words: 'start from this folder' }
])

export const INSTALL_FLAGS = table([
  { flags: '--for <agent>', once: true, words: 'the agent: claude, codex, gemini, qwen, copilot, pi' },
  { flags: '--project', words: 'in this project only (default: for all projects of this user, where the agent can)' },
  { flags: '--deadline <seconds>', once: true, words: 'the time for each answer (default 50)' },
  { flags: '--print', words: 'only print what would be written' },
  { flags: '--remove', words: 'take it out again' },
  { flags: '--no-probe', words: 'do not start the agent to see whether it asks Carabiner' },
  JSON_FLAG,
  { flags: '--cwd <folder>', words: 'start from this folder' }
])

export const TEST_FLAGS = table([{ flags: '--tap', words: 'print TAP, for other programs' }, ...WHERE, ...TRUST])

export const TRUST_FLAGS = table([
  { flags: '--print', words: 'only print the digest, for --trust' },
  { flags: '--folder', words: 'trust the folder including all later changes; not in CI' },
  ...WHERE
])

const SESSIONS = table([
  { flags: '--claude', words: 'only look for sessions of Claude Code' },
  { flags: '--cwd <folder>', words: 'start from this folder' }
])
const SESSION_FLAGS = table([JSON_FLAG, ...SESSIONS])
export type SessionFlags = FlagValues<typeof SESSION_FLAGS>

const AGENT = { flags: '--agent <id>', words: 'show one of its subagents instead' } as const

export const LIST_FLAGS = table([
  { flags: '--all', words: 'list the sessions of all folders' },
  { flags: '--limit <n>', words: 'maximum number to list (default 20)' },
  ...SESSION_FLAGS
])

export const SHOW_FLAGS = table([
  { flags: '--full', words: 'shorten nothing' },
  AGENT,
  { flags: '--no-pager', words: 'do not use $PAGER (or less) at a terminal' },
  ...SESSION_FLAGS
])

export const WHY_FLAGS = table([JSON_FLAG, { flags: '--cwd <folder>', words: 'start from this folder' }])

export const AUDIT_VERIFY_FLAGS = table([
  { flags: '--all', words: 'verify every session of every folder' },
  ...WHY_FLAGS
])

export const AUDIT_SHOW_FLAGS = table([
  { flags: '--all', words: 'show the calls of every session of every folder' },
  { flags: '--tool <name>', words: 'only calls of this tool' },
  { flags: '--decision <decision>', words: 'only these', choices: ['allow', 'deny', 'ask', 'defer'] },
  { flags: '--hook <name>', words: 'only calls about which this hook said something' },
  { flags: '--agent <id>', words: 'only calls of this agent: its id, its type, or main' },
  { flags: '--since <time>', words: 'only calls from then on, such as 2026-11-18 or 2026-11-18T09:00Z' },
  { flags: '--until <time>', words: 'only calls before then' },
  ...WHY_FLAGS
])

export const VERIFY_FLAGS = table([{ flags: '--all', words: 'verify every session of every folder' }, ...SESSION_FLAGS])

export const REPAIR_FLAGS = table([{ flags: '--dry-run', words: 'only print what would be done' }, ...SESSION_FLAGS])

export const EXPORT_FLAGS = table([
  {
    flags: '--format <format>',
    words: 'markdown for people, json for a model, jsonl as Claude Code writes it',
    choices: ['markdown', 'json', 'jsonl']
  },
  AGENT,
  { flags: '--json', words: 'the same as --format json' },
  ...SESSIONS
])

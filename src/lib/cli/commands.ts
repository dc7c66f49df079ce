/** Every command, with its flags, its description and examples: the parser, the help and the completions read this table. */
import {
  AUDIT_SHOW_FLAGS,
  AUDIT_VERIFY_FLAGS,
  CHECK_FLAGS,
  EXPORT_FLAGS,
  FIRE_FLAGS,
  HOOK_FLAGS,
  INIT_FLAGS,
  INSTALL_FLAGS,
  LIST_FLAGS,
  MCP_FLAGS,
  PROJECT_FLAGS,
  REPAIR_FLAGS,
  REPLAY_FLAGS,
  RULES_FLAGS,
  RUN_FLAGS,
  SHOW_FLAGS,
  TEST_FLAGS,
  TRUST_FLAGS,
  VERIFY_FLAGS,
  WHY_FLAGS,
  type Flag,
  type RunFlags
} from './flags.ts'
import { keepHeapSmall, loadClient } from './heap.ts'

export interface CommandRow {
  readonly name: string
  readonly argument?: { readonly name: string; readonly words: string; readonly choices?: readonly string[] }
  readonly words: string
  readonly flags: readonly Flag[]
  readonly examples: readonly (readonly [string, string])[]
  /** Loads what it needs only when it is called. */
  run(argument: unknown, flags: object): Promise<number>
}

const SESSION: NonNullable<CommandRow['argument']> = {
  name: 'session',
  words: 'its id, the beginning of its id, or the path of a .jsonl file'
}

export const GROUPS: Readonly<Record<string, string>> = {
  audit: 'check and show what was decided about calls',
  hooks: 'start with, list, check, test and trust the hooks of this folder',
  rules: 'explain what permission rules decide',
  sessions: 'list, show, verify, repair and export sessions'
}

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'run',
    argument: { name: '[prompt]', words: 'what to do; text on standard input is added to it' },
    words: 'run an agent in this folder: a session at the terminal, or one prompt with -p',
    flags: RUN_FLAGS,
    examples: [
      ['carabiner run', 'a session at the terminal'],
      ['carabiner run -p "What does this project do?"', 'reads, and answers'],
      ['git diff | carabiner run -p "Review this" --output-format json', 'for a script'],
      ['carabiner run -p "Fix the tests" --allowedTools "Bash(npm test) Edit"', 'with permissions'],
      ['carabiner run -p "Hello" --model script:hello.yaml', 'no key needed: a scripted model']
    ],
    run: async (prompt, flags: RunFlags) => {
      if (flags.model?.startsWith('script:') !== true) loadClient()
      keepHeapSmall()
      return (await import('./run/run.ts')).run(prompt as string | undefined, flags)
    }
  },
  {
    name: 'fire',
    argument: { name: 'event', words: 'PreToolUse, pre_tool_use, …' },
    words: 'fire one event through the hooks that are active here, and show what each answered',
    flags: FIRE_FLAGS,
    examples: [
      ['carabiner fire PreToolUse --tool Bash --set tool_input.command="rm -rf build"', 'would this call be stopped?'],
      ['carabiner fire PreToolUse --explain < payload.json', 'why did my hook not run?'],
      ['carabiner fire Stop --json', 'the same for a program']
    ],
    run: async (event, flags) => (await import('./hooks/fire.ts')).fireEvent(String(event), flags)
  },
  {
    name: 'mcp',
    argument: { name: '[server...]', words: 'the program of the server and its arguments, after --' },
    words:
      'put the gate between any MCP client and a server: every tool call passes the hooks and rules that are active here',
    flags: MCP_FLAGS,
    examples: [
      ['carabiner mcp -- npx -y @modelcontextprotocol/server-filesystem .', 'what the client starts as its server'],
      ['carabiner mcp --name files --hooks gate.ts -- npx -y server-files .', 'hooks see mcp__files__TOOL'],
      [`carabiner mcp --http https://example.org/mcp --header 'Authorization: Bearer \${TOKEN}'`, 'a server at a URL'],
      ['carabiner fire PreToolUse --tool mcp__files__write_file', 'would this call be stopped?']
    ],
    run: async (server, flags) => (await import('./mcp/proxy.ts')).proxyServer(server as readonly string[], flags)
  },
  {
    name: 'hook',
    words:
      'answer an event of another agent by the hooks and rules of its folder; hooks install writes the line that calls it',
    flags: HOOK_FLAGS,
    examples: [
      ['carabiner hooks install --for codex', 'puts the gate in front of the tools of Codex'],
      ['carabiner hook --for codex --event PreToolUse < payload.json', 'the answer for Codex']
    ],
    run: async (_, flags) => (await import('./host/hook.ts')).answerHost(flags)
  },
  {
    name: 'replay',
    argument: { name: '[session...]', words: 'ids, beginnings of ids, or paths of .jsonl files' },
    words: 'judge recorded sessions by the hooks and rules of today, and show what would be decided otherwise',
    flags: REPLAY_FLAGS,
    examples: [
      ['carabiner replay 10eb8395', 'what would today’s rules have refused? No tool runs'],
      ['carabiner replay ~/.claude/projects/-home-you-x/*.jsonl', 'sessions of Claude Code'],
      [`carabiner replay 10eb8395 --settings '{"permissions":{"deny":["Bash(git push *)"]}}'`, 'with a new rule'],
      ['carabiner replay sessions/*.jsonl --cwd . --fail-on-change', 'in CI of a policy']
    ],
    run: async (sessions, flags) =>
      (await import('./replay/replay.ts')).replaySessions(sessions as readonly string[], flags)
  },
  {
    name: 'doctor',
    words: 'show on one page what is active here, what is not and why, and what this machine can enforce',
    flags: PROJECT_FLAGS,
    examples: [['carabiner doctor', 'is everything active? exits with 4 if something that restricts is not']],
    run: async (_, flags) => (await import('./doctor.ts')).doctor(flags)
  },
  {
    name: 'hooks init',
    words: 'write a starter policy with tests: secrets, git history, deletes, tests before the agent stops',
    flags: INIT_FLAGS,
    examples: [
      ['carabiner hooks init --dry-run', 'what would be written?'],
      ['carabiner hooks init --test "make check"', 'with another command for the tests']
    ],
    run: async (_, flags) => (await import('./hooks/init.ts')).initHooks(flags)
  },
  {
    name: 'hooks install',
    words: 'put the gate in front of the tools of another agent, and see that it holds',
    flags: INSTALL_FLAGS,
    examples: [
      ['carabiner hooks install --for codex', 'in every project of this user'],
      ['carabiner hooks install --for claude --project --print', 'what would be written in this project?'],
      ['carabiner hooks install --for codex --remove', 'the file is as it was before']
    ],
    run: async (_, flags) => (await import('./host/install.ts')).installHooks(flags)
  },
  {
    name: 'hooks list',
    words: 'list every hook, where it comes from, and whether it is active',
    flags: PROJECT_FLAGS,
    examples: [['carabiner hooks list', 'what is active in this folder?']],
    run: async (_, flags) => (await import('./hooks/list.ts')).listHooks(flags)
  },
  {
    name: 'hooks check',
    words: 'find hooks that never match, never run, or do not do what they seem to do',
    flags: CHECK_FLAGS,
    examples: [
      ['carabiner hooks check', 'starts nothing'],
      ['carabiner hooks check --run', 'runs each hook once']
    ],
    run: async (_, flags) => (await import('./hooks/check.ts')).checkHooks(flags)
  },
  {
    name: 'hooks test',
    argument: { name: '[files...]', words: 'test files; default: *.hooktest.yaml and .json beside the hooks' },
    words: 'run tests of hooks: given this event, expect this outcome',
    flags: TEST_FLAGS,
    examples: [['carabiner hooks test --tap', 'in CI']],
    run: async (files, flags) => (await import('./hooks/test.ts')).runTests(files as readonly string[], flags)
  },
  {
    name: 'hooks trust',
    words: 'trust what the project brings, exactly as it is now',
    flags: TRUST_FLAGS,
    examples: [['carabiner hooks trust --print', 'the digest to give to --trust in CI']],
    run: async (_, flags) => (await import('./hooks/trust.ts')).trustProject(flags)
  },
  {
    name: 'rules check',
    argument: { name: '[call...]', words: 'a tool and its input: the command, the path, or JSON' },
    words:
      'show what the rules decide about a call, and why; without a call, one JSON object per line of standard input',
    flags: RULES_FLAGS,
    examples: [
      ['carabiner rules check Bash "git log | head"', 'would it run without a question?'],
      [`carabiner rules check Bash 'git push' --allow 'Bash(git *)' --json`, 'with a further rule, for a script'],
      ['carabiner rules check --settings settings.json < /dev/null', 'rules that allowed more in 0.1.0']
    ],
    run: async (call, flags) => (await import('./rules/check.ts')).checkRules(call as readonly string[], flags)
  },
  {
    name: 'why',
    argument: { name: '[call...]', words: 'the session, unless it is of this folder, and the id of the call, or last' },
    words: 'show why a call of a session was allowed or refused: hooks, rules, people, under the policy of then',
    flags: WHY_FLAGS,
    examples: [
      ['carabiner why last', 'the last call in this folder'],
      ['carabiner why 10eb8395 toolu_01A --json', 'in another session, for a script']
    ],
    run: async (call, flags) => (await import('./audit/why.ts')).explainCall(call as readonly string[], flags)
  },
  {
    name: 'audit verify',
    argument: { ...SESSION, name: '[session]' },
    words:
      'check the signatures of a session: whether any line was changed, added, moved or cut off; exits with 1 if so',
    flags: AUDIT_VERIFY_FLAGS,
    examples: [
      ['carabiner audit verify 10eb8395', 'is it as it was written?'],
      ['carabiner audit verify --all', 'every session, and those that are gone']
    ],
    run: async (session, flags) =>
      (await import('./audit/verify.ts')).verifySignatures(session as string | undefined, flags)
  },
  {
    name: 'audit show',
    argument: { ...SESSION, name: '[session]' },
    words: 'list the calls of a session, or of this folder: what was decided about each, and by whom',
    flags: AUDIT_SHOW_FLAGS,
    examples: [
      ['carabiner audit show --decision deny', 'what was refused in this folder?'],
      ['carabiner audit show --all --since 2026-11-01 --json', 'for another program, a line per call']
    ],
    run: async (session, flags) => (await import('./audit/show.ts')).showCalls(session as string | undefined, flags)
  },
  {
    name: 'sessions list',
    words: 'list the sessions of this folder, newest first, with their state',
    flags: LIST_FLAGS,
    examples: [
      ['carabiner sessions list', 'what was done here?'],
      ['carabiner sessions list --all --json', 'for a script'],
      ['carabiner sessions list --claude', 'those of Claude Code']
    ],
    run: async (_, flags) => (await import('./sessions/list.ts')).listSessions(flags)
  },
  {
    name: 'sessions show',
    argument: SESSION,
    words: 'show a session: messages, calls, what hooks added and what was refused',
    flags: SHOW_FLAGS,
    examples: [
      ['carabiner sessions show 10eb8395', 'the beginning of an id is enough'],
      ['carabiner sessions show 10eb8395 --agent a45ed90d', 'what a subagent did'],
      ['carabiner sessions show ~/.claude/projects/-home-you-x/4fc1.jsonl --full', 'a transcript of Claude Code']
    ],
    run: async (session, flags) => (await import('./sessions/show.ts')).showSession(String(session), flags)
  },
  {
    name: 'sessions verify',
    argument: { ...SESSION, name: '[session]' },
    words: 'read every byte of a session and report what is missing; exits with 1 if anything is',
    flags: VERIFY_FLAGS,
    examples: [
      ['carabiner sessions verify 10eb8395', 'is it whole?'],
      ['carabiner sessions verify --all && echo all whole', 'in a backup script']
    ],
    run: async (session, flags) =>
      (await import('./sessions/verify.ts')).verifySessions(session as string | undefined, flags)
  },
  {
    name: 'sessions repair',
    argument: SESSION,
    words: 'replace a file that has gaps with a whole one; the original is kept beside it',
    flags: REPAIR_FLAGS,
    examples: [
      ['carabiner sessions repair 10eb8395 --dry-run', 'what would be left out?'],
      ['carabiner sessions repair 10eb8395', 'the original is kept as .bak']
    ],
    run: async (session, flags) => (await import('./sessions/repair.ts')).repairSession(String(session), flags)
  },
  {
    name: 'sessions export',
    argument: SESSION,
    words: 'print a session as a page, as messages for a model, or as lines for other programs',
    flags: EXPORT_FLAGS,
    examples: [
      ['carabiner sessions export 10eb8395 > session.md', 'to read or to share'],
      ['carabiner sessions export 10eb8395 --format json | jq .messages', 'what the model gets'],
      ['carabiner sessions export 10eb8395 --format jsonl > lines.jsonl', 'for viewers of transcripts']
    ],
    run: async (session, flags) => (await import('./sessions/export.ts')).exportSession(String(session), flags)
  },
  {
    name: 'demo',
    words: 'take a guided tour: an agent at work, offline, in a folder that is removed afterwards',
    flags: [],
    examples: [['carabiner demo', 'takes a few seconds, needs no key']],
    run: async () => (await import('./demo/demo.ts')).demo()
  },
  {
    name: 'completion',
    argument: { name: 'shell', words: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] },
    words: 'print the completions for a shell',
    flags: [],
    examples: [['source <(carabiner completion bash)', 'in ~/.bashrc']],
    run: async shell => (await import('./completion.ts')).completion(String(shell), COMMANDS)
  }
]

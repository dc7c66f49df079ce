/** Every command, with its flags, its words and an example: the parser, the help and the completions read this table. */

export interface Flag {
  readonly flags: string
  readonly words: string
  readonly choices?: readonly string[]
  /** May be given several times. */
  readonly many?: true
  /** It restricts, and a second one would take its place. */
  readonly once?: true
}

export interface CommandRow {
  readonly name: string
  readonly argument?: { readonly name: string; readonly words: string; readonly choices?: readonly string[] }
  readonly words: string
  readonly flags: readonly Flag[]
  readonly examples: readonly (readonly [string, string])[]
  /** Loads what it needs only when it is called. */
  run(argument: unknown, flags: object): Promise<number>
}

const WHERE: readonly Flag[] = [
  { flags: '--cwd <folder>', words: 'look from this folder' },
  { flags: '--settings <file-or-json>', once: true, words: 'add these settings' },
  { flags: '--setting-sources <list>', once: true, words: 'which of user, project, local count' },
  { flags: '--plugin-dir <folder>', words: 'add the hooks of this plugin', many: true },
  { flags: '--hooks <file>', words: 'add a TypeScript or JavaScript module of hooks', many: true }
]

const TRUST: readonly Flag[] = [
  {
    flags: '--profile <profile>',
    once: true,
    words: 'strict closes gates on failure; compat does as Claude Code',
    choices: ['strict', 'compat']
  },
  { flags: '--trust <digest>', words: 'trust the project’s hooks if this is their digest (or CARABINER_TRUST)' },
  {
    flags: '--trust-project-hooks',
    words: 'trust the project’s hooks for this run (or CARABINER_TRUST_PROJECT_HOOKS=1)'
  },
  { flags: '--no-project-hooks', words: 'ignore the project’s hooks, agents, commands and skills' }
]

const JSON_FLAG: Flag = { flags: '--json', words: 'one JSON object, for machines' }

const SESSION: NonNullable<CommandRow['argument']> = {
  name: 'session',
  words: 'its id, the beginning of it, or the path of a .jsonl file'
}

const SESSIONS: readonly Flag[] = [
  { flags: '--claude', words: 'look only among the sessions of Claude Code' },
  { flags: '--cwd <folder>', words: 'look from this folder' }
]

const AGENT: Flag = { flags: '--agent <id>', words: 'one of its subagents instead' }

/** Words for commands of which there are several with one name in front. */
export const GROUPS: Readonly<Record<string, string>> = {
  hooks: 'see, check, test and trust the hooks of this folder',
  sessions: 'see, check, repair and hand on what was written down of sessions'
}

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'run',
    argument: { name: '[prompt]', words: 'what to do; what is piped in is added to it' },
    words: 'run an agent in this folder: a session at the terminal, or one prompt with -p',
    flags: [
      { flags: '-p, --print', words: 'answer the prompt, print the answer, end' },
      { flags: '--output-format <format>', words: 'how to print', choices: ['text', 'json', 'stream-json'] },
      { flags: '--input-format <format>', words: 'what standard input holds', choices: ['text', 'stream-json'] },
      { flags: '--model <name>', words: 'sonnet, opus, a full name, openai/NAME, https://host/v1#NAME, script:FILE' },
      {
        flags: '--permission-mode <mode>',
        once: true,
        words: 'default, acceptEdits, plan, dontAsk, bypassPermissions'
      },
      { flags: '--dangerously-skip-permissions', words: 'ask nobody; hooks and deny rules still hold' },
      {
        flags: '--allowedTools, --allowed-tools <rules...>',
        words: 'what runs without a question: "Bash(git *) Edit"'
      },
      { flags: '--disallowedTools, --disallowed-tools <rules...>', words: 'what never runs' },
      { flags: '--tools <names...>', words: 'the tools that are there; default: all' },
      { flags: '--agents <json>', words: 'subagents: {"name": {"description": …, "prompt": …}}' },
      { flags: '--add-dir <folders...>', words: 'further folders that belong to the work' },
      { flags: '--mcp-config <file-or-json>', words: 'add the servers of this file, or of this JSON', many: true },
      { flags: '--strict-mcp-config', words: 'go without the servers of the project’s .mcp.json' },
      { flags: '--max-turns <n>', once: true, words: 'end after so many model calls' },
      { flags: '--max-budget-usd <dollars>', once: true, words: 'end when so much is spent' },
      { flags: '--system-prompt <text>', words: 'instead of the usual one' },
      { flags: '--append-system-prompt <text>', words: 'in addition to the usual one' },
      { flags: '--json-schema <schema>', words: 'the answer must be JSON of this schema' },
      { flags: '--effort <level>', words: 'how hard to think', choices: ['low', 'medium', 'high', 'xhigh', 'max'] },
      {
        flags: '-r, --resume <id>',
        words:
          'go on with this session (the beginning of its id will do), or, in a copy, from a .jsonl file; without a prompt, with what it was doing'
      },
      { flags: '-c, --continue', words: 'go on with the last session of this folder' },
      { flags: '--fork-session', words: 'with --resume or --continue: in a copy, under an id of its own' },
      { flags: '--resume-session-at <uuid>', words: 'with --resume: only up to this message' },
      { flags: '--session-id <id>', words: 'the id of the new session' },
      { flags: '--include-hook-events', words: 'stream-json: also say when hooks start and answer' },
      { flags: '--include-partial-messages', words: 'stream-json: also give pieces of answers as they come' },
      { flags: '--verbose', words: 'say more on standard error' },
      { flags: '--init', words: 'prepare the project first (fires Setup)' },
      { flags: '--init-only', words: 'prepare the project and end' },
      { flags: '--maintenance', words: 'maintain the project first (fires Setup)' },
      ...WHERE,
      ...TRUST
    ],
    examples: [
      ['carabiner run', 'a session at the terminal'],
      ['carabiner run -p "What does this project do?"', 'reads, and answers'],
      ['git diff | carabiner run -p "Review this" --output-format json', 'for a script'],
      ['carabiner run -p "Fix the tests" --allowedTools "Bash(npm test) Edit"', 'with permissions'],
      ['carabiner run -p "Hello" --model script:hello.yaml', 'no key needed: a scripted model']
    ],
    run: async (prompt, flags) => (await import('./run/run.ts')).run(prompt as string | undefined, flags)
  },
  {
    name: 'fire',
    argument: { name: 'event', words: 'PreToolUse, pre_tool_use, …' },
    words: 'fire one event through the hooks in force here, and show what each said',
    flags: [
      {
        flags: '--input <file-or-json>',
        words: 'the payload, or a part of it; default: standard input, over the event’s sample'
      },
      { flags: '--tool <name>', words: 'the tool that the event is about' },
      { flags: '--set <key=value>', words: 'set a field: tool_input.command="git push"', many: true },
      { flags: '--explain', words: 'also show the hooks that did not run, and why' },
      { flags: '--exit-code', words: 'end with 2 when the event is blocked' },
      JSON_FLAG,
      ...WHERE,
      ...TRUST
    ],
    examples: [
      ['carabiner fire PreToolUse --tool Bash --set tool_input.command="rm -rf build"', 'would this call be stopped?'],
      ['carabiner fire PreToolUse --explain < payload.json', 'why did my hook not run?'],
      ['carabiner fire Stop --json', 'the same for a program']
    ],
    run: async (event, flags) => (await import('./hooks/fire.ts')).fireEvent(String(event), flags)
  },
  {
    name: 'doctor',
    words: 'show on one page what is in force here, what is not and why, and what this machine can enforce',
    flags: [JSON_FLAG, ...WHERE, ...TRUST],
    examples: [['carabiner doctor', 'is everything in force? ends with 4 if something that restricts is not']],
    run: async (_, flags) => (await import('./doctor.ts')).doctor(flags)
  },
  {
    name: 'hooks list',
    words: 'list every hook, where it comes from, and whether it is in force',
    flags: [JSON_FLAG, ...WHERE, ...TRUST],
    examples: [['carabiner hooks list', 'what is in force in this folder?']],
    run: async (_, flags) => (await import('./hooks/list.ts')).listHooks(flags)
  },
  {
    name: 'hooks check',
    words: 'find hooks that never match, never run, or do not do what they seem to do',
    flags: [
      { flags: '--run', words: 'also fire the samples at every trusted hook, in both profiles' },
      JSON_FLAG,
      ...WHERE,
      ...TRUST
    ],
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
    flags: [{ flags: '--tap', words: 'print TAP, for other programs' }, ...WHERE, ...TRUST],
    examples: [['carabiner hooks test --tap', 'in somebody’s CI']],
    run: async (files, flags) => (await import('./hooks/test.ts')).runTests(files as readonly string[], flags)
  },
  {
    name: 'hooks trust',
    words: 'trust what the project brings, exactly as it is now',
    flags: [
      { flags: '--print', words: 'only print the digest, for --trust' },
      { flags: '--folder', words: 'trust the folder whatever becomes of it; not in CI' },
      ...WHERE
    ],
    examples: [['carabiner hooks trust --print', 'the digest to give to --trust in CI']],
    run: async (_, flags) => (await import('./hooks/trust.ts')).trustProject(flags)
  },
  {
    name: 'sessions list',
    words: 'list the sessions of this folder, the newest first, and how each was left',
    flags: [
      { flags: '--all', words: 'those of all folders' },
      { flags: '--limit <n>', words: 'so many at most; default: 20' },
      JSON_FLAG,
      ...SESSIONS
    ],
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
    words: 'show a session: what was said and done, what hooks added, who refused what',
    flags: [
      { flags: '--full', words: 'nothing is cut short' },
      AGENT,
      { flags: '--no-pager', words: 'print it, also at a terminal; otherwise $PAGER shows it there, or less' },
      JSON_FLAG,
      ...SESSIONS
    ],
    examples: [
      ['carabiner sessions show 10eb8395', 'the beginning of an id will do'],
      ['carabiner sessions show 10eb8395 --agent a45ed90d', 'what a subagent did'],
      ['carabiner sessions show ~/.claude/projects/-home-you-x/4fc1.jsonl --full', 'a transcript of Claude Code']
    ],
    run: async (session, flags) => (await import('./sessions/show.ts')).showSession(String(session), flags)
  },
  {
    name: 'sessions verify',
    argument: { ...SESSION, name: '[session]' },
    words: 'read every byte of a session, and say what is missing; ends with 1 if anything is',
    flags: [{ flags: '--all', words: 'every session of every folder' }, JSON_FLAG, ...SESSIONS],
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
    words: 'put a whole file in the place of one with gaps; the old one stays beside it',
    flags: [{ flags: '--dry-run', words: 'only say what would be done' }, JSON_FLAG, ...SESSIONS],
    examples: [
      ['carabiner sessions repair 10eb8395 --dry-run', 'what would be left out?'],
      ['carabiner sessions repair 10eb8395', 'the original is kept as .bak']
    ],
    run: async (session, flags) => (await import('./sessions/repair.ts')).repairSession(String(session), flags)
  },
  {
    name: 'sessions export',
    argument: SESSION,
    words: 'print a session: as a page, as messages for a model, or as lines for other programs',
    flags: [
      {
        flags: '--format <format>',
        words: 'markdown for people, json for a model, jsonl as Claude Code writes it',
        choices: ['markdown', 'json', 'jsonl']
      },
      AGENT,
      { flags: '--json', words: 'the same as --format json' },
      ...SESSIONS
    ],
    examples: [
      ['carabiner sessions export 10eb8395 > session.md', 'to read, or to hand on'],
      ['carabiner sessions export 10eb8395 --format json | jq .messages', 'what the model was told'],
      ['carabiner sessions export 10eb8395 --format jsonl > lines.jsonl', 'for viewers of transcripts']
    ],
    run: async (session, flags) => (await import('./sessions/export.ts')).exportSession(String(session), flags)
  },
  {
    name: 'demo',
    words: 'a guided tour: an agent at work, offline, in a folder that is removed afterwards',
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

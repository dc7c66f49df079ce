/** Every command, with its flags, its words and an example: the parser, the help and the completions read this table. */

export interface Flag {
  readonly flags: string
  readonly words: string
  readonly choices?: readonly string[]
  /** May be given several times. */
  readonly many?: true
}

export interface CommandRow {
  /** `hooks list`. */
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
  { flags: '--settings <file-or-json>', words: 'add these settings' },
  { flags: '--setting-sources <list>', words: 'which of user, project, local count' },
  { flags: '--plugin-dir <folder>', words: 'add the hooks of this plugin', many: true },
  { flags: '--hooks <file>', words: 'add a TypeScript or JavaScript module of hooks', many: true }
]

const TRUST: readonly Flag[] = [
  {
    flags: '--profile <profile>',
    words: 'strict closes gates on failure; compat does as Claude Code',
    choices: ['strict', 'compat']
  },
  { flags: '--trust <digest>', words: 'trust the project’s hooks if this is their digest (or CARABINER_TRUST)' },
  {
    flags: '--trust-project-hooks',
    words: 'trust the project’s hooks for this run (or CARABINER_TRUST_PROJECT_HOOKS=1)'
  },
  { flags: '--no-project-hooks', words: 'go without the project’s hooks' }
]

const JSON_FLAG: Flag = { flags: '--json', words: 'one JSON object, for machines' }

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'fire',
    argument: { name: 'event', words: 'PreToolUse, pre_tool_use, …; see docs/hooks.md' },
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
    run: async (event, flags) => (await import('./fire.ts')).fire(String(event), flags)
  },
  {
    name: 'hooks list',
    words: 'list every hook, where it comes from, and whether it is in force',
    flags: [JSON_FLAG, ...WHERE, ...TRUST],
    examples: [['carabiner hooks list', 'what is in force in this folder?']],
    run: async (_, flags) => (await import('./list.ts')).list(flags)
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
    run: async (_, flags) => (await import('./check.ts')).check(flags)
  },
  {
    name: 'hooks test',
    argument: { name: '[files...]', words: 'test files; default: *.hooktest.yaml and .json beside the hooks' },
    words: 'run tests of hooks: given this event, expect this outcome',
    flags: [{ flags: '--tap', words: 'print TAP, for other programs' }, ...WHERE, ...TRUST],
    examples: [['carabiner hooks test --tap', 'in somebody’s CI']],
    run: async (files, flags) => (await import('./test.ts')).runTests(files as readonly string[], flags)
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
    run: async (_, flags) => (await import('./trust.ts')).trust(flags)
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

import { ERRORS, faultsIn, type Sentences } from './errors.ts'

/** What went wrong, the next step for a program, and the sentence for the command line. */
const forBoth = (what: string, program: string, commandLine: string): readonly [string, string, string] => [
  what,
  program,
  commandLine === '' ? what : `${what}; ${commandLine}`
]

/** Flags that name places, as options of `query()`. */
export const asOptions = (text: string): string =>
  text.replaceAll(/--settings\b/g, 'options.settings').replaceAll(/--hooks\b/g, 'options.hookModules')

/** Flags whose names differ from their options. */
const FLAGS: Readonly<Record<string, string>> = {
  additionalDirectories: '--add-dir',
  allowedTools: '--allowedTools',
  disallowedTools: '--disallowedTools',
  hookModules: '--hooks',
  mcpServers: '--mcp-config',
  outputFormat: '--json-schema',
  plugins: '--plugin-dir'
}

/** Replaces options of `query()` in a sentence by flags of the command line. */
export const asFlags = (text: string): string =>
  text.replaceAll(
    /\boptions\.([a-z]+(?:[A-Z][a-z]+)*)\b(?:\.schema\b)?/g,
    (_, name: string) => FLAGS[name] ?? `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
  )

const ALONE =
  /(?<![\w.-])(?:\{ )?(resume(?:SessionAt)?|continue|forkSession|sessionId|permissionMode|max[A-Z]\w+|(?:dis)?allowedTools|settingSources|additionalDirectories)(?: \})?(?![\w:])/g

/** The same for option names without a leading `options.`. */
const alone = (text: string): string => asFlags(text.replaceAll(ALONE, 'options.$1'))

export const NO_BYPASS = 'mode bypassPermissions is not allowed here'

const COPY = ['continue in a copy with { forkSession: true }', 'continue in a copy with --fork-session'] as const

/** The errors of everything but the engine, which has its own so that it stays small when used alone. */
export const FAULTS = {
  E_OPTION_INVALID: (what: string, value: string, allowed: string) => {
    const flag = alone(what.replace(/^(?=(?:tools|agents|cwd|effort|plugins|outputFormat)\b)/, 'options.'))
    return [`${what} cannot be ${value}`, `use ${allowed}`, `${flag} cannot be ${value}; use ${alone(allowed)}`]
  },
  E_URL_REFUSED: (url: string, why: string, next: string) => [`no hook can be at ${url}: ${why}`, next],
  E_MODEL: (why: string, next: string) => [why, next],
  E_UNTRUSTED: (root: string, what: string) =>
    forBoth(
      `the project ${root} brings hooks, rules, modules, agents, commands, skills or servers that are not trusted: ${what}`,
      'look at them with `carabiner hooks trust`, or give { trust: "sha256:…" }, { trust: true } or { projectHooks: false }',
      'look at them with `carabiner hooks trust`, or give --trust with their digest, or --no-project-hooks'
    ),
  E_TRUST_STORE: (folder: string, why: string) =>
    forBoth(
      `trust cannot be saved in ${folder}: ${why}`,
      'make that folder writable, or name another with CARABINER_HOME; for one run, give { trust: "sha256:…" }',
      'make that folder writable, or name another with CARABINER_HOME; for one run, give --trust with the digest of `carabiner hooks trust --print`'
    ),
  E_SETTINGS: (problems: string) => {
    const what = 'the settings have errors, and a gate might be missing:'
    const rest = 'continues without the invalid entries'
    return [
      `${what} ${asOptions(problems)}`,
      `correct them (\`carabiner hooks check\` lists all that is in files); { profile: 'compat' } ${rest}`,
      `${what} ${asFlags(problems)}; correct them (\`carabiner hooks check\` lists all that is in files); --profile compat ${rest}`
    ]
  },
  E_SANDBOX: (why: string) =>
    forBoth(
      `the sandbox is enabled and cannot be used, so nothing was started: ${why}`,
      'to work without it, give { sandbox: false }, and remove sandbox.enabled and sandbox in rules from the settings',
      'to work without it, leave out --sandbox, and remove sandbox.enabled and sandbox in rules from the settings'
    ),
  E_RULE: (rule: string, where: string) => [`${rule} (${asOptions(where)})`, '', `${rule} (${alone(where)})`],
  E_MODE: (problem: string, where: string) => {
    const what = `${problem} (${where})`
    if (problem !== NO_BYPASS) return [what, '', `${problem} (${alone(where)})`]
    const next = 'to allow it'
    return forBoth(
      what,
      `give { allowDangerouslySkipPermissions: true } ${next}`,
      `start with --dangerously-skip-permissions ${next}`
    )
  },
  E_TRANSCRIPT: (path: string, why: string, saved: string) =>
    saved === '0'
      ? [
          `the transcript ${path} cannot be written: ${why}`,
          'nothing of this run was saved; check the disk and the permissions of that folder, or name another with CARABINER_HOME'
        ]
      : forBoth(
          `nothing more can be written to the transcript ${path}: ${why}`,
          'what was written before is safe; check the disk, then continue with { resume }',
          'what was written before is safe; check the disk, then continue with --resume'
        ),
  E_SESSION_BUSY: (id: string, holder: string) =>
    forBoth(`session ${id} is running: ${holder}`, `end it first, or ${COPY[0]}`, `end it first, or ${COPY[1]}`),
  E_SESSION_UNKNOWN: (id: string, near: string) =>
    forBoth(
      `there is no session ${id}`,
      near === '' ? 'give the id of a saved session, or the path of a .jsonl file' : `did you mean ${near}?`,
      near === '' ? 'see `carabiner sessions list`' : `did you mean ${near}?`
    ),
  E_SESSION_NEWER: (id: string, what: string) =>
    forBoth(
      `session ${id} was written by a newer Carabiner (${what}), and is not written to`,
      `use that version, or ${COPY[0]}`,
      `use that version, or ${COPY[1]}`
    ),
  E_SESSION_FOREIGN: (id: string) =>
    forBoth(`session ${id} was written by another program, and is not written to`, ...COPY),
  E_NOT_TRANSCRIPT: (path: string, why: string) => [
    `${path} is not a transcript: ${why}`,
    'name the .jsonl file of a session of Carabiner or Claude Code'
  ],
  E_REPAIR: (path: string, why: string) => [
    `${path} cannot be repaired: ${why}`,
    'the original is unchanged: in its place, or beside it with the extension .bak'
  ],
  E_INIT: (what: string, why: string, written: string) => [
    `${what}: ${why}`,
    `${written} was written; correct it or move it away, then run \`carabiner hooks init\` again`
  ],
  E_INSTALL: (what: string, why: string, fix: string) => [`${what}: ${why}`, `nothing was written; ${fix}`],
  E_CLOSED: (what: string) => [`${what} came after the query had ended`, 'begin a new one'],
  E_START: (why: string) => [`the session could not begin: ${why}`, ''],
  E_USAGE: (why: string) => forBoth(why, '', 'see --help'),
  E_EXPECTATION: (why: string) => [why, '']
} satisfies Sentences

const ALL = { ...ERRORS, ...FAULTS }
const made = faultsIn(ALL)

/** An error with the sentence of its code, and the sentence for the command line if there is one. */
export const fault: typeof made = (code, ...words) => {
  const [, , forCommandLine] = (ALL[code] as Sentences[string])(...words)
  // Not enumerable: a program that prints the error should see options, not flags.
  return Object.defineProperty(made(code, ...words), 'forCommandLine', { value: forCommandLine })
}

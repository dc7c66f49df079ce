import { fault } from '../../faults.ts'
import { shellWord } from '../../shell/command-words.ts'
import type { PlainObject } from '../../util/plain.ts'
import { listsIn } from '../host/config-edit.ts'

export const PROTECT = 'protect-repository.mjs'
/** What was written when a plan cannot be carried out. */
export const NOTHING = 'nothing'
export const TESTS = 'tests-before-stop.mjs'

/** One line of the starter policy: where it goes in the settings, and what it does. */
export interface PolicyLine {
  readonly path: readonly string[]
  readonly value: unknown
  readonly words: string
  /** The same is there already, perhaps changed by the user. */
  isIn(present: unknown): boolean
}

/** What may not be read may not be changed either. */
function secret(pattern: string, words: string): PolicyLine {
  const value = `Read(${pattern})`
  return { path: ['permissions', 'deny'], value, words, isIn: present => present === value }
}

interface Entry {
  readonly event: string
  readonly matcher?: string
  readonly script: string
  readonly args?: string
  readonly more: PlainObject
  readonly words: string
}

/** Hooks in the form that Claude Code reads, too. */
function hook({ event, matcher, script, args = '', more, words }: Entry): PolicyLine {
  // The script gets the whole command, which may have operators and quotes of its own.
  const given = /^[\w@%+=:,./ -]*$/.test(args) ? args : shellWord(args)
  const command = `node "$CLAUDE_PROJECT_DIR"/.claude/hooks/${script} ${given}`.trimEnd()
  const value = { ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', command, ...more }] }
  return { path: ['hooks', event], value, words, isIn: present => JSON.stringify(present).includes(script) }
}

export const policyLines = (tests: string | undefined): readonly PolicyLine[] => [
  secret('**/.env', 'the agent cannot read or change environment files'),
  secret('**/.env.local', '… of this machine'),
  secret('**/.env.*.local', '… of one environment on this machine'),
  secret('**/.env.production', '… of production'),
  secret('**/*.pem', '… and private keys'),
  secret('~/.ssh/**', '… and SSH keys'),
  secret('~/.aws/**', '… and cloud credentials'),
  hook({
    event: 'PreToolUse',
    matcher: 'Bash',
    script: PROTECT,
    more: { timeout: 10, onFailure: 'block' },
    words: 'commands that delete folders, lose git history or name secrets are refused, also if the script fails'
  }),
  ...(tests === undefined
    ? []
    : [
        hook({
          event: 'SessionStart',
          matcher: 'startup',
          script: TESTS,
          more: { timeout: 60 },
          words: 'the files as they are at the beginning need no tests'
        }),
        hook({
          event: 'Stop',
          script: TESTS,
          args: tests,
          more: { timeout: 600 },
          words: `the agent can end its turn after "${tests}" has passed for the files as they are`
        })
      ])
]

/** The lines of a policy that a settings file does not have yet. Throws if the file cannot be added to. */
export function missingLines(
  file: string,
  text: string | undefined,
  lines: readonly PolicyLine[]
): readonly PolicyLine[] {
  const refuse = (what: string, why: string): Error => fault('E_INIT', what, why, NOTHING)
  const lists = listsIn(
    file,
    text ?? '',
    lines.map(({ path }) => path),
    refuse
  )
  return lines.filter(({ isIn }, place) => lists[place]?.some(isIn) !== true)
}

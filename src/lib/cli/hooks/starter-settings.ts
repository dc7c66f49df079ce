import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'
import { fault } from '../../faults.ts'
import { parseDocument } from '../../settings/files/document.ts'
import type { Findings } from '../../settings/files/finding.ts'
import { shellWord } from '../../shell/command-words.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

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
  if (text === undefined || text.trim() === '') return lines
  const { document, findings } = parseDocument(file, text)
  if (document === undefined) throw fault('E_INIT', `${file} cannot be read as settings`, wordsIn(findings), NOTHING)
  return lines.filter(({ path, isIn }) => {
    let at: unknown = document.value
    for (const [depth, key] of path.entries()) {
      if (!isObject(at))
        throw fault(
          'E_INIT',
          `${file} cannot be added to`,
          `${path.slice(0, depth).join('.')} is not an object`,
          NOTHING
        )
      at = at[key]
      if (at === undefined) return true
    }
    if (!Array.isArray(at))
      throw fault('E_INIT', `${file} cannot be added to`, `${path.join('.')} is not a list`, NOTHING)
    return !at.some(isIn)
  })
}

const wordsIn = ({ all }: Findings): string =>
  all.map(({ message, place }) => `line ${place.line}: ${message}`).join('; ')

/** The settings with these lines added. All that is there stays, with its comments and its layout. */
export function withLines(text: string | undefined, lines: readonly PolicyLine[]): string {
  const before = text === undefined || text.trim() === '' ? '{}\n' : text
  const tab = /^(?<indent>[ \t]+)\S/m.exec(before)?.groups?.['indent']
  const formattingOptions = {
    insertSpaces: tab === undefined || !tab.includes('\t'),
    tabSize: tab === undefined || tab.includes('\t') ? 2 : tab.length,
    eol: before.includes('\r\n') ? '\r\n' : '\n'
  }
  return lines.reduce(
    (now, { path, value }) =>
      behindLast(now, path, JSON.stringify(value, null, tab ?? 2)) ??
      applyEdits(now, modify(now, [...path, -1], value, { isArrayInsertion: true, formattingOptions })),
    before
  )
}

/** The text with one more item in a list whose last item ends its line: what is there stays as it is, with a comment behind it. */
function behindLast(text: string, path: readonly string[], item: string): string | undefined {
  const root = parseTree(text)
  const last = root && findNodeAtLocation(root, [...path])?.children?.at(-1)
  if (last === undefined) return undefined
  const end = last.offset + last.length
  const [, comma = '', rest] =
    /^([ \t]*,)?([ \t]*(?:\/\/.*|\/\*.*\*\/[ \t]*)?\r?)$/m.exec(text.slice(end).split('\n')[0] ?? '') ?? []
  const [, indent] = /(?:^|\n)([ \t]*)$/.exec(text.slice(0, last.offset)) ?? []
  if (rest === undefined || indent === undefined) return undefined
  const eol = rest.endsWith('\r') ? '\r\n' : '\n'
  const behind = end + comma.length + rest.replace('\r', '').length
  const added = `${eol}${indent}${item.replaceAll('\n', `${eol}${indent}`)}`
  return `${text.slice(0, end)},${text.slice(end + comma.length, behind)}${added}${text.slice(behind)}`
}
